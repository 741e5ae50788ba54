// Against the C library in the next wider type.
#include <plait/exec/kernels/circular_math.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/kernels/instruction_sets.hpp>

namespace {

namespace math = plait::math;

template <class T>
using wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

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

template <class F, class T>
struct map_loop {
  void operator()(T const* in, T* out, std::size_t count) const {
    PLAIT_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] = F{}(in[i]);
  }
};

// All exponents up to the end; next to multiples of a quarter turn, where nearly all bits cancel; and what is special.
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

template <class T>
double ulps(T found, wide<T> exact) {
  auto const rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(found))
    return std::isnan(rounded) && std::isnan(found) ? 0 : std::numeric_limits<double>::infinity();
  if (rounded == 0) return found == 0 && std::signbit(found) == std::signbit(rounded) ? 0 : 1e9;
  int exponent = 0;
  std::frexp(std::max(std::fabs(rounded), std::numeric_limits<T>::min()), &exponent);
  return static_cast<double>(std::fabs(static_cast<wide<T>>(found) - exact) /
                             std::ldexp(wide<T>(1), exponent - std::numeric_limits<T>::digits));
}

template <class F, class T>
double largest_error(void (*run)(map_loop<F, T> const&, T const*, T*, std::size_t)) {
  std::vector<T> const in = sample<T>();
  std::vector<T> out(in.size());
  run(map_loop<F, T>{}, in.data(), out.data(), in.size());
  double most = 0;
  for (std::size_t i = 0; i != in.size(); ++i) {
    double const error = ulps<T>(out[i], F::expected(static_cast<wide<T>>(in[i])));
    CAPTURE(in[i]);
    if (error > 1) CHECK(error <= 1);
    most = std::max(most, error);
  }
  return most;
}

template <class F, class T>
void check_function() {
  using plait::detail::run_portable;
  CHECK(largest_error<F, T>(&run_portable<map_loop<F, T>, T const*, T*, std::size_t>) < 0.86);
#if PLAIT_X86_DISPATCH
  using plait::instruction_set;
  auto const best = plait::available_instructions();
  if (best >= instruction_set::avx2)
    CHECK(largest_error<F, T>(&plait::detail::run_avx2<map_loop<F, T>, T const*, T*, std::size_t>) < 0.81);
  if (best >= instruction_set::avx512)
    CHECK(largest_error<F, T>(&plait::detail::run_avx512<map_loop<F, T>, T const*, T*, std::size_t>) < 0.81);
#endif
}

TEST_CASE("circular_math: sine and cosine, below one unit of the last place with any instructions") {
  check_function<sine, float>();
  check_function<cosine, float>();
  check_function<sine, double>();
  check_function<cosine, double>();
}

TEST_CASE("circular_math: constant expressions") {
  static_assert(math::sin(0.0) == 0.0 && math::cos(0.0f) == 1.0f);
  static_assert(math::sin(1.0) > 0.8414709848 && math::sin(1.0) < 0.8414709849);
  static_assert(math::cos(-3.0f) == math::cos(3.0f) && math::sin(-3.0f) == -math::sin(3.0f));
}

}  // namespace
