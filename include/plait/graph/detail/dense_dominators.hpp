// Dominator tree of a dense_graph: semi-NCA (Georgiadis 2005), O(edges · log nodes). The tree is stored as arrays.
//
// Follows L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems" (PhD thesis, Princeton 2005), pp.
// 15–21, which is LLVM's choice, too: semidominators by path compression as in T. Lengauer, R. E. Tarjan, "A Fast
// Algorithm for Finding Dominators in a Flowgraph" (TOPLAS 1(1), 1979, pp. 121–141, the simple version), then each
// immediate dominator by climbing the partial tree to the first node that is no deeper than the semidominator.
//
// O(edges · log nodes) time, nearly linear in practice; 4 bytes a node for immediate dominators, 24 for the other
// queries, 16 a node and 8 for each back and cross edge for work. Climbing is quadratic on adversarial graphs; after 4
// steps per node the rest uses jump pointers (E. W. Myers, "An applicative random-access stack", Inf. Proc. Letters 17
// (1983), pp. 241–248), which preserves the bound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/graph/detail/lazy_value.hpp>

namespace plait {

/// The dominator tree by the numbers of a dense_graph. All its nodes are reachable, so each dominates itself and all
/// but the root, 0, have an immediate dominator, whose number is lower. Does not refer to the graph. The first query
/// other than for immediate dominators takes O(size()) more; concurrent first queries are safe.
class dense_dominators {
 public:
  class child_range;
  /// The subtree of a node, as an interval of preorder(), whose first element is the node.
  struct interval {
    std::uint32_t place;
    std::uint32_t count;
  };

  constexpr dense_dominators() = default;
  constexpr explicit dense_dominators(dense_graph const& g) { compute(g); }
  /// Reuses the memory of the previous computation.
  constexpr void compute(dense_graph const& g);

  constexpr std::size_t size() const noexcept { return size_; }
  static constexpr std::uint32_t root() noexcept { return 0; }

  /// Returns the immediate dominator of n; npos for the root.
  constexpr std::uint32_t idom(std::uint32_t n) const { return idom_[valid(n)]; }
  constexpr std::span<std::uint32_t const> idoms() const noexcept { return {idom_.data(), size_}; }
  /// Returns the depth of n; 0 for the root.
  constexpr std::uint32_t depth(std::uint32_t n) const { return laid_out().depth[valid(n)]; }
  constexpr std::span<std::uint32_t const> depths() const { return {laid_out().depth.data(), size_}; }

  constexpr bool dominates(std::uint32_t a, std::uint32_t b) const {
    interval const* const intervals = laid_out().intervals.data();
    // Wraps around if b is before a.
    return intervals[valid(b)].place - intervals[valid(a)].place < intervals[a].count;
  }
  constexpr bool strictly_dominates(std::uint32_t a, std::uint32_t b) const { return a != b && dominates(a, b); }
  /// Returns the nearest common dominator. O(depth of a below the result).
  constexpr std::uint32_t nearest_common(std::uint32_t a, std::uint32_t b) const {
    while (!dominates(a, b)) a = idom_[a];
    return a;
  }

  /// Returns the children of n, ascending. A forward_range without size().
  constexpr child_range children(std::uint32_t n) const;
  /// Returns all nodes, each before its children, which are in ascending order.
  constexpr std::span<std::uint32_t const> preorder() const { return {laid_out().order.data(), size_}; }
  /// Returns the intervals of all nodes, by number.
  constexpr std::span<interval const> intervals() const { return {laid_out().intervals.data(), size_}; }
  /// Returns the interval of preorder() that n dominates, n first.
  constexpr std::span<std::uint32_t const> subtree(std::uint32_t n) const {
    interval const at = laid_out().intervals[valid(n)];
    return std::span(laid_out().order).subspan(at.place, at.count);
  }
  /// Returns the position of n in preorder().
  constexpr std::uint32_t place(std::uint32_t n) const { return laid_out().intervals[valid(n)].place; }

 private:
  // All arrays are indexed by number, except `order`.
  struct layout {
    std::vector<std::uint32_t> depth;
    std::vector<interval> intervals;
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> next;  // the position of the next child
  };
  struct link {
    std::uint32_t ancestor;
    std::uint32_t label;
  };

  constexpr std::uint32_t valid(std::uint32_t n) const {
    PLAIT_ASSERT(n < size(), "dense_dominators: no such node");
    return n;
  }

