// Rows of varying length in two flat arrays (compressed sparse rows): the storage of every one-to-many result in plait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/prefetch.hpp>
#include <plait/core/detail/uninitialized_allocator.hpp>

namespace plait {

/// `size()` rows of T, each a contiguous span. Built row by row with push/end_row, or from counted row lengths
/// with start_counting … place. Reusing an object keeps its memory. At most 2^32 - 1 items.
template <class T>
class csr {
 public:
  constexpr std::size_t size() const noexcept { return offsets_.size() - 1; }
  constexpr std::size_t item_count() const noexcept { return items_.size(); }

  constexpr std::span<T const> operator[](std::size_t row) const {
    PLAIT_ASSERT(row < size(), "csr: row out of range");
    return {items_.data() + offsets_[row], items_.data() + offsets_[row + 1]};
  }
  constexpr std::span<T> operator[](std::size_t row) {
    PLAIT_ASSERT(row < size(), "csr: row out of range");
    return {items_.data() + offsets_[row], items_.data() + offsets_[row + 1]};
  }
  constexpr std::span<T const> items() const noexcept { return items_; }

  constexpr void clear() noexcept {
    offsets_.resize(1, 0);
    items_.clear();
  }
  constexpr void reserve(std::size_t rows, std::size_t items) {
    offsets_.reserve(rows + 1);
    items_.reserve(items);
  }

  constexpr void push(T const& item) { items_.push_back(item); }
  constexpr void end_row() { offsets_.push_back(static_cast<std::uint32_t>(items_.size())); }

  /// Fetches the memory that rows to come will be written to.
  constexpr void prefetch() const {
    detail::prefetch(items_.data() + items_.size(), 1024);
    detail::prefetch(offsets_.data() + offsets_.size(), 1024);
  }

  /// Items of the row that is being built (those pushed since the last end_row).
  constexpr std::span<T> open_row() { return {items_.data() + offsets_.back(), items_.data() + items_.size()}; }

  /// Appends a row of so many items.
  constexpr void push_row(std::size_t items, T const& filler = T{}) {
    items_.resize(items_.size() + items, filler);
    end_row();
  }
  /// Rows as long as those of another one, of unspecified items.
  template <class U>
  constexpr void shape_like(csr<U> const& other) {
    offsets_.resize(other.size() + 1, 0);
    for (std::size_t row = 0; row != other.size(); ++row)
      offsets_[row + 1] = offsets_[row] + static_cast<std::uint32_t>(other[row].size());
    items_.resize(offsets_.back());
  }

  /// Counting sort: start_counting(rows); count(r) once per item; end_counting(); then place(r, item) once per item
  /// fills row r from its end, so a caller that places backwards leaves each row in walking order. O(rows + items).
  constexpr void start_counting(std::size_t rows) { offsets_.assign(rows + 1, 0); }
  constexpr void count(std::size_t row) { ++offsets_[row]; }
  constexpr void end_counting() {
    std::uint32_t total = 0;
    for (std::uint32_t& offset : offsets_) offset = total += offset;
    items_.resize(total);
  }
  constexpr void place(std::size_t row, T const& item) { items_[--offsets_[row]] = item; }
  /// The same for rows that are filled roughly one after the other, from the last on: fetches what lies before.
  constexpr void place_descending(std::size_t row, T const& item) {
    T& at = items_[--offsets_[row]];
    detail::prefetch(&at, -1024);
    at = item;
  }

  friend constexpr bool operator==(csr const&, csr const&) = default;

 private:
  std::vector<std::uint32_t> offsets_ = {0};
  std::conditional_t<std::is_trivially_copyable_v<T>, std::vector<T, uninitialized_allocator<T>>, std::vector<T>>
      items_;
};

/// Turns rows of row numbers around: into[b] lists the rows of `from` that hold b, ascending, once for each time they
/// do. `into` gets as many rows as `from` has; to turn twice sorts every row. O(rows + items).
constexpr void transpose(csr<std::uint32_t> const& from, csr<std::uint32_t>& into) {
  into.start_counting(from.size());
  for (std::uint32_t const row : from.items()) into.count(row);
  into.end_counting();
  for (std::size_t row = from.size(); row-- != 0;)
    for (std::uint32_t const item : from[row]) into.place(item, static_cast<std::uint32_t>(row));
}

}  // namespace plait
