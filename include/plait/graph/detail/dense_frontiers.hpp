// Dominance frontiers of a dense_graph (Cooper, Harvey, Kennedy 2001), see frontiers.hpp.
//
// A join is in the frontiers of all nodes on the dominator tree paths from its predecessors up to its immediate
// dominator: K. D. Cooper, T. J. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (Rice University,
// TR-06-33870, 2001), p. 9. A climb ends where an earlier one for the same join passed, so parallel edges and common
// paths cost nothing.
//
// O(nodes + edges + size of the result) time and space; the result alone is quadratic for some graphs, nests of loops
// among them. Phi placement uses dense_iterated_frontier.hpp, which does not compute it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/dense_graph.hpp>

namespace plait {

/// The dominance frontier of every node. Does not refer to the graph. Recomputation reuses the memory.
class dense_frontiers {
 public:
  constexpr dense_frontiers() = default;
  constexpr dense_frontiers(dense_graph const& g, dense_dominators const& tree) { compute(g, tree); }
  constexpr void compute(dense_graph const& g, dense_dominators const& tree);

  constexpr std::size_t size() const noexcept { return rows_.size(); }
  /// Returns the frontier of n, ascending.
  constexpr std::span<std::uint32_t const> operator[](std::uint32_t n) const { return rows_[n]; }
  /// Returns the sum of the sizes of all frontiers.
  constexpr std::size_t item_count() const noexcept { return rows_.item_count(); }

 private:
  template <class Found>
  constexpr void climb(std::span<std::uint32_t const> predecessors, dense_dominators const& tree, std::uint32_t join,
                       Found found);

  csr<std::uint32_t> rows_;
  std::vector<std::uint32_t> seen_;  // by node: the join of the last climb that passed it
};

// Defined before compute(): a constant expression needs the definition at the point of instantiation.
template <class Found>
constexpr void dense_frontiers::climb(std::span<std::uint32_t const> predecessors, dense_dominators const& tree,
                                      std::uint32_t join, Found found) {
  std::uint32_t const end = tree.idom(join);  // npos if join is the root: then the climb includes the root
  for (std::uint32_t const p : predecessors)
    for (std::uint32_t at = p; at != end && seen_[at] != join; at = tree.idom(at)) {
      seen_[at] = join;
      found(at);
    }
}

constexpr void dense_frontiers::compute(dense_graph const& g, dense_dominators const& tree) {
  auto const n = static_cast<std::uint32_t>(g.size());
  csr<std::uint32_t> const& before = g.predecessors();
  rows_.start_counting(n);
  seen_.assign(n, npos);
  for (std::uint32_t join = 0; join != n; ++join)
    climb(before[join], tree, join, [&](std::uint32_t at) { rows_.count(at); });
  rows_.end_counting();
  seen_.assign(n, npos);
  for (std::uint32_t join = n; join-- != 0;)
    climb(before[join], tree, join, [&](std::uint32_t at) { rows_.place(at, join); });
}

}  // namespace plait
