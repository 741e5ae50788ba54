// Saved tensors: inserts the copies of forward values that a backward pass needs (overwritten_values::copy).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/gradient/detail/gradient_options.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

namespace detail {

// Inserts copies into a net, in ascending order of positions.
template <extensible_net N>
void insert_copies(N& n, std::span<saved_value const> copies) {
  using traits = net_traits_of<N>;
  std::vector<std::uint32_t> positions;
  std::vector<op_spec> specs;
  op_list<N> const ops(n);
  for (saved_value const& s : copies) {
    positions.push_back(s.position);
    op_spec& spec = specs.emplace_back(
        op_spec{.type = s.shape_only ? "ZerosLike" : "Copy", .inputs = {s.blob}, .outputs = {s.name}});
    if constexpr (device_net<N>)  // the device of the producer
      if (s.position != 0) spec.device = traits::device(n, ops[s.position - 1]);
  }
  insert_ops(n, positions, specs);
}

// Inserts copies into the nested net that their path leads to, and stores the nets on the path back into ops that hold
// copies of them.
template <nested_editable_net N>
void insert_copies_inside(N& n, std::span<saved_value const> copies) {
  using traits = net_traits_of<N>;
  using subnet_t = std::ranges::range_value_t<mutable_subnet_range_t<N>>;
  struct level {
    N* around;
    std::size_t op;
    subnet_t held;
  };
  std::vector<level> levels;
  N* at = &n;
  for (saved_value::step const& step : copies.front().path) {
    op_list<N> const ops(*at);
    bool found = false;
    for (auto&& s : traits::mutable_subnets(*at, ops[step.op]))
      if (!found && std::string_view(s.argument) == step.argument) {
        levels.push_back({at, step.op, std::move(s)});
        found = true;
      }
    PLAIT_ASSERT(found, "insert_saved_values: the path names no nested net");
    at = &*levels.back().held.net;
  }
  insert_copies(*at, copies);
  for (std::size_t i = levels.size(); i-- != 0;) {
    op_list<N> const ops(*levels[i].around);
    traits::store_subnet(*levels[i].around, ops[levels[i].op], levels[i].held);
  }
}

}  // namespace detail

/// Inserts copies in the order in which backward_pass lists them: grouped by net, by position. Processes nested nets
/// first, since positions refer to the ops before any insertion. O(ops) per net that gets copies.
template <extensible_net N>
void insert_saved_values(N& n, std::vector<saved_value> const& saved) {
  auto const same_net = [](saved_value const& a, saved_value const& b) { return a.path == b.path; };
  std::size_t end = saved.size();
  while (end != 0) {
    std::size_t first = end - 1;
    while (first != 0 && same_net(saved[first - 1], saved[end - 1])) --first;
    std::span<saved_value const> const copies(saved.data() + first, end - first);
    if (copies.front().path.empty())
      detail::insert_copies(n, copies);
    else if constexpr (nested_editable_net<N>)
      detail::insert_copies_inside(n, copies);
    end = first;
  }
}

}  // namespace plait
