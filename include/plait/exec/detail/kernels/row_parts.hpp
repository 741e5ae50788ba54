// Kernels over a matrix whose rows each have something of their own: a length, a bias, a choice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// What a tile of the matrix, flattened, is made of.
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

// What one thread of a device does. A division of 64 bits is a hundred instructions there.
template <class F>
struct row_parts_element {
  F f;
  std::size_t width;
  bool fits;  ///< all indices, 32 bits
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    std::size_t const row = fits ? static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(width) : i / width;
    f(row, i - row * width, i - row * width + 1);
  }
};

}  // namespace detail

/// f(row, first, last) for parts of rows that make up a matrix of rows times width, of about `cost` elements' work an
/// element. f has the loop from first to last in it, of one turn on devices; what it looks up for the row stands
/// before the loop. See for_each.hpp for what f may be.
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

/// The same on a host for the elements `first` to `last`, excluded, of a matrix of so many columns, by this thread
/// alone.
template <class F>
void for_row_parts_between(std::size_t first, std::size_t last, std::size_t width, F const& f) {
  detail::row_parts_loop<F> const loop{f, width};
  detail::run_tile<detail::row_parts_loop<F>>(&loop, first, last);
}

}  // namespace plait

PLAIT_KERNELS_END
