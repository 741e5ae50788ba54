// Layer normalisation of rows, and normalisation of rows and columns to a norm.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct layer_norm_rows {
  T const* x;
  T* y;
  T* means;  // null, like deviations: not stored
  T* deviations;
  T const* scale;  // by column, like bias; null: 1 and 0
  T const* bias;
  std::size_t width;
  T epsilon;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const from = x + row * width;
    T* const to = y + row * width;
    std::size_t const count = width;
    T const n = static_cast<T>(count);
    T const mean = reduce_team_row<sum_reduction, T>(count, [from](std::size_t i) { return from[i]; }) / n;
    T const variance = reduce_team_row<sum_reduction, T>(count,
                                                         [from, mean](std::size_t i) {
                                                           T const d = from[i] - mean;
                                                           return d * d;
                                                         }) /
                       n;
    T const deviation = std::sqrt(variance + epsilon);
    T const factor = T(1) / deviation;
    if (scale == nullptr) {
      for_team_elements(count, [=](std::size_t i) { to[i] = (from[i] - mean) * factor; });
    } else {
      T const* const by = scale;
      T const* const plus = bias;
      for_team_elements(count, [=](std::size_t i) { to[i] = (from[i] - mean) * factor * by[i] + plus[i]; });
    }
    if (means != nullptr) means[row] = mean;
    if (deviations != nullptr) deviations[row] = deviation;
  }
};

/// Divisor of a vector: its norm, at least 1e-12; or its sum of magnitudes, or 1 if that is 0.
template <class T, bool Magnitudes>
struct norm {
  static PLAIT_HOST_DEVICE constexpr T part(T x) {
    if constexpr (Magnitudes)
      return magnitude_of()(x);
    else
      return x * x;
  }
  static PLAIT_HOST_DEVICE T divisor(T sum) {
    if constexpr (Magnitudes) {
      return sum == T(0) ? T(1) : sum;
    } else {
      T const root = std::sqrt(sum);
      return root < T(1e-12) ? T(1e-12) : root;
    }
  }
};

template <class T, bool Magnitudes>
struct normalize_rows {
  T const* x;
  T* y;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    using norm = detail::norm<T, Magnitudes>;
    T const* const from = x + row * width;
    T* const to = y + row * width;
    std::size_t const count = width;
    T const divisor =
        norm::divisor(reduce_team_row<sum_reduction, T>(count, [from](std::size_t i) { return norm::part(from[i]); }));
    for_team_elements(count, [=](std::size_t i) { to[i] = from[i] / divisor; });
  }
};

// Normalises Width columns at a time; one per thread on devices.
template <class T, bool Magnitudes, std::size_t Width>
struct normalize_columns {
  T const* x;
  T* y;
  std::size_t n;
  std::size_t inner;
  std::size_t strips;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    using norm = detail::norm<T, Magnitudes>;
    std::size_t const left = inner - task % strips * Width;
    std::size_t const columns = left < Width ? left : Width;
    std::size_t const first = task / strips * n * inner + task % strips * Width;
    T divisors[Width];
    for (std::size_t c = 0; c < columns; ++c) divisors[c] = T(0);
    // Sums blocks first, as for rows: the errors of all rows would add up.
    constexpr std::size_t block = 512;
    for (std::size_t begin = 0; begin < n; begin += block) {
      std::size_t const end = n - begin < block ? n : begin + block;
      T part[Width];
      for (std::size_t c = 0; c < columns; ++c) part[c] = T(0);
      for (std::size_t r = begin; r < end; ++r) {
        T const* const from = x + first + r * inner;
        PLAIT_INDEPENDENT
        for (std::size_t c = 0; c < columns; ++c) part[c] += norm::part(from[c]);
      }
      for (std::size_t c = 0; c < columns; ++c) divisors[c] += part[c];
    }
    for (std::size_t c = 0; c < columns; ++c) divisors[c] = norm::divisor(divisors[c]);
    for (std::size_t r = 0; r < n; ++r) {
      T const* const from = x + first + r * inner;
      T* const to = y + first + r * inner;
      PLAIT_INDEPENDENT
      for (std::size_t c = 0; c < columns; ++c) to[c] = from[c] / divisors[c];
    }
  }
};

}  // namespace detail

/// Layer normalisation: computes y = (x - mean) / deviation of each row, with deviation = sqrt(variance + epsilon) and
/// the variance of all elements of the row. y may be x. The variance is summed from differences to the mean, which
/// avoids cancellation. Column c of y is then multiplied by scale[c], and bias[c] added, unless both are null. Means
/// and deviations are stored unless null.
template <backend B, class T>
void layer_norm(T const* x, T const* scale, T const* bias, T* y, T* means, T* deviations, std::size_t rows,
                std::size_t width, T epsilon) {
  for_each_team<B>(rows, width, width,
                   detail::layer_norm_rows<T>{x, y, means, deviations, scale, bias, width, epsilon});
}

/// Divides the vectors along the middle axis of [outer, n, inner] by their Euclidean norm, or their sum of magnitudes.
/// y may be x.
template <backend B, bool Magnitudes, class T>
void normalize(T const* x, T* y, std::size_t outer, std::size_t n, std::size_t inner) {
  if (inner == 1) {
    for_each_team<B>(outer, n, n, detail::normalize_rows<T, Magnitudes>{x, y, n});
    return;
  }
  constexpr std::size_t width = B::on_device ? 1 : 256;
  std::size_t const strips = (inner + width - 1) / width;
  for_each_row<B>(outer * strips, n * std::min(width, inner),
                  detail::normalize_columns<T, Magnitudes, width>{x, y, n, inner, strips});
}

}  // namespace plait

PLAIT_KERNELS_END
