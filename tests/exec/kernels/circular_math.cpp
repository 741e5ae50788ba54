// Sine and cosine, compared with the C library in the next wider type.
#include <plait/exec/detail/kernels/circular_math.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <support/vector_functions.hpp>

namespace {

namespace math = plait::math;

struct sine {
  template <class T>
  PLAIT_ALWAYS_INLINE T operator()(T x) const {
    return math::sin(x);
  }
  template <class W>
  static W expected(W x) {
    return std::sin(x);
  }
};
struct cosine {
  template <class T>
  PLAIT_ALWAYS_INLINE T operator()(T x) const {
    return math::cos(x);
  }
  template <class W>
  static W expected(W x) {
    return std::cos(x);
  }
};

// Returns special numbers, all exponents, and neighbours of multiples of a quarter turn, where nearly all bits cancel.
template <class T>
std::vector<T> sample() {
  using limits = std::numeric_limits<T>;
  constexpr T end = math::circular_end<T>;
  std::vector<T> in = {T(0), limits::denorm_min(), limits::min(), end, limits::quiet_NaN()};
  std::mt19937_64 random(5);
  auto const fraction = [&] { return static_cast<T>(random() >> 11) * T(0x1p-53); };
  for (int exponent = -40; std::ldexp(T(1), exponent) < end; ++exponent)
    for (int i = 0; i != 3'000; ++i) in.push_back(std::ldexp(T(1) + fraction(), exponent));
  constexpr long double quarter = 1.57079632679489661923132169163975144L;
  for (int i = 0; i != 100'000; ++i) {
    auto const n = static_cast<long double>(random() % static_cast<std::uint64_t>(end / T(1.6)));
    auto const x = static_cast<T>(n * quarter);
    in.push_back(x);
    in.push_back(std::nextafter(x, end));
  }
  for (std::size_t i = 0, count = in.size(); i != count; ++i) in.push_back(-in[i]);
  return in;
}

template <class F, class T>
void check_function() {
  std::vector<T> const in = sample<T>();
  for (auto const& result : test::results(test::map_loop<F, T>{}, in)) {
    std::string const& set = result.first;
    double worst = 0;
    for (std::size_t i = 0; i != in.size(); ++i)
      worst = std::max(worst, test::exact_ulps(result.second[i], F::expected(static_cast<test::wide<T>>(in[i]))));
    CAPTURE(set);
    CHECK(worst < (sizeof(T) == sizeof(float) ? 0.501 : set == "portable" ? 0.83 : 0.8));
    CHECK(worst > 0.5);  // otherwise the oracle is no wider than the function
  }
}

TEST_CASE("circular_math: errors of sine and cosine are below one ulp with all instruction sets") {
  check_function<sine, float>();
  check_function<cosine, float>();
  check_function<sine, double>();
  check_function<cosine, double>();
}

// Both are constant expressions.
static_assert(math::sin(0.0) == 0.0 && math::cos(0.0f) == 1.0f && math::cos(0.0) == 1.0);
static_assert(std::bit_cast<std::uint32_t>(math::sin(-0.0f)) == 0x80000000u && math::sin(0.0f) == 0.0f);
static_assert(math::sin(1.0) > 0.8414709848 && math::sin(1.0) < 0.8414709849);
static_assert(math::cos(-3.0f) == math::cos(3.0f) && math::sin(-3.0f) == -math::sin(3.0f));

}  // namespace
