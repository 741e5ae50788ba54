// Convolution by im2row of images that have few windows: the windows of several images are the rows of a product by
// packed weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/convolution_operands.hpp>
#include <plait/exec/detail/kernels/packed_factor.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/windows.hpp>
#include <plait/exec/detail/shape.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// im2col, transposed. A row is (image, window), its elements are the taps of all channels.
template <class T>
struct taps_of_windows {
  windows w;
  std::int64_t channels;
  T const* x;
  T* rows;
  void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    digits window = {static_cast<std::int64_t>(row)};
    std::int64_t const o2 = window.next(w.out[2]);
    std::int64_t const o1 = window.next(w.out[1]);
    std::int64_t const o0 = window.next(w.out[0]);
    auto const plane = static_cast<std::int64_t>(w.places());
    auto const taps = static_cast<std::int64_t>(w.taps());
    T const* const image = x + window.rest * channels * plane;
    T* const to = rows + static_cast<std::int64_t>(row) * channels * taps;
    std::int64_t const inside = w.tap_from(2, o2, 0);
    std::int64_t const outside = std::max(inside, w.tap_from(2, o2, w.in[2]));
    std::int64_t const shift = o2 * w.stride[2] - w.head[2];
    for (std::int64_t at = static_cast<std::int64_t>(first); at < static_cast<std::int64_t>(last);) {
      digits tap = {at};
      std::int64_t const k2 = tap.next(w.kernel[2]);
      std::int64_t const i1 = w.place_of(1, o1, tap.next(w.kernel[1]));
      std::int64_t const i0 = w.place_of(0, o0, tap.next(w.kernel[0]));
      T* const line = to + at - k2;
      std::int64_t const end = std::min(w.kernel[2], k2 + static_cast<std::int64_t>(last) - at);
      bool const padding = i0 < 0 || i1 < 0;
      std::int64_t const begin = padding ? end : std::clamp(inside, k2, end);
      std::int64_t const stop = padding ? end : std::clamp(outside, k2, end);
      T const* const from = image + tap.rest * plane + (i0 * w.in[1] + i1) * w.in[2] + shift;
      fill_zero(line, k2, begin);
      if (w.dilation[2] == 1)
        for (std::int64_t k = begin; k < stop; ++k) line[k] = from[k];
      else
        for (std::int64_t k = begin; k < stop; ++k) line[k] = from[k * w.dilation[2]];
      fill_zero(line, stop, end);
      at += end - k2;
    }
  }
};

// Transposes [images, windows, units] to [images, units, windows], with an epilogue. A row is (image, unit).
template <class T>
struct units_of_windows {
  std::size_t units;
  std::size_t count;
  T const* from;
  convolution_operands<T> of;
  void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const* const read = from + row / units * units * count + row % units;
    for (std::size_t i = first; i < last; ++i) {
      T sum = read[i * units];
      if (of.addend != nullptr) sum += of.addend[row * count + i];
      of.y[row * count + i] = of.relu ? relu_of(sum) : sum;
    }
  }
};

}  // namespace detail

/// Convolution of one group of channels, channels first, with as few windows as leave most of a tile's columns unused
/// (image_gemm.hpp).
class few_windows {
 public:
  static constexpr std::int64_t most = 15;        ///< windows
  static constexpr std::int64_t least_taps = 32;  ///< of all channels: fewer do not repay the transpositions

  void assign(windows const& w, std::int64_t images, std::int64_t channels, std::int64_t units) {
    w_ = w;
    images_ = images;
    channels_ = channels;
    units_ = units;
    std::int64_t const fit = block_size / std::max<std::int64_t>(1, count()) / std::max<std::int64_t>(1, taps());
    block_ = std::clamp<std::int64_t>(fit, 1, std::max<std::int64_t>(1, images));
  }
  /// Returns the product of the windows of a block of images.
  gemm_shape product() const { return {.m = block_ * count(), .n = units_, .k = taps(), .transpose_b = true}; }
  /// Returns the number of elements of scratch memory. Throws shape_error if it exceeds any memory.
  std::size_t scratch() const { return static_cast<std::size_t>(shape{block_, count(), taps() + units_}.size()); }

  /// Computes the convolution by packed weights or, with the same bits, by of.w if `packed` is nullptr.
  template <backend B, class T>
  void run(packed_factor<B> const& weights, void const* packed, convolution_operands<T> of, T* scratch) const {
    for (std::int64_t image = 0; image < images_; image += block_) {
      std::int64_t const images = std::min(block_, images_ - image);
      gemm_shape part = product();
      part.m = images * count();
      T* const made = scratch + part.m * part.k;
      for_each_row_part<B>(static_cast<std::size_t>(part.m), static_cast<std::size_t>(part.k), 1,
                           detail::taps_of_windows<T>{w_, channels_, of.x, scratch});
      if (of.bias == nullptr) {
        weights.multiply(packed, part, scratch, of.w, made);
      } else if (!weights.multiply_onto_row(packed, of.bias, part.m, scratch, made)) {
        for (std::int64_t row = 0; row != part.m; ++row) std::copy_n(of.bias, units_, made + row * units_);
        weights.multiply(packed, part, scratch, of.w, made, T(1), T(1));
      }
      for_each_row_part<B>(
          static_cast<std::size_t>(images * units_), static_cast<std::size_t>(count()), 2,
          detail::units_of_windows<T>{static_cast<std::size_t>(units_), static_cast<std::size_t>(count()), made, of});
      of.x += images * channels_ * static_cast<std::int64_t>(w_.places());
      of.y += images * units_ * count();
      if (of.addend != nullptr) of.addend += images * units_ * count();
    }
  }

 private:
  static constexpr std::int64_t block_size = std::int64_t{1} << 16;  // elements of rows that stay in L2

  std::int64_t count() const { return static_cast<std::int64_t>(w_.count()); }
  std::int64_t taps() const { return channels_ * static_cast<std::int64_t>(w_.taps()); }

  windows w_;
  std::int64_t images_ = 0;
  std::int64_t channels_ = 0;
  std::int64_t units_ = 0;
  std::int64_t block_ = 1;  // images
};

}  // namespace plait

PLAIT_KERNELS_END
