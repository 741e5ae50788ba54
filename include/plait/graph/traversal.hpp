// The orders of a depth-first walk, as vectors of nodes.
//
//   for (auto* block : plait::reverse_postorder(f)) …
//
// The walk starts at the entry, follows the successors of each node in their order and keeps its stack on the heap. All
// three are O(size(g) + edges) time and space and hold what the entry reaches, nothing else. Who wants several of them,
// or the same again without allocating, keeps a flow_snapshot (snapshot.hpp), of which they are made.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

/// Each node when the walk comes to it.
template <flow_graph G>
[[nodiscard]] constexpr std::vector<node_t<G>> preorder(G const& g) {
  flow_snapshot<G> s;
  s.compute(g);
  std::vector<node_t<G>> nodes;
  nodes.reserve(s.size());
  for (std::uint32_t const n : s.preorder()) nodes.push_back(s.node(n));
  return nodes;
}

/// Each node when the walk leaves it, that is, after all that was found through it.
template <flow_graph G>
[[nodiscard]] constexpr std::vector<node_t<G>> postorder(G const& g) {
  flow_snapshot<G> s;
  s.compute(g);
  return {s.order().rbegin(), s.order().rend()};
}

/// Postorder backwards: nodes stand before their successors, but for those that back edges lead to. The order in which
/// forward analyses visit the fewest nodes twice.
template <flow_graph G>
[[nodiscard]] constexpr std::vector<node_t<G>> reverse_postorder(G const& g) {
  flow_snapshot<G> s;
  s.compute(g);
  return {s.order().begin(), s.order().end()};
}

}  // namespace plait
