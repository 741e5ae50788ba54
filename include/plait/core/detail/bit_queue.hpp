// A priority queue of small numbers, as bits: a handful of steps for what takes a heap a logarithm of its size.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/core/assert.hpp>

namespace plait {

/// A set of numbers below a bound that gives up its largest first. A tree of bits, 64 children to a word: a bit above
/// tells whether the word below it has any. push and pop_max take a step for each 6 bits of the bound (4 for a
/// million); n numbers take n / 63 words. An emptied queue can be used again at once.
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
