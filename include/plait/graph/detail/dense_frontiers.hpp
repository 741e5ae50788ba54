// Dominance frontiers by number, see frontiers.hpp.
//
// Each node with several predecessors is in the frontiers of what lies between them and its immediate dominator:
// K. D. Cooper, T. J. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (Rice University, TR-06-33870, 2001),
// p. 9. A climb ends where an earlier one for the same node passed, so parallel edges and common ways cost nothing.
//
// O(nodes + edges + size of the result) time and space; the result alone is quadratic for some graphs, nests of loops
// among them. For where phis go, dense_iterated_frontier.hpp does without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/dense_graph.hpp>

namespace plait {

/// The frontier of every node. A value of its own; computing again keeps the memory.
class dense_frontiers {
 public:
  constexpr dense_frontiers() = default;
  constexpr dense_frontiers(dense_graph const& g, dense_dominators const& tree) { compute(g, tree); }
  constexpr void compute(dense_graph const& g, dense_dominators const& tree);

  constexpr std::size_t size() const noexcept { return rows_.size(); }
  /// Ascending.
  constexpr std::span<std::uint32_t const> operator[](std::uint32_t n) const { return rows_[n]; }
  /// The sizes of all frontiers together.
  constexpr std::size_t item_count() const noexcept { return rows_.item_count(); }

 private:
  template <class Found>
  constexpr void climb(std::span<std::uint32_t const> predecessors, dense_dominators const& tree, std::uint32_t join,
                       Found found);

  csr<std::uint32_t> rows_;
  std::vector<std::uint32_t> seen_;  // the join a climb last passed here for
};

// Before compute: a constant expression needs it defined where it is instantiated.
template <class Found>
constexpr void dense_frontiers::climb(std::span<std::uint32_t const> predecessors, dense_dominators const& tree,
                                      std::uint32_t join, Found found) {
  std::uint32_t const end = tree.idom(join);  // none for the root: then the climb passes the root
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
