// Shape: the extents of a tensor.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <ranges>
#include <string>

#include <plait/core/assert.hpp>
#include <plait/core/errors.hpp>

namespace plait {

/// Up to eight non-negative extents; rank 0 is a scalar, of one element. The product of those above zero is below 2^59,
/// so that bytes and strides fit in 63 bits. Anything else throws shape_error, and leaves a shape that was to be
/// changed unchanged.
class shape {
 public:
  static constexpr std::size_t max_rank = 8;

  constexpr shape() = default;
  constexpr shape(std::initializer_list<std::int64_t> extents) {
    for (std::int64_t const extent : extents) push_back(extent);
  }
  template <std::ranges::input_range R>
    requires std::convertible_to<std::ranges::range_reference_t<R>, std::int64_t> &&
             (!std::same_as<std::remove_cvref_t<R>, shape>)
  constexpr explicit shape(R&& extents) {
    for (auto&& extent : extents) push_back(static_cast<std::int64_t>(extent));
  }

  constexpr std::size_t rank() const noexcept { return rank_; }
  constexpr std::int64_t operator[](std::size_t axis) const {
    PLAIT_ASSERT(axis < rank_, "shape: no such axis");
    return extents_[axis];
  }
  constexpr auto begin() const noexcept { return extents_.begin(); }
  constexpr auto end() const noexcept { return extents_.begin() + rank_; }
  /// Returns the number of elements.
  constexpr std::int64_t size() const noexcept { return size_; }
  /// Returns the product of the extents from `first` to `last`, excluded.
  constexpr std::int64_t size(std::size_t first, std::size_t last) const {
    PLAIT_ASSERT(first <= last && last <= rank_, "shape: no such axes");
    std::int64_t product = 1;
    for (std::size_t axis = first; axis != last; ++axis) product *= extents_[axis];
    return product;
  }
  constexpr std::int64_t size_from(std::size_t first) const { return size(first, rank_); }
  constexpr std::int64_t size_to(std::size_t last) const { return size(0, last); }

  constexpr void push_back(std::int64_t extent) { insert(rank_, extent); }
  constexpr void insert(std::size_t axis, std::int64_t extent) {
    PLAIT_ASSERT(axis <= rank_, "shape: no such axis");
    if (rank_ == max_rank) throw shape_error("plait: a tensor has at most 8 dimensions");
    shape longer = *this;
    for (std::size_t at = rank_; at != axis; --at) longer.extents_[at] = extents_[at - 1];
    longer.extents_[axis] = 0;
    ++longer.rank_;
    longer.set(axis, extent);
    *this = longer;
  }
  constexpr void erase(std::size_t axis) {
    PLAIT_ASSERT(axis < rank_, "shape: no such axis");
    shape shorter = *this;
    for (std::size_t at = axis + 1; at != rank_; ++at) shorter.extents_[at - 1] = extents_[at];
    shorter.extents_[--shorter.rank_] = 0;
    shorter.size_ = count(shorter.extents_, shorter.rank_);
    *this = shorter;
  }
  constexpr void set(std::size_t axis, std::int64_t extent) {
    PLAIT_ASSERT(axis < rank_, "shape: no such axis");
    if (extent < 0) throw shape_error("plait: an extent of " + std::to_string(extent) + " is negative");
    auto extents = extents_;
    extents[axis] = extent;
    size_ = count(extents, rank_);
    extents_ = extents;
  }

  friend constexpr bool operator==(shape const& a, shape const& b) {
    if (a.rank_ != b.rank_ || a.size_ != b.size_) return false;
    for (std::size_t axis = 0; axis != a.rank_; ++axis)
      if (a.extents_[axis] != b.extents_[axis]) return false;
    return true;
  }

 private:
  [[noreturn]] static void fail_count() {
    throw shape_error("plait: the extents multiply to more elements than memory can hold");
  }
  static constexpr std::int64_t count(std::array<std::int64_t, max_rank> const& extents, std::size_t rank) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
    constexpr std::int64_t small = std::int64_t{1} << 31;
    std::int64_t product = 1;  // of those above zero: strides and partial products must fit, too
    bool empty = false;
    for (std::size_t axis = 0; axis != rank; ++axis) {
      std::int64_t const extent = extents[axis];
      if (extent == 0) {
        empty = true;
        continue;
      }
      // Division takes longer than all else here, and small factors need none.
      bool const is_small = product < small && extent < small;
      if (!is_small && product > most / extent) fail_count();
      product *= extent;
      if (product > most) fail_count();
    }
    return empty ? 0 : product;
  }

  std::array<std::int64_t, max_rank> extents_ = {};
  std::size_t rank_ = 0;
  std::int64_t size_ = 1;
};

/// Returns text such as "2x3", or "scalar".
[[nodiscard]] inline std::string to_string(shape const& s) {
  if (s.rank() == 0) return "scalar";
  std::string text;
  for (std::int64_t const extent : s) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

}  // namespace plait
