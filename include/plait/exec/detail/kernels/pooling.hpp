// Max and average pooling over windows, channel by channel, and their gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/windows.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

enum class pooling : std::uint8_t {
  maximum,
  mean,              ///< without padding
  mean_with_padding  ///< over the taps up to the end of the padding, which is 0
};

namespace detail {

/// Returns the number of taps of a window along an axis that are not padding.
PLAIT_HOST_DEVICE inline std::int64_t seen_by(windows const& w, std::size_t axis, std::int64_t window) {
  return w.tap_from(axis, window, w.in[axis]) - w.tap_from(axis, window, 0);
}

/// Returns true if windows exceed the image along the last axis: then loops run over the taps of each window, not over
/// the windows of each tap.
PLAIT_HOST_DEVICE constexpr bool is_mostly_padding(windows const& w) { return w.kernel[2] > w.in[2]; }

template <pooling How>
PLAIT_HOST_DEVICE inline std::int64_t seen_or_all(windows const& w, std::size_t axis, std::int64_t window) {
  return How == pooling::mean_with_padding ? w.tap_from(axis, window, w.in[axis] + w.tail[axis])
                                           : seen_by(w, axis, window);
}

/// Returns the number of elements that a window covers over several axes, as a T: integers could overflow.
template <pooling How, class T, class... Windows>
PLAIT_HOST_DEVICE inline T places_seen(windows const& w, Windows... window) {
  T product = 1;
  std::size_t axis = 0;
  ((product *= static_cast<T>(seen_or_all<How>(w, axis++, window))), ...);
  return product;
}

/// Calls f(first, last, seen) for ranges of the windows [begin, end) of the last axis that cover `seen` elements each:
/// all windows without padding are one range.
template <pooling How, class F>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline void for_each_stretch(windows const& w, std::int64_t begin,
                                                                   std::int64_t end, F const& f) {
  std::int64_t const all = w.kernel[2];
  bool const padded = How == pooling::mean_with_padding;
  std::int64_t const whole = padded ? begin : w.window_from(0, 0, begin, end);
  std::int64_t const cut = w.window_from(w.in[2] + (padded ? w.tail[2] : 0), all - 1, whole, end);
  for (std::int64_t o = begin; o < whole; ++o) PLAIT_INLINE_CALL f(o, o + 1, seen_by(w, 2, o));
  PLAIT_INLINE_CALL f(whole, cut, all);
  for (std::int64_t o = cut; o < end; ++o) PLAIT_INLINE_CALL f(o, o + 1, seen_or_all<How>(w, 2, o));
}

template <pooling How, class T>
PLAIT_HOST_DEVICE inline T pool_more(T pooled, T x) {
  if constexpr (How == pooling::maximum)
    return max_reduction::combine(pooled, x);
  else
    return pooled + x;
}
template <pooling How, class T>
PLAIT_HOST_DEVICE constexpr T pool_of_none() {
  return How == pooling::maximum ? max_reduction::identity<T>() : T(0);
}

template <class T>
struct share_of {
  T* y;
  T count;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { y[i] /= count; }
};

// A row is (channel, windows of the first two axes).
template <pooling How, class T>
struct pooled_planes {
  windows w;
  T const* x;
  T* y;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const begin = static_cast<std::int64_t>(first);
    auto const end = static_cast<std::int64_t>(last);
    digits left = {static_cast<std::int64_t>(row)};
    std::int64_t const o1 = left.next(w.out[1]);
    std::int64_t const o0 = left.next(w.out[0]);
    T* const to = y + static_cast<std::int64_t>(row) * w.out[2];
    std::int64_t const step = w.stride[2];
    for (std::int64_t o = begin; o < end; ++o) to[o] = pool_of_none<How, T>();
    w.for_each_tap(o0, o1, [&](std::int64_t, std::int64_t i0, std::int64_t, std::int64_t i1) {
      T const* const from = x + ((left.rest * w.in[0] + i0) * w.in[1] + i1) * w.in[2];
      if (is_mostly_padding(w)) {
        for (std::int64_t o = begin; o < end; ++o) {
          std::int64_t const past = w.tap_from(2, o, w.in[2]);
          T made = to[o];
          for (std::int64_t k2 = w.tap_from(2, o, 0); k2 < past; ++k2)
            made = pool_more<How>(made, from[o * step + w.shift(k2)]);
          to[o] = made;
        }
        return;
      }
      for (std::int64_t k2 = 0; k2 < w.kernel[2]; ++k2) {
        std::int64_t const shift = w.shift(k2);
        std::int64_t const inside = w.window_from(0, k2, begin, end);
        std::int64_t const outside = w.window_from(w.in[2], k2, inside, end);
        // Vectorised where compilers know the stride.
        auto const add = [&](auto by) {
          PLAIT_INDEPENDENT
          for (std::int64_t o = inside; o < outside; ++o) to[o] = pool_more<How>(to[o], from[o * by + shift]);
        };
        if (step == 1)
          PLAIT_INLINE_CALL add(std::integral_constant<std::int64_t, 1>());
        else if (step == 2)
          PLAIT_INLINE_CALL add(std::integral_constant<std::int64_t, 2>());
        else
          PLAIT_INLINE_CALL add(step);
      }
    });
    if constexpr (How != pooling::maximum) {
      T const rows = places_seen<How, T>(w, o0, o1);
      for_each_stretch<How>(w, begin, end, [&](std::int64_t low, std::int64_t high, std::int64_t seen) {
        T const count = rows * static_cast<T>(seen);
        for (std::int64_t o = low; o < high; ++o) to[o] /= count;
      });
    }
  }
};

