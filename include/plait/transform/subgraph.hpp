// Subgraphs of a net: the boundary of a set of ops, and its extraction as a net.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/written_outputs.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

struct boundary_options {
  /// As in detectron2: a blob that an op lists twice occurs twice in the result, and an external output without
  /// producer is an error. Otherwise each value occurs once.
  bool repeat_within_op = false;
};

/// Boundary of a subgraph: its live-in and live-out values, in the order of the ops as they were given.
struct subgraph_boundary {
  std::vector<value> inputs;   ///< read inside, produced outside
  std::vector<value> outputs;  ///< produced inside, read outside or an external output of the net
  friend bool operator==(subgraph_boundary const&, subgraph_boundary const&) = default;
};

/// Returns the boundary of the given ops, a range of positions in any order; repeats count once. Follows detectron2's
/// get_sub_graph_external_input_output. Throws net_error for a position the net does not have. O(operands).
template <net N, std::ranges::input_range Ops>
  requires std::convertible_to<std::ranges::range_reference_t<Ops const&>, op_index>
[[nodiscard]] subgraph_boundary find_subgraph_boundary(ssa_form<N> const& ssa, Ops const& ops,
                                                       boundary_options const& options = {}) {
  if (options.repeat_within_op) detail::require_written_outputs(ssa);
  std::vector<bool> inside(ssa.op_count());
  std::vector<op_index> chosen;
  if constexpr (std::ranges::sized_range<Ops const>) chosen.reserve(std::ranges::size(ops));
  bool ascending = true;
  for (op_index op : ops) {
    if (op >= ssa.op_count())
      raise(net_error("plait: the net has " + std::to_string(ssa.op_count()) + " ops, none at " + std::to_string(op),
                      op));
    if (inside[op]) continue;
    ascending = ascending && (chosen.empty() || chosen.back() < op);
    chosen.push_back(op);
    inside[op] = true;
  }
  std::vector<bool> made_inside(ssa.value_count());
  auto const makes = [&](op_index op) {
    for (value v : ssa.writes(op)) made_inside[ssa.index(v)] = true;
  };
  if (!ascending)  // otherwise producers inside precede their readers
    for (op_index op : chosen) makes(op);
  std::vector<bool> leaves(ssa.value_count());
  for (value v : ssa.external_outputs()) leaves[ssa.index(v)] = true;

  subgraph_boundary found;
  found.inputs.reserve(chosen.size());  // an estimate; pages that are not written cost no memory
  found.outputs.reserve(chosen.size());
  std::vector<bool> listed(ssa.value_count());
  for (op_index op : chosen) {
    detail::prefetch(ssa.reads(op).data(), 1024);
    detail::prefetch(ssa.writes(op).data(), 1024);
    std::size_t const first = found.inputs.size();
    for (value v : ssa.reads(op)) {
      if (made_inside[ssa.index(v)] || listed[ssa.index(v)]) continue;
      if (!options.repeat_within_op) listed[ssa.index(v)] = true;
      found.inputs.push_back(v);
    }
    for (std::size_t i = first; i != found.inputs.size(); ++i) listed[ssa.index(found.inputs[i])] = true;
    makes(op);
    for (value v : ssa.writes(op)) {
      std::size_t const at = ssa.index(v);
      detail::prefetch(ssa.consumers(v).data(), 1024);
      bool const used = leaves[at] || std::ranges::any_of(ssa.consumers(v), [&](operand o) { return !inside[o.op]; });
      if (!used || (listed[at] && !options.repeat_within_op)) continue;
      listed[at] = true;
      found.outputs.push_back(v);
    }
  }
  return found;
}

/// An extracted subgraph and the original positions of its ops.
template <net N>
struct extracted_net {
  N net;
  std::vector<op_index> ops;  ///< ascending
};

