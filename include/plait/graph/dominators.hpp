// Dominator tree of a flow graph: a dominates b if every path from the entry to b passes through a.
//
//   plait::dominator_tree const tree(f);
//   tree.dominates(header, latch);
//   for (auto* block : tree.preorder())
//     if (auto const above = tree.idom(block)) …
//
// An unreachable node dominates nothing and is dominated by nothing, not even by itself. (LLVM says that everything
// dominates it; cranelift, whose convention this is, that nothing does.)
//
// Semi-NCA on a snapshot, see dense_dominators.hpp and snapshot.hpp: O(size(g) + edges · log nodes) time, nearly linear
// in practice, O(size(g) + edges) space, iterative. dominates() is O(1) by interval numbering; other queries state
// their cost. The numbering of the tree and that of the graph's edges are computed lazily, by the first query that
// needs them; concurrent first queries are safe. Recomputation allocates only for growth of the graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

/// The dominator tree as of the last compute(). The graph must outlive this object and stay at the same address,
/// because queries call index(g, n), unless nodes are their own indices. Algorithms that work on numbers use snapshot()
/// and dense().
template <flow_graph G>
class dominator_tree {
 public:
  using node = node_t<G>;

  constexpr dominator_tree() = default;
  constexpr explicit dominator_tree(G const& g) { compute(g); }
  template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
  dominator_tree(G const&&)
    requires detail::has_own_index<G>
  = delete;

  constexpr void compute(G const& g) {
    snapshot_.compute(g);
    tree_.compute(snapshot_);
  }
  template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
  void compute(G const&&)
    requires detail::has_own_index<G>
  = delete;

  // ---- the tree
  constexpr node const& root() const { return snapshot_.node(0); }
  /// Returns true if n is reachable from the entry.
  constexpr bool contains(node const& n) const { return snapshot_.number(n) != npos; }
  /// Returns the immediate dominator; none for the root and for unreachable nodes.
  constexpr std::optional<node> idom(node const& n) const {
    std::uint32_t const i = snapshot_.number(n);
    return i == npos ? std::nullopt : maybe(tree_.idom(i));
  }
  /// Returns the nodes immediately dominated by n, in reverse postorder of the graph. Precondition: contains(n), as for
  /// depth.
  constexpr auto children(node const& n) const { return nodes(tree_.children(snapshot_.reached_number(n))); }
  /// Returns the number of strict dominators of n.
  constexpr std::size_t depth(node const& n) const { return tree_.depth(snapshot_.reached_number(n)); }
  /// Returns all nodes, each before its children.
  constexpr auto preorder() const { return nodes(tree_.preorder()); }
  /// Returns all nodes, each after its children.
  constexpr auto postorder() const { return nodes(tree_.preorder() | std::views::reverse); }
  /// Returns the nodes that n dominates, n first; none if n is unreachable.
  constexpr auto subtree(node const& n) const {
    std::uint32_t const i = snapshot_.number(n);
    return nodes(i == npos ? std::span<std::uint32_t const>() : tree_.subtree(i));
  }

  // ---- relations; false, or none, if a node is unreachable
  constexpr bool dominates(node const& a, node const& b) const {
    std::uint32_t const i = snapshot_.number(a);
    std::uint32_t const j = snapshot_.number(b);
    return i != npos && j != npos && tree_.dominates(i, j);
  }
  constexpr bool strictly_dominates(node const& a, node const& b) const {
    std::uint32_t const i = snapshot_.number(a);
    std::uint32_t const j = snapshot_.number(b);
    return i != npos && j != npos && tree_.strictly_dominates(i, j);
  }
  /// Returns the deepest node that dominates both. O(depth of a below the result).
  constexpr std::optional<node> nearest_common_dominator(node const& a, node const& b) const {
    std::uint32_t const i = snapshot_.number(a);
    std::uint32_t const j = snapshot_.number(b);
    return i == npos || j == npos ? std::nullopt : maybe(tree_.nearest_common(i, j));
  }

  // ---- by number
  constexpr flow_snapshot<G> const& snapshot() const noexcept { return snapshot_; }
  constexpr dense_dominators const& dense() const noexcept { return tree_; }

 private:
  constexpr std::optional<node> maybe(std::uint32_t i) const {
    return i == npos ? std::nullopt : std::optional<node>(snapshot_.node(i));
  }
  template <class Numbers>
  constexpr auto nodes(Numbers numbers) const {
    return std::views::transform(numbers, [this](std::uint32_t i) -> node const& { return snapshot_.node(i); });
  }

  flow_snapshot<G> snapshot_;
  dense_dominators tree_;
};

}  // namespace plait
