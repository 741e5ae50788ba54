// Element-wise square root.
#pragma once

#include <cmath>
#include <cstddef>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <plait/exec/detail/kernels/map.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

/// Correctly rounded square root. Compilers do not vectorise it, since std::sqrt may set errno.
template <class T>
struct square_root {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::sqrt(x); }
};

}  // namespace functions

namespace detail {

template <class T>
struct square_root_loop {
  T const* x;
  T* out;
  void operator()(std::size_t first, std::size_t last) const {
    T const* const from = x;
    T* const to = out;
#if defined(__SSE2__)
    // Wider registers take twice the time for twice the roots, up to now.
    if constexpr (sizeof(T) == 4) {
      for (; first + 4 <= last; first += 4) _mm_storeu_ps(to + first, _mm_sqrt_ps(_mm_loadu_ps(from + first)));
    } else {
      for (; first + 2 <= last; first += 2) _mm_storeu_pd(to + first, _mm_sqrt_pd(_mm_loadu_pd(from + first)));
    }
#endif
    for (; first < last; ++first) to[first] = std::sqrt(from[first]);
  }
};

/// Implements an element_function.
template <class T>
void square_root_some(void const*, void* const* operands, std::size_t count) {
  square_root_loop<T>{static_cast<T const*>(operands[0]), static_cast<T*>(operands[1])}(0, count);
}

}  // namespace detail

/// Computes out[i] = √x[i]; out may be x.
template <backend B, class T>
void square_root(T const* x, T* out, std::size_t count) {
  if constexpr (B::on_device) {
    map<B, functions::square_root<T>>(x, out, count);
  } else {
    for_each_tile<B>(count, tile_size, detail::square_root_loop<T>{x, out});
  }
}

}  // namespace plait

PLAIT_KERNELS_END
