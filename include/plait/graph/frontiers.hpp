// Dominance frontiers and iterated dominance frontiers. Node m is in the frontier of n if n dominates a predecessor of
// m without strictly dominating m.
//
//   plait::dominator_tree const tree(f);
//   plait::iterated_frontier phis(tree);
//   for (auto* block : phis(blocks_that_assign_x, is_live_into)) place_phi(block, x);
//
//   plait::dominance_frontiers const frontiers(tree);
//   for (auto* block : frontiers[header]) …
//
// Frontiers can be quadratic in size (they are for a nest of loops), so algorithms that need only the iterated frontier
// of some nodes should query that: it never computes the frontiers. See dense_frontiers.hpp and
// dense_iterated_frontier.hpp for algorithms, papers and bounds.
//
// An unreachable node has an empty frontier, is in none, and may be among the nodes of a query. The tree and its graph
// must outlive the object and stay at the same address. Recomputation reuses the memory.
#pragma once

#include <cstdint>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/detail/dense_frontiers.hpp>
#include <plait/graph/detail/dense_iterated_frontier.hpp>
#include <plait/graph/dominators.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

/// The dominance frontier of every node. O(nodes + edges + size of the result) time and space.
template <flow_graph G>
class dominance_frontiers {
 public:
  using node = node_t<G>;

  constexpr dominance_frontiers() = default;
  constexpr explicit dominance_frontiers(dominator_tree<G> const& tree) { compute(tree); }
  template <class Because = because::it_refers_to_the_dominator_tree_so_a_temporary_is_refused>
  dominance_frontiers(dominator_tree<G> const&&) = delete;

  constexpr void compute(dominator_tree<G> const& tree) {
    tree_ = &tree;
    frontiers_.compute(tree.snapshot(), tree.dense());
  }
  template <class Because = because::it_refers_to_the_dominator_tree_so_a_temporary_is_refused>
  void compute(dominator_tree<G> const&&) = delete;

  /// Returns the frontier of n in reverse postorder of the graph.
  constexpr auto operator[](node const& n) const {
    std::uint32_t const i = tree_ == nullptr ? npos : tree_->snapshot().number(n);
    return std::views::transform(i == npos ? std::span<std::uint32_t const>() : frontiers_[i],
                                 [tree = tree_](std::uint32_t m) -> node const& { return tree->snapshot().node(m); });
  }

  /// Returns the result by the numbers of the tree's snapshot.
  constexpr dense_frontiers const& dense() const noexcept { return frontiers_; }

 private:
  dominator_tree<G> const* tree_ = nullptr;
  dense_frontiers frontiers_;
};

/// Iterated dominance frontiers, on demand: the least set that contains the frontiers of the given nodes and of its own
/// nodes. These are the nodes where a variable assigned in the given nodes needs phis. Setup is O(nodes + edges); a
/// query is linear in the subgraph that the given nodes dominate.
template <flow_graph G>
class iterated_frontier {
 public:
  using node = node_t<G>;

  constexpr iterated_frontier() = default;
  constexpr explicit iterated_frontier(dominator_tree<G> const& tree) { compute(tree); }
  template <class Because = because::it_refers_to_the_dominator_tree_so_a_temporary_is_refused>
  iterated_frontier(dominator_tree<G> const&&) = delete;

  constexpr void compute(dominator_tree<G> const& tree) {
    tree_ = &tree;
    frontier_.compute(tree.snapshot(), tree.dense());
  }
  template <class Because = because::it_refers_to_the_dominator_tree_so_a_temporary_is_refused>
  void compute(dominator_tree<G> const&&) = delete;

  /// Returns the iterated frontier of `nodes` without repetitions, in order of discovery, which is deterministic. With
  /// `admits`, a node for which admits(node) is false is neither in the result nor followed further: for pruned phi
  /// placement, pass a test whether the variable is live-in. The result is valid until the next query.
  template <std::ranges::input_range Nodes, class Admits>
  constexpr auto operator()(Nodes&& nodes, Admits&& admits) {
    PLAIT_ASSERT(tree_ != nullptr, "iterated_frontier: not computed");
    auto const& snapshot = tree_->snapshot();
    given_.clear();
    for (auto&& n : nodes)
      if (std::uint32_t const i = snapshot.number(static_cast<node>(n)); i != npos) given_.push_back(i);
    return shown(frontier_(given_, [&](std::uint32_t i) -> bool { return admits(snapshot.node(i)); }));
  }
  template <std::ranges::input_range Nodes>
  constexpr auto operator()(Nodes&& nodes) {
    return (*this)(std::forward<Nodes>(nodes), [](node const&) { return true; });
  }

  /// Returns the solver on the numbers of the tree's snapshot.
  constexpr dense_iterated_frontier& dense() noexcept { return frontier_; }

 private:
  constexpr auto shown(std::span<std::uint32_t const> numbers) const {
    return std::views::transform(numbers,
                                 [tree = tree_](std::uint32_t i) -> node const& { return tree->snapshot().node(i); });
  }

  dominator_tree<G> const* tree_ = nullptr;
  dense_iterated_frontier frontier_;
  std::vector<std::uint32_t> given_;
};

}  // namespace plait
