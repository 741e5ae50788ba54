// Rows of numbers, each once, known by a small dense number: expressions, in the analyses that compare them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/csr.hpp>
#include <plait/core/npos.hpp>

namespace plait {

/// Numbers rows in order of first appearance. Works in constant expressions, too. Open addressing, at most half full;
/// clear() keeps the memory.
class row_table {
 public:
  constexpr std::size_t size() const noexcept { return rows_.size(); }
  constexpr std::span<std::uint32_t const> operator[](std::size_t row) const { return rows_[row]; }

  constexpr void clear() {
    rows_.clear();
    slots_.assign(slots_.size(), npos);
  }

  /// The number of a row, new or not. O(its length), amortised.
  constexpr std::uint32_t intern(std::span<std::uint32_t const> row) {
    if (2 * (rows_.size() + 1) > slots_.size()) grow();
    std::size_t at = hash(row) & (slots_.size() - 1);
    for (; slots_[at] != npos; at = (at + 1) & (slots_.size() - 1))
      if (std::ranges::equal(rows_[slots_[at]], row)) return slots_[at];
    slots_[at] = static_cast<std::uint32_t>(rows_.size());
    for (std::uint32_t const item : row) rows_.push(item);
    rows_.end_row();
    return slots_[at];
  }

 private:
  static constexpr std::size_t hash(std::span<std::uint32_t const> row) {
    std::uint64_t state = row.size();
    for (std::uint32_t const item : row) {
      state = (state ^ item) * std::uint64_t{0x9e3779b97f4a7c15u};  // 2^64 over the golden ratio
      state ^= state >> 32;
    }
    return static_cast<std::size_t>(state);
  }
  constexpr void grow() {
    slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), npos);
    for (std::uint32_t row = 0; row != rows_.size(); ++row) {
      std::size_t at = hash(rows_[row]) & (slots_.size() - 1);
      while (slots_[at] != npos) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = row;
    }
  }

  csr<std::uint32_t> rows_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace plait
