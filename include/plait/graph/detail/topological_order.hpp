// Topological order of the reachable nodes, or a cycle that prevents it.
//
//   plait::topological_order const order(g);
//   if (!order) report(order.cycle());
//   for (auto node : order.nodes()) …
//
// The order is the reverse postorder of a depth-first search that follows successors in their order: the graph is
// cyclic if and only if it has a back edge, and the depth-first spanning tree contains the rest of the cycle. O(size(g)
// + edges) time and space, iterative. A self-loop is a cycle. Unreachable nodes are not in the order, and cycles among
// them are ignored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

/// A topological order, or a cycle. Does not refer to the graph. Recomputation reuses the memory.
template <flow_graph G>
class topological_order {
 public:
  constexpr topological_order() = default;
  constexpr explicit topological_order(G const& g) { compute(g); }
  constexpr void compute(G const& g);

  /// Returns true if the reachable graph is acyclic.
  constexpr explicit operator bool() const noexcept { return cycle_.empty(); }
  /// Returns the nodes, each before its successors; empty if there is a cycle.
  constexpr std::span<node_t<G> const> nodes() const {
    return cycle_.empty() ? snapshot_.order() : std::span<node_t<G> const>();
  }
  /// Returns a cycle: each node has an edge to the next, and the last to the first, which the search entered first. If
  /// there are several, it is the one whose last node is first in reverse postorder. Empty if there is none.
  constexpr std::span<node_t<G> const> cycle() const noexcept { return cycle_; }

 private:
  flow_snapshot<G> snapshot_;
  std::vector<node_t<G>> cycle_;
};

template <flow_graph G>
constexpr void topological_order<G>::compute(G const& g) {
  snapshot_.compute(g);
  cycle_.clear();
  for (std::uint32_t from = 0; from != snapshot_.size(); ++from)
    for (std::uint32_t const to : snapshot_.successors(from)) {
      if (to > from) continue;
      std::uint32_t at = snapshot_.preorder_number(from);
      std::uint32_t const first = snapshot_.preorder_number(to);
      for (; at != first; at = snapshot_.preorder_parents()[at])
        cycle_.push_back(snapshot_.node(snapshot_.preorder()[at]));
      cycle_.push_back(snapshot_.node(to));
      std::ranges::reverse(cycle_);
      return;
    }
}

}  // namespace plait
