// Fast path of functions that are simple for usual arguments and hard for a few others: large angles, powers of
// negative numbers. Besides operator() such a function has
//
//   bool is_fast(T x) const;        // true if the first operand is on the fast path
//   T fast(T x, ...) const;         // fast path, which vectorises: see vector_math.hpp
//
// and loops on the host test a chunk of elements before they choose.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

#include <plait/exec/detail/kernels/instruction_sets.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

template <class F, class T>
concept has_fast_path = requires(F const& f, T x) {
  { f.is_fast(x) } -> std::same_as<bool>;
};

template <class F>
struct fast_case {
  F f;
  template <class... Ts>
  PLAIT_ALWAYS_INLINE auto operator()(Ts... xs) const {
    return f.fast(xs...);
  }
};

// Chooses per element: a result does not depend on the other elements of its chunk.
template <class F>
struct any_case {
  F f;
  template <class T, class... Ts>
  PLAIT_ALWAYS_INLINE auto operator()(T x, Ts... xs) const {
    return f.is_fast(x) ? f.fast(x, xs...) : f(x, xs...);
  }
};

/// Calls loop(g, first, last) for chunks that cover [first, last), where g is the fast path of f if all elements allow
/// it, else chooses by element. `x` are the first operands, which the loop may overwrite.
template <class F, class T, class Loop>
PLAIT_ALWAYS_INLINE inline void by_case(F const& f, T const* x, std::size_t first, std::size_t last, Loop const& loop) {
  if constexpr (!has_fast_path<F, T>) {
    PLAIT_INLINE_CALL loop(f, first, last);
  } else {
    constexpr std::size_t stretch = 512;
    for (std::size_t end = first; first < last; first = end) {
      end = std::min(last, first + stretch);
      unsigned unusual = 0;
      for (std::size_t i = first; i < end; ++i) unusual |= f.is_fast(x[i]) ? 0U : 1U;
      if (unusual == 0)
        PLAIT_INLINE_CALL loop(fast_case<F>{f}, first, end);
      else
        PLAIT_INLINE_CALL loop(any_case<F>{f}, first, end);
    }
  }
}

}  // namespace plait::detail

PLAIT_KERNELS_END
