// Copy of an image with its padding, from which windows are read without bounds and strides.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/windows.hpp>
#include <plait/exec/detail/shape.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Copies an image into zeros. A row is (channel, phases, places of the first axis).
template <class T>
struct padded_planes {
  windows w;
  windows::extents phases;
  windows::extents extent;
  T const* x;
  T* to;
  void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    digits left = {static_cast<std::int64_t>(row)};
    std::int64_t const e0 = left.next(extent[0]);
    std::int64_t const shift = left.next(phases[2]) - w.head[2];
    std::int64_t i1 = left.next(phases[1]) - w.head[1];
    std::int64_t const i0 = e0 * w.stride[0] + left.next(phases[0]) - w.head[0];
    T* line = to + static_cast<std::int64_t>(row) * extent[1] * extent[2];
    auto begin = static_cast<std::int64_t>(first);
    auto end = static_cast<std::int64_t>(last);
    if (i0 < 0 || i0 >= w.in[0]) return fill_zero(line, begin, end);
    T const* const plane = x + (left.rest * w.in[0] + i0) * w.in[1] * w.in[2] + shift;
    std::int64_t const inside = reach(-shift);
    std::int64_t const outside = reach(w.in[2] - shift);
    std::int64_t const skipped = begin / extent[2];
    begin -= skipped * extent[2];
    end -= skipped * extent[2];
    line += skipped * extent[2];
    i1 += skipped * w.stride[1];
    for (; end > 0; i1 += w.stride[1], line += extent[2], end -= extent[2], begin = 0) {
      std::int64_t const stop = std::min(end, extent[2]);
      if (i1 < 0 || i1 >= w.in[1])
        fill_zero(line, begin, stop);
      else
        copy(plane + i1 * w.in[2], line, begin, std::clamp(inside, begin, stop), std::clamp(outside, begin, stop),
             stop);
    }
  }

 private:
  void copy(T const* from, T* line, std::int64_t begin, std::int64_t inside, std::int64_t outside,
            std::int64_t end) const {
    std::int64_t const step = w.stride[2];
    fill_zero(line, begin, inside);
    if (step == 1)
      for (std::int64_t i = inside; i < outside; ++i) line[i] = from[i];
    else
      for (std::int64_t i = inside; i < outside; ++i) line[i] = from[i * step];
    fill_zero(line, std::max(inside, outside), end);
  }
  // Returns the first element of a line that is at least `distance` from its beginning.
  std::int64_t reach(std::int64_t distance) const {
    return distance <= 0 ? 0 : (distance + w.stride[2] - 1) / w.stride[2];
  }
};

}  // namespace detail

/// Layout of a copy of a [channels, places] image with its padding: [channels, phases, places]. A phase holds each
/// stride-th place (polyphase decomposition, space-to-depth), so that a tap of consecutive windows is consecutive
/// places, whatever the stride. A phase has `extents()` places, and a window begins at its own number there: o = ((o0 ·
/// e1) + o1) · e2 + o2.
class padded_image {
 public:
  /// Sets the windows; allocates only for more taps than before. Throws shape_error if the copy would be larger than
  /// any memory.
  void assign(windows const& w, std::int64_t channels, std::int64_t groups) {
    w_ = w;
    channels_ = channels;
    for (std::size_t axis = 0; axis != 3; ++axis) {
      std::int64_t const reach = (w.kernel[axis] - 1) * w.dilation[axis];
      extent_[axis] = w.out[axis] + reach / w.stride[axis];
      phases_[axis] = std::min(w.stride[axis], reach + 1);
    }
    size_ = shape{channels, phases_[0], phases_[1], phases_[2], extent_[0], extent_[1], extent_[2]}.size() + slack;
    std::int64_t const of_group = channels / groups;
    taps_.clear();
    taps_.reserve(static_cast<std::size_t>(of_group) * w.taps());
    for (std::int64_t channel = 0; channel != of_group; ++channel)
      for (std::int64_t k0 = 0; k0 != w.kernel[0]; ++k0)
        for (std::int64_t k1 = 0; k1 != w.kernel[1]; ++k1)
          for (std::int64_t k2 = 0; k2 != w.kernel[2]; ++k2) taps_.push_back(channel * plane() + place_of(k0, k1, k2));
  }

  windows const& geometry() const { return w_; }
  windows::extents const& extents() const { return extent_; }
  std::int64_t channels() const { return channels_; }
  /// Returns the places of the taps of a window in all channels of a group, from the window's own.
  std::span<std::ptrdiff_t const> taps() const { return taps_; }
  /// Returns the number of elements that a channel has in the copy.
  std::int64_t plane() const {
    return static_cast<std::int64_t>(windows::product(phases_) * windows::product(extent_));
  }
  /// Returns the number of elements of the copy.
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  /// Copies an image of this layout.
  template <backend B, class T>
  void copy(T const* x, T* to) const {
    auto const places = static_cast<std::size_t>(size_ - slack);
    auto const width = static_cast<std::size_t>(extent_[1] * extent_[2]);
    if (places != 0)
      for_each_row_part<B>(places / width, width, 1, detail::padded_planes<T>{w_, phases_, extent_, x, to});
    std::fill_n(to + places, slack, T(0));
  }

  static constexpr std::int64_t slack = 128;  ///< elements that may be read behind the copy

 private:
  std::int64_t place_of(std::int64_t k0, std::int64_t k1, std::int64_t k2) const {
    std::int64_t const at[] = {k0 * w_.dilation[0], k1 * w_.dilation[1], k2 * w_.dilation[2]};
    std::int64_t phase = 0;
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis != 3; ++axis) {
      phase = phase * phases_[axis] + at[axis] % w_.stride[axis];
      place = place * extent_[axis] + at[axis] / w_.stride[axis];
    }
    return phase * static_cast<std::int64_t>(windows::product(extent_)) + place;
  }

  windows w_;
  std::int64_t channels_ = 0;
  windows::extents phases_ = {1, 1, 1};
  windows::extents extent_ = {1, 1, 1};  ///< of a phase
  std::int64_t size_ = 0;
  std::vector<std::ptrdiff_t> taps_;
};

}  // namespace plait

PLAIT_KERNELS_END
