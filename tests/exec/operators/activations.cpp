#include <plait/exec/detail/operators/activations.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/element_oracle.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::run_op;
using test::table;

using real = long double;
constexpr real infinity = std::numeric_limits<real>::infinity();

template <class B, class T>
void check_all() {
  auto const check = [](std::string const& op, double bound, auto const& f) {
    test::check_function<B, T>(table<B>(), table<plait::serial>(), op, -30, 30, bound, f);
  };
  auto const below = [](real x, real y) { return x < 0 ? y : x; };
  check("type: 'Sigmoid'", 4, [](real x) { return 1 / (1 + std::exp(-x)); });
  check("type: 'Tanh'", 4, [](real x) { return std::tanh(x); });
  check("type: 'Relu'", 0, [&](real x) { return below(x, 0); });
  check("type: 'LeakyRelu'", 0.5, [&](real x) { return below(x, static_cast<real>(0.01f) * x); });
  check("type: 'LeakyRelu' arg { name: 'alpha' f: 0.25 }", 0, [&](real x) { return below(x, 0.25L * x); });
  check("type: 'Elu'", 5, [&](real x) { return below(x, std::expm1(x)); });
  check("type: 'Elu' arg { name: 'alpha' f: 2.5 }", 5, [&](real x) { return below(x, 2.5L * std::expm1(x)); });
  check("type: 'Selu'", 6, [&](real x) {
    return static_cast<real>(1.0507009873554804934193349852946f) *
           below(x, static_cast<real>(1.6732632423543772848170429916717f) * std::expm1(x));
  });
  check("type: 'Selu' arg { name: 'alpha' f: 2 } arg { name: 'scale' f: 4 }", 5,
        [&](real x) { return 4 * below(x, 2 * std::expm1(x)); });
  check("type: 'ReluN'", 0, [&](real x) { return below(x > 6 ? 6 : x, 0); });
  check("type: 'ReluN' arg { name: 'n' f: 2.5 }", 0, [&](real x) { return below(x > 2.5L ? 2.5L : x, 0); });
  check("type: 'ThresholdedRelu'", 0, [](real x) { return x <= 1 ? 0 : x; });
  check("type: 'ThresholdedRelu' arg { name: 'alpha' f: -1.5 }", 0, [](real x) { return x <= -1.5L ? 0 : x; });
  check("type: 'HardSigmoid' arg { name: 'alpha' f: 0.25 }", 0.5,
        [&](real x) { return below(x > 2 ? 1 : 0.25L * x + 0.5L, x < -2 ? 0 : 0.25L * x + 0.5L); });
  check("type: 'HardSigmoid' arg { name: 'alpha' f: -2 } arg { name: 'beta' f: 0.25 }", 0.5, [](real x) {
    real const y = -2 * x + 0.25L;
    return y < 0 ? 0 : y > 1 ? 1 : y;
  });
  check("type: 'Swish'", 5, [](real x) { return x == -infinity ? real(0) : x / (1 + std::exp(-x)); });
  check("type: 'Softplus'", 4, [](real x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); });
  check("type: 'Softsign'", 1.5,
        [](real x) { return std::isinf(x) ? std::copysign(real(1), x) : x / (1 + std::abs(x)); });
}

TEST_CASE_TEMPLATE("activations: float matches long double", B, PLAIT_HOST_BACKENDS) { check_all<B, float>(); }
TEST_CASE_TEMPLATE("activations: double matches long double", B, PLAIT_HOST_BACKENDS) { check_all<B, double>(); }

template <class B, class T>
void check_in_range() {
  auto const check = [](std::string const& op, double least, double most, double bound, auto const& f) {
    test::check_function<B, T>(table<B>(), table<plait::serial>(), op, least, most, bound, f);
  };
  auto const logit = [](T eps) {
    return [eps](real x) {
      real const most = T(1) - eps;
      x = x < eps ? eps : x > most ? most : x;
      return std::log(x) - std::log1p(-x);
    };
  };
  check("type: 'Logit'", -0.1, 1.1, 4, logit(T(1e-6f)));
  check("type: 'Logit' arg { name: 'eps' f: 0.125 }", -0.1, 1.1, 4, logit(T(0.125)));
  // Far below zero, results are small and as inexact as the square of x.
  check("type: 'Gelu'", -6, 30, 60,
        [](real x) { return x == -infinity ? 0 : x * 0.5L * std::erfc(-x * std::sqrt(0.5L)); });
  check("type: 'Gelu' arg { name: 'fast_gelu' i: 1 }", -6, 30, 100, [](real x) {
    if (std::isinf(x)) return x < 0 ? 0 : x;
    return x / (1 + std::exp(-2 * std::sqrt(2 / std::numbers::pi_v<real>) * (x + 0.044715L * x * x * x)));
  });
}
TEST_CASE_TEMPLATE("Logit, Gelu: float matches long double", B, PLAIT_HOST_BACKENDS) { check_in_range<B, float>(); }
TEST_CASE_TEMPLATE("Logit, Gelu: double matches long double", B, PLAIT_HOST_BACKENDS) { check_in_range<B, double>(); }

