// Control dependence: which branches decide whether a node executes. Node n is control dependent on node b if every
// path to an exit through one successor of b passes through n, and some path through another does not.
//
//   plait::post_dominator_tree const tree(f);
//   plait::control_dependence const dependence(tree);
//   for (auto* branch : dependence.controllers(block)) keep(branch);
//   for (auto* block : dependence.dependents(branch)) …
//
// J. Ferrante, K. J. Ottenstein, J. D. Warren, "The Program Dependence Graph and Its Use in Optimization" (TOPLAS 9(3),
// 1987, pp. 319–349): n depends on b if n post-dominates a successor of b without strictly post-dominating b; that is,
// b is in the dominance frontier of n in the reversed graph (R. Cytron et al., "Efficiently Computing Static Single
// Assignment Form and the Control Dependence Graph", TOPLAS 13(4), 1991, pp. 451–490, §6). Nodes that always execute
// depend on nothing (in papers that add an edge from the entry to the exit they depend on the entry).
//
// Exits, infinite loops and nodes are those of the post-dominator tree: a node that it does not contain depends on
// nothing. A loop header may depend on itself. O(nodes + edges + size of the result) time and space, see
// dense_frontiers.hpp; the result is quadratic for nested do-while loops. Recomputation reuses the memory.
#pragma once

#include <cstdint>
#include <ranges>
#include <span>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/detail/dense_frontiers.hpp>
#include <plait/graph/graph_traits.hpp>
#include <plait/graph/post_dominators.hpp>

namespace plait {

/// Control dependence in both directions, as of the last compute(). The tree and its graph must outlive this object and
/// stay at the same address.
template <flow_graph G>
class control_dependence {
 public:
  using node = node_t<G>;

  constexpr control_dependence() = default;
  constexpr explicit control_dependence(post_dominator_tree<G> const& tree) { compute(tree); }
  template <class Because = because::it_refers_to_the_dominator_tree_so_a_temporary_is_refused>
  control_dependence(post_dominator_tree<G> const&&) = delete;

  constexpr void compute(post_dominator_tree<G> const& tree) {
    tree_ = &tree;
    controllers_.compute(tree.reversed(), tree.dense());
    dependents_.start_counting(controllers_.size());
    for (std::uint32_t n = 0; n != controllers_.size(); ++n)
      for (std::uint32_t const b : controllers_[n]) dependents_.count(b);
    dependents_.end_counting();
    for (auto n = static_cast<std::uint32_t>(controllers_.size()); n-- != 0;)
      for (std::uint32_t const b : controllers_[n]) dependents_.place(b, n);
  }
  template <class Because = because::it_refers_to_the_dominator_tree_so_a_temporary_is_refused>
  void compute(post_dominator_tree<G> const&&) = delete;

  /// Returns the nodes that n depends on, without repetitions, in reverse postorder of the reversed graph.
  constexpr auto controllers(node const& n) const {
    std::uint32_t const i = number(n);
    return nodes(i == npos ? std::span<std::uint32_t const>() : controllers_[i]);
  }
  /// Returns the nodes that depend on n, in the same order.
  constexpr auto dependents(node const& n) const {
    std::uint32_t const i = number(n);
    return nodes(i == npos ? std::span<std::uint32_t const>() : dependents_[i]);
  }

  /// Returns the controllers of each node, by the numbers of the post-dominator tree.
  constexpr dense_frontiers const& dense() const noexcept { return controllers_; }

 private:
  constexpr std::uint32_t number(node const& n) const { return tree_ == nullptr ? npos : tree_->number(n); }
  constexpr auto nodes(std::span<std::uint32_t const> numbers) const {
    return std::views::transform(numbers, [tree = tree_](std::uint32_t i) -> node const& { return tree->node_of(i); });
  }

  post_dominator_tree<G> const* tree_ = nullptr;
  dense_frontiers controllers_;
  csr<std::uint32_t> dependents_;
};

}  // namespace plait
