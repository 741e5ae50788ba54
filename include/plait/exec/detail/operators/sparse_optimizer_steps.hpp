// Update steps of the sparse optimisers, each for one row of a parameter.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/operators/optimizers.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Runs the steps of one shard: of the rows with row % shares == share. A row that is listed several times takes its
/// steps in the order of the list, for any number of shards.
template <class I, class Step>
struct row_share {
  Step step;
  I const* indices;
  std::size_t count;
  std::size_t width;
  std::size_t shares;

  PLAIT_HOST_DEVICE void operator()(std::size_t share, std::size_t first, std::size_t last) const {
    Step const own = step;
    for (std::size_t i = 0; i != count; ++i) {
      auto const row = static_cast<std::size_t>(indices[i]);
      if (row % shares == share) own(row, i, first, last);
    }
  }
};

/// Updates columns [first, last) of a row with row i of the gradient. Steps with `whole_rows`, where all columns of a
/// row share one number, update all columns.
template <class T, class Number>
struct sparse_adagrad_step {
  static constexpr bool whole_rows = false;
  T* parameter;
  T* squares;
  T const* gradient;
  std::size_t width;
  Number rate;
  T epsilon;
  T weight_decay;

  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t i, std::size_t first, std::size_t last) const {
    T* const p = parameter + row * width;
    T* const h = squares + row * width;
    T const* const g = gradient + i * width;
    T const r = rate();
    PLAIT_INDEPENDENT
    for (std::size_t d = first; d < last; ++d) {
      T const own = decayed_gradient(g[d], p[d], weight_decay);
      T const sum = h[d] + own * own;
      h[d] = sum;
      p[d] += r * own / (std::sqrt(sum) + epsilon);
    }
  }
};

/// Returns the mean square of a row of numbers.
template <class T>
PLAIT_HOST_DEVICE T mean_square(T const* g, std::size_t width) {
  T sum = 0;
  for (std::size_t d = 0; d != width; ++d) sum += g[d] * g[d];
  return sum / static_cast<T>(width);
}

template <class T, class Number>
struct row_wise_adagrad_step {
  static constexpr bool whole_rows = true;
  T* parameter;
  T* squares;  ///< one for each row
  T const* gradient;
  std::size_t width;
  Number rate;
  T epsilon;
  T weight_decay;

  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t i, std::size_t, std::size_t) const {
    T* const p = parameter + row * width;
    T const* const g = gradient + i * width;
    T sum = 0;
    for (std::size_t d = 0; d != width; ++d) {
      T const own = decayed_gradient(g[d], p[d], weight_decay);
      sum += own * own;
    }
    squares[row] += sum / static_cast<T>(width);
    T const own_rate = rate() / (std::sqrt(squares[row]) + epsilon);
    PLAIT_INDEPENDENT
    for (std::size_t d = 0; d < width; ++d) p[d] += own_rate * decayed_gradient(g[d], p[d], weight_decay);
  }
};

/// With RowWise, the mean square is that of a whole row.
template <class T, class Number, bool RowWise>
struct sparse_adam_step {
  static constexpr bool whole_rows = RowWise;
  T* parameter;
  T* mean;
  T* squares;
  T const* gradient;
  T* direction;  ///< nullptr: not an output
  std::size_t width;
  Number rate;
  Number correction;
  T beta1;
  T beta2;
  T epsilon;

  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t i, std::size_t first, std::size_t last) const {
    T* const p = parameter + row * width;
    T* const m = mean + row * width;
    T const* const g = gradient + i * width;
    T const c = correction();
    T const r = rate();
    if constexpr (RowWise) squares[row] = beta2 * squares[row] + (T(1) - beta2) * mean_square(g, width);
    PLAIT_INDEPENDENT
    for (std::size_t d = first; d < last; ++d) {
      T v;
      if constexpr (RowWise)
        v = squares[row];
      else
        v = squares[row * width + d] = beta2 * squares[row * width + d] + (T(1) - beta2) * g[d] * g[d];
      m[d] = beta1 * m[d] + (T(1) - beta1) * g[d];
      T const towards = c * m[d] / (std::sqrt(v) + epsilon);
      p[d] += r * towards;
      if (direction != nullptr) direction[i * width + d] = towards;
    }
  }
};

template <class T, class Number>
struct sparse_momentum_step {
  static constexpr bool whole_rows = false;
  T const* gradient;
  T* momentum_of;
  T* step;
  T* parameter;
  std::size_t width;
  Number rate;
  T momentum;
  bool nesterov;

  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t i, std::size_t first, std::size_t last) const {
    momentum_step<T, Number> const one{gradient + i * width,
                                       momentum_of + row * width,
                                       parameter + row * width,
                                       step + i * width,
                                       momentum_of + row * width,
                                       parameter + row * width,
                                       rate,
                                       momentum,
                                       nesterov};
    for (std::size_t d = first; d < last; ++d) one(d);
  }
};

// Task of one thread: all columns of a shard, or one column on devices.
template <class F>
struct share_task {
  F f;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { f(i, 0, f.width); }
};
template <class F>
struct share_element {
  F f;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    std::size_t const column = i % f.width;
    f(i / f.width, column, column + 1);
  }
};

template <class T, class Number>
struct scale_down {
  T const* x;
  T* y;
  Number factor;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { y[i] = factor() * x[i]; }
};

}  // namespace detail

}  // namespace plait

PLAIT_KERNELS_END