// A row is (image, windows), of all channels.
template <pooling How, class T>
struct pooled_places {
  windows w;
  T const* x;
  T* y;
  std::int64_t channels;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    digits left = {static_cast<std::int64_t>(row)};
    std::int64_t const o2 = left.next(w.out[2]);
    std::int64_t const o1 = left.next(w.out[1]);
    std::int64_t const o0 = left.next(w.out[0]);
    T* const to = y + static_cast<std::int64_t>(row) * channels;
    for (std::size_t c = first; c < last; ++c) to[c] = pool_of_none<How, T>();
    w.for_each_tap(o0, o1, [&](std::int64_t, std::int64_t i0, std::int64_t, std::int64_t i1) {
      std::int64_t const past = w.tap_from(2, o2, w.in[2]);
      for (std::int64_t k2 = w.tap_from(2, o2, 0); k2 < past; ++k2) {
        std::int64_t const i2 = w.place_of(2, o2, k2);
        T const* const from = x + (((left.rest * w.in[0] + i0) * w.in[1] + i1) * w.in[2] + i2) * channels;
        PLAIT_INDEPENDENT
        for (std::size_t c = first; c < last; ++c) to[c] = pool_more<How>(to[c], from[c]);
      }
    });
    if constexpr (How != pooling::maximum) {
      T const count = places_seen<How, T>(w, o0, o1, o2);
      for (std::size_t c = first; c < last; ++c) to[c] /= count;
    }
  }
};

// Returns an element's share of a window's gradient. NaN counts as equal to NaN.
template <class T>
PLAIT_HOST_DEVICE inline T slope_of_maximum(T dy, T x, T y) {
  return static_cast<bool>((x == y) | ((x != x) & (y != y))) ? dy : T(0);
}

// A row is (channel, places of the first two axes).
template <pooling How, class T>
struct unpooled_planes {
  windows w;
  T const* x;
  T const* y;
  T const* dy;
  T* dx;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const begin = static_cast<std::int64_t>(first);
    auto const end = static_cast<std::int64_t>(last);
    digits left = {static_cast<std::int64_t>(row)};
    std::int64_t const i1 = left.next(w.in[1]);
    std::int64_t const i0 = left.next(w.in[0]);
    T* const to = dx + static_cast<std::int64_t>(row) * w.in[2];
    T const* const element = x + static_cast<std::int64_t>(row) * w.in[2];
    std::int64_t const step = w.stride[2];
    fill_zero(to, begin, end);
    w.for_each_window(i0, i1, [&](std::int64_t, std::int64_t o0, std::int64_t, std::int64_t o1) {
      std::int64_t const from = ((left.rest * w.out[0] + o0) * w.out[1] + o1) * w.out[2];
      T const rows = How == pooling::maximum ? T(1) : places_seen<How, T>(w, o0, o1);
      if (is_mostly_padding(w)) {
        // The last window has its first taps where the first one has its last.
        for (std::int64_t o = w.out[2]; o-- != 0;) {
          T const slope = dy[from + o];
          [[maybe_unused]] T const count = rows * static_cast<T>(seen_or_all<How>(w, 2, o));
          std::int64_t const past = w.tap_from(2, o, end);
          for (std::int64_t k2 = w.tap_from(2, o, begin); k2 < past; ++k2) {
            std::int64_t const i = o * step + w.shift(k2);
            if constexpr (How == pooling::maximum)
              to[i] += slope_of_maximum(slope, element[i], y[from + o]);
            else
              to[i] += slope / count;
          }
        }
        return;
      }
      for (std::int64_t k2 = 0; k2 < w.kernel[2]; ++k2) {
        std::int64_t const shift = w.shift(k2);
        std::int64_t const inside = w.window_from(begin, k2, 0, w.out[2]);
        std::int64_t const outside = w.window_from(end, k2, inside, w.out[2]);
        if constexpr (How == pooling::maximum) {
          PLAIT_INDEPENDENT
          for (std::int64_t o = inside; o < outside; ++o) {
            std::int64_t const i = o * step + shift;
            to[i] += slope_of_maximum(dy[from + o], element[i], y[from + o]);
          }
        } else {
          for_each_stretch<How>(w, inside, outside, [&](std::int64_t low, std::int64_t high, std::int64_t seen) {
            T const count = rows * static_cast<T>(seen);
            PLAIT_INDEPENDENT
            for (std::int64_t o = low; o < high; ++o) to[o * step + shift] += dy[from + o] / count;
          });
        }
      }
    });
  }
};

