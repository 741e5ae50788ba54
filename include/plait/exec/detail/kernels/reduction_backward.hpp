// Backward pass of a reduction: each element of a tensor gets the gradient of the result that it was reduced to.
#pragma once

#include <array>
#include <cstddef>

#include <plait/exec/detail/kernels/reduce_axes.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/shape.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Layout of a reduction for its backward pass. Adjacent axes that are all reduced, or all kept, are merged; the last
/// merged axis forms rows. Trivially copyable, as kernels require.
struct reduction_backward_layout {
  std::size_t rows = 1;
  std::size_t width = 1;
  bool moves = true;  ///< true if the results advance along a row
  int rank = 0;       ///< axes before the last
  std::array<std::size_t, shape::max_rank> extent = {};
  std::array<std::size_t, shape::max_rank> step = {};  ///< 0 where the result stays

  reduction_backward_layout() = default;
  reduction_backward_layout(shape const& dims, axis_mask const& reduced) {
    std::array<bool, shape::max_rank> is_reduced = {};
    for (std::size_t axis = 0; axis != dims.rank(); ++axis) {
      auto const size = static_cast<std::size_t>(dims[axis]);
      if (size == 1) continue;
      if (rank != 0 && is_reduced[at(rank - 1)] == reduced[axis]) {
        extent[at(rank - 1)] *= size;
      } else {
        extent[at(rank)] = size;
        is_reduced[at(rank++)] = reduced[axis];
      }
    }
    if (rank == 0) return;
    --rank;
    width = extent[at(rank)];
    moves = !is_reduced[at(rank)];
    std::size_t next = moves ? width : 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      rows *= extent[at(axis)];
      if (is_reduced[at(axis)]) continue;
      step[at(axis)] = next;
      next *= extent[at(axis)];
    }
  }

  /// Returns the index of the result of a row's first element.
  PLAIT_HOST_DEVICE constexpr std::size_t result_of(std::size_t row) const {
    std::size_t found = 0;
    for (std::size_t axis = shape::max_rank; --axis != 0;) {  // constant indices: see broadcast_layout::find
      if (axis >= at(rank)) continue;
      found += row % extent[axis] * step[axis];
      row /= extent[axis];
    }
    return rank == 0 ? 0 : found + row * step[0];
  }

 private:
  PLAIT_HOST_DEVICE static constexpr std::size_t at(int axis) { return static_cast<std::size_t>(axis); }
};

namespace detail {

template <class F, class T>
struct reduction_backward_row {
  reduction_backward_layout layout;
  T const* dy;
  T const* x;
  T const* y;
  T* dx;
  F f;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    std::size_t const result = layout.result_of(row);
    T const* const from = F::reads_elements ? x + row * layout.width : nullptr;
    T* const to = dx + row * layout.width;
    T const* const slopes = dy + result;
    T const* const results = F::reads_results ? y + result : nullptr;
    F const g = f;
    if (layout.moves) {
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i)
        to[i] = g(slopes[i], F::reads_elements ? from[i] : T(0), F::reads_results ? results[i] : T(0));
    } else {
      T const slope = *slopes;
      T const same = F::reads_results ? *results : T(0);
      PLAIT_INDEPENDENT
      for (std::size_t i = first; i < last; ++i) to[i] = g(slope, F::reads_elements ? from[i] : T(0), same);
    }
  }
};

}  // namespace detail

/// Computes dx[i] = f(dy[r], x[i], y[r]), where element i was reduced to result r. F::reads_elements and
/// F::reads_results tell if f reads x and y, which may be nullptr otherwise. dx may alias x, and dy or y if they have
/// as many elements.
template <backend B, class F, class T>
void reduction_backward(reduction_backward_layout const& layout, T const* dy, T const* x, T const* y, T* dx,
                        F const& f) {
  for_each_row_part<B>(layout.rows, layout.width, 1, detail::reduction_backward_row<F, T>{layout, dy, x, y, dx, f});
}

}  // namespace plait

PLAIT_KERNELS_END
