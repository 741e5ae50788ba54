// Sliding windows over images of one to three dimensions, im2col and col2im.
//
// An image is [channels, places] or, with channels last, [places, channels]. Its columns are [channels × taps, windows]
// or, with channels last, [groups, windows, taps × channels of a group], of all windows or of a range: a convolution is
// a matrix product with them.
// Sums at a place run in the order of taps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/row_parts.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Geometry of windows by axis: depth, height, width. Missing leading axes have an extent of 1. Trivially copyable, as
/// kernels require.
struct windows {
  using extents = std::array<std::int64_t, 3>;
  extents in = {1, 1, 1};        ///< places
  extents out = {1, 1, 1};       ///< windows
  extents kernel = {1, 1, 1};    ///< taps of a window
  extents stride = {1, 1, 1};    ///< from one window to the next
  extents dilation = {1, 1, 1};  ///< from one tap to the next
  extents head = {0, 0, 0};      ///< places of padding before the first
  extents tail = {0, 0, 0};      ///< places of padding after the last; a last window may end behind them

  static constexpr std::size_t product(extents const& e) {
    return static_cast<std::size_t>(e[0]) * static_cast<std::size_t>(e[1]) * static_cast<std::size_t>(e[2]);
  }
  constexpr std::size_t places() const { return product(in); }
  constexpr std::size_t count() const { return product(out); }
  constexpr std::size_t taps() const { return product(kernel); }
  /// Returns an upper bound of the taps of a window that are not in the padding.
  constexpr std::size_t most_seen() const {
    extents least = kernel;
    for (std::size_t axis = 0; axis != 3; ++axis)
      if (in[axis] < least[axis]) least[axis] = in[axis];
    return product(least);
  }
  /// Returns true if the windows are the places, one by one.
  constexpr bool are_places() const {
    extents const one = {1, 1, 1};
    return kernel == one && stride == one && head == extents{} && in == out;
  }

  /// Returns true if there is one window, of all places.
  constexpr bool is_whole() const { return count() == 1 && kernel == in && head == extents{} && tail == extents{}; }

  /// Returns the place of a tap of a window; -1 in the padding.
  PLAIT_HOST_DEVICE constexpr std::int64_t place_of(std::size_t axis, std::int64_t window, std::int64_t tap) const {
    std::int64_t const at = window * stride[axis] - head[axis] + tap * dilation[axis];
    return at < 0 || at >= in[axis] ? -1 : at;
  }
  /// Returns the window that has the tap at this place; -1 if there is none.
  PLAIT_HOST_DEVICE constexpr std::int64_t window_at(std::size_t axis, std::int64_t place, std::int64_t tap) const {
    std::int64_t const from = place + head[axis] - tap * dilation[axis];
    if (from < 0 || from % stride[axis] != 0) return -1;
    std::int64_t const window = from / stride[axis];
    return window < out[axis] ? window : -1;
  }
  /// Returns the shift of places i = window · stride + shift of the last axis.
  PLAIT_HOST_DEVICE constexpr std::int64_t shift(std::int64_t tap) const { return tap * dilation[2] - head[2]; }
  /// Returns the first window of the last axis whose tap is not before this place, clamped to [least, most].
  PLAIT_HOST_DEVICE constexpr std::int64_t window_from(std::int64_t place, std::int64_t tap, std::int64_t least,
                                                       std::int64_t most) const {
    std::int64_t const from = place - shift(tap);
    std::int64_t const window = from <= 0 ? 0 : (from + stride[2] - 1) / stride[2];
    return window < least ? least : window > most ? most : window;
  }

  /// Returns the first tap of a window that is not before this place, at most the number of taps.
  PLAIT_HOST_DEVICE constexpr std::int64_t tap_from(std::size_t axis, std::int64_t window, std::int64_t place) const {
    std::int64_t const from = place + head[axis] - window * stride[axis];
    std::int64_t const tap = from <= 0 ? 0 : (from + dilation[axis] - 1) / dilation[axis];
    return tap < kernel[axis] ? tap : kernel[axis];
  }
  /// Calls f(k, o) for the windows o that have their tap k at a place, in ascending order of taps. O(min(taps, windows)
  /// of the axis).
  template <class F>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr void for_each_at(std::size_t axis, std::int64_t place,
                                                                   F const& f) const {
    std::int64_t const at = place + head[axis];
    if (dilation[axis] >= stride[axis]) {
      std::int64_t const last = at / dilation[axis];
      for (std::int64_t k = tap_from(axis, out[axis] - 1, place); k <= last && k < kernel[axis]; ++k) {
        std::int64_t const o = window_at(axis, place, k);
        if (o >= 0) PLAIT_INLINE_CALL f(k, o);
      }
    } else {
      std::int64_t const before = at - (kernel[axis] - 1) * dilation[axis];
      std::int64_t const least = before <= 0 ? 0 : (before + stride[axis] - 1) / stride[axis];
      std::int64_t o = at / stride[axis] < out[axis] ? at / stride[axis] : out[axis] - 1;
      for (; o >= least; --o) {
        std::int64_t const rest = at - o * stride[axis];
        if (rest % dilation[axis] == 0) PLAIT_INLINE_CALL f(rest / dilation[axis], o);
      }
    }
  }

