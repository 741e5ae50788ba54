// Reductions (sum, maximum, minimum) of a row by one thread: pairwise summation in blocks.
//
// The order of additions depends on the extent only. A row is summed in as many lanes as four of the widest vectors
// have; these are folded pairwise to one vector, which also sums what is left of the row. Rows that exceed a block are
// summed block by block. The error is that of some 150 additions per level of blocks, not of one per element.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

// ---- combining functions

/// Sum; integers wrap around.
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

/// Product; integers wrap around.
struct product_reduction {
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T identity() {
    return T(1);
  }
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T combine(T a, T b) {
    if constexpr (std::integral<T>) {
      using wide = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
      return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b));
    } else {
      return a * b;
    }
  }
};

/// Maximum: NaN if any element is; -infinity, or the lowest integer, if there are no elements.
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

/// Minimum: NaN if any element is; infinity, or the highest integer, if there are no elements.
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

// ---- functions of elements before they are combined

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

/// Number of elements of a block.
inline constexpr std::size_t reduction_block = 8192;

/// Number of accumulators of a row.
template <class T>
inline constexpr std::size_t reduction_lanes = 256 / sizeof(T);

namespace detail {

// Combines `Lanes` elements pairwise until `Left` are left. GCC does not unroll loops over more than 16 pairs too
// early, and should use scalars for fewer than four.
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

// Reduces fewer elements than a vector has, in several accumulators to hide latency.
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

/// Reduces element(i) over i below n. Calls element once for each i, so it may have side effects there.
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
