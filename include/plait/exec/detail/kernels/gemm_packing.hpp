// GEMM packing: copies panels of matrices into the order in which the tiles of gemm_tiles.hpp read them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

/// Depth of k that is packed for one tile after the other, where tiles share cache lines.
inline constexpr std::ptrdiff_t packed_strip = 16;

/// Transposes a square of as many rows and columns as a vector of 16 bytes has elements.
template <class T>
void transpose_square(T* to, std::ptrdiff_t to_row, T const* from, std::ptrdiff_t from_row) {
  typedef T vec __attribute__((vector_size(16)));
  typedef T loose __attribute__((vector_size(16), aligned(alignof(T)), may_alias));
  auto const load = [&](int row) { return reinterpret_cast<loose const*>(from + row * from_row); };
  auto const store = [&](int row) { return reinterpret_cast<loose*>(to + row * to_row); };
  if constexpr (sizeof(T) == 4) {
    vec const a = *load(0), b = *load(1), c = *load(2), d = *load(3);
    vec const ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    vec const cd = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *store(0) = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *store(1) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *store(2) = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    *store(3) = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
  } else {
    vec const a = *load(0), b = *load(1);
    *store(0) = __builtin_shufflevector(a, b, 0, 2);
    *store(1) = __builtin_shufflevector(a, b, 1, 3);
  }
}

/// Writes k rows of `width` elements; column j is the k elements at from + j * step, and columns from `count` on are 0.
/// Prefetches the next panel, which follows: hardware finds no pattern in the cache lines of several rows.
template <class T>
void pack_columns(T* to, std::ptrdiff_t width, T const* from, std::ptrdiff_t count, std::ptrdiff_t step,
                  std::ptrdiff_t k) {
  constexpr auto side = std::ptrdiff_t(16 / sizeof(T));
  constexpr std::ptrdiff_t strip = 16;  // the lines written stay in cache until they are full
  for (std::ptrdiff_t first = 0; first < k; first += strip) {
    std::ptrdiff_t const last = std::min(k, first + strip);
    std::ptrdiff_t const squares = count < side ? first : last - (last - first) % side;
    for (std::ptrdiff_t column = count; column < 2 * count; ++column)
      __builtin_prefetch(from + column * step + first, 0, 2);
    for (std::ptrdiff_t column = 0; column < count; column += side) {
      std::ptrdiff_t const j = std::max(std::ptrdiff_t(0), std::min(column, count - side));  // the last may overlap
      for (std::ptrdiff_t i = first; i < squares; i += side)
        transpose_square(to + i * width + j, width, from + j * step + i, step);
      for (std::ptrdiff_t i = squares; i < last; ++i)
        for (std::ptrdiff_t l = j; l < std::min(count, j + side); ++l) to[i * width + l] = from[l * step + i];
    }
    if (count != width)
      for (std::ptrdiff_t i = first; i < last; ++i) std::fill(to + i * width + count, to + (i + 1) * width, T(0));
  }
}

/// Writes k rows of `width` elements, of which `count` come from the rows at from + i * stride; the others are 0.
template <class T>
void pack_rows(T* to, std::ptrdiff_t width, T const* from, std::ptrdiff_t count, std::ptrdiff_t stride,
               std::ptrdiff_t k) {
  constexpr auto side = std::ptrdiff_t(16 / sizeof(T));
  constexpr std::ptrdiff_t ahead = packed_strip;  // rows; each may be on another page, which hardware does not prefetch
  // Copies of constant size need no call: a row is copied as two blocks, of which the second may overlap the first.
  auto const copy = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
    std::ptrdiff_t const second = width - std::ptrdiff_t(Bytes / sizeof(T));
    for (std::ptrdiff_t i = 0; i < k; ++i, to += width, from += stride) {
      __builtin_prefetch(from + ahead * stride, 0, 2);
      std::memcpy(to, from, Bytes);
      std::memcpy(to + second, from + second, Bytes);
    }
  };
  std::size_t const bytes = count == width ? std::size_t(width) * sizeof(T) : 0;
  if (bytes >= 64 && bytes <= 128) return copy(std::integral_constant<std::size_t, 64>());
  if (bytes >= 32 && bytes <= 64) return copy(std::integral_constant<std::size_t, 32>());
  if (bytes >= 16 && bytes <= 32) return copy(std::integral_constant<std::size_t, 16>());
  for (std::ptrdiff_t i = 0; i < k; ++i, to += width, from += stride) {
    if (count < side) {
      for (std::ptrdiff_t j = 0; j < count; ++j) to[j] = from[j];
    } else {
      std::ptrdiff_t j = 0;
      for (; j + side <= count; j += side) std::memcpy(to + j, from + j, 16);
      if (j != count) std::memcpy(to + count - side, from + count - side, 16);
    }
    if (count != width) std::fill(to + count, to + width, T(0));
  }
}

/// Dispatches to one of these: elements of a column are `stride` apart, columns `step`; one of both is 1.
template <class T>
void pack_panel(T* to, std::ptrdiff_t width, T const* from, std::ptrdiff_t count, std::ptrdiff_t step,
                std::ptrdiff_t stride, std::ptrdiff_t k) {
  if (width == 1 && stride == 1) {
    std::memcpy(to, from, std::size_t(k) * sizeof(T));
  } else if (stride == 1) {
    pack_columns(to, width, from, count, step, k);
  } else {
    pack_rows(to, width, from, count, stride, k);
  }
}

}  // namespace plait::detail