// A row is (image, places), of all channels.
template <pooling How, class T>
struct unpooled_places {
  windows w;
  T const* x;
  T const* y;
  T const* dy;
  T* dx;
  std::int64_t channels;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    digits left = {static_cast<std::int64_t>(row)};
    std::int64_t const i2 = left.next(w.in[2]);
    std::int64_t const i1 = left.next(w.in[1]);
    std::int64_t const i0 = left.next(w.in[0]);
    T* const to = dx + static_cast<std::int64_t>(row) * channels;
    T const* const element = x + static_cast<std::int64_t>(row) * channels;
    fill_zero(to, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last));
    w.for_each_window(i0, i1, [&](std::int64_t, std::int64_t o0, std::int64_t, std::int64_t o1) {
      w.for_each_at(2, i2, [&](std::int64_t, std::int64_t o2) {
        std::int64_t const from = (((left.rest * w.out[0] + o0) * w.out[1] + o1) * w.out[2] + o2) * channels;
        T const* const slope = dy + from;
        T const* const result = y + from;
        if constexpr (How == pooling::maximum) {
          PLAIT_INDEPENDENT
          for (std::size_t c = first; c < last; ++c) to[c] += slope_of_maximum(slope[c], element[c], result[c]);
        } else {
          T const count = places_seen<How, T>(w, o0, o1, o2);
          for (std::size_t c = first; c < last; ++c) to[c] += slope[c] / count;
        }
      });
    });
  }
};

}  // namespace detail

/// Pools the windows of each channel of all images.
template <pooling How, backend B, class T>
void pool(windows const& w, T const* x, T* y, std::int64_t images, std::int64_t channels, bool channels_last) {
  if (channels_last)
    for_each_row_part<B>(static_cast<std::size_t>(images) * w.count(), static_cast<std::size_t>(channels),
                         w.most_seen(), detail::pooled_places<How, T>{w, x, y, channels});
  else
    for_each_row_part<B>(static_cast<std::size_t>(images * channels * w.out[0] * w.out[1]),
                         static_cast<std::size_t>(w.out[2]), w.most_seen(), detail::pooled_planes<How, T>{w, x, y});
}

/// Computes y for one window of all places (windows::is_whole), as a reduction over these axes.
template <pooling How, backend B, class T>
void pool_whole(reduction_axes const& axes, T const* x, T* y, T* scratch) {
  if constexpr (How == pooling::maximum) {
    reduce_axes<B, max_reduction>(axes, x, as_it_is{}, y, scratch);
  } else {
    reduce_axes<B, sum_reduction>(axes, x, as_it_is{}, y, scratch);
    for_each_index<B>(axes[axes.size() - 1].results(), detail::share_of<T>{y, static_cast<T>(axes.count())});
  }
}

/// Computes the gradient of x from that of y. Each element equal to its window's maximum gets all of it.
template <pooling How, backend B, class T>
void unpool(windows const& w, T const* x, T const* y, T const* dy, T* dx, std::int64_t images, std::int64_t channels,
            bool channels_last) {
  if (channels_last)
    for_each_row_part<B>(static_cast<std::size_t>(images) * w.places(), static_cast<std::size_t>(channels),
                         w.most_seen(), detail::unpooled_places<How, T>{w, x, y, dy, dx, channels});
  else
    for_each_row_part<B>(static_cast<std::size_t>(images * channels * w.in[0] * w.in[1]),
                         static_cast<std::size_t>(w.in[2]), w.most_seen(),
                         detail::unpooled_planes<How, T>{w, x, y, dy, dx});
}

}  // namespace plait

PLAIT_KERNELS_END
