// Dynamic bit set: sets of small numbers, united, intersected and compared 64 members at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>

namespace plait {

/// A non-owning, read-only view of a bit_set or of a row of a bit_matrix. A forward_range of its members in ascending
/// order: O(members + size / 64) to iterate. Bits at and above size() are 0.
class bit_view : public std::ranges::view_interface<bit_view> {
 public:
  class iterator {
   public:
    using value_type = std::uint32_t;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;

    constexpr iterator() = default;
    constexpr std::uint32_t operator*() const {
      return static_cast<std::uint32_t>(at_ * 64 + static_cast<std::size_t>(std::countr_zero(left_)));
    }
    constexpr iterator& operator++() {
      left_ &= left_ - 1;
      find();
      return *this;
    }
    constexpr iterator operator++(int) {
      iterator const before = *this;
      ++*this;
      return before;
    }
    friend constexpr bool operator==(iterator const& a, iterator const& b) {
      return a.at_ == b.at_ && a.left_ == b.left_;
    }

   private:
    friend bit_view;
    constexpr iterator(std::span<std::uint64_t const> words, std::size_t at) : words_(words), at_(at) {
      if (at_ != words_.size()) left_ = words_[at_];
      find();
    }
    constexpr void find() {
      while (left_ == 0 && at_ != words_.size())
        if (++at_ != words_.size()) left_ = words_[at_];
    }
    std::span<std::uint64_t const> words_;
    std::size_t at_ = 0;
    std::uint64_t left_ = 0;
  };

  constexpr bit_view() = default;
  constexpr bit_view(std::span<std::uint64_t const> words, std::size_t size) : words_(words), size_(size) {}

  /// Returns the exclusive upper bound of the members; not their count.
  constexpr std::size_t bound() const noexcept { return size_; }
  constexpr std::span<std::uint64_t const> words() const noexcept { return words_; }

  constexpr bool contains(std::size_t n) const { return n < size_ && (words_[n / 64] >> (n % 64) & 1) != 0; }
  constexpr std::size_t count() const {
    std::size_t members = 0;
    for (std::uint64_t const word : words_) members += static_cast<std::size_t>(std::popcount(word));
    return members;
  }
  constexpr bool empty() const {
    for (std::uint64_t const word : words_)
      if (word != 0) return false;
    return true;
  }

  constexpr iterator begin() const { return {words_, 0}; }
  constexpr iterator end() const { return {words_, words_.size()}; }

  /// Returns true if both have the same members. Sets of different bounds can be equal.
  friend constexpr bool operator==(bit_view const& a, bit_view const& b) {
    std::size_t const words = a.words_.size() < b.words_.size() ? b.words_.size() : a.words_.size();
    auto const word = [](bit_view const& of, std::size_t i) { return i < of.words_.size() ? of.words_[i] : 0; };
    for (std::size_t i = 0; i != words; ++i)
      if (word(a, i) != word(b, i)) return false;
    return true;
  }

 private:
  std::span<std::uint64_t const> words_;
  std::size_t size_ = 0;
};

namespace detail {
constexpr std::size_t words_for(std::size_t bits) { return bits / 64 + (bits % 64 != 0 ? 1 : 0); }
// Returns the mask of the valid bits in the last word; all ones if `bits` is a multiple of 64.
constexpr std::uint64_t last_word_mask(std::size_t bits) {
  return bits % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << (bits % 64)) - 1;
}
}  // namespace detail

/// A set of numbers below a bound, which reset() sets. The operators |=, &= and -= (difference) need sets of the same
/// bound.
class bit_set {
 public:
  constexpr bit_set() = default;
  constexpr explicit bit_set(std::size_t bound) { reset(bound); }

  /// Empties the set. Keeps the memory. O(bound / 64).
  constexpr void reset(std::size_t bound) {
    bound_ = bound;
    words_.assign(detail::words_for(bound), 0);
  }
  constexpr void clear() { reset(bound_); }
  constexpr void fill() {
    words_.assign(words_.size(), ~std::uint64_t{0});
    if (!words_.empty()) words_.back() = detail::last_word_mask(bound_);
  }

  constexpr std::size_t bound() const noexcept { return bound_; }
  constexpr bool contains(std::size_t n) const { return view().contains(n); }
  /// Returns true if n was not a member before.
  constexpr bool insert(std::size_t n) {
    std::uint64_t& word = words_[valid(n) / 64];
    std::uint64_t const before = word;
    word |= std::uint64_t{1} << (n % 64);
    return word != before;
  }
  /// Returns true if n was a member.
  constexpr bool erase(std::size_t n) {
    std::uint64_t& word = words_[valid(n) / 64];
    std::uint64_t const before = word;
    word &= ~(std::uint64_t{1} << (n % 64));
    return word != before;
  }

  constexpr bit_view view() const noexcept { return {words_, bound_}; }
  constexpr operator bit_view() const noexcept { return view(); }
  constexpr std::span<std::uint64_t> words() noexcept { return words_; }
  constexpr std::span<std::uint64_t const> words() const noexcept { return words_; }
  constexpr std::size_t count() const { return view().count(); }
  constexpr bool empty() const { return view().empty(); }
  constexpr bit_view::iterator begin() const { return view().begin(); }
  constexpr bit_view::iterator end() const { return view().end(); }

  constexpr bit_set& operator|=(bit_view other) {
    PLAIT_ASSERT(other.bound() == bound_, "bit_set: sets of different bounds");
    for (std::size_t i = 0; i != words_.size(); ++i) words_[i] |= other.words()[i];
    return *this;
  }
  constexpr bit_set& operator&=(bit_view other) {
    PLAIT_ASSERT(other.bound() == bound_, "bit_set: sets of different bounds");
    for (std::size_t i = 0; i != words_.size(); ++i) words_[i] &= other.words()[i];
    return *this;
  }
  constexpr bit_set& operator-=(bit_view other) {
    PLAIT_ASSERT(other.bound() == bound_, "bit_set: sets of different bounds");
    for (std::size_t i = 0; i != words_.size(); ++i) words_[i] &= ~other.words()[i];
    return *this;
  }
  friend constexpr bool operator==(bit_set const& a, bit_set const& b) { return a.view() == b.view(); }

 private:
  constexpr std::size_t valid(std::size_t n) const {
    PLAIT_ASSERT(n < bound_, "bit_set: number out of range");
    return n;
  }
  std::size_t bound_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace plait

template <>
inline constexpr bool std::ranges::enable_borrowed_range<plait::bit_view> = true;
