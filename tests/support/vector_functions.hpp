// Runs vectorised scalar functions (vector_math.hpp) with every instruction set, and measures their error in ulps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <plait/exec/detail/kernels/instruction_sets.hpp>

#include <support/instruction_sets.hpp>

namespace test {

template <class T>
struct wider;
template <>
struct wider<float> {
  using type = double;
};
template <>
struct wider<double> {
  using type = long double;
};
template <class T>
using wide = typename wider<T>::type;

PLAIT_KERNELS_BEGIN

template <class F, class T>
struct map_loop {
  void operator()(T const* in, T* out, std::size_t count) const {
    PLAIT_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] = F{}(in[i]);
  }
};

PLAIT_KERNELS_END

/// Returns the results of loop(in, out, count), for each instruction set of this processor.
template <class Loop, class T>
std::vector<std::pair<std::string, std::vector<T>>> results(Loop const& loop, std::vector<T> const& in) {
  std::vector<std::pair<std::string, std::vector<T>>> made;
  auto const add = [&](char const* name, auto run) {
    std::vector<T> out(in.size());
    run(in.data(), out.data(), in.size());
    made.emplace_back(name, std::move(out));
  };
  using plait::instruction_set;
  add("portable", [&](T const* x, T* y, std::size_t n) { plait::detail::run_portable(loop, x, y, n); });
#if PLAIT_X86_DISPATCH
  if (has_instructions(instruction_set::avx2))
    add("avx2", [&](T const* x, T* y, std::size_t n) { plait::detail::run_avx2(loop, x, y, n); });
  if (has_instructions(instruction_set::avx512))
    add("avx512", [&](T const* x, T* y, std::size_t n) { plait::detail::run_avx512(loop, x, y, n); });
#endif
  return made;
}

/// Returns the error of `found` in ulps of `exact` as a T; infinity for a wrong class (NaN, infinity, signed zero).
template <class T>
double exact_ulps(T found, wide<T> exact) {
  using limits = std::numeric_limits<T>;
  T const rounded = static_cast<T>(exact);
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(rounded) || std::isnan(found)) return std::isnan(rounded) && std::isnan(found) ? 0 : wrong;
  if (std::isinf(rounded) || std::isinf(found)) return rounded == found ? 0 : wrong;
  if (rounded == 0 && found == 0) return std::signbit(rounded) == std::signbit(found) ? 0 : wrong;
  int exponent = 0;
  std::frexp(std::max(std::fabs(rounded), limits::min()), &exponent);
  wide<T> const ulp = std::ldexp(wide<T>(1), exponent - limits::digits);
  return static_cast<double>(std::fabs(static_cast<wide<T>>(found) - exact) / ulp);
}

}  // namespace test
