// Hash-consing table: stores each distinct row of numbers once and gives it a small dense number. The analyses that
// compare expressions use it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/hash.hpp>
#include <plait/core/detail/hash_index.hpp>
#include <plait/core/detail/npos.hpp>

namespace plait {

/// Numbers rows in order of first appearance. Usable in constant expressions. clear() keeps the memory.
class row_table {
 public:
  constexpr std::size_t size() const noexcept { return rows_.size(); }
  constexpr std::span<std::uint32_t const> operator[](std::size_t row) const { return rows_[row]; }

  constexpr void clear() {
    rows_.clear();
    index_.clear();
  }

  /// Returns the number of a row, which it adds if it is new. O(its length), amortised.
  constexpr std::uint32_t intern(std::span<std::uint32_t const> row) {
    std::size_t const hashed = hash(row);
    std::uint32_t const known = index_.find(hashed, [&](std::uint32_t i) { return std::ranges::equal(rows_[i], row); });
    if (known != npos) return known;
    auto const made = static_cast<std::uint32_t>(rows_.size());
    for (std::uint32_t const item : row) rows_.push(item);
    rows_.end_row();
    index_.insert(hashed, made);
    return made;
  }

 private:
  static constexpr std::size_t hash(std::span<std::uint32_t const> row) {
    std::uint64_t state = row.size();
    for (std::uint32_t const item : row) state = hash_number(static_cast<std::size_t>(state ^ item));
    return static_cast<std::size_t>(state);
  }

  csr<std::uint32_t> rows_;
  hash_index index_;
};

}  // namespace plait
