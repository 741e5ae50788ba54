// Dominators of a dense_graph: the Semi-NCA algorithm, and the tree as arrays.
//
// Follows L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems" (PhD thesis, Princeton 2005),
// pp. 15–21, which is LLVM's choice, too: semidominators by path compression as in T. Lengauer, R. E. Tarjan, "A Fast
// Algorithm for Finding Dominators in a Flowgraph" (TOPLAS 1(1), 1979, pp. 121–141, the simple version), then each
// immediate dominator by climbing the tree made so far to the first node that is no deeper than the semidominator.
//
// O(edges · log nodes) time, nearly linear in practice; 20 bytes a node for the result, for work 8 a node and 8 for
// each back and cross edge. Climbing is quadratic on graphs made to that end; when it has taken 4 steps a node, the
// rest goes by shortcuts (E. W. Myers, "An applicative random-access stack", Inf. Proc. Letters 17 (1983), pp.
// 241–248), which keeps the bound.
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
#include <plait/core/npos.hpp>
#include <plait/graph/dense_graph.hpp>

namespace plait {

/// The dominator tree by the numbers of a dense_graph. All its nodes are reachable, so each dominates itself and all
/// but the root, 0, have an immediate dominator, whose number is lower. A value of its own: it refers to no graph.
class dense_dominators {
 public:
  class child_range;

  constexpr dense_dominators() = default;
  constexpr explicit dense_dominators(dense_graph const& g) { compute(g); }
  /// Keeps the memory of the computation before.
  constexpr void compute(dense_graph const& g);

  constexpr std::size_t size() const noexcept { return size_; }
  static constexpr std::uint32_t root() noexcept { return 0; }

  /// npos for the root.
  constexpr std::uint32_t immediate(std::uint32_t n) const { return immediate_[valid(n)]; }
  constexpr std::span<std::uint32_t const> immediates() const noexcept { return {immediate_.data(), size_}; }
  /// The root has depth 0.
  constexpr std::uint32_t depth(std::uint32_t n) const { return depth_[valid(n)]; }
  constexpr std::span<std::uint32_t const> depths() const noexcept { return {depth_.data(), size_}; }

  constexpr bool dominates(std::uint32_t a, std::uint32_t b) const {
    // Wraps around where b stands before a.
    return intervals_[valid(b)].place - intervals_[valid(a)].place < intervals_[a].count;
  }
  constexpr bool strictly_dominates(std::uint32_t a, std::uint32_t b) const { return a != b && dominates(a, b); }
  /// O(depth of a below the result).
  constexpr std::uint32_t nearest_common(std::uint32_t a, std::uint32_t b) const {
    while (!dominates(a, b)) a = immediate_[a];
    return a;
  }

  /// Ascending. A forward_range; its size is not known without walking it.
  constexpr child_range children(std::uint32_t n) const;
  /// Each node before its children, which stand in ascending order.
  constexpr std::span<std::uint32_t const> preorder() const noexcept { return {order_.data(), size_}; }
  /// The part of preorder() that n dominates, n first.
  constexpr std::span<std::uint32_t const> subtree(std::uint32_t n) const {
    return preorder().subspan(place(n), intervals_[n].count);
  }
  /// The place of n in preorder().
  constexpr std::uint32_t place(std::uint32_t n) const { return intervals_[valid(n)].place; }

 private:
  struct interval {
    std::uint32_t place;  // in order_
    std::uint32_t count;  // of the nodes in the subtree
  };
  struct link {
    std::uint32_t ancestor;
    std::uint32_t label;
  };

  constexpr std::uint32_t valid(std::uint32_t n) const {
    PLAIT_ASSERT(n < size(), "dense_dominators: no such node");
    return n;
  }

  // ---- the phases; not inlined into one another, which costs registers and 8% of the time
  //
  // Here nodes are known by their places in the preorder of the walk: depth_ holds semidominators. Only edges that do
  // not lead to a descendant need path compression: of those that do, the highest source counts, which is an ancestor.
  // The others are taken in descending order of their targets, in one loop over all. When it is the turn of a node,
  // those behind it are linked to their parents: the label of one of them is the least semidominator on its path to its
  // ancestor, the ancestor excluded.
  [[gnu::noinline]] constexpr void find_semidominators(dense_graph const& g) {
    sort_returns(g);
    std::span<std::uint32_t const> const parents = g.preorder_parents();
    std::copy(parents.begin(), parents.end(), depth_.begin());
    for (walk_edge const e : g.preorder_shortcuts()) depth_[e.to()] = std::min(depth_[e.to()], e.from());
    links_[0] = {0, 0};
    for (std::uint32_t at = 1; at != size_; ++at) links_[at] = {parents[at], depth_[at]};
    for (std::size_t i = returns_count_; i-- != 0;) {
      std::uint32_t const to = returns_[i].to();
      std::uint32_t const least = std::min(depth_[to], evaluate(returns_[i].from(), to));
      links_[to].label = depth_[to] = least;
    }
  }
  constexpr void sort_returns(dense_graph const& g);
  constexpr std::uint32_t evaluate(std::uint32_t n, std::uint32_t to);