  // ---- the phases; not inlined into one another: inlining spills registers and costs 8% of the time
  //
  // Nodes are identified by their DFS preorder numbers. Only back and cross edges need path compression: for tree and
  // forward edges the semidominator candidate is the source itself, an ancestor. Back and cross edges are processed in
  // descending order of their targets, in one loop over all. When the target is `to`, all nodes behind it are linked to
  // their parents: the label of a linked node is the least semidominator on its path to its ancestor, the ancestor
  // excluded.
  [[gnu::noinline]] constexpr void find_semidominators(dense_graph const& g) {
    sort_back_and_cross_edges(g);
    std::span<std::uint32_t const> const parents = g.preorder_parents();
    std::copy(parents.begin(), parents.end(), semidominators_.begin());
    for (dfs_edge const e : g.preorder_forward_edges())
      semidominators_[e.to()] = std::min(semidominators_[e.to()], e.from());
    links_[0] = {0, 0};
    for (std::uint32_t at = 1; at != size_; ++at) links_[at] = {parents[at], semidominators_[at]};
    for (std::size_t i = back_and_cross_count_; i-- != 0;) {
      std::uint32_t const to = back_and_cross_edges_[i].to();
      std::uint32_t const least = std::min(semidominators_[to], evaluate(back_and_cross_edges_[i].from(), to));
      links_[to].label = semidominators_[to] = least;
    }
  }
  constexpr void sort_back_and_cross_edges(dense_graph const& g);
  constexpr std::uint32_t evaluate(std::uint32_t n, std::uint32_t to);

  // Works on preorder numbers, then writes the result by number.
  [[gnu::noinline]] constexpr void find_idoms(dense_graph const& g) {
    std::span<std::uint32_t const> const parents = g.preorder_parents();
    std::span<std::uint32_t const> const nodes = g.preorder();
    std::uint32_t const n = size_;
    std::int64_t steps = 4 * std::int64_t{n};
    above_[0] = npos;
    idom_[0] = npos;
    std::uint32_t at = 1;
    for (; at < n && steps > 0; ++at) {
      std::uint32_t up = parents[at];
      for (; up > semidominators_[at]; up = above_[up]) --steps;
      above_[at] = up;
      idom_[nodes[at]] = nodes[up];
    }
    if (at < n) find_idoms_by_jump_pointers(g, at);
  }
  constexpr void find_idoms_by_jump_pointers(dense_graph const& g, std::uint32_t first);

  constexpr layout const& laid_out() const {
    return layout_([this](layout& l) { lay_out(l); });
  }
  // Dominators have lower numbers than the nodes they dominate, so two sweeps compute the preorder without traversing
  // the tree.
  [[gnu::noinline]] constexpr void lay_out(layout& l) const {
    std::uint32_t const n = size_;
    if (n == 0) return;  // before the first compute()
    if (l.order.size() < n) {
      l.depth.resize(n, 0);
      l.intervals.resize(n, interval{});
      l.order.resize(n, 0);
      l.next.resize(n, 0);
    }
    std::fill_n(l.intervals.begin(), n, interval{0, 1});
    for (std::uint32_t at = n; at-- > 1;) l.intervals[idom_[at]].count += l.intervals[at].count;
    l.depth[0] = l.order[0] = 0;
    l.next[0] = 1;
    for (std::uint32_t at = 1; at < n; ++at) {
      std::uint32_t const above = idom_[at];
      std::uint32_t const place = l.next[above];
      l.next[above] = place + l.intervals[at].count;
      l.next[at] = place + 1;
      l.intervals[at].place = place;
      l.depth[at] = l.depth[above] + 1;
      l.order[place] = at;
    }
  }

  // Sized for the largest tree so far.
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> idom_;
  detail::lazy_value<layout> layout_;

  std::vector<std::uint32_t> semidominators_;
  std::vector<std::uint32_t> above_;  // immediate dominators
  std::vector<link> links_;
  std::size_t back_and_cross_count_ = 0;
  std::vector<dfs_edge> back_and_cross_edges_;
};

/// The children of a node: in preorder each follows the subtree of the previous one.
class dense_dominators::child_range : public std::ranges::view_interface<dense_dominators::child_range> {
 public:
  class iterator {
   public:
    using value_type = std::uint32_t;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    constexpr iterator() = default;
    constexpr std::uint32_t operator*() const { return tree_->order[place_]; }
    constexpr iterator& operator++() {
      place_ += tree_->intervals[**this].count;
      return *this;
    }
    constexpr iterator operator++(int) {
      iterator const before = *this;
      ++*this;
      return before;
    }
    friend constexpr bool operator==(iterator const& a, iterator const& b) { return a.place_ == b.place_; }

