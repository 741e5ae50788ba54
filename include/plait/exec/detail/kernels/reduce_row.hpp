// Sums, maxima and minima of a row by one thread.
//
// The order of additions depends on the extent only: a row is summed in as many lanes as four of the widest vectors
// have, these are folded in pairs until one vector is left, for what is too short for all, and what is longer than a
// block is summed by block first. The error is that of some 150 additions for each level of blocks, not of as many as
// there are elements.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

// ---- what elements are combined by

/// Integers wrap around.
struct sum_reduction {
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T identity() {
    return T(0);
  }
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T combine(T a, T b) {
    if constexpr (std::integral<T>) {
      using bits = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<bits>(a) + static_cast<bits>(b));
    } else {
      return a + b;
    }
  }
};

/// NaN if any element is; -infinity, or the lowest integer, of nothing.
struct max_reduction {
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T identity() {
    using limits = std::numeric_limits<T>;
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  }
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T combine(T a, T b) {
    T const larger = a > b ? a : b;  // two steps, each of which is one instruction
    return a != a ? a : larger;
  }
};

/// NaN if any element is; infinity, or the highest integer, of nothing.
struct min_reduction {
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T identity() {
    using limits = std::numeric_limits<T>;
    return limits::has_infinity ? limits::infinity() : limits::max();
  }
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T combine(T a, T b) {
    T const smaller = a < b ? a : b;
    return a != a ? a : smaller;
  }
};

// ---- what is combined of an element

struct as_it_is {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    return x;
  }
};
struct magnitude_of {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    if constexpr (std::integral<T>) {
      using bits = std::make_unsigned_t<T>;
      return x < 0 ? static_cast<T>(bits{0} - static_cast<bits>(x)) : x;
    } else {
      return x < T(0) ? -x : x + T(0);
    }
  }
};
struct square_of {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    return x * x;
  }
};

// ---- one row, in one thread

/// Elements that are summed before blocks are.
inline constexpr std::size_t reduction_block = 8192;

/// How many sums are kept of a row.
template <class T>
inline constexpr std::size_t reduction_lanes = 256 / sizeof(T);

namespace detail {

// Combines `Lanes` elements in pairs until `Left` are left. More than 16 pairs GCC does not unroll too early, and of
// fewer than four it is to make single elements.
template <class R, std::size_t Lanes, std::size_t Left, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline void fold_lanes(T* lane) {
  constexpr std::size_t pairs = Lanes / 2;
  if constexpr (Lanes != Left) {
    if constexpr (pairs >= 4 && pairs <= 16) {
      PLAIT_VECTOR_LOOP
      for (std::size_t l = 0; l < pairs; ++l) lane[l] = R::combine(lane[l], lane[l + pairs]);
    } else {
      PLAIT_INDEPENDENT
      for (std::size_t l = 0; l < pairs; ++l) lane[l] = R::combine(lane[l], lane[l + pairs]);
    }
    fold_lanes<R, pairs, Left>(lane);
  }
}

// Fewer than a vector: a few at a time, so that not each waits for the one before.
template <class R, class T, class F>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline T reduce_few(std::size_t first, std::size_t last, F const& element) {
  constexpr std::size_t together = 4;
  T part[together];
  for (T& p : part) p = R::template identity<T>();
  std::size_t i = first;
  for (; i + together <= last; i += together)
    for (std::size_t l = 0; l < together; ++l) part[l] = R::combine(part[l], element(i + l));
  for (; i < last; ++i) part[0] = R::combine(part[0], element(i));
  fold_lanes<R, together, 1>(part);
  return part[0];
}

template <class R, class T, class F>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline T reduce_block(std::size_t n, F const& element) {
#if defined(__CUDA_ARCH__)
  constexpr std::size_t lanes = 4;
  constexpr std::size_t vector = 1;
#else
  constexpr std::size_t lanes = reduction_lanes<T>;
  constexpr std::size_t vector = lanes / 4;
#endif
  std::size_t i = 0;
  if (n < vector) return reduce_few<R, T>(i, n, element);
  T lane[lanes];
  if (n >= lanes) {
    PLAIT_INDEPENDENT
    for (std::size_t l = 0; l < lanes; ++l) lane[l] = R::combine(R::template identity<T>(), element(l));
    for (i = lanes; i + lanes <= n; i += lanes) {
      PLAIT_INDEPENDENT
      for (std::size_t l = 0; l < lanes; ++l) lane[l] = R::combine(lane[l], element(i + l));
    }
    fold_lanes<R, lanes, vector>(lane);
  } else {
    PLAIT_VECTOR_LOOP
    for (std::size_t l = 0; l < vector; ++l) lane[l] = R::combine(R::template identity<T>(), element(l));
    i = vector;
  }
  for (; i + vector <= n; i += vector) {
    PLAIT_VECTOR_LOOP
    for (std::size_t l = 0; l < vector; ++l) lane[l] = R::combine(lane[l], element(i + l));
  }
  T const rest = reduce_few<R, T>(i, n, element);
  fold_lanes<R, vector, 1>(lane);
  return R::combine(lane[0], rest);
}

}  // namespace detail

/// Combines element(i) for i below n. element may have effects at i, once each.
template <class R, class T, class F>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline T reduce_row(std::size_t n, F const& element) {
  if (n <= reduction_block) return detail::reduce_block<R, T>(n, element);
  T total = R::template identity<T>();
  for (std::size_t first = 0; first < n; first += reduction_block) {
    std::size_t const count = n - first < reduction_block ? n - first : reduction_block;
    total = R::combine(
        total, detail::reduce_block<R, T>(count, [&element, first](std::size_t i) { return element(first + i); }));
  }
  return total;
}

}  // namespace plait

PLAIT_KERNELS_END
