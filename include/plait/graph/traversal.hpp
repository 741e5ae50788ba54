// Depth-first traversal orders (preorder, postorder, reverse postorder) as vectors of nodes, and topological_order.
//
//   for (auto* block : plait::reverse_postorder(f)) …
//
// The search starts at the entry, follows the successors of each node in their order and keeps its stack on the heap.
// All three are O(size(g) + edges) time and space and contain the reachable nodes only. For several orders, or repeated
// ones without allocation, use a flow_snapshot (snapshot.hpp), on which these functions are built.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/detail/topological_order.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

/// Returns the nodes in order of discovery.
template <flow_graph G>
[[nodiscard]] constexpr std::vector<node_t<G>> preorder(G const& g) {
  flow_snapshot<G> s;
  s.compute(g);
  std::vector<node_t<G>> nodes;
  nodes.reserve(s.size());
  for (std::uint32_t const n : s.preorder()) nodes.push_back(s.node(n));
  return nodes;
}

/// Returns the nodes in order of completion: each after all nodes discovered through it.
template <flow_graph G>
[[nodiscard]] constexpr std::vector<node_t<G>> postorder(G const& g) {
  flow_snapshot<G> s;
  s.compute(g);
  return {s.order().rbegin(), s.order().rend()};
}

/// Returns the nodes in reverse postorder: each before its successors, except targets of back edges. In this order
/// forward analyses revisit the fewest nodes.
template <flow_graph G>
[[nodiscard]] constexpr std::vector<node_t<G>> reverse_postorder(G const& g) {
  flow_snapshot<G> s;
  s.compute(g);
  return {s.order().begin(), s.order().end()};
}

}  // namespace plait
