// Hierarchical bitmap priority queue of small integers: push and pop take one step per 6 bits of the bound.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/core/assert.hpp>

namespace plait {

/// A set of numbers below a bound that pops its maximum. Stored as a 64-ary tree of bits: an inner bit is set if the
/// word below it is nonzero. push and pop_max take a step for each 6 bits of the bound (4 for a million); n numbers
/// take n / 63 words. An emptied queue is reusable without a reset.
class bit_queue {
 public:
  /// Empties the queue and makes room for numbers below `bound`. O(bound / 64).
  constexpr void reset(std::size_t bound) {
    std::size_t total = 0;
    levels_ = 0;
    for (std::size_t words = bound; words != 1 || levels_ == 0;) {
      words = words / 64 + (words % 64 != 0 || words == 0 ? 1 : 0);
      first_[levels_++] = total;
      total += words;
    }
    bound_ = bound;
    words_.assign(total, 0);
  }

  constexpr bool empty() const noexcept { return words_.empty() || words_.back() == 0; }
  constexpr std::size_t bound() const noexcept { return bound_; }

  constexpr bool contains(std::size_t n) const { return n < bound_ && (words_[n / 64] >> (n % 64) & 1) != 0; }

  constexpr void push(std::size_t n) {
    PLAIT_ASSERT(n < bound_, "bit_queue: number out of range");
    for (std::size_t level = 0; level != levels_; ++level) {
      std::uint64_t& word = words_[first_[level] + n / 64];
      bool const there = word != 0;
      word |= std::uint64_t{1} << (n % 64);
      if (there) return;
      n /= 64;
    }
  }

  constexpr std::size_t pop_max() {
    PLAIT_ASSERT(!empty(), "bit_queue: empty");
    std::size_t n = 0;
    for (std::size_t level = levels_; level-- != 0;) {
      std::uint64_t const word = words_[first_[level] + n];
      n = n * 64 + 63 - static_cast<std::size_t>(std::countl_zero(word));
    }
    std::size_t at = n;
    for (std::size_t level = 0; level != levels_; ++level) {
      std::uint64_t& word = words_[first_[level] + at / 64];
      word &= ~(std::uint64_t{1} << (at % 64));
      if (word != 0) break;
      at /= 64;
    }
    return n;
  }

 private:
  std::size_t bound_ = 0;
  std::size_t levels_ = 0;
  std::array<std::size_t, 11> first_{};  // 64^11 > 2^64
  std::vector<std::uint64_t> words_;     // leaves first, the root last
};

}  // namespace plait