  // Still by preorder: order_ becomes the immediate dominators. Then they are known by number.
  [[gnu::noinline]] constexpr void find_immediates(dense_graph const& g) {
    std::span<std::uint32_t const> const parents = g.preorder_parents();
    std::span<std::uint32_t const> const nodes = g.preorder();
    std::uint32_t const n = size_;
    std::int64_t steps = 4 * std::int64_t{n};
    order_[0] = npos;
    immediate_[0] = npos;
    std::uint32_t at = 1;
    for (; at < n && steps > 0; ++at) {
      std::uint32_t up = parents[at];
      for (; up > depth_[at]; up = order_[up]) --steps;
      order_[at] = up;
      immediate_[nodes[at]] = nodes[up];
    }
    if (at < n) find_immediates_by_shortcuts(g, at);
  }
  constexpr void find_immediates_by_shortcuts(dense_graph const& g, std::uint32_t first);

  // Dominators have lower numbers than what they dominate, so two sweeps number the tree without walking it.
  [[gnu::noinline]] constexpr void lay_out() {
    std::uint32_t const n = size_;
    std::fill_n(intervals_.begin(), n, interval{0, 1});
    for (std::uint32_t at = n; at-- > 1;) intervals_[immediate_[at]].count += intervals_[at].count;
    // The label becomes the place of the next child.
    depth_[0] = order_[0] = 0;
    links_[0].label = 1;
    for (std::uint32_t at = 1; at < n; ++at) {
      std::uint32_t const above = immediate_[at];
      std::uint32_t const place = links_[above].label;
      links_[above].label = place + intervals_[at].count;
      links_[at].label = place + 1;
      intervals_[at].place = place;
      depth_[at] = depth_[above] + 1;
      order_[place] = at;
    }
  }

  // All but path_ have room for the largest tree so far.
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> immediate_;
  std::vector<std::uint32_t> depth_;
  std::vector<interval> intervals_;
  std::vector<std::uint32_t> order_;
  std::vector<link> links_;
  std::size_t returns_count_ = 0;
  std::vector<walk_edge> returns_;
};

/// The children of a node: each stands in the tree's preorder behind the subtree of the one before.
class dense_dominators::child_range : public std::ranges::view_interface<dense_dominators::child_range> {
 public:
  class iterator {
   public:
    using value_type = std::uint32_t;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    constexpr iterator() = default;
    constexpr std::uint32_t operator*() const { return tree_->order_[place_]; }
    constexpr iterator& operator++() {
      place_ += tree_->intervals_[**this].count;
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
    constexpr iterator(dense_dominators const& tree, std::uint32_t place) : tree_(&tree), place_(place) {}
    dense_dominators const* tree_ = nullptr;
    std::uint32_t place_ = 0;
  };

  constexpr iterator begin() const { return {*tree_, first_}; }
  constexpr iterator end() const { return {*tree_, last_}; }

 private:
  friend dense_dominators;
  constexpr child_range(dense_dominators const& tree, std::uint32_t first, std::uint32_t last)
      : tree_(&tree), first_(first), last_(last) {}
  dense_dominators const* tree_;
  std::uint32_t first_;
  std::uint32_t last_;
};

constexpr dense_dominators::child_range dense_dominators::children(std::uint32_t n) const {
  return {*this, place(n) + 1, place(n) + intervals_[n].count};
}

constexpr void dense_dominators::compute(dense_graph const& g) {
  size_ = static_cast<std::uint32_t>(g.size());
  if (order_.size() < size_) {
    immediate_.resize(size_, 0);
    depth_.resize(size_, 0);
    intervals_.resize(size_, interval{});
    order_.resize(size_, 0);
    links_.resize(size_, link{});
  }
  if (size_ == 0) return;
  find_semidominators(g);
  find_immediates(g);
  lay_out();
}

// By counting.
constexpr void dense_dominators::sort_returns(dense_graph const& g) {
  std::span<walk_edge const> const returns = g.preorder_returns();
  if (returns_.size() < returns.size()) returns_.resize(returns.size());
  returns_count_ = returns.size();
  std::fill_n(order_.begin(), size_, 0u);
  for (walk_edge const e : returns) ++order_[e.to()];
  std::uint32_t total = 0;
  for (std::uint32_t at = 0; at != size_; ++at) total += std::exchange(order_[at], total);
  for (walk_edge const e : returns) returns_[order_[e.to()]++] = e;
}

// The least label between n and its first ancestor that is not behind `to`. Every other node on the way is linked past
// the next one (path halving), which a processor foresees better than a way up and one back down.
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

// links_[n].ancestor becomes the shortcut of n: an ancestor so chosen that from any node shortcuts and single steps
// lead to any ancestor in O(log depth) steps.
constexpr void dense_dominators::find_immediates_by_shortcuts(dense_graph const& g, std::uint32_t first) {
  intervals_[0].count = 0;
  links_[0].ancestor = 0;
  for (std::uint32_t at = 1; at != size_; ++at) {
    if (at >= first) {
      std::uint32_t const semidominator = depth_[at];
      std::uint32_t up = g.preorder_parents()[at];
      while (up > semidominator) up = links_[up].ancestor > semidominator ? links_[up].ancestor : order_[up];
      order_[at] = up;
      immediate_[g.preorder()[at]] = g.preorder()[up];
    }
    std::uint32_t const up = order_[at];
    std::uint32_t const shortcut = links_[up].ancestor;
    std::uint32_t const next = links_[shortcut].ancestor;
    std::uint32_t const depth = intervals_[up].count;
    bool const even = depth - intervals_[shortcut].count == intervals_[shortcut].count - intervals_[next].count;
    intervals_[at].count = depth + 1;
    links_[at].ancestor = even ? next : up;
  }
}

}  // namespace plait
