// Softmax of rows, in as few passes over memory as a row in the cache needs.
#pragma once

#include <cstddef>

#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// The thread team of a row calls all of these (thread_team.hpp).

/// Maximum of a row, and sum of its exponentials exp(x - highest). NaN and infinities follow the definition: a row that
/// contains +infinity or NaN, or only -infinity, becomes NaN.
template <class T>
struct softmax_parts {
  T highest;
  T total;
};

template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline T highest_of_row(T const* x, std::size_t width) {
  return reduce_team_row<max_reduction, T>(width, [x](std::size_t i) { return x[i]; });
}

/// Computes y = softmax(x); y may be x.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline softmax_parts<T> softmax_row(T const* x, T* y, std::size_t width) {
  T const highest = highest_of_row(x, width);
  T const total = reduce_team_row<sum_reduction, T>(
      width, [x, y, highest](std::size_t i) { return y[i] = math::exp_of_negative(x[i] - highest); });
  T const scale = T(1) / total;
  for_team_elements(width, [y, scale](std::size_t i) { y[i] *= scale; });
  return {highest, total};
}

/// Computes the maximum and the sum only.
template <class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline softmax_parts<T> softmax_parts_of_row(T const* x, std::size_t width) {
  T const highest = highest_of_row(x, width);
#if defined(__CUDA_ARCH__)
  T const total = reduce_team_row<sum_reduction, T>(
      width, [x, highest](std::size_t i) { return math::exp_of_negative(x[i] - highest); });
#else
  constexpr std::size_t stretch = 256;  // exponentials buffered at a time: short loops vectorise, too
  T total = T(0);
  for (std::size_t first = 0; first < width; first += stretch) {
    T kept[stretch];
    std::size_t const count = width - first < stretch ? width - first : stretch;
    T const* const from = x + first;
    T* const to = kept;
    PLAIT_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) to[i] = math::exp_of_negative(from[i] - highest);
    total += reduce_block<sum_reduction, T>(count, [to](std::size_t i) { return to[i]; });
  }
#endif
  return {highest, total};
}

template <class T>
struct softmax_rows {
  T const* x;
  T* y;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    softmax_row(x + row * width, y + row * width, width);
  }
};

template <class T>
struct log_softmax_rows {
  T const* x;
  T* y;
  std::size_t width;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t row) const {
    T const* const from = x + row * width;
    T* const to = y + row * width;
    softmax_parts<T> const parts = softmax_parts_of_row(from, width);
    T const highest = parts.highest;
    T const log_total = math::log(parts.total);
    for_team_elements(width, [=](std::size_t i) { to[i] = (from[i] - highest) - log_total; });
  }
};

}  // namespace detail

/// Computes y[row, :] = exp(x[row, :]) / the sum of them. y may be x.
template <backend B, class T>
void softmax(T const* x, T* y, std::size_t rows, std::size_t width) {
  for_each_team<B>(rows, width, 4 * width, detail::softmax_rows<T>{x, y, width});
}

/// Computes y[row, :] = x[row, :] - log(the sum of exp(x[row, :])). y may be x.
template <backend B, class T>
void log_softmax(T const* x, T* y, std::size_t rows, std::size_t width) {
  for_each_team<B>(rows, width, 4 * width, detail::log_softmax_rows<T>{x, y, width});
}

}  // namespace plait

PLAIT_KERNELS_END
