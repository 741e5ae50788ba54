// Partial cloning: the backward slice that computes some outputs from some inputs, as a net.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/name_map.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/backward_slice.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/clone_net.hpp>
#include <plait/transform/subgraph.hpp>

namespace plait {

/// A clone of a slice, and its boundary by names in the clone.
template <net N>
struct partial_net_clone : net_clone<N> {
  std::vector<std::string> inputs;   ///< the given ones, then the other live-in blobs of the slice
  std::vector<std::string> outputs;  ///< in the order requested
  std::vector<op_index> ops;         ///< positions of its ops in the original
};

/// Returns the backward slice of `outputs`, cut at `inputs`, as a net called `name`. `inputs` maps blobs to their names
/// in the clone ({{"x", "x"}} keeps it); blobs that the slice reads from outside, or passes through, keep their names;
/// all others are called `<name>/<blob>`, or as before where `name` is empty. Outputs mean the last version of each
/// blob; a given input is whichever version the slice reads, which must be one.
///
/// Follows Caffe2's Net.ClonePartial, which also accepts inputs that the net does not have. Throws net_error for an
/// output that the net neither writes nor declares as its input; if an op of the slice is also needed to compute a
/// given input; if one overwrites a given input (which Caffe2 allows); and for new names that collide. O(operands +
/// nested nets).
template <clonable_net N>
  requires detail::extractable_net<N>
[[nodiscard]] partial_net_clone<N> clone_partial(N const& n, std::string_view name, name_map const& inputs,
                                                 std::vector<std::string> const& outputs) {
  auto const ssa = get_ssa(n, {.subnets = true, .control_inputs = true});
  std::vector<value> const wanted = last_values(ssa, outputs);
  if constexpr (has_external_inputs<N>) {
    std::vector<bool> defined(ssa.blob_bound());
    for (value v : ssa.external_inputs()) defined[v.blob] = true;
    for (value v : wanted) {
      if (v.version != 0 || defined[v.blob]) continue;
      std::string const blob(std::string_view(ssa.name(v)));
      raise(
          net_error("plait: the output '" + blob + "' is neither written by an op nor an input of the net", {}, blob));
    }
  }
  std::vector<value> given;
  for (auto const& [from, to] : inputs)
    if (blob_index const b = ssa.find(from); b != npos) given.push_back({b, ssa.version(b)});

  std::vector<op_index> const used = backward_slice(ssa, std::span<value const>(given), std::span<value const>(wanted));
  std::vector<op_index> const makes_inputs =
      backward_slice(ssa, std::span<value const>(), std::span<value const>(given));
  std::vector<op_index> both;
  std::ranges::set_intersection(used, makes_inputs, std::back_inserter(both));
  if (!both.empty())
    raise(net_error(
        "plait: op " + std::to_string(both.front()) + " is needed for the outputs and to compute a given input",
        both.front()));

  std::vector<bool> is_given(ssa.blob_bound());
  for (value v : given) is_given[v.blob] = true;
  std::vector<bool> occurs(ssa.blob_bound());
  std::vector<bool> outside(ssa.blob_bound());
  std::vector<blob_index> also_read;
  std::vector<std::uint32_t> taken(ssa.blob_bound());  // the version of a given input that the slice reads
  auto const from_outside = [&](value v) {
    if (is_given[v.blob] && occurs[v.blob] && v.version != taken[v.blob]) {
      std::string const blob(std::string_view(ssa.name(v)));
      auto const readers = ssa.consumers(v);
      raise(net_error("plait: the slice reads versions " + std::to_string(taken[v.blob]) + " and " +
                          std::to_string(v.version) + " of the given input '" + blob + '\'',
                      readers.empty() ? std::nullopt : std::optional<std::size_t>(readers.front().op), blob));
    }
    occurs[v.blob] = true;
    taken[v.blob] = v.version;
    if (v.version != 0 || is_given[v.blob] || outside[v.blob]) return;
    outside[v.blob] = true;
    also_read.push_back(v.blob);
  };
  for (op_index op : used) {
    for (value v : ssa.reads(op)) from_outside(v);
    for (value v : ssa.writes(op)) {
      if (!is_given[v.blob]) continue;
      std::string const blob(std::string_view(ssa.name(v)));
      raise(net_error("plait: op " + std::to_string(op) + " is needed and overwrites the given input '" + blob + "'",
                      op, blob));
    }
  }

  for (value v : wanted) from_outside(v);

  clone_options options;
  options.ops = used;
  std::string const prefix = name.empty() ? std::string() : std::string(name) + '/';
  for (blob_index b : ssa.blobs()) {
    std::string const from(std::string_view(ssa.name(b)));
    if (is_given[b])
      options.blob_remap.set(from, inputs[from]);
    else
      options.blob_remap.set(from, outside[b] || from.empty() ? from : prefix + from);
  }
  net_clone<N> whole = clone(n, name, options);

  partial_net_clone<N> made{{std::move(whole.net), std::move(whole.name), {}}, {}, {}, used};
  for (auto const& entry : inputs) made.inputs.emplace_back(entry.to);
  for (blob_index b : also_read) made.inputs.emplace_back(std::string_view(ssa.name(b)));
  for (std::string const& output : outputs) made.outputs.emplace_back(options.blob_remap[output]);
  auto const name_of = [&](blob_index b) {
    std::string_view const from = ssa.name(b);
    made.names.set(from, options.blob_remap[from]);
  };
  for (value v : given)
    if (occurs[v.blob]) name_of(v.blob);
  for (blob_index b : also_read) name_of(b);
  for (op_index op : used)
    for (value v : ssa.writes(op)) name_of(v.blob);
  auto const name_in_clone = std::views::transform([&](std::string const& text) { return make_name(made.net, text); });
  detail::set_externals(made.net, made.inputs | name_in_clone, made.outputs | name_in_clone);
  return made;
}

}  // namespace plait
