// Loop forest of a flow graph: natural and irreducible loops and their nesting.
//
//   plait::dominator_tree const tree(f);
//   plait::loop_forest const loops(tree);
//   if (auto const l = loops.innermost(block)) use(loops.header(*l), loops.depth(*l), loops.latches(*l));
//   for (auto* block : loops.nodes(loop)) …
//
// Natural loop: a header, and all nodes that reach a back edge to it from a node the header dominates (a latch) without
// passing through the header. Back edges to the same header form one loop. These are the loops of LLVM's LoopInfo, all
// of them.
//
// Irreducible loop: a loop with entries other than the header. In the depth-first spanning tree: a node with edges back
// to it from its descendants, but not only from nodes it dominates; and all its descendants that lead to one of those
// edges. So header and nesting of irreducible loops depend on the order of successors, their existence does not: a
// graph has none if and only if it is reducible. A header may have a natural loop and, around it, an irreducible one.
// (LLVM's CycleInfo has a single cycle then; where all loops are natural, so are its cycles.)
//
// Two loops are disjoint or nested, so that they form a forest. Unreachable nodes are in no loop. Algorithm, papers and
// bounds: dense_loops.hpp. The tree and its graph must outlive the object and stay at the same address. Recomputation
// reuses the memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/detail/dense_loops.hpp>
#include <plait/graph/dominators.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

/// The loop forest as of the last compute(). Loops are numbered 0 … size() - 1, outer before inner, siblings in reverse
/// postorder of their headers; a number out of range is a precondition_error. Queries are O(1) unless they say
/// otherwise.
template <flow_graph G>
class loop_forest {
 public:
  using node = node_t<G>;
  using loop = std::uint32_t;

  constexpr loop_forest() = default;
  constexpr explicit loop_forest(dominator_tree<G> const& tree) { compute(tree); }
  template <class Because = because::it_refers_to_the_dominator_tree_so_a_temporary_is_refused>
  loop_forest(dominator_tree<G> const&&) = delete;

  constexpr void compute(dominator_tree<G> const& tree) {
    tree_ = &tree;
    loops_.compute(tree.snapshot(), tree.dense());
  }
  template <class Because = because::it_refers_to_the_dominator_tree_so_a_temporary_is_refused>
  void compute(dominator_tree<G> const&&) = delete;

  // ---- the forest
  constexpr std::size_t size() const noexcept { return loops_.size(); }
  constexpr auto all() const { return std::views::iota(loop{0}, static_cast<loop>(size())); }
  /// Returns the outermost loops. O(1) a step.
  constexpr auto top() const { return siblings(0, static_cast<loop>(size())); }
  constexpr std::optional<loop> parent(loop l) const { return maybe(loops_.parent(l)); }
  /// Returns the loops directly nested in l. O(1) a step.
  constexpr auto children(loop l) const { return siblings(l + 1, loops_.loops_end(l)); }
  /// Returns l and all loops nested in it, in preorder.
  constexpr auto subtree(loop l) const { return std::views::iota(l, loops_.loops_end(l)); }
  /// Returns the nesting depth; 1 for an outermost loop.
  constexpr std::size_t depth(loop l) const { return loops_.depth(l); }
  constexpr bool is_irreducible(loop l) const { return loops_.is_irreducible(l); }

  // ---- nodes
  constexpr node const& header(loop l) const { return snapshot().node(loops_.header(l)); }
  /// Returns all nodes of the loop, those of inner loops included: first the nodes in no inner loop, in reverse
  /// postorder, then those of each inner loop.
  constexpr auto nodes(loop l) const { return shown(loops_.nodes(l)); }
  constexpr std::size_t node_count(loop l) const { return loops_.nodes(l).size(); }
  constexpr bool contains(loop l, node const& n) const {
    std::uint32_t const i = number(n);
    return i != npos && loops_.contains(l, i);
  }
  constexpr std::optional<loop> innermost(node const& n) const {
    std::uint32_t const i = number(n);
    return i == npos ? std::nullopt : maybe(loops_.innermost(i));
  }
  /// Returns the number of loops that contain the node.
  constexpr std::size_t depth_of(node const& n) const {
    auto const l = innermost(n);
    return l ? depth(*l) : 0;
  }
  /// Returns true if n is the header of a loop.
  constexpr bool is_header(node const& n) const {
    auto const l = innermost(n);
    return l && loops_.header(*l) == number(n);
  }

