// Dominance frontiers: where what a node dominates ends. Node m is in the frontier of n if n dominates a predecessor of
// m without strictly dominating m.
//
//   plait::dominator_tree const tree(f);
//   plait::iterated_frontier phis(tree);
//   for (auto* block : phis(blocks_that_assign_x, is_live_into)) place_phi(block, x);
//
//   plait::dominance_frontiers const frontiers(tree);
//   for (auto* block : frontiers[header]) …
//
// The frontiers themselves may be quadratic in size (they are for a nest of loops), so what needs only their closure,
// the iterated frontier of some nodes, should ask for that: it never makes them. See dense_frontiers.hpp and
// dense_iterated_frontier.hpp for algorithms, papers and bounds.
//
// A node that the entry does not reach has an empty frontier and is in none, and may be among the nodes of a query. The
// tree and its graph must stay where they are as long as the object is used. Computing again keeps the memory.
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

/// The frontier of every node. O(nodes + edges + size of the result) time and space.
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

  /// In reverse postorder of the graph.
  constexpr auto operator[](node const& n) const {
    std::uint32_t const i = tree_ == nullptr ? npos : tree_->snapshot().number(n);
    return std::views::transform(i == npos ? std::span<std::uint32_t const>() : frontiers_[i],
                                 [tree = tree_](std::uint32_t m) -> node const& { return tree->snapshot().node(m); });
  }

  /// By the numbers of the tree's snapshot.
  constexpr dense_frontiers const& dense() const noexcept { return frontiers_; }

 private:
  dominator_tree<G> const* tree_ = nullptr;
  dense_frontiers frontiers_;
};

/// Answers for one graph: which nodes are in the iterated frontier of these? The least set that holds the frontiers of
/// the given nodes and of its own nodes; phis for a variable go there. O(nodes + edges) to make; a query is linear in
/// the part of the graph that the given nodes dominate.
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

  /// Without repetitions, in the order of being found, which depends on nothing but graph and question. With `admits`,
  /// a node for which admits(node) is false is not in the result and not followed further: for pruned phi placement,
  /// whether the variable is live where the node begins. Lasts until the next query.
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

  /// By the numbers of the tree's snapshot.
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
