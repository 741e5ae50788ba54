// Post-dominator tree of a flow graph: a post-dominates b if every path from b to an exit passes through a.
//
//   plait::post_dominator_tree const tree(f);
//   tree.dominates(join, branch);               // join executes after branch on every path
//   if (auto const next = tree.idom(block)) …   // none: the paths from block to exits share no node
//
// The roots are the nodes without successors, and one node of each infinite loop, chosen as LLVM does
// (post_dominator_roots.hpp). They are children of a virtual exit, which is not among the nodes: queries whose result
// is the virtual exit return none.
//
// The tree contains all nodes listed by nodes(g), unreachable ones included: each of them reaches a root. For graphs
// without nodes(g) it contains the nodes reachable from the entry; others dominate nothing and are dominated by
// nothing. Results for a node do not depend on nodes it cannot reach, except for the choice of the root of an infinite
// loop: that depends on the order of the nodes, which is that of index(g, n).
//
// Semi-NCA on the reversed graph (dense_dominators.hpp): time and space as there, besides finding the roots, whose
// worst case is in post_dominator_roots.hpp. Needs only successors. Recomputation allocates only for growth of the
// graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <utility>  // and std::addressof, for which <memory> would take 0.1 s
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/graph/detail/index_check.hpp>
#include <plait/graph/detail/post_dominator_roots.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

namespace detail {
// The reversed graph: nodes 0 … n - 1, whose successors are their predecessors in the original, and n, the virtual
// exit, whose successors are the roots.
struct backward_graph {
  csr<std::uint32_t> predecessors;
  post_dominator_roots exits;

  constexpr std::size_t size() const { return predecessors.size() + 1; }
  constexpr std::uint32_t entry() const { return static_cast<std::uint32_t>(predecessors.size()); }
  constexpr std::span<std::uint32_t const> successors(std::uint32_t n) const {
    return n == entry() ? exits.roots() : predecessors[n];
  }
};
}  // namespace detail

/// The post-dominator tree as of the last compute(). The graph must outlive this object and stay at the same address,
/// because queries call index(g, n), unless nodes are their own indices.
template <flow_graph G>
class post_dominator_tree {
 public:
  using node = node_t<G>;

  constexpr post_dominator_tree() = default;
  constexpr explicit post_dominator_tree(G const& g) { compute(g); }
  template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
  post_dominator_tree(G const&&)
    requires detail::has_own_index<G>
  = delete;

  constexpr void compute(G const& g);
  template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
  void compute(G const&&)
    requires detail::has_own_index<G>
  = delete;

  // ---- the tree
  /// Returns the nodes without successors by index, then the roots of infinite loops.
  constexpr auto roots() const {
    return std::views::transform(backward_.exits.roots(),
                                 [this](std::uint32_t i) -> node const& { return listed_[i]; });
  }
  constexpr bool contains(node const& n) const { return number(n) != npos; }
  /// Returns the immediate post-dominator; none for roots, for nodes whose paths to exits share no node, and for nodes
  /// that are not contained.
  constexpr std::optional<node> idom(node const& n) const {
    std::uint32_t const i = number(n);
    return i == npos ? std::nullopt : maybe(tree_.idom(i));
  }
  /// Returns the nodes immediately post-dominated by n. Precondition: contains(n), as for depth.
  constexpr auto children(node const& n) const { return nodes(tree_.children(valid(n))); }
  /// Returns the nodes without immediate post-dominator, that is, the children of the virtual exit.
  constexpr auto top() const { return nodes(tree_.children(0)); }
  /// Returns the number of strict post-dominators of n.
  constexpr std::size_t depth(node const& n) const { return tree_.depth(valid(n)) - std::size_t{1}; }
  /// Returns all nodes, each before its children.
  constexpr auto preorder() const { return nodes(tree_.preorder() | std::views::drop(1)); }
  /// Returns all nodes, each after its children.
  constexpr auto postorder() const { return nodes(tree_.preorder() | std::views::drop(1) | std::views::reverse); }
  /// Returns the nodes that n post-dominates, n first; none if n is not contained.
  constexpr auto subtree(node const& n) const {
    std::uint32_t const i = number(n);
    return nodes(i == npos ? std::span<std::uint32_t const>() : tree_.subtree(i));
  }

