// Depthwise convolution: each unit reads one channel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/convolution_operands.hpp>
#include <plait/exec/detail/kernels/padded_image.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/windows.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline void finish_depthwise(convolution_operands<T> const& of,
                                                                   std::int64_t begin, std::int64_t end) {
  T* const y = of.y;
  T const* const addend = of.addend;
  if (addend != nullptr) {
    PLAIT_INDEPENDENT
    for (std::int64_t i = begin; i < end; ++i) y[i] += addend[i];
  }
  if (of.relu) {
    PLAIT_INDEPENDENT
    for (std::int64_t i = begin; i < end; ++i) y[i] = y[i] < T(0) ? T(0) : y[i];
  }
}

// A row is (unit, windows but of the last axis) of one image.
template <class T>
struct depthwise_padded {
  padded_image const* image;
  T const* copy;
  convolution_operands<T> of;
  std::int64_t units_of_channel;

  void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    windows const& w = image->geometry();
    digits left = {static_cast<std::int64_t>(row)};
    std::int64_t const o1 = left.next(w.out[1]);
    std::int64_t const o0 = left.next(w.out[0]);
    std::int64_t const unit = left.rest;
    windows::extents const& extent = image->extents();
    T const* const from = copy + unit / units_of_channel * image->plane() + (o0 * extent[1] + o1) * extent[2];
    T const* const weights = of.w + unit * static_cast<std::int64_t>(image->taps().size());
    T const bias = of.bias != nullptr ? of.bias[unit] : T(0);
    T* const to = of.y + static_cast<std::int64_t>(row) * w.out[2];
    auto const end = static_cast<std::int64_t>(last);
    auto o = static_cast<std::int64_t>(first);
    constexpr std::int64_t lanes = 32 / sizeof(T);
    for (; o + 4 * lanes <= end; o += 4 * lanes) add<4 * lanes>(from + o, weights, bias, to + o, 4 * lanes);
    for (; o < end; o += lanes) add<lanes>(from + o, weights, bias, to + o, std::min(lanes, end - o));
    auto const at = static_cast<std::int64_t>(row) * w.out[2];
    finish_depthwise(of, at + static_cast<std::int64_t>(first), at + end);
  }

 private:
  // Keeps Count sums in registers. Reads that many places, also beyond `count`.
  template <std::int64_t Count>
  PLAIT_ALWAYS_INLINE void add(T const* from, T const* weights, T bias, T* to, std::int64_t count) const {
    T sums[Count];
    for (std::int64_t i = 0; i != Count; ++i) sums[i] = bias;
    for (std::ptrdiff_t const place : image->taps()) {
      T const weight = *weights++;
      T const* const places = from + place;
      for (std::int64_t i = 0; i != Count; ++i) sums[i] += weight * places[i];
    }
    if (count == Count)
      for (std::int64_t i = 0; i != Count; ++i) to[i] = sums[i];
    else
      for (std::int64_t i = 0; i != count; ++i) to[i] = sums[i];
  }
};

// A row is (image, windows); there are as many units as channels.
template <class T>
struct depthwise_places {
  windows w;
  convolution_operands<T> of;
  std::int64_t units;

  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    auto const begin = static_cast<std::int64_t>(first);
    auto const end = static_cast<std::int64_t>(last);
    digits left = {static_cast<std::int64_t>(row)};
    std::int64_t const o2 = left.next(w.out[2]);
    std::int64_t const o1 = left.next(w.out[1]);
    std::int64_t const o0 = left.next(w.out[0]);
    std::int64_t const count = w.kernel[0] * w.kernel[1] * w.kernel[2];
    T const* const image = of.x + left.rest * (w.in[0] * w.in[1] * w.in[2]) * units;
    std::int64_t const to = static_cast<std::int64_t>(row) * units;
    T* const sums = of.y + to;
    for (std::int64_t u = begin; u < end; ++u) sums[u] = of.bias != nullptr ? of.bias[u] : T(0);
    std::int64_t const last_tap = w.tap_from(2, o2, w.in[2]);
    w.for_each_tap(o0, o1, [&](std::int64_t k0, std::int64_t i0, std::int64_t k1, std::int64_t i1) {
      for (std::int64_t k2 = w.tap_from(2, o2, 0); k2 < last_tap; ++k2) {
        T const* const places = image + ((i0 * w.in[1] + i1) * w.in[2] + w.place_of(2, o2, k2)) * units;
        T const* const weights = of.w + (k0 * w.kernel[1] + k1) * w.kernel[2] + k2;
        PLAIT_INDEPENDENT
        for (std::int64_t u = begin; u < end; ++u) sums[u] += weights[u * count] * places[u];
      }
    });
    finish_depthwise(of, to + begin, to + end);
  }
};

}  // namespace detail

/// Computes a depthwise convolution of images with channels last, w being [units, taps], and as many units as channels.
template <backend B, class T>
void depthwise_channels_last(windows const& w, convolution_operands<T> const& of, std::int64_t images,
                             std::int64_t units) {
  for_each_row_part<B>(static_cast<std::size_t>(images) * w.count(), static_cast<std::size_t>(units), w.taps(),
                       detail::depthwise_places<T>{w, of, units});
}

/// Computes a depthwise convolution of one image from its padded copy, on the host. Units are a multiple of the
/// channels; `of.x` is not read.
template <backend B, class T>
  requires(!B::on_device)
void depthwise(padded_image const& image, T const* copy, convolution_operands<T> const& of, std::int64_t units) {
  windows const& w = image.geometry();
  for_each_row_part<B>(static_cast<std::size_t>(units * w.out[0] * w.out[1]), static_cast<std::size_t>(w.out[2]),
                       w.taps(), detail::depthwise_padded<T>{&image, copy, of, units / image.channels()});
}

}  // namespace plait

PLAIT_KERNELS_END
