// Functions that are simple of the numbers that come up, and hard of a few others: large angles, powers of negative
// numbers. Next to operator() such a function has
//
//   bool is_usual(T x) const;        // of the first operand
//   T usual(T x, ...) const;         // of what is usual: as vector_math.hpp wants functions, so that it vectorises
//
// and loops on the host look at a stretch before they choose.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

#include <plait/exec/detail/kernels/instruction_sets.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

template <class F, class T>
concept has_usual = requires(F const& f, T x) {
  { f.is_usual(x) } -> std::same_as<bool>;
};

template <class F>
struct usual_case {
  F f;
  template <class... Ts>
  PLAIT_ALWAYS_INLINE auto operator()(Ts... xs) const {
    return f.usual(xs...);
  }
};

// Element by element: what an element comes to does not depend on what else is in its stretch.
template <class F>
struct any_case {
  F f;
  template <class T, class... Ts>
  PLAIT_ALWAYS_INLINE auto operator()(T x, Ts... xs) const {
    return f.is_usual(x) ? f.usual(x, xs...) : f(x, xs...);
  }
};

/// loop(g, first, last) for stretches that make up [first, last), g being f in the form that is best there; `x` are the
/// first operands, which the loop may overwrite.
template <class F, class T, class Loop>
PLAIT_ALWAYS_INLINE inline void by_case(F const& f, T const* x, std::size_t first, std::size_t last, Loop const& loop) {
  if constexpr (!has_usual<F, T>) {
    PLAIT_INLINE_CALL loop(f, first, last);
  } else {
    constexpr std::size_t stretch = 512;
    for (std::size_t end = first; first < last; first = end) {
      end = std::min(last, first + stretch);
      unsigned unusual = 0;
      for (std::size_t i = first; i < end; ++i) unusual |= f.is_usual(x[i]) ? 0U : 1U;
      if (unusual == 0)
        PLAIT_INLINE_CALL loop(usual_case<F>{f}, first, end);
      else
        PLAIT_INLINE_CALL loop(any_case<F>{f}, first, end);
    }
  }
}

}  // namespace plait::detail

PLAIT_KERNELS_END