TEST_CASE("activations: arguments out of range are refused") {
  using B = plait::serial;
  auto const refused = [](std::string const& op) {
    return test::error_of<B>(table<B>(), op + " input: 'X' output: 'Y'", {{"X", of<B, float>({1}, {1})}});
  };
  CHECK(has(refused("type: 'ReluN' arg { name: 'n' f: 0 }"), "argument 'n' must be above zero"));
  CHECK(has(refused("type: 'Logit' arg { name: 'eps' f: 0.5 }"), "argument 'eps' must be above zero and below 0.5"));
  CHECK(has(refused("type: 'Logit' arg { name: 'eps' f: 0 }"), "argument 'eps' must be above zero and below 0.5"));
}

TEST_CASE_TEMPLATE("PRelu: slopes apply to all elements or to each channel", B, PLAIT_HOST_BACKENDS) {
  auto const run = [](shape const& dims, shape const& slopes, std::string const& arguments, std::string const& output) {
    auto const ran = run_op<B>(table<B>(), "type: 'PRelu' input: 'X' input: 'S' output: '" + output + "' " + arguments,
                               {{"X", of<B>(dims, std::vector<float>(static_cast<std::size_t>(dims.size()), -2))},
                                {"S", test::counted<B, float>(slopes, 1)}});
    CHECK(ran.view(output).dims() == dims);
    return ran.template fetch<float>(output);
  };
  for (std::string const output : {"Y", "X"}) {
    CHECK(run({2, 3}, {3}, "", output) == std::vector<float>{-2, -4, -6, -2, -4, -6});
    CHECK(run({1, 2, 3}, {2}, "", output) == std::vector<float>{-2, -2, -2, -4, -4, -4});
    CHECK(run({1, 2, 3}, {3}, "arg { name: 'order' s: 'NHWC' }", output) == std::vector<float>{-2, -4, -6, -2, -4, -6});
    CHECK(run({3}, {1}, "", output) == std::vector<float>{-2, -2, -2});
    CHECK(run({0, 2}, {2}, "", output).empty());
  }
  auto const positive = run_op<B>(table<B>(), "type: 'PRelu' input: 'X' input: 'S' output: 'Y'",
                                  {{"X", of<B, double>({1, 2}, {3, -3})}, {"S", of<B, double>({2}, {9, 0.5})}});
  CHECK(positive.template fetch<double>("Y") == std::vector<double>{3, -1.5});
}

TEST_CASE("activations: wrong types, shapes and orders are refused") {
  using B = plait::serial;
  auto const integers = of<B, std::int32_t>({3}, {2, 2, 3});
  std::string const wrong = test::error_of<B>(table<B>(), "type: 'Sigmoid' input: 'X' output: 'Y'", {{"X", integers}});
  CHECK(has(wrong, "Sigmoid: "));
  CHECK(has(wrong, "input 0 'X' is int32 3, which should hold float32 or float64"));
  CHECK(has(test::error_of<B>(table<B>(), "type: 'PRelu' input: 'X' input: 'S' output: 'Y'",
                              {{"X", test::counted<B, float>({2, 3})}, {"S", test::counted<B, float>({2})}}),
            "input 0 'X' is float32 2x3, which should have an extent of 2 in axis 1, as input 1 'S' is float32 2"));
  CHECK(has(
      test::error_of<B>(table<B>(), "type: 'PRelu' input: 'X' input: 'S' output: 'Y' arg { name: 'order' s: 'WHAT' }",
                        {{"X", test::counted<B, float>({2, 3})}, {"S", test::counted<B, float>({3})}}),
      "argument 'order' should be NCHW or NHWC"));
}

}  // namespace