  // ---- edges in and out; each in reverse postorder, without repetitions
  /// Returns the nodes of the loop with an edge to its header. O(predecessors of the header).
  constexpr std::vector<node> latches(loop l) const {
    return predecessors_of_header(l, [&](std::uint32_t p) { return loops_.contains(l, p); });
  }
  /// Returns the nodes outside the loop with an edge to its header. O(predecessors of the header).
  constexpr std::vector<node> entering(loop l) const {
    return predecessors_of_header(l, [&](std::uint32_t p) { return !loops_.contains(l, p); });
  }
  /// Returns the nodes of the loop with an edge out of it. O(nodes and edges of the loop), as for exits and entries.
  constexpr std::vector<node> exiting(loop l) const {
    return collected(l, [&](std::uint32_t n, auto found) {
      for (std::uint32_t const s : snapshot().successors(n))
        if (!loops_.contains(l, s)) found(n);
    });
  }
  /// Returns the nodes outside the loop with an edge from it.
  constexpr std::vector<node> exits(loop l) const {
    return collected(l, [&](std::uint32_t n, auto found) {
      for (std::uint32_t const s : snapshot().successors(n))
        if (!loops_.contains(l, s)) found(s);
    });
  }
  /// Returns the nodes of the loop with an edge from outside: the header alone for a natural loop, further nodes for an
  /// irreducible one. The entry of the graph counts.
  constexpr std::vector<node> entries(loop l) const {
    return collected(l, [&](std::uint32_t n, auto found) {
      if (n == 0) found(n);
      for (std::uint32_t const p : snapshot().predecessors(n))
        if (!loops_.contains(l, p)) found(n);
    });
  }
  /// Returns the preheader: the only predecessor of the header outside a natural loop, with one edge to it, if it has
  /// no other successor. Hoisted code goes there. O(predecessors of the header).
  constexpr std::optional<node> preheader(loop l) const;

  /// Returns the forest by the numbers of the tree's snapshot.
  constexpr dense_loops const& dense() const noexcept { return loops_; }

 private:
  constexpr flow_snapshot<G> const& snapshot() const {
    PLAIT_ASSERT(tree_ != nullptr, "loop_forest: not computed");
    return tree_->snapshot();
  }
  constexpr std::uint32_t number(node const& n) const { return tree_ == nullptr ? npos : snapshot().number(n); }
  static constexpr std::optional<loop> maybe(std::uint32_t l) { return l == npos ? std::nullopt : std::optional(l); }
  constexpr auto shown(std::span<std::uint32_t const> numbers) const {
    return std::views::transform(numbers,
                                 [tree = tree_](std::uint32_t i) -> node const& { return tree->snapshot().node(i); });
  }

  class sibling_range;
  constexpr sibling_range siblings(loop first, loop last) const { return {loops_, first, last}; }

  template <class Accept>
  constexpr std::vector<node> predecessors_of_header(loop l, Accept accept) const {
    std::vector<node> made;
    std::uint32_t last = npos;
    for (std::uint32_t const p : snapshot().predecessors(loops_.header(l))) {  // ascending
      if (p == last || !accept(p)) continue;
      made.push_back(snapshot().node(p));
      last = p;
    }
    return made;
  }
  // Calls look(node, found) for each node of the loop; returns the found nodes, sorted, without repetitions.
  template <class Look>
  constexpr std::vector<node> collected(loop l, Look look) const {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t const n : loops_.nodes(l)) look(n, [&](std::uint32_t m) { numbers.push_back(m); });
    std::ranges::sort(numbers);
    auto const repeated = std::ranges::unique(numbers);
    numbers.erase(repeated.begin(), repeated.end());
    std::vector<node> made;
    made.reserve(numbers.size());
    for (std::uint32_t const n : numbers) made.push_back(snapshot().node(n));
    return made;
  }

  dominator_tree<G> const* tree_ = nullptr;
  dense_loops loops_;
};

/// Sibling loops: each follows the loops nested in the previous one.
template <flow_graph G>
class loop_forest<G>::sibling_range : public std::ranges::view_interface<sibling_range> {
 public:
  class iterator {
   public:
    using value_type = loop;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    constexpr iterator() = default;
    constexpr iterator(dense_loops const& loops, loop at) : loops_(&loops), at_(at) {}
    constexpr loop operator*() const { return at_; }
    constexpr iterator& operator++() {
      at_ = loops_->loops_end(at_);
      return *this;
    }
    constexpr iterator operator++(int) {
      iterator const before = *this;
      ++*this;
      return before;
    }
    friend constexpr bool operator==(iterator const& a, iterator const& b) { return a.at_ == b.at_; }

   private:
    dense_loops const* loops_ = nullptr;
    loop at_ = 0;
  };

  constexpr sibling_range(dense_loops const& loops, loop first, loop last)
      : loops_(&loops), first_(first), last_(last) {}
  constexpr iterator begin() const { return {*loops_, first_}; }
  constexpr iterator end() const { return {*loops_, last_}; }

 private:
  dense_loops const* loops_;
  loop first_;
  loop last_;
};

template <flow_graph G>
constexpr std::optional<node_t<G>> loop_forest<G>::preheader(loop l) const {
  if (loops_.is_irreducible(l) || loops_.header(l) == 0) return std::nullopt;
  std::uint32_t found = npos;
  for (std::uint32_t const p : snapshot().predecessors(loops_.header(l))) {
    if (loops_.contains(l, p)) continue;
    if (found != npos) return std::nullopt;
    found = p;
  }
  if (snapshot().successors(found).size() != 1) return std::nullopt;
  return snapshot().node(found);
}

}  // namespace plait
