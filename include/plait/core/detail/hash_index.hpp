// Open-addressing hash index: maps a hash to the small number of a key that is stored elsewhere.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/prefetch.hpp>

namespace plait {

/// Linear probing at a load factor of at most one half. The owner stores the keys in an array by number: a slot is
/// eight bytes where boost::unordered_flat_map stores key and number together in twenty-four or more, growing moves
/// slots without reading a key, and a table of a million names is a fifth the size, which means a fifth of the cache
/// misses for names in random order. Numbers are below 2^32 - 1; hashes must be mixed in their low 32 bits.
class hash_index {
 public:
  constexpr hash_index() = default;
  /// Copies `other` with room for `numbers` numbers.
  constexpr hash_index(hash_index const& other, std::size_t numbers) : size_(other.size_) {
    if (2 * numbers <= other.slots_.size()) {
      slots_ = other.slots_;
    } else {
      slots_.resize(slots_for(numbers), slot());
      place_all(other.slots_);
    }
  }

  constexpr std::size_t size() const noexcept { return size_; }

  /// Returns the number under this hash for which `is_it(number)` holds; npos if there is none.
  template <class Match>
  constexpr std::uint32_t find(std::size_t hash, Match&& is_it) const {
    if (slots_.empty()) return npos;
    auto const mark = static_cast<std::uint32_t>(hash);
    for (std::size_t at = mark & mask();; at = (at + 1) & mask()) {
      slot const& here = slots_[at];
      if (here.number == npos) return npos;
      if (here.mark == mark && is_it(here.number)) return here.number;
    }
  }

  /// Prefetches the slot that find and insert of this hash access. In a large table this cache miss dominates; callers
  /// that know hashes ahead can hide it.
  constexpr void prefetch(std::size_t hash) const {
    if (!slots_.empty()) detail::prefetch(&slots_[static_cast<std::uint32_t>(hash) & mask()], 0);
  }

  /// Adds a number under a hash. Precondition: the number is not in the index.
  constexpr void insert(std::size_t hash, std::uint32_t number) {
    if (2 * (size_ + 1) > slots_.size()) grow(size_ + 1);
    place({static_cast<std::uint32_t>(hash), number});
    ++size_;
  }

  constexpr void reserve(std::size_t numbers) {
    if (2 * numbers > slots_.size()) grow(numbers);
  }
  /// Keeps the memory.
  constexpr void clear() noexcept {
    if (size_ != 0) slots_.assign(slots_.size(), slot());
    size_ = 0;
  }

 private:
  struct slot {
    std::uint32_t mark = 0;
    std::uint32_t number = npos;
  };

  constexpr std::size_t mask() const noexcept { return slots_.size() - 1; }
  constexpr void place(slot const& added) {
    std::size_t at = added.mark & mask();
    while (slots_[at].number != npos) at = (at + 1) & mask();
    slots_[at] = added;
  }
  static constexpr std::size_t slots_for(std::size_t numbers) { return std::bit_ceil(2 * numbers + 14); }
  constexpr void place_all(std::vector<slot> const& from) {
    for (slot const& kept : from)
      if (kept.number != npos) place(kept);
  }
  constexpr void grow(std::size_t numbers) {
    std::vector<slot> old;
    old.resize(slots_for(numbers), slot());
    old.swap(slots_);
    place_all(old);
  }

  std::vector<slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace plait
