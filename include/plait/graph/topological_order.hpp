// A topological order of what the entry reaches, or the cycle that prevents it.
//
//   plait::topological_order const order(g);
//   if (!order) report(order.cycle());
//   for (auto node : order.nodes()) …
//
// The order is the reverse postorder of a depth-first walk that follows successors in their order: there is a cycle if
// and only if an edge leads back in it, and then the tree of the walk holds the rest of the cycle. O(size(g) + edges)
// time and space, iterative. A self-loop is a cycle. Unreachable nodes are in no order, and cycles among them no
// matter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

/// A value of its own; it does not refer to the graph. Computing again keeps the memory.
template <flow_graph G>
class topological_order {
 public:
  constexpr topological_order() = default;
  constexpr explicit topological_order(G const& g) { compute(g); }
  constexpr void compute(G const& g);

  /// Whether there is an order.
  constexpr explicit operator bool() const noexcept { return cycle_.empty(); }
  /// Every node before its successors; empty if there is a cycle.
  constexpr std::span<node_t<G> const> nodes() const {
    return cycle_.empty() ? snapshot_.order() : std::span<node_t<G> const>();
  }
  /// Each node leads to the next and the last to the first, which is the one the walk came to first. Of several cycles
  /// the one whose last node is first in reverse postorder. Empty if there is none.
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
