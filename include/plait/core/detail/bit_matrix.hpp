// Bit matrix: many sets of numbers below one bound, in one array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/bit_set.hpp>

namespace plait {

/// Holds `size()` sets of numbers below `bound()`: rows × bound / 8 bytes. Readers of a set take a bit_view of its row.
class bit_matrix {
  // First: a constant expression needs it defined where it is instantiated.
  template <class Change>
  constexpr void change_range(std::size_t row, std::size_t first, std::size_t last, Change change) {
    PLAIT_ASSERT(first <= last && last <= bound_, "bit_matrix: number out of range");
    while (first != last) {
      std::size_t const end = last / 64 == first / 64 ? last : (first / 64 + 1) * 64;
      std::uint64_t const ones = ~std::uint64_t{0} >> (64 - (end - first));
      change(word(row, first), ones << (first % 64));
      first = end;
    }
  }

 public:
  /// Makes all sets empty. Keeps the memory. O(rows × bound / 64).
  constexpr void reset(std::size_t rows, std::size_t bound) {
    size_ = rows;
    bound_ = bound;
    width_ = detail::words_for(bound);
    words_.assign(rows * width_, 0);
  }
  /// Makes all sets full.
  constexpr void reset_full(std::size_t rows, std::size_t bound) {
    reset(rows, bound);
    words_.assign(words_.size(), ~std::uint64_t{0});
    if (width_ == 0) return;
    for (std::size_t last = width_ - 1; last < words_.size(); last += width_)
      words_[last] = detail::last_word_mask(bound);
  }

  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::size_t bound() const noexcept { return bound_; }
  /// Returns the number of words per row.
  constexpr std::size_t width() const noexcept { return width_; }

  constexpr bit_view operator[](std::size_t row) const { return {words(row), bound_}; }
  constexpr std::span<std::uint64_t const> words(std::size_t row) const {
    PLAIT_ASSERT(row < size_, "bit_matrix: row out of range");
    return {words_.data() + row * width_, width_};
  }
  /// Returns the words of a row, mutable. TRAP: bits at and above bound() must stay 0.
  constexpr std::span<std::uint64_t> words(std::size_t row) {
    PLAIT_ASSERT(row < size_, "bit_matrix: row out of range");
    return {words_.data() + row * width_, width_};
  }

  constexpr bool contains(std::size_t row, std::size_t n) const { return (*this)[row].contains(n); }
  constexpr void insert(std::size_t row, std::size_t n) { word(row, n) |= std::uint64_t{1} << (n % 64); }
  constexpr void erase(std::size_t row, std::size_t n) { word(row, n) &= ~(std::uint64_t{1} << (n % 64)); }
  /// Inserts first, first + 1, …, last - 1. O(numbers / 64).
  constexpr void insert_range(std::size_t row, std::size_t first, std::size_t last) {
    change_range(row, first, last, [](std::uint64_t& to, std::uint64_t mask) { to |= mask; });
  }
  constexpr void erase_range(std::size_t row, std::size_t first, std::size_t last) {
    change_range(row, first, last, [](std::uint64_t& to, std::uint64_t mask) { to &= ~mask; });
  }

 private:
  constexpr std::uint64_t& word(std::size_t row, std::size_t n) {
    PLAIT_ASSERT(row < size_ && n < bound_, "bit_matrix: number out of range");
    return words_[row * width_ + n / 64];
  }
  std::size_t size_ = 0;
  std::size_t bound_ = 0;
  std::size_t width_ = 0;
  std::vector<std::uint64_t> words_;
};

/// A mutable reference to one row.
class bit_matrix_row {
 public:
  constexpr bit_matrix_row(bit_matrix& rows, std::size_t row) : rows_(&rows), row_(row) {}
  constexpr std::size_t bound() const noexcept { return rows_->bound(); }
  constexpr bool contains(std::size_t n) const { return rows_->contains(row_, n); }
  constexpr void insert(std::size_t n) const { rows_->insert(row_, n); }
  constexpr void insert_range(std::size_t first, std::size_t last) const { rows_->insert_range(row_, first, last); }
  constexpr void erase(std::size_t n) const { rows_->erase(row_, n); }
  constexpr operator bit_view() const { return std::as_const(*rows_)[row_]; }

 private:
  bit_matrix* rows_;
  std::size_t row_;
};

}  // namespace plait