  // ---- relations; false, or none, if a node is not contained
  constexpr bool dominates(node const& a, node const& b) const {
    std::uint32_t const i = number(a);
    std::uint32_t const j = number(b);
    return i != npos && j != npos && tree_.dominates(i, j);
  }
  constexpr bool strictly_dominates(node const& a, node const& b) const {
    std::uint32_t const i = number(a);
    std::uint32_t const j = number(b);
    return i != npos && j != npos && tree_.strictly_dominates(i, j);
  }
  /// Returns the deepest node that post-dominates both. O(depth of a below the result).
  constexpr std::optional<node> nearest_common_dominator(node const& a, node const& b) const {
    std::uint32_t const i = number(a);
    std::uint32_t const j = number(b);
    return i == npos || j == npos ? std::nullopt : maybe(tree_.nearest_common(i, j));
  }

  // ---- by number: 0 is the virtual exit
  constexpr dense_graph const& reversed() const noexcept { return reversed_; }
  constexpr dense_dominators const& dense() const noexcept { return tree_; }
  /// Returns the number of n; npos if n is not contained.
  constexpr std::uint32_t number(node const& n) const {
    if constexpr (detail::has_own_index<G>) {
      return graph_ == nullptr ? npos : at(plait::index(*graph_, n));
    } else {
      return at(static_cast<std::size_t>(n));
    }
  }
  constexpr node const& node_of(std::uint32_t number) const {
    PLAIT_ASSERT(number != 0, "post_dominator_tree: the virtual exit is not a node");
    return listed_[reversed_.node(number)];
  }

 private:
  constexpr void list_nodes(G const& g, detail::index_check<G>& check);
  constexpr std::uint32_t at(std::size_t index) const { return index < numbers_.size() ? numbers_[index] : npos; }
  constexpr std::uint32_t valid(node const& n) const {
    std::uint32_t const i = number(n);
    PLAIT_ASSERT(i != npos, "post_dominator_tree: no such node");
    return i;
  }
  constexpr std::optional<node> maybe(std::uint32_t i) const {
    return i == 0 ? std::nullopt : std::optional<node>(node_of(i));
  }
  template <class Numbers>
  constexpr auto nodes(Numbers numbers) const {
    return std::views::transform(numbers, [this](std::uint32_t i) -> node const& { return node_of(i); });
  }

  G const* graph_ = nullptr;
  std::vector<node> listed_;            // ascending by index; the algorithm identifies a node by its place here
  std::vector<std::uint32_t> numbers_;  // by index
  std::vector<node> unsorted_;
  csr<std::uint32_t> successors_;
  detail::backward_graph backward_;
  flow_snapshot<detail::backward_graph> reversed_;
  dense_dominators tree_;
};

template <flow_graph G>
constexpr void post_dominator_tree<G>::compute(G const& g) {
  graph_ = std::addressof(g);
  detail::index_check<G> check(g);
  list_nodes(g, check);
  successors_.clear();
  for (node const& n : listed_) {
    for (auto&& successor : plait::successors(g, n)) {
      std::size_t const place = plait::index(g, successor);
      check(successor, place, std::addressof(n));
      std::uint32_t const i = at(place);
      PLAIT_ASSERT(i != npos, "flow_graph: nodes(g) must list every node that successors(g, n) returns");
      successors_.push(i);
    }
    successors_.end_row();
  }
  transpose(successors_, backward_.predecessors);
  transpose(backward_.predecessors, successors_);  // now in ascending order
  backward_.exits.compute(successors_, backward_.predecessors);
  reversed_.compute(backward_);
  tree_.compute(reversed_);
  for (std::uint32_t& n : numbers_)
    if (n != npos) n = reversed_.number(n);
}

// Counting sort; numbers_ become the places in listed_.
template <flow_graph G>
constexpr void post_dominator_tree<G>::list_nodes(G const& g, detail::index_check<G>& check) {
  numbers_.assign(graph_size(g), npos);
  unsorted_.clear();
  auto const add = [&](node const& n, node const* from = nullptr) {
    std::size_t const i = plait::index(g, n);
    check(n, i, from);
    if (numbers_[i] != npos) return;
    numbers_[i] = static_cast<std::uint32_t>(unsorted_.size());
    unsorted_.push_back(n);
  };
  if constexpr (has_nodes<G>) {
    for (auto&& n : plait::nodes(g)) add(n);
  } else {
    add(plait::entry(g));
    for (std::size_t i = 0; i != unsorted_.size(); ++i) {
      node const from = unsorted_[i];  // a copy: add may reallocate unsorted_
      for (auto&& successor : plait::successors(g, from)) add(successor, std::addressof(from));
    }
  }
  listed_.clear();
  for (std::uint32_t& place : numbers_) {
    if (place == npos) continue;
    listed_.push_back(unsorted_[place]);
    place = static_cast<std::uint32_t>(listed_.size() - 1);
  }
}

}  // namespace plait
