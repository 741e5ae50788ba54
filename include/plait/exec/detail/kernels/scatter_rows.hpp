// Column-parallel scatter: rows are processed in order, for ops that may write a place several times.
#pragma once

#include <algorithm>
#include <cstddef>

#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class F>
struct row_walk {
  F f;
  std::size_t rows;
  void operator()(std::size_t first, std::size_t last) const {
    for (std::size_t row = 0; row < rows; ++row) {
      PLAIT_INLINE_CALL f(row, first, last);
    }
  }
};

template <class F>
struct column_walk {
  F f;
  std::size_t rows;
  PLAIT_HOST_DEVICE void operator()(std::size_t column) const {
    for (std::size_t row = 0; row < rows; ++row) f(row, column, column + 1);
  }
};

}  // namespace detail

/// Calls f(row, first, last) for segments of rows: in each column by ascending rows, on every backend, so that sums
/// have the same bits, and of two rows written to one place the last stays. Only columns run in parallel.
template <backend B, class F>
void for_each_row_in_order(std::size_t rows, std::size_t width, F const& f) {
  if (rows == 0 || width == 0) return;
  if constexpr (B::on_device) {
    for_each_index<B>(width, detail::column_walk<F>{f, rows});
  } else {
    constexpr std::size_t least = 64;  // columns that amortise the traversal of all rows
    for_each_tile<B>(width, std::max(least, tile_size / rows), detail::row_walk<F>{f, rows});
  }
}

}  // namespace plait

PLAIT_KERNELS_END
