// Copy of an image with its padding, from which windows are read without bounds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/windows.hpp>
#include <plait/exec/detail/shape.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Copies an image into zeros. A row is (channel, padded places but of the last axis).
template <class T>
struct padded_planes {
  windows w;
  windows::extents extent;
  T const* x;
  T* to;
  void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    digits left = {static_cast<std::int64_t>(row)};
    std::int64_t const i1 = left.next(extent[1]) - w.head[1];
    std::int64_t const i0 = left.next(extent[0]) - w.head[0];
    T* const line = to + static_cast<std::int64_t>(row) * extent[2];
    auto const begin = static_cast<std::int64_t>(first);
    auto const end = static_cast<std::int64_t>(last);
    if (i0 < 0 || i0 >= w.in[0] || i1 < 0 || i1 >= w.in[1]) return fill_zero(line, begin, end);
    T const* const from = x + ((left.rest * w.in[0] + i0) * w.in[1] + i1) * w.in[2] - w.head[2];
    std::int64_t const inside = std::clamp(w.head[2], begin, end);
    std::int64_t const outside = std::clamp(w.head[2] + w.in[2], inside, end);
    fill_zero(line, begin, inside);
    std::copy(from + inside, from + outside, line + inside);
    fill_zero(line, outside, end);
  }
};

}  // namespace detail

/// Layout of a copy of a [channels, places] image that has the padding: a tap of consecutive windows is consecutive
/// places, whatever the tap. It is also the right operand of the GEMM of a convolution: a column is a window, a row a
/// tap of a channel.
class padded_image {
 public:
  /// Sets the windows; allocates only for more taps than before. Throws shape_error if the copy would be larger than
  /// any memory.
  void assign(windows const& w, std::int64_t channels) {
    w_ = w;
    channels_ = channels;
    for (std::size_t axis = 0; axis != 3; ++axis)
      extent_[axis] = (w.out[axis] - 1) * w.stride[axis] + (w.kernel[axis] - 1) * w.dilation[axis] + 1;
    size_ = shape{channels, extent_[0], extent_[1], extent_[2]}.size() + slack;
    taps_.clear();
    for (std::int64_t k0 = 0; k0 != w.kernel[0]; ++k0)
      for (std::int64_t k1 = 0; k1 != w.kernel[1]; ++k1)
        for (std::int64_t k2 = 0; k2 != w.kernel[2]; ++k2)
          taps_.push_back((k0 * w.dilation[0] * extent_[1] + k1 * w.dilation[1]) * extent_[2] + k2 * w.dilation[2]);
  }

  windows const& geometry() const { return w_; }
  std::int64_t channels() const { return channels_; }
  std::int64_t columns() const { return static_cast<std::int64_t>(w_.count()); }
  /// Returns the number of rows that a channel has.
  std::int64_t taps() const { return static_cast<std::int64_t>(taps_.size()); }
  /// Returns the places of all taps, from that of the first.
  std::span<std::int64_t const> tap_places() const { return taps_; }
  /// Returns the place of the first tap of a window.
  std::int64_t place_of(std::int64_t o0, std::int64_t o1, std::int64_t o2) const {
    return (o0 * w_.stride[0] * extent_[1] + o1 * w_.stride[1]) * extent_[2] + o2 * w_.stride[2];
  }
  /// Returns the number of elements that a channel has in the copy.
  std::int64_t plane() const { return static_cast<std::int64_t>(windows::product(extent_)); }
  /// Returns the number of elements of the copy.
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  template <backend B, class T>
  void copy(T const* x, T* to) const {
    std::int64_t const rows = channels_ * extent_[0] * extent_[1];
    for_each_row_part<B>(static_cast<std::size_t>(rows), static_cast<std::size_t>(extent_[2]), 1,
                         detail::padded_planes<T>{w_, extent_, x, to});
    std::fill_n(to + rows * extent_[2], slack, T(0));
  }

  /// Packs `count` columns from `first` on for rows of `channels` channels of the copy, `width` a row. TRAP: writes up
  /// to `width` elements behind them; columns from `count` on are arbitrary.
  template <class T>
  void pack(T const* copy, std::int64_t channels, std::int64_t first, std::int64_t count, std::int64_t width,
            T* to) const {
    line lines[slack];
    std::size_t const known = find_lines(first, count, lines);
    auto const bytes = static_cast<std::size_t>(width) * sizeof(T);
    auto const pack = [&](auto const& copy_line) {
      for (std::int64_t c = 0; c != channels; ++c)
        for (std::int64_t const tap : taps_) {
          T const* const from = copy + c * plane() + tap;
          for (std::size_t l = 0; l != known; ++l) PLAIT_INLINE_CALL copy_line(from + lines[l].from, to, lines[l]);
          to += width;
        }
    };
    // Whole rows are copied; what comes behind a line is written again with the next one.
    auto const whole = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
      pack([](T const* from, T* row, line const& l) { std::memcpy(row + l.at, from, Bytes); });
    };
    if (w_.stride[2] != 1)
      pack([step = w_.stride[2]](T const* from, T* row, line const& l) {
        for (std::int64_t j = 0; j != l.count; ++j) row[l.at + j] = from[j * step];
      });
    else if (bytes == 128)
      whole(std::integral_constant<std::size_t, 128>());
    else if (bytes == 64)
      whole(std::integral_constant<std::size_t, 64>());
    else
      pack([bytes](T const* from, T* row, line const& l) { std::memcpy(row + l.at, from, bytes); });
  }

  static constexpr std::int64_t slack = 64;  ///< elements that may be read behind the copy; maximum width

 private:
  // Columns whose windows follow each other on the last axis: `count`, from column `at` on, from this place on.
  struct line {
    std::int64_t from, at, count;
  };
  std::size_t find_lines(std::int64_t first, std::int64_t count, line* to) const {
    std::size_t found = 0;
    for (std::int64_t at = 0; at < count; ++found) {
      detail::digits window = {first + at};
      std::int64_t const o2 = window.next(w_.out[2]);
      std::int64_t const o1 = window.next(w_.out[1]);
      to[found] = {place_of(window.rest, o1, o2), at, std::min(count - at, w_.out[2] - o2)};
      at += to[found].count;
    }
    return found;
  }

  windows w_;
  std::int64_t channels_ = 0;
  windows::extents extent_ = {1, 1, 1};  ///< of the copy
  std::int64_t size_ = 0;
  std::vector<std::int64_t> taps_;  ///< places in the copy from that of the first tap
};

}  // namespace plait

PLAIT_KERNELS_END