  /// Calls f(k0, i0, k1, i1) for the taps k and places i of a window on the first two axes, without padding, in
  /// ascending order, like all sums.
  template <class F>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr void for_each_tap(std::int64_t o0, std::int64_t o1,
                                                                    F const& f) const {
    std::int64_t const end0 = tap_from(0, o0, in[0]);
    std::int64_t const end1 = tap_from(1, o1, in[1]);
    for (std::int64_t k0 = tap_from(0, o0, 0); k0 < end0; ++k0)
      for (std::int64_t k1 = tap_from(1, o1, 0); k1 < end1; ++k1)
        PLAIT_INLINE_CALL f(k0, place_of(0, o0, k0), k1, place_of(1, o1, k1));
  }
  /// Calls f(k0, o0, k1, o1) for the windows o that have their taps k at a place of the first two axes.
  template <class F>
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE constexpr void for_each_window(std::int64_t i0, std::int64_t i1,
                                                                       F const& f) const {
    for_each_at(0, i0, [&](std::int64_t k0, std::int64_t o0) {
      for_each_at(1, i1, [&](std::int64_t k1, std::int64_t o1) { PLAIT_INLINE_CALL f(k0, o0, k1, o1); });
    });
  }
};

/// Windows in a row, of all axes.
struct window_range {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

namespace detail {

/// Mixed-radix digits of a number, from the last.
struct digits {
  std::int64_t rest;
  PLAIT_HOST_DEVICE constexpr std::int64_t next(std::int64_t base) {
    std::int64_t const digit = rest % base;
    rest /= base;
    return digit;
  }
};

template <class T>
PLAIT_HOST_DEVICE inline void fill_zero(T* to, std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i) to[i] = T(0);
}

// im2col. A row is (channel, taps); its elements are the windows of the range.
template <class T>
struct columns_of_planes {
  windows w;
  window_range part;
  T const* x;
  T* columns;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    digits left = {static_cast<std::int64_t>(row)};
    std::int64_t const k2 = left.next(w.kernel[2]);
    std::int64_t const k1 = left.next(w.kernel[1]);
    std::int64_t const k0 = left.next(w.kernel[0]);
    T const* const plane = x + left.rest * w.in[0] * w.in[1] * w.in[2];
    T* to = columns + static_cast<std::int64_t>(row) * part.count + static_cast<std::int64_t>(first);
    digits window = {part.first + static_cast<std::int64_t>(first)};
    std::int64_t o2 = window.next(w.out[2]);
    std::int64_t o1 = window.next(w.out[1]);
    std::int64_t o0 = window.rest;
    for (auto more = static_cast<std::int64_t>(last - first); more > 0;) {
      std::int64_t const end = o2 + more < w.out[2] ? o2 + more : w.out[2];
      std::int64_t const i0 = w.place_of(0, o0, k0);
      std::int64_t const i1 = w.place_of(1, o1, k1);
      if (i0 < 0 || i1 < 0)
        fill_zero(to - o2, o2, end);
      else
        copy(plane + (i0 * w.in[1] + i1) * w.in[2], to - o2, k2, o2, end);
      to += end - o2;
      more -= end - o2;
      o2 = 0;
      if (++o1 == w.out[1]) {
        o1 = 0;
        ++o0;
      }
    }
  }
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void copy(T const* from, T* to, std::int64_t k2, std::int64_t begin,
                                                  std::int64_t end) const {
    std::int64_t const shift = w.shift(k2);
    std::int64_t const inside = w.window_from(0, k2, begin, end);
    std::int64_t const outside = w.window_from(w.in[2], k2, inside, end);
    std::int64_t const step = w.stride[2];
    fill_zero(to, begin, inside);
    if (step == 1) {
      PLAIT_INDEPENDENT
      for (std::int64_t o = inside; o < outside; ++o) to[o] = from[o + shift];
    } else {
      for (std::int64_t o = inside; o < outside; ++o) to[o] = from[o * step + shift];
    }
    fill_zero(to, outside, end);
  }
};

// im2col, channels last. A row is (group, windows of the range, taps).
template <class T>
struct columns_of_places {
  windows w;
  window_range part;
  T const* x;
  T* columns;
  std::int64_t groups;
  std::int64_t width;  // channels of a group
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    digits left = {static_cast<std::int64_t>(row)};
    std::int64_t const k2 = left.next(w.kernel[2]);
    std::int64_t const k1 = left.next(w.kernel[1]);
    std::int64_t const k0 = left.next(w.kernel[0]);
    digits window = {part.first + left.next(part.count)};
    std::int64_t const i2 = w.place_of(2, window.next(w.out[2]), k2);
    std::int64_t const i1 = w.place_of(1, window.next(w.out[1]), k1);
    std::int64_t const i0 = w.place_of(0, window.rest, k0);
    T* const to = columns + static_cast<std::int64_t>(row) * width;
    if (i0 < 0 || i1 < 0 || i2 < 0)
      return fill_zero(to, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last));
    T const* const from = x + (((i0 * w.in[1] + i1) * w.in[2] + i2) * groups + left.rest) * width;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) to[i] = from[i];
  }
};

