// Matrix loops with per-row data, such as a length, a bias or a choice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Splits a tile of the flattened matrix at the ends of rows.
template <class F>
struct row_parts_loop {
  F f;
  std::size_t width;
  void operator()(std::size_t first, std::size_t last) const {
    std::size_t row = first / width;
    std::size_t column = first - row * width;
    while (first < last) {
      std::size_t const count = std::min(width - column, last - first);
      PLAIT_INLINE_CALL f(row++, column, column + count);
      first += count;
      column = 0;
    }
  }
};

// Computes one element per device thread, where a division of 64 bits takes a hundred instructions.
template <class F>
struct row_parts_element {
  F f;
  std::size_t width;
  bool fits;  ///< true if indices fit 32 bits
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    std::size_t const row = fits ? static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(width) : i / width;
    f(row, i - row * width, i - row * width + 1);
  }
};

/// Broadcasts a row to all rows of a matrix.
template <class T>
struct repeat_row {
  T const* row;
  T* matrix;
  std::size_t width;
  PLAIT_HOST_DEVICE void operator()(std::size_t i, std::size_t first, std::size_t last) const {
    T const* const from = row;
    T* const to = matrix + i * width;
    PLAIT_INDEPENDENT
    for (std::size_t j = first; j < last; ++j) to[j] = from[j];
  }
};

}  // namespace detail

/// Calls f(row, first, last) for segments of rows that cover a matrix of rows times width, of about `cost` elements'
/// work an element. f contains the loop from first to last, with one iteration on devices, and loads what it needs of
/// the row before it. See for_each.hpp for what f may be.
template <backend B, class F>
void for_each_row_part(std::size_t rows, std::size_t width, std::size_t cost, F const& f) {
  if (width == 0) return;
  if constexpr (B::on_device) {
    for_each_index<B>(rows * width, detail::row_parts_element<F>{f, width, rows * width <= ~std::uint32_t{0}});
  } else {
    for_each_tile<B>(rows * width, std::max<std::size_t>(1, tile_size / std::max<std::size_t>(1, cost)),
                     detail::row_parts_loop<F>{f, width});
  }
}

}  // namespace plait

PLAIT_KERNELS_END
