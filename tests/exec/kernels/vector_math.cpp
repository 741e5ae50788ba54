// Vectorisable functions, compared with the C library in the next wider type, whose errors are far below the bounds.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <support/vector_functions.hpp>

namespace {

namespace math = plait::math;
using test::map_loop;
using test::results;
using test::wide;

// PLAIT_FUNCTION(name, bound in ulp for float, for double, exact value)
#define PLAIT_FUNCTION(name, float_bound, double_bound, exact)     \
  struct name##_function {                                         \
    static constexpr char const* text = #name;                     \
    static constexpr double bound(float) { return float_bound; }   \
    static constexpr double bound(double) { return double_bound; } \
    template <class T>                                             \
    PLAIT_ALWAYS_INLINE T operator()(T x) const {                  \
      return math::name(x);                                        \
    }                                                              \
    template <class W>                                             \
    static W expected(W x) {                                       \
      return exact;                                                \
    }                                                              \
  };
PLAIT_FUNCTION(exp, 1.2, 1.2, std::exp(x))
PLAIT_FUNCTION(expm1, 2.1, 2.3, std::expm1(x))
PLAIT_FUNCTION(log, 0.9, 0.9, std::log(x))
PLAIT_FUNCTION(log1p, 1.4, 1.4, std::log1p(x))
PLAIT_FUNCTION(erf, 1.4, 1.0, std::erf(x))
PLAIT_FUNCTION(tanh, 2.6, 2.6, std::tanh(x))
PLAIT_FUNCTION(sigmoid, 2.6, 2.6, (x < 0 ? std::exp(x) : W(1)) / (1 + std::exp(-std::fabs(x))))
PLAIT_FUNCTION(softplus, 1.8, 1.8, (x > 0 ? x : W(0)) + std::log1p(std::exp(-std::fabs(x))))
#undef PLAIT_FUNCTION

// The errors of the factors add up at most.
struct product_function {
  static constexpr char const* text = "sigmoid(x) tanh(-x)";
  static constexpr double bound(float) { return 4; }
  static constexpr double bound(double) { return 4; }
  template <class T>
  PLAIT_ALWAYS_INLINE T operator()(T x) const {
    return (math::sigmoid_fraction(x) * math::tanh_fraction(-x)).value();
  }
  template <class W>
  static W expected(W x) {
    return sigmoid_function::expected(x) * std::tanh(-x);
  }
};
struct product_of_three_function {
  static constexpr char const* text = "tanh(x)^3";
  static constexpr double bound(float) { return 3 * tanh_function::bound(float()); }
  static constexpr double bound(double) { return 3 * tanh_function::bound(double()); }
  template <class T>
  PLAIT_ALWAYS_INLINE T operator()(T x) const {
    return (math::tanh_fraction(x) * math::tanh_fraction(x) * math::tanh_fraction(x)).value();
  }
  template <class W>
  static W expected(W x) {
    return std::pow(std::tanh(x), W(3));
  }
};

struct exp_of_negative_function : exp_function {
  static constexpr char const* text = "exp_of_negative";
  template <class T>
  PLAIT_ALWAYS_INLINE T operator()(T x) const {
    return math::exp_of_negative(math::detail::minus_magnitude(x));
  }
  template <class W>
  static W expected(W x) {
    return std::exp(-std::fabs(x));
  }
};

template <class T>
void append_edges(std::vector<T>& in) {
  using limits = std::numeric_limits<T>;
  for (T const x : {T(0),
                    T(1),
                    limits::min(),
                    limits::denorm_min(),
                    limits::max(),
                    limits::infinity(),
                    limits::epsilon(),
                    T(88.72283),
                    T(88.72284),
                    T(103.97207),
                    T(103.97209),
                    T(87.33654),
                    T(709.782712893384),
                    T(709.782712893385),
                    T(745.1332191019411),
                    T(745.1332191019413),
                    T(708.3964185322641),
                    T(0.34657359),
                    T(0.70710678),
                    T(1.41421356),
                    T(9.0109),
                    T(19.0615),
                    T(1024),
                    T(104),
                    T(746)}) {
    T near = x;
    for (int step = 0; step != 4; ++step) {
      in.push_back(near);
      in.push_back(-near);
      near = std::nextafter(near, T(0));
    }
    in.push_back(std::nextafter(x, limits::infinity()));
    in.push_back(-std::nextafter(x, limits::infinity()));
  }
  in.push_back(limits::quiet_NaN());
  in.push_back(-limits::quiet_NaN());
}