// col2im. A row is (channel, places but of the last axis).
template <class T>
struct planes_of_columns {
  windows w;
  T const* columns;
  T* x;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const begin = static_cast<std::int64_t>(first);
    auto const end = static_cast<std::int64_t>(last);
    digits left = {static_cast<std::int64_t>(row)};
    std::int64_t const i1 = left.next(w.in[1]);
    std::int64_t const i0 = left.next(w.in[0]);
    T* const to = x + static_cast<std::int64_t>(row) * w.in[2];
    std::int64_t const step = w.stride[2];
    fill_zero(to, begin, end);
    w.for_each_window(i0, i1, [&](std::int64_t k0, std::int64_t o0, std::int64_t k1, std::int64_t o1) {
      for (std::int64_t k2 = 0; k2 < w.kernel[2]; ++k2) {
        std::int64_t const tap = ((left.rest * w.kernel[0] + k0) * w.kernel[1] + k1) * w.kernel[2] + k2;
        T const* const from = columns + ((tap * w.out[0] + o0) * w.out[1] + o1) * w.out[2];
        std::int64_t const shift = w.shift(k2);
        std::int64_t const inside = w.window_from(begin, k2, 0, w.out[2]);
        std::int64_t const outside = w.window_from(end, k2, inside, w.out[2]);
        if (step == 1) {
          PLAIT_INDEPENDENT
          for (std::int64_t o = inside; o < outside; ++o) to[o + shift] += from[o];
        } else {
          for (std::int64_t o = inside; o < outside; ++o) to[o * step + shift] += from[o];
        }
      }
    });
  }
};

// col2im, channels last. A row is (places, group).
template <class T>
struct places_of_columns {
  windows w;
  T const* columns;
  T* x;
  std::int64_t groups;
  std::int64_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    digits left = {static_cast<std::int64_t>(row)};
    std::int64_t const group = left.next(groups);
    std::int64_t const i2 = left.next(w.in[2]);
    std::int64_t const i1 = left.next(w.in[1]);
    std::int64_t const i0 = left.rest;
    T* const to = x + static_cast<std::int64_t>(row) * width;
    fill_zero(to, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last));
    w.for_each_window(i0, i1, [&](std::int64_t k0, std::int64_t o0, std::int64_t k1, std::int64_t o1) {
      w.for_each_at(2, i2, [&](std::int64_t k2, std::int64_t o2) {
        std::int64_t const window = ((group * w.out[0] + o0) * w.out[1] + o1) * w.out[2] + o2;
        std::int64_t const tap = ((window * w.kernel[0] + k0) * w.kernel[1] + k1) * w.kernel[2] + k2;
        T const* const from = columns + tap * width;
        PLAIT_INDEPENDENT
        for (std::size_t i = first; i < last; ++i) to[i] += from[i];
      });
    });
  }
};

}  // namespace detail

/// im2col: computes the columns of some windows of an image; 0 in the padding.
template <backend B, class T>
void windows_to_columns(windows const& w, window_range part, T const* x, T* columns, std::int64_t channels) {
  for_each_row_part<B>(static_cast<std::size_t>(channels) * w.taps(), static_cast<std::size_t>(part.count), 1,
                       detail::columns_of_planes<T>{w, part, x, columns});
}
/// im2col with channels last.
template <backend B, class T>
void windows_to_columns(windows const& w, window_range part, T const* x, T* columns, std::int64_t channels,
                        std::int64_t groups) {
  std::int64_t const width = channels / groups;
  for_each_row_part<B>(static_cast<std::size_t>(groups * part.count) * w.taps(), static_cast<std::size_t>(width), 1,
                       detail::columns_of_places<T>{w, part, x, columns, groups, width});
}

/// col2im: computes the image whose places are the sums of their elements in the columns.
template <backend B, class T>
void columns_to_windows(windows const& w, T const* columns, T* x, std::int64_t channels) {
  std::size_t const rows = static_cast<std::size_t>(channels * w.in[0] * w.in[1]);
  for_each_row_part<B>(rows, static_cast<std::size_t>(w.in[2]), w.most_seen(),
                       detail::planes_of_columns<T>{w, columns, x});
}
/// col2im with channels last.
template <backend B, class T>
void columns_to_windows(windows const& w, T const* columns, T* x, std::int64_t channels, std::int64_t groups) {
  std::int64_t const width = channels / groups;
  for_each_row_part<B>(w.places() * static_cast<std::size_t>(groups), static_cast<std::size_t>(width), w.most_seen(),
                       detail::places_of_columns<T>{w, columns, x, groups, width});
}

}  // namespace plait

PLAIT_KERNELS_END
