#include <plait/exec/detail/operators/functions.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
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

template <class B, class T>
void check_all() {
  auto const check = [](std::string const& op, double least, double most, double bound, auto const& f) {
    test::check_function<B, T>(table<B>(), table<plait::serial>(), op, least, most, bound, f);
  };
  check("type: 'Negative'", -9, 9, 0, [](real x) { return -x; });
  check("type: 'Abs'", -9, 9, 0, [](real x) { return std::abs(x); });
  check("type: 'Sign'", -9, 9, 0, [](real x) { return x > 0 ? real(1) : x < 0 ? real(-1) : x; });
  check("type: 'Sqr'", -9, 9, 0.5, [](real x) { return x * x; });
  check("type: 'Sqrt'", -1, 90, 0.5, [](real x) { return std::sqrt(x); });
  check("type: 'Exp'", -110, 100, 4, [](real x) { return std::exp(x); });
  check("type: 'Log'", -1, 1e9, 4, [](real x) { return std::log(x); });
  check("type: 'Log1p'", -2, 1e9, 4, [](real x) { return std::log1p(x); });
  check("type: 'Log1p'", -1e-3, 1e-3, 4, [](real x) { return std::log1p(x); });
  check("type: 'Cube'", -9, 9, 1.5, [](real x) { return x * x * x; });
  check("type: 'Cbrt'", -90, 90, 4, [](real x) { return std::cbrt(x); });
  check("type: 'Rsqrt'", -1, 90, 1.5, [](real x) { return 1 / std::sqrt(x); });
  check("type: 'Reciprocal'", -9, 9, 0.5, [](real x) { return 1 / x; });
  check("type: 'Erf'", -7, 7, B::on_device ? 2 : sizeof(T) == 4 ? 1.4 : 1, [](real x) { return std::erf(x); });
  check("type: 'Ceil'", -9, 9, 0, [](real x) { return std::ceil(x); });
  check("type: 'Floor'", -9, 9, 0, [](real x) { return std::floor(x); });
  check("type: 'Scale'", -9, 9, 0, [](real x) { return x; });
  check("type: 'Scale' arg { name: 'scale' f: -1.5 }", -9, 9, 0.5, [](real x) { return -1.5L * x; });
  real const greatest = std::numeric_limits<T>::max();
  auto const finite = [greatest](real x) { return x < -greatest ? -greatest : x > greatest ? greatest : x; };
  check("type: 'Clip'", -9, 9, 0, finite);
  check("type: 'Clip' arg { name: 'min' f: -0.5 }", -9, 9, 0,
        [finite](real x) { return x < -0.5L ? -0.5L : finite(x); });
  check("type: 'Clip' arg { name: 'max' f: 2 }", -9, 9, 0, [finite](real x) { return x > 2 ? 2 : finite(x); });
  check("type: 'Clip' arg { name: 'min' f: 3 } arg { name: 'max' f: 2 }", -9, 9, 0,
        [](real x) { return std::isnan(x) ? x : 2; });
  for (std::string const exponent : {"1", "2", "3", "-1", "0.5", "0", "-2.5"})
    check("type: 'Pow' arg { name: 'exponent' f: " + exponent + " }", -9, 9, 2,
          [e = static_cast<real>(std::stod(exponent))](real x) { return std::pow(x, e); });
}

TEST_CASE_TEMPLATE("functions: float agrees with long double", B, PLAIT_HOST_BACKENDS) { check_all<B, float>(); }
TEST_CASE_TEMPLATE("functions: double agrees with long double", B, PLAIT_HOST_BACKENDS) { check_all<B, double>(); }