std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Returns floats a prime apart over all bit patterns; doubles with random mantissas in each exponent, and in the ranges
// of argument reductions.
std::vector<float> sample(float) {
  std::vector<float> in;
  append_edges(in);
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4'999)
    in.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (float x = -20; x < 20; x += 0.0001f) in.push_back(x);
  return in;
}
std::vector<double> sample(double) {
  std::vector<double> in;
  append_edges(in);
  std::uint64_t state = 4;
  for (std::uint64_t exponent = 0; exponent != 4096; ++exponent) {
    for (int i = 0; i != 40; ++i) in.push_back(std::bit_cast<double>(exponent << 52 | next_random(state) >> 12));
  }
  for (auto const& [low, high] :
       {std::pair{-1., 1.}, {-0.5, 0.5}, {-40., 40.}, {-746., -700.}, {-745., 710.}, {0.5, 2.}}) {
    for (int i = 0; i != 30'000; ++i)
      in.push_back(low + (high - low) * static_cast<double>(next_random(state) >> 11) * 0x1p-53);
  }
  return in;
}

template <class F, class T>
void check_function() {
  std::vector<T> const in = sample(T{});
  std::vector<wide<T>> exact(in.size());
  for (std::size_t i = 0; i != in.size(); ++i) exact[i] = F::expected(static_cast<wide<T>>(in[i]));
  for (auto const& result : results(map_loop<F, T>{}, in)) {
    auto const& out = result.second;
    double worst = 0;
    T at = 0;
    for (std::size_t i = 0; i != in.size(); ++i) {
      double const error = test::exact_ulps(out[i], exact[i]);
      if (error > worst) {
        worst = error;
        at = in[i];
      }
    }
    CAPTURE(F::text);
    CAPTURE(result.first);
    CAPTURE(at);
    CAPTURE(sizeof(T));
    CHECK(worst <= F::bound(T{}));
    CHECK(worst > 0.5);  // otherwise the oracle is no wider than the function
  }
}

// Checks that results in vectors equal those in the remainder at the end of a loop.
template <class F, class T>
void check_position() {
  std::vector<T> in;
  std::uint64_t state = 9;
  for (int i = 0; i != 997; ++i)
    in.push_back(T(40) * static_cast<T>(static_cast<double>(next_random(state) >> 11) * 0x1p-53 - 0.4));
  auto const whole = results(map_loop<F, T>{}, in);
  for (std::size_t drop = 1; drop != 20; ++drop) {
    auto const part =
        results(map_loop<F, T>{}, std::vector<T>(in.begin() + static_cast<std::ptrdiff_t>(drop), in.end()));
    std::size_t different = 0;
    for (std::size_t set = 0; set != whole.size(); ++set) {
      for (std::size_t i = drop; i != in.size(); ++i) {
        T const a = whole[set].second[i];
        T const b = part[set].second[i - drop];
        different += !(a == b || (std::isnan(a) && std::isnan(b)));
      }
    }
    CAPTURE(F::text);
    CHECK(different == 0);
  }
}

template <class F>
void check_all() {
  check_function<F, float>();
  check_function<F, double>();
  check_position<F, float>();
  check_position<F, double>();
}

}  // namespace

TEST_CASE("exp: the error is within its bound") { check_all<exp_function>(); }
TEST_CASE("exp_of_negative: the error is within its bound") { check_all<exp_of_negative_function>(); }
TEST_CASE("expm1: the error is within its bound") { check_all<expm1_function>(); }
TEST_CASE("log: the error is within its bound") { check_all<log_function>(); }
TEST_CASE("log1p: the error is within its bound") { check_all<log1p_function>(); }
TEST_CASE("erf: the error is within its bound") { check_all<erf_function>(); }
TEST_CASE("tanh: the error is within its bound") { check_all<tanh_function>(); }
TEST_CASE("sigmoid: the error is within its bound") { check_all<sigmoid_function>(); }
TEST_CASE("sigmoid_fraction, tanh_fraction: errors of products are within their bounds") {
  check_all<product_function>();
  check_all<product_of_three_function>();
}
TEST_CASE("softplus: the error is within its bound") { check_all<softplus_function>(); }