namespace detail {

template <class N>
concept extractable_net = std::copyable<N> && has_text<N> && op_erasable_net<N> && input_erasable_net<N> &&
                          output_erasable_net<N> && external_extensible_net<N> && nameable_net<N>;

// Replaces the external inputs and outputs of a net by ranges of names.
template <extractable_net N, std::ranges::input_range Inputs, std::ranges::input_range Outputs>
void set_externals(N& n, Inputs&& made_inputs, Outputs&& made_outputs) {
  using traits = net_traits_of<N>;
  auto const all = [](auto&& range) {
    std::vector<std::uint32_t> slots;
    for (auto it = std::ranges::begin(range); it != std::ranges::end(range); ++it)
      slots.push_back(static_cast<std::uint32_t>(slots.size()));
    return slots;
  };
  traits::erase_external_inputs(n, all(external_inputs(std::as_const(n))));
  traits::erase_external_outputs(n, all(external_outputs(std::as_const(n))));
  for (auto&& name : made_inputs) traits::add_external_input(n, name);
  for (auto&& name : made_outputs) traits::add_external_output(n, name);
}

// Returns the name of a blob in a copy of the net that `ssa` is the form of.
template <extractable_net N>
name_t<N> name_in_copy(N& copy, ssa_form<N> const& ssa, blob_index b) {
  if constexpr (symbol_named_net<N>)
    if (b < net_traits_of<N>::name_count(copy)) return net_traits_of<N>::name_at(copy, b);
  return make_name(copy, ssa.name(b));
}

// Returns a copy with only the ops at ascending positions.
template <op_erasable_net N>
N select_ops(N const& n, std::size_t op_count, std::span<op_index const> kept) {
  if constexpr (requires { net_traits_of<N>::select_ops(n, kept); }) {
    return net_traits_of<N>::select_ops(n, kept);
  } else {
    std::vector<op_index> gone;
    auto next = kept.begin();
    for (op_index op = 0; op != op_count; ++op) {
      if (next != kept.end() && *next == op)
        ++next;
      else
        gone.push_back(op);
    }
    N made = n;
    net_traits_of<N>::erase_ops(made, gone);
    return made;
  }
}

}  // namespace detail

/// Extracts the given ops as a net: the original one without its other ops, and with the boundary as its external
/// inputs and outputs. Ops keep their order. Reads and writes of nested nets count.
///
/// A boundary names blobs, so it cannot carry two versions of one. Throws net_error, with op and blob, if two versions
/// of a blob are live-in, if a live-in version is read after the subgraph has overwritten the blob, or if a live-out
/// version is overwritten later in the subgraph; ssa_rewrite (every_version) makes any subgraph extractable.
/// O(operands).
template <net N, std::ranges::input_range Ops>
  requires detail::extractable_net<N> && std::convertible_to<std::ranges::range_reference_t<Ops const&>, op_index>
[[nodiscard]] extracted_net<N> extract_subgraph(N const& n, Ops const& ops) {
  auto const ssa = get_ssa(n, {.subnets = true, .control_inputs = true});
  std::vector<op_index> order;
  for (op_index op : ops) order.push_back(op);
  subgraph_boundary const boundary = find_subgraph_boundary(ssa, order);  // checks the positions
  if (std::ranges::adjacent_find(order, std::greater_equal<>()) != order.end()) {
    std::ranges::sort(order);
    auto const repeats = std::ranges::unique(order);
    order.erase(repeats.begin(), repeats.end());
  }

  auto const refuse = [&](std::string const& what, op_index op, value v) -> net_error {
    std::string const blob(std::string_view(ssa.name(v)));
    return net_error("plait: the subgraph cannot be extracted: version " + std::to_string(v.version) + " of blob '" +
                         blob + "' " + what,
                     op, blob);
  };
  // Replays the subgraph by name: the version that a name denotes must be the one read there.
  std::vector<value> current(ssa.blob_bound());  // npos: nothing yet
  for (value v : boundary.inputs) {
    if (current[v.blob].blob != npos)
      raise(refuse("is an input besides version " + std::to_string(current[v.blob].version),
                   ssa.consumers(v).front().op, v));
    current[v.blob] = v;
  }
  for (op_index op : order) {
    for (value v : ssa.reads(op))
      if (current[v.blob] != v) raise(refuse("is an input that the subgraph has overwritten before this read", op, v));
    for (value v : ssa.writes(op)) current[v.blob] = v;
  }
  for (value v : boundary.outputs)
    if (current[v.blob] != v)
      raise(refuse("is an output, but is overwritten later in the subgraph", ssa.producer(v)->op, v));

  extracted_net<N> made{detail::select_ops(n, ssa.op_count(), order), std::move(order)};
  auto const name = std::views::transform([&](value v) { return detail::name_in_copy(made.net, ssa, v.blob); });
  detail::set_externals(made.net, boundary.inputs | name, boundary.outputs | name);
  return made;
}

}  // namespace plait
