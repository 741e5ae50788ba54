// Mutable rooted tree: parents, depths and linked lists of children. Supports moving and erasing subtrees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>

namespace plait {

/// A tree over some of the numbers 0 … size() - 1. Operations are O(1) unless they say otherwise; 20 bytes a number.
class linked_tree {
 public:
  class child_range;

  constexpr std::size_t size() const noexcept { return links_.size(); }
  constexpr void clear() noexcept { links_.clear(); }
  /// Changes the range of numbers. New numbers are not in the tree. Precondition: numbers in the tree stay in range.
  constexpr void resize(std::size_t numbers) { links_.resize(numbers, link{}); }

  constexpr bool contains(std::uint32_t n) const { return at(n).depth != npos; }
  /// Returns the parent of n; npos for the root.
  constexpr std::uint32_t parent(std::uint32_t n) const { return at(n).parent; }
  /// Returns the depth of n; 0 for the root, npos for numbers not in the tree.
  constexpr std::uint32_t depth(std::uint32_t n) const { return at(n).depth; }
  /// Returns the children of n, the most recently attached first. A forward_range, invalidated by any change of the
  /// tree.
  constexpr child_range children(std::uint32_t n) const;

  /// Returns true if a is b or an ancestor of b. Precondition: both are in the tree. O(difference of depths).
  constexpr bool is_ancestor(std::uint32_t a, std::uint32_t b) const {
    while (at(b).depth > at(a).depth) b = links_[b].parent;
    return a == b;
  }
  /// Returns the nearest common ancestor of a and b. O(their depths below it).
  constexpr std::uint32_t nearest_common(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      std::uint32_t& deeper = at(a).depth < at(b).depth ? b : a;
      deeper = links_[deeper].parent;
    }
    return a;
  }

  constexpr void make_root(std::uint32_t n) { at(n).depth = 0; }
  /// Makes n a child of `parent`, wherever it was before. The subtree of n moves along, but keeps its depths until
  /// update_depths, or until its nodes get new parents, too.
  constexpr void set_parent(std::uint32_t n, std::uint32_t parent);
  /// Recomputes the depths of the descendants of n. O(size of the subtree).
  constexpr void update_depths(std::uint32_t n);
  /// Removes the subtree of n from the tree. O(size of the subtree).
  constexpr void erase_subtree(std::uint32_t n);

  /// Calls visit(d) for n and its descendants, parents before children. visit may change depths, but no links.
  template <class Visit>
  constexpr void for_each_in_subtree(std::uint32_t n, Visit visit) const;

 private:
  struct link {
    std::uint32_t parent = npos;
    std::uint32_t depth = npos;
    std::uint32_t first_child = npos;
    std::uint32_t next = npos;
    std::uint32_t previous = npos;
  };

  constexpr link& at(std::uint32_t n) {
    PLAIT_ASSERT(n < size(), "linked_tree: no such number");
    return links_[n];
  }
  constexpr link const& at(std::uint32_t n) const {
    PLAIT_ASSERT(n < size(), "linked_tree: no such number");
    return links_[n];
  }
  constexpr void unlink(std::uint32_t n);

  std::vector<link> links_;
};

class linked_tree::child_range : public std::ranges::view_interface<linked_tree::child_range> {
 public:
  class iterator {
   public:
    using value_type = std::uint32_t;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    constexpr iterator() = default;
    constexpr iterator(linked_tree const& tree, std::uint32_t at) : tree_(&tree), at_(at) {}
    constexpr std::uint32_t operator*() const { return at_; }
    constexpr iterator& operator++() {
      at_ = tree_->links_[at_].next;
      return *this;
    }
    constexpr iterator operator++(int) {
      iterator const before = *this;
      ++*this;
      return before;
    }
    friend constexpr bool operator==(iterator const& a, iterator const& b) { return a.at_ == b.at_; }

   private:
    linked_tree const* tree_ = nullptr;
    std::uint32_t at_ = npos;
  };

  constexpr child_range(linked_tree const& tree, std::uint32_t first) : tree_(&tree), first_(first) {}
  constexpr iterator begin() const { return {*tree_, first_}; }
  constexpr iterator end() const { return {*tree_, npos}; }

 private:
  linked_tree const* tree_;
  std::uint32_t first_;
};

constexpr linked_tree::child_range linked_tree::children(std::uint32_t n) const { return {*this, at(n).first_child}; }

constexpr void linked_tree::unlink(std::uint32_t n) {
  link& l = links_[n];
  if (l.parent == npos) return;
  (l.previous == npos ? links_[l.parent].first_child : links_[l.previous].next) = l.next;
  if (l.next != npos) links_[l.next].previous = l.previous;
}

constexpr void linked_tree::set_parent(std::uint32_t n, std::uint32_t parent) {
  PLAIT_ASSERT(contains(parent), "linked_tree: the parent must be in the tree");
  unlink(n);
  link& l = links_[n];
  link& above = links_[parent];
  l.parent = parent;
  l.depth = above.depth + 1;
  l.previous = npos;
  l.next = above.first_child;
  if (l.next != npos) links_[l.next].previous = n;
  above.first_child = n;
}

// Moves down by first children, on by siblings, and up by parents: no stack.
template <class Visit>
constexpr void linked_tree::for_each_in_subtree(std::uint32_t n, Visit visit) const {
  std::uint32_t at = n;
  while (true) {
    visit(at);
    if (links_[at].first_child != npos) {
      at = links_[at].first_child;
      continue;
    }
    while (at != n && links_[at].next == npos) at = links_[at].parent;
    if (at == n) return;
    at = links_[at].next;
  }
}

constexpr void linked_tree::update_depths(std::uint32_t n) {
  for_each_in_subtree(n, [this, n](std::uint32_t d) {
    if (d != n) links_[d].depth = links_[links_[d].parent].depth + 1;
  });
}

// Erases leaf by leaf: no stack.
constexpr void linked_tree::erase_subtree(std::uint32_t n) {
  unlink(n);
  std::uint32_t at = n;
  while (true) {
    if (links_[at].first_child != npos) {
      at = links_[at].first_child;
      continue;
    }
    std::uint32_t const above = links_[at].parent;
    std::uint32_t const next = links_[at].next;
    links_[at] = link{};
    if (at == n) return;
    links_[above].first_child = next;
    at = above;
  }
}

}  // namespace plait
