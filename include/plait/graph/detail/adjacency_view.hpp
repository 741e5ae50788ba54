// Adjacency lists as a flow graph: the successors of node i are the items of row i.
//
//   std::vector<std::vector<int>> const rows = {{1, 2}, {3}, {3}, {}};
//   plait::adjacency_view const cfg(rows);         // entered at node 0
//   plait::dominator_tree const tree(cfg);
//   plait::adjacency_view const from_two(rows, 2);
//
// Rows are any random access range of ranges of integers: vectors of vectors, arrays of arrays, spans, views that
// generate their rows. The node type is the integer type. The view refers to the rows, as std::views::all does: they
// must outlive it, and temporaries are rejected. O(1) space; each query costs what it costs in the rows.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <ranges>
#include <type_traits>
#include <utility>

#include <plait/core/assert.hpp>
#include <plait/graph/detail/graph_view_base.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

namespace detail {
// Integers that are numbers: neither bool nor character types (a string is not a row).
template <class T>
concept counting = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                   !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;
}  // namespace detail

/// Adjacency lists: a random access range of ranges of integers.
template <class Rows>
concept adjacency_rows = std::ranges::random_access_range<Rows> && std::ranges::sized_range<Rows> &&
                         std::ranges::input_range<std::ranges::range_reference_t<Rows>> &&
                         detail::counting<std::ranges::range_value_t<std::ranges::range_reference_t<Rows>>>;

namespace detail {
// Rows that a view can refer to: lvalues, or views themselves.
template <class Rows>
concept viewable_rows = adjacency_rows<std::remove_reference_t<Rows> const> &&
                        (std::is_lvalue_reference_v<Rows> || std::ranges::view<std::remove_cvref_t<Rows>>);
template <class Rows>
using rows_view_t = std::views::all_t<std::remove_reference_t<Rows> const&>;
}  // namespace detail

/// A flow graph over adjacency lists. Preconditions: the entry is a row number, and so is each item, which algorithms
/// check; the node type can count all rows.
template <std::ranges::view Rows>
  requires adjacency_rows<Rows const>
class adjacency_view : public detail::graph_view_base {
 public:
  using node = std::ranges::range_value_t<std::ranges::range_reference_t<Rows const>>;

  template <detail::viewable_rows R>
    requires std::same_as<detail::rows_view_t<R>, Rows>
  constexpr explicit adjacency_view(R&& rows, node entry = 0) : rows_(std::as_const(rows)), entry_(entry) {
    PLAIT_ASSERT(size() <= static_cast<std::size_t>(std::numeric_limits<node>::max()),
                 "adjacency_view: more rows than the node type can count");
    PLAIT_ASSERT(number(entry_) < size(), "adjacency_view: the entry must be the number of a row");
  }

  constexpr std::size_t size() const { return static_cast<std::size_t>(std::ranges::size(rows_)); }
  constexpr node entry() const { return entry_; }
  /// Returns the row itself, by reference if the range returns references.
  constexpr decltype(auto) successors(node n) const {
    PLAIT_ASSERT(number(n) < size(), "adjacency_view: no such node");
    return std::ranges::begin(rows_)[static_cast<std::ranges::range_difference_t<Rows const>>(n)];
  }

 private:
  // A negative node becomes a number beyond all rows.
  static constexpr std::size_t number(node n) { return static_cast<std::size_t>(n); }

  Rows rows_;
  node entry_;
};

template <detail::viewable_rows R>
adjacency_view(R&&) -> adjacency_view<detail::rows_view_t<R>>;
template <detail::viewable_rows R, class Entry>
adjacency_view(R&&, Entry) -> adjacency_view<detail::rows_view_t<R>>;

}  // namespace plait