   private:
    friend child_range;
    constexpr iterator(layout const& tree, std::uint32_t place) : tree_(&tree), place_(place) {}
    layout const* tree_ = nullptr;
    std::uint32_t place_ = 0;
  };

  constexpr iterator begin() const { return {*tree_, first_}; }
  constexpr iterator end() const { return {*tree_, last_}; }

 private:
  friend dense_dominators;
  constexpr child_range(layout const& tree, std::uint32_t first, std::uint32_t last)
      : tree_(&tree), first_(first), last_(last) {}
  layout const* tree_;
  std::uint32_t first_;
  std::uint32_t last_;
};

constexpr dense_dominators::child_range dense_dominators::children(std::uint32_t n) const {
  layout const& l = laid_out();
  interval const at = l.intervals[valid(n)];
  return {l, at.place + 1, at.place + at.count};
}

constexpr void dense_dominators::compute(dense_graph const& g) {
  size_ = static_cast<std::uint32_t>(g.size());
  layout_.invalidate();
  if (idom_.size() < size_) {
    idom_.resize(size_, 0);
    semidominators_.resize(size_, 0);
    above_.resize(size_, 0);
    links_.resize(size_, link{});
  }
  if (size_ == 0) return;
  find_semidominators(g);
  find_idoms(g);
}

// Counting sort by target.
constexpr void dense_dominators::sort_back_and_cross_edges(dense_graph const& g) {
  std::span<dfs_edge const> const back_and_cross = g.preorder_back_and_cross_edges();
  if (back_and_cross_edges_.size() < back_and_cross.size()) back_and_cross_edges_.resize(back_and_cross.size());
  back_and_cross_count_ = back_and_cross.size();
  std::vector<std::uint32_t>& places = above_;
  std::fill_n(places.begin(), size_, 0u);
  for (dfs_edge const e : back_and_cross) ++places[e.to()];
  std::uint32_t total = 0;
  for (std::uint32_t at = 0; at != size_; ++at) total += std::exchange(places[at], total);
  for (dfs_edge const e : back_and_cross) back_and_cross_edges_[places[e.to()]++] = e;
}

// Returns the least label between n and its first ancestor that is not behind `to`. Compresses the path by halving
// (every other node is linked past the next one), which a branch predictor handles better than two passes.
constexpr std::uint32_t dense_dominators::evaluate(std::uint32_t n, std::uint32_t to) {
  link at = links_[n];
  std::uint32_t least = at.label;
  while (at.ancestor > to) {
    link const above = links_[at.ancestor];
    at = {above.ancestor, std::min(at.label, above.label)};
    links_[n] = at;
    least = std::min(least, at.label);
    if (above.ancestor <= to) break;
    n = above.ancestor;
    at = links_[n];
    least = std::min(least, at.label);
  }
  return least;
}

// links_[n].ancestor becomes the jump pointer of n: an ancestor chosen such that from any node jumps and single steps
// lead to any ancestor in O(log depth) steps. links_[n].label becomes the depth.
constexpr void dense_dominators::find_idoms_by_jump_pointers(dense_graph const& g, std::uint32_t first) {
  links_[0] = {0, 0};
  for (std::uint32_t at = 1; at != size_; ++at) {
    if (at >= first) {
      std::uint32_t const semidominator = semidominators_[at];
      std::uint32_t up = g.preorder_parents()[at];
      while (up > semidominator) up = links_[up].ancestor > semidominator ? links_[up].ancestor : above_[up];
      above_[at] = up;
      idom_[g.preorder()[at]] = g.preorder()[up];
    }
    std::uint32_t const up = above_[at];
    std::uint32_t const jump = links_[up].ancestor;
    std::uint32_t const next = links_[jump].ancestor;
    std::uint32_t const depth = links_[up].label;
    bool const even = depth - links_[jump].label == links_[jump].label - links_[next].label;
    links_[at] = {even ? next : up, depth + 1};
  }
}

}  // namespace plait