TEST_CASE_TEMPLATE("functions: integer results are exact and wrap around", B, PLAIT_HOST_BACKENDS) {
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  auto const run = [](std::string const& op, std::vector<std::int32_t> const& x) {
    auto const narrow = run_op<B>(table<B>(), op + " input: 'X' output: 'X'", {{"X", of<B>(shape{3}, x)}})
                            .template fetch<std::int32_t>("X");
    std::vector<std::int64_t> const wide(x.begin(), x.end());
    auto const also = run_op<B>(table<B>(), op + " input: 'X' output: 'Y'", {{"X", of<B>(shape{3}, wide)}})
                          .template fetch<std::int64_t>("Y");
    if (x.back() != least) CHECK(std::vector<std::int64_t>(narrow.begin(), narrow.end()) == also);
    return narrow;
  };
  using list = std::vector<std::int32_t>;
  CHECK(run("type: 'Negative'", {1, -2, 0}) == list{-1, 2, 0});
  CHECK(run("type: 'Negative'", {1, -2, least}) == list{-1, 2, least});
  CHECK(run("type: 'Abs'", {1, -2, least}) == list{1, 2, least});
  CHECK(run("type: 'Sign'", {7, -2, 0}) == list{1, -1, 0});
  CHECK(run("type: 'Sqr'", {7, -2, 0}) == list{49, 4, 0});
  CHECK(run("type: 'Cube'", {7, -2, 0}) == list{343, -8, 0});
  CHECK(run("type: 'Mod' arg { name: 'divisor' i: 7 }", {12, -12, 7}) == list{5, -5, 0});
  CHECK(run("type: 'Mod' arg { name: 'divisor' i: 7 } arg { name: 'sign_follow_divisor' i: 1 }", {12, -12, 7}) ==
        list{5, 2, 0});
  CHECK(run("type: 'Mod' arg { name: 'divisor' i: -7 } arg { name: 'sign_follow_divisor' i: 1 }", {12, -12, 7}) ==
        list{-2, -5, 0});
  CHECK(run("type: 'Mod' arg { name: 'divisor' i: -1 }", {12, -12, least}) == list{0, 0, 0});
  CHECK(run("type: 'Mod' arg { name: 'divisor' i: 3000000000 }", {12, -12, 7}) == list{12, -12, 7});
  CHECK(run_op<B>(table<B>(), "type: 'Mod' input: 'X' output: 'Y' arg { name: 'divisor' i: 3000000000 }",
                  {{"X", of<B, std::int64_t>({1}, {7'000'000'001})}})
            .template fetch<std::int64_t>("Y") == std::vector<std::int64_t>{1'000'000'001});
}

TEST_CASE_TEMPLATE("Pow: zero, negative and non-finite operands and results are exact", B, PLAIT_HOST_BACKENDS) {
  using limits = std::numeric_limits<float>;
  std::vector<float> x = {0.0f,
                          -0.0f,
                          1.0f,
                          -1.0f,
                          2.0f,
                          -2.5f,
                          1e-3f,
                          3e38f,
                          limits::min(),
                          limits::max(),
                          limits::denorm_min(),
                          0.999f,
                          limits::infinity(),
                          -limits::infinity(),
                          limits::quiet_NaN()};
  for (int i = 1; i != 700; ++i) x.push_back(static_cast<float>(i) * 0.37f);  // these fill a chunk
  plait::shape const dims = {static_cast<std::int64_t>(x.size())};
  auto const in = of<B>(dims, x);
  auto out = plait::tensor<B>::uninitialized(plait::element_type::float32, dims);
  for (float const exponent : {1.7f, -0.3f, 5.0f, -3.0f, 0.0f, 127.5f, 1e30f, -1e30f, 1e-30f, limits::infinity(),
                               -limits::infinity(), limits::quiet_NaN()}) {
    plait::map<B>(in.template data<float>(), out.template data<float>(), x.size(),
                  plait::functions::power_of<float>{exponent});
    auto const y = out.template values<float>();
    for (std::size_t i = 0; i != x.size(); ++i) {
      CAPTURE(x[i]);
      CAPTURE(exponent);
      auto const expected = static_cast<float>(std::pow(static_cast<double>(x[i]), static_cast<double>(exponent)));
      bool const is_right = std::isnan(expected) ? std::isnan(y[i])
                            : std::isinf(expected) || expected == 0
                                ? y[i] == expected && std::signbit(y[i]) == std::signbit(expected)
                                : y[i] >= std::nextafter(expected, -limits::infinity()) &&
                                      y[i] <= std::nextafter(expected, limits::infinity());
      CHECK(is_right);
    }
  }
}

TEST_CASE_TEMPLATE("Pow: a second input may be the exponent", B, PLAIT_HOST_BACKENDS) {
  auto const run = [](shape const& dims, shape const& exponents, std::string const& arguments) {
    auto const x = test::numbered<double>(dims, 1);
    return run_op<B>(table<B>(), "type: 'Pow' input: 'X' input: 'E' output: 'Y' " + arguments,
                     {{"X", of<B>(dims, x)}, {"E", test::counted<B, double>(exponents)}})
        .template fetch<double>("Y");
  };
  CHECK(test::agree<B, double>(run({2, 2}, {2, 2}, ""), {1, 2, 9, 64}, 1e-15));
  CHECK(test::agree<B, double>(run({2, 2}, {2}, ""), {1, 2, 1, 4}, 1e-15));
  CHECK(test::agree<B, double>(run({2, 2}, {2}, "arg { name: 'broadcast' i: 1 } arg { name: 'axis' i: 0 }"),
                               {1, 1, 3, 4}, 1e-15));
}

TEST_CASE("functions: wrong types and arguments are refused") {
  using B = plait::serial;
  auto const refused = [](std::string const& op, plait::tensor<B> const& x) {
    return test::error_of<B>(table<B>(), op + " input: 'X' output: 'Y'", {{"X", x}});
  };
  auto const floats = of<B, float>({2}, {1, 2});
  auto const integers = of<B, std::int32_t>({2}, {1, 2});
  CHECK(has(refused("type: 'Exp'", integers), "Exp: "));
  CHECK(has(refused("type: 'Exp'", integers), "should hold float32 or float64"));
  CHECK(has(refused("type: 'Mod' arg { name: 'divisor' i: 3 }", floats), "should hold int32 or int64"));
  CHECK(has(refused("type: 'Mod'", integers), "argument 'divisor' is missing"));
  CHECK(has(refused("type: 'Mod' arg { name: 'divisor' i: 0 }", integers), "argument 'divisor' should not be zero"));
  CHECK(has(refused("type: 'Pow'", floats), "argument 'exponent' is missing"));
  CHECK(has(test::error_of<B>(table<B>(), "type: 'Pow' input: 'X' input: 'X' output: 'Y' arg { name: 'exponent' f: 2 }",
                              {{"X", floats}}),
            "cannot be given beside a second input"));
}

}  // namespace
