// Blob renaming: everywhere in a net, in all versions, nested nets included.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// A net in which every name of a blob can be changed.
template <class N>
concept fully_renamable_net =
    renamable_net<N> && renamable_externals<N> && renamable_controls<N> && has_text<N> && nameable_net<N>;

namespace detail {

struct leave_nested {
  template <class N>
  constexpr void operator()(N const&, subnet_scope) const {}
};

// Throws on name capture in nested nets: if `names` would merge two blobs that the nested nets of an op see. The op's
// own operands count too: a nested net refers to them by name.
template <class N, class Op>
void check_nested_rename(N const& n, Op const& op, std::size_t at, name_map const& names) {
  bool touched = false;
  boost::unordered_flat_map<std::string, std::string> origin;  // by new name
  std::optional<net_error> captured;
  auto const visit = [&](std::string_view from) {
    std::string_view const to = names[from];
    touched |= to != from;
    auto const [entry, added] = origin.try_emplace(std::string(to), from);
    if (!added && entry->second != from && !captured)
      captured.emplace("plait: new name '" + std::string(to) + "' is taken: " + op_label(n, at) +
                           " holds a net that would see '" + entry->second + "' and '" + std::string(from) +
                           "' as one blob",
                       at, std::string(to));
  };
  visit_nested_names(n, op, [&](std::string_view name) { visit(name); });
  if constexpr (!nested_editable_net<N>) {
    if (touched)
      raise(net_error("plait: " + op_label(n, at) +
                          " holds a net that mentions a blob to be renamed, and its net "
                          "type has no way to change nested nets",
                      at));
  }
  for (auto const& name : inputs(n, op)) visit(name_text(n, static_cast<name_t<N> const&>(name)));
  for (auto const& name : outputs(n, op)) visit(name_text(n, static_cast<name_t<N> const&>(name)));
  if (touched && captured) raise(*captured);
}

// Throws on name capture: if two blobs of the net would have one name afterwards.
template <class N>
void check_rename(ssa_form<N> const& ssa, name_map const& names) {
  auto const taken = [&](std::string_view to, blob_index by) -> net_error {
    value const last{by, ssa.version(by)};
    std::string message = "plait: new name '" + std::string(to) + "' is taken by blob '" +
                          std::string(std::string_view(ssa.name(by))) + "' ";
    std::optional<std::size_t> op;
    if (auto const producer = ssa.producer(last)) {
      op = producer->op;
      message += "(version " + std::to_string(last.version) + " is written by op " + std::to_string(producer->op) + ')';
    } else {
      message += "(version " + std::to_string(last.version) + " is given to the net)";
    }
    return net_error(message, op, std::string(to));
  };
  boost::unordered_flat_map<std::string_view, blob_index> claimed;
  for (auto const& [from, to] : names) {
    blob_index const b = ssa.find(from);
    if (b == npos || from == to) continue;
    if (blob_index const other = ssa.find(to); other != npos && names[to] == to) raise(taken(to, other));
    if (auto const [entry, added] = claimed.try_emplace(to, b); !added) raise(taken(to, entry->second));
  }
}

// Checks the nested nets of all ops. Returns true if the net has any.
template <net N>
bool check_nested_renames(N const& n, name_map const& names, name_capture capture) {
  bool any = false;
  if constexpr (has_subnets<N>) {
    std::size_t at = 0;
    for (auto&& op : plait::ops(n)) {
      if (has_nested_nets(n, op)) {
        any = true;
        if (capture == name_capture::refuse || !nested_editable_net<N>) check_nested_rename(n, op, at, names);
      }
      ++at;
    }
  }
  return any;
}

// Applies a checked renaming to all nested nets.
template <fully_renamable_net N, class Finish>
void rename_in_nested(N& n, name_map const& names, Finish finish) {
  if constexpr (nested_editable_net<N>)
    for (auto&& op : net_traits_of<N>::ops(n))
      if (has_nested_nets(std::as_const(n), op)) rename_nested(n, op, names, finish);
}

}  // namespace detail

/// Renames every blob in `names` that occurs in the net: in ops, control inputs, externals, nested nets and the
/// arguments that name blobs. Renames simultaneously, so that names can be exchanged. Names that do not occur are no
/// error.
///
/// Throws net_error, changing nothing, for an empty name, for a new name that another blob has, with the op that writes
/// that (name_capture::merge merges the two), and if a nested net cannot be changed. O(operands + nested nets). Returns
/// the entries of `names` that were applied.
template <fully_renamable_net N>
name_map rename_blobs(N& n, name_map const& names, name_capture capture = name_capture::refuse) {
  auto const ssa = get_ssa(n, {.subnets = true, .control_inputs = true});
  for (auto const& [from, to] : names)
    if (to.empty() && from != to && ssa.contains(from))
      raise(net_error("plait: '" + std::string(from) + "' cannot be given an empty name", std::nullopt,
                      std::string(from)));
  if (capture == name_capture::refuse) detail::check_rename(ssa, names);
  bool const nested = detail::check_nested_renames(std::as_const(n), names, capture);
  name_map used;
  for (auto const& [from, to] : names)
    if (from != to && ssa.contains(from)) used.set(from, to);
  detail::rename_mentions(n, names);
  if (nested) detail::rename_in_nested(n, names, detail::leave_nested{});
  return used;
}

}  // namespace plait
