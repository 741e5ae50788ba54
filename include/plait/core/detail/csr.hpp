// Compressed sparse rows (CSR): rows of varying length in two flat arrays. Stores every one-to-many result in plait.
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

/// Holds `size()` rows of T, each a contiguous span. Is built row by row with push/end_row, or from counted row lengths
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

  /// Prefetches the memory that the next rows will be written to.
  constexpr void prefetch() const {
    detail::prefetch(items_.data() + items_.size(), 1024);
    detail::prefetch(offsets_.data() + offsets_.size(), 1024);
  }

  /// Returns the items of the row being built (those pushed since the last end_row).
  constexpr std::span<T> open_row() { return {items_.data() + offsets_.back(), items_.data() + items_.size()}; }

  /// Appends a row of `items` copies of `filler`.
  constexpr void push_row(std::size_t items, T const& filler = T{}) {
    items_.resize(items_.size() + items, filler);
    end_row();
  }
  /// Makes the rows as long as those of `other`, with unspecified items.
  template <class U>
  constexpr void shape_like(csr<U> const& other) {
    offsets_.resize(other.size() + 1, 0);
    for (std::size_t row = 0; row != other.size(); ++row)
      offsets_[row + 1] = offsets_[row] + static_cast<std::uint32_t>(other[row].size());
    items_.resize(offsets_.back());
  }

  /// Counting sort: start_counting(rows); count(r) once per item; end_counting(); then place(r, item) once per item.
  /// place() fills row r from its end, so placing in reverse order is stable. O(rows + items).
  constexpr void start_counting(std::size_t rows) { offsets_.assign(rows + 1, 0); }
  constexpr void count(std::size_t row) { ++offsets_[row]; }
  constexpr void end_counting() {
    std::uint32_t total = 0;
    for (std::uint32_t& offset : offsets_) offset = total += offset;
    items_.resize(total);
  }
  constexpr void place(std::size_t row, T const& item) { items_[--offsets_[row]] = item; }
  /// Like place(), for rows that are filled roughly in descending order: prefetches the memory in front.
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

/// Transposes an adjacency structure: into[b] lists the rows of `from` that hold b, ascending, once per occurrence.
/// `into` gets as many rows as `from` has; transposing twice sorts every row. O(rows + items).
constexpr void transpose(csr<std::uint32_t> const& from, csr<std::uint32_t>& into) {
  into.start_counting(from.size());
  for (std::uint32_t const row : from.items()) into.count(row);
  into.end_counting();
  for (std::size_t row = from.size(); row-- != 0;)
    for (std::uint32_t const item : from[row]) into.place(item, static_cast<std::uint32_t>(row));
}

}  // namespace plait
