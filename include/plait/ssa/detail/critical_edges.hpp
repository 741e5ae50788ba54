// Critical edges: from a block with several successors to one with several predecessors; finding and splitting them.
//
//   for (plait::critical_edge const& e : plait::critical_edges(graph)) …
//   plait::split_critical_edges(f);      // with the hook split_edge (ssa/program_mutation.hpp)
//
// Code for such an edge alone fits neither at the end of its source nor at the start of its target. SSA destruction
// does not need critical edges split (dense_destruction.hpp), but then executes the copies of one for every successor.
// Parallel edges with different phi arguments must be split. O(edges).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/graph/detail/dense_graph.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/ssa/program_mutation.hpp>

namespace plait {

/// An edge from a block to its `successor`-th successor.
struct critical_edge {
  std::uint32_t block = 0;
  std::uint32_t successor = 0;
  friend constexpr bool operator==(critical_edge const&, critical_edge const&) = default;
  friend constexpr auto operator<=>(critical_edge const&, critical_edge const&) = default;
};

/// Returns the critical edges in the order of blocks and successors. Entering the program counts as another predecessor
/// of the entry; blocks that the entry does not reach are no predecessors.
[[nodiscard]] constexpr std::vector<critical_edge> critical_edges(dense_graph const& g) {
  std::vector<critical_edge> found;
  for (std::uint32_t b = 0; b != g.size(); ++b) {
    std::span<std::uint32_t const> const next = g.successors(b);
    if (next.size() < 2) continue;
    for (std::uint32_t successor = 0; successor != next.size(); ++successor)
      if (g.predecessors(next[successor]).size() + (next[successor] == 0 ? 1 : 0) > 1) found.push_back({b, successor});
  }
  return found;
}

/// Inserts an empty block on each critical edge between blocks that the entry reaches. Returns how many. Throws only
/// std::bad_alloc.
template <edge_splitting_program P>
std::size_t split_critical_edges(P& p) {
  flow_snapshot<P> const graph(p);
  std::vector<critical_edge> const edges = critical_edges(graph);
  std::vector<node_t<P>> const order(graph.order().begin(), graph.order().end());
  for (critical_edge const& e : edges)
    detail::program_traits_of<P>::split_edge(p, order[e.block], static_cast<std::size_t>(e.successor));
  return edges.size();
}

}  // namespace plait
