// Dominators of a dense_graph: the Semi-NCA algorithm, and the tree as arrays.
//
// Follows L. Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems" (PhD thesis, Princeton 2005),
// pp. 15–21, which is LLVM's choice, too: semidominators by path compression as in T. Lengauer, R. E. Tarjan, "A Fast
// Algorithm for Finding Dominators in a Flowgraph" (TOPLAS 1(1), 1979, pp. 121–141, the simple version), then each
// immediate dominator by climbing the tree made so far to the first node that is no deeper than the semidominator.
//
// O(edges · log nodes) time, nearly linear in practice; O(nodes) space: 20 bytes a node for the result, 8 to 12 for
// work. Climbing is quadratic on graphs made to that end; when it has taken 4 steps a node, the rest goes by shortcuts
// (E. W. Myers, "An applicative random-access stack", Inf. Proc. Letters 17 (1983), pp. 241–248), which keeps the
// bound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
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
  // Here nodes are known by their places in the preorder: the places of the intervals become the semidominators.
  // Nodes are taken in reverse preorder and then linked to their parents, so those from `last` on are linked. The label
  // of one of them is the least semidominator on its path to its ancestor, the ancestor excluded; that of one that is
  // not linked is the node itself.
  [[gnu::noinline]] constexpr void find_semidominators(dense_graph const& g) {
    std::span<std::uint32_t const> const nodes = g.preorder();
    std::span<std::uint32_t const> const parents = g.preorder_parents();
    intervals_[0].count = 1;
    links_[0] = {0, 0};
    for (std::uint32_t at = 1; at != size_; ++at) links_[at] = {parents[at], at};
    for (std::uint32_t at = size_; --at != 0;) {
      std::uint32_t semidominator = parents[at];
      for (std::uint32_t const p : g.predecessors(nodes[at]))
        semidominator = std::min(semidominator, evaluate(g.preorder_number(p), at + 1));
      links_[at].label = semidominator;
      intervals_[at] = {semidominator, 1};
    }
  }
  constexpr std::uint32_t evaluate(std::uint32_t n, std::uint32_t last);

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
      for (; up > intervals_[at].place; up = order_[up]) --steps;
      order_[at] = up;
      immediate_[nodes[at]] = nodes[up];
    }
    if (at < n) find_immediates_by_shortcuts(g, at);
  }
  constexpr void find_immediates_by_shortcuts(dense_graph const& g, std::uint32_t first);

  // Dominators have lower numbers than what they dominate, so two sweeps number the tree without walking it.
  [[gnu::noinline]] constexpr void lay_out() {
    std::uint32_t const n = size_;
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
  std::vector<std::uint32_t> path_;
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

// The least label between n and the root of its tree, which is not linked and not counted; n if it is that root: then
// its ancestor, too, stands before `last`.
constexpr std::uint32_t dense_dominators::evaluate(std::uint32_t n, std::uint32_t last) {
  std::uint32_t above = links_[n].ancestor;
  if (above < last) return links_[n].label;
  path_.clear();
  std::uint32_t at = n;
  for (; above >= last; above = links_[at].ancestor) {
    path_.push_back(at);
    at = above;
  }
  std::uint32_t least = links_[at].label;
  while (!path_.empty()) {
    link& passed = links_[path_.back()];
    path_.pop_back();
    passed.label = least = std::min(least, passed.label);
    passed.ancestor = above;
  }
  return least;
}

// links_[n].ancestor becomes the shortcut of n: an ancestor so chosen that from any node shortcuts and single steps
// lead to any ancestor in O(log depth) steps.
constexpr void dense_dominators::find_immediates_by_shortcuts(dense_graph const& g, std::uint32_t first) {
  depth_[0] = 0;
  links_[0].ancestor = 0;
  for (std::uint32_t at = 1; at != size_; ++at) {
    if (at >= first) {
      std::uint32_t const semidominator = intervals_[at].place;
      std::uint32_t up = g.preorder_parents()[at];
      while (up > semidominator) up = links_[up].ancestor > semidominator ? links_[up].ancestor : order_[up];
      order_[at] = up;
      immediate_[g.preorder()[at]] = g.preorder()[up];
    }
    std::uint32_t const up = order_[at];
    std::uint32_t const shortcut = links_[up].ancestor;
    std::uint32_t const next = links_[shortcut].ancestor;
    bool const even = depth_[up] - depth_[shortcut] == depth_[shortcut] - depth_[next];
    depth_[at] = depth_[up] + 1;
    links_[at].ancestor = even ? next : up;
  }
}

}  // namespace plait