TEST_CASE("pow_of_usual: errors of powers of floats are at most 0.51 ulp") {
  std::vector<float> in;
  for (std::uint64_t bits = 0; bits < 0x7f800000; bits += 60'013)
    in.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (float const exponent : {1.7f, 0.5f, -0.3f, 3.0f, -7.25f, 40.0f, 1e-3f}) {
    auto const loop = [exponent](float const* x, float* y, std::size_t count) {
      PLAIT_INDEPENDENT
      for (std::size_t i = 0; i < count; ++i) y[i] = math::pow_of_usual(x[i], exponent);
    };
    for (auto const& result : results(loop, in)) {
      double worst = 0;
      for (std::size_t i = 0; i != in.size(); ++i)
        worst = std::max(worst, test::exact_ulps(result.second[i], std::pow(double{in[i]}, double{exponent})));
      CAPTURE(exponent);
      CAPTURE(result.first);
      CHECK(worst <= 0.51);
    }
  }
}

TEST_CASE_TEMPLATE("vector_math: results with an exact value are exact", T, float, double) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  CHECK(math::exp(T(0)) == T(1));
  CHECK(math::exp(-infinity) == T(0));
  CHECK(math::exp(infinity) == infinity);
  CHECK(math::expm1(-infinity) == T(-1));
  CHECK(math::log(T(1)) == T(0));
  CHECK(math::log(infinity) == infinity);
  CHECK(math::log(T(0)) == -infinity);
  CHECK(math::log(T(-0.0)) == -infinity);
  CHECK(std::isnan(math::log(T(-1))));
  CHECK(std::isnan(math::log(-infinity)));
  CHECK(math::log1p(T(-1)) == -infinity);
  CHECK(std::isnan(math::log1p(std::nextafter(T(-1), T(-2)))));
  CHECK(math::tanh(infinity) == T(1));
  CHECK(math::tanh(-infinity) == T(-1));
  CHECK(math::sigmoid(T(0)) == T(0.5));
  CHECK(math::sigmoid(infinity) == T(1));
  CHECK(math::sigmoid(-infinity) == T(0));
  CHECK(math::softplus(-infinity) == T(0));
  CHECK(math::softplus(infinity) == infinity);
  for (T const x : {T(0), std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min()}) {
    for (T const y : {x, -x}) {
      CHECK(math::tanh(y) == y);
      CHECK(std::signbit(math::tanh(y)) == std::signbit(y));
      CHECK(math::log1p(y) == y);
      CHECK(std::signbit(math::log1p(y)) == std::signbit(y));
      CHECK(math::expm1(y) == y);
      CHECK(std::signbit(math::expm1(y)) == std::signbit(y));
    }
  }
}

TEST_CASE("vector_math: functions work in constant expressions") {
  static_assert(math::exp(0.0f) == 1.0f);
  static_assert(math::tanh(0.0) == 0.0);
  static_assert(math::log(1.0) == 0.0);
  CHECK(math::sigmoid(2.0) + math::sigmoid(-2.0) == doctest::Approx(1).epsilon(1e-15));
}

namespace {
struct reproducible_log {
  template <class T>
  PLAIT_ALWAYS_INLINE T operator()(T x) const {
    return math::detail::log<math::reproducible>(x);
  }
};
}  // namespace

TEST_CASE_TEMPLATE("reproducible: logarithms have the same bits with every instruction set", T, float, double) {
  std::vector<T> const in = sample(T{});
  auto const sets = results(map_loop<reproducible_log, T>{}, in);
  for (std::size_t set = 1; set != sets.size(); ++set) {
    std::size_t different = 0;
    for (std::size_t i = 0; i != in.size(); ++i) {
      if (std::isnan(sets[0].second[i]) && std::isnan(sets[set].second[i])) continue;
      different += math::detail::to_bits(sets[0].second[i]) != math::detail::to_bits(sets[set].second[i]);
    }
    CAPTURE(sets[set].first);
    CHECK(different == 0);
  }
}
