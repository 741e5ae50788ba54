#include <plait/exec/detail/operators/lp_norm.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;

std::string arguments(int p, int average) {
  return " arg { name: 'p' i: " + std::to_string(p) + " } arg { name: 'average' i: " + std::to_string(average) + " }";
}

TEST_CASE_TEMPLATE("LpNorm: sums or averages magnitudes or squares", B, PLAIT_HOST_BACKENDS) {
  for (shape const& dims : {shape{3}, shape{}, shape{2, 3, 4}, shape{1, 40'000}})
    for (int const p : {1, 2})
      for (int const average : {0, 1}) {
        CAPTURE(to_string(dims));
        CAPTURE(p);
        CAPTURE(average);
        auto const x = test::random_tensor(dims, 1, -2, 2, {0});
        double wanted = 0;
        for (double const each : x.template values<double>()) wanted += p == 1 ? std::abs(each) : each * each;
        if (average != 0) wanted /= static_cast<double>(dims.size());
        std::string const forward = "type: 'LpNorm' input: 'x' output: 'y'" + arguments(p, average);
        auto const blobs =
            test::run_op<B>(test::table<B>(), forward, {{"x", test::of<B>(dims, x.template values<double>())}});
        CHECK(blobs.view("y").dims() == shape{1});
        CHECK(blobs.template fetch<double>("y")[0] == doctest::Approx(wanted));
        test::check_gradient_of_op(
            test::table<B>(), test::table<plait::serial>(),
            {.forward = forward,
             .gradient = "type: 'LpNormGradient' input: 'x' input: 'y_grad' output: 'x_grad'" + arguments(p, average),
             .fed = {{"x", x}},
             .tolerance = 1e-6,
             .float_tolerance = 1e-3});
      }
  auto const empty = test::run_op<B>(test::table<B>(), "type: 'LpNorm' input: 'x' output: 'y'",
                                     {{"x", test::of<B, float>({0, 3}, {})}});
  CHECK(empty.template fetch<float>("y") == std::vector<float>{0});
}

TEST_CASE_TEMPLATE("LpNormGradient: magnitudes have slope 0 at 0 and NaN", B, PLAIT_HOST_BACKENDS) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  auto const blobs =
      test::run_op<B>(test::table<B>(), "type: 'LpNormGradient' input: 'x' input: 'dy' output: 'dx'" + arguments(1, 1),
                      {{"x", test::of<B, float>({4}, {5, -2, 0, nan})}, {"dy", test::of<B, float>({1}, {2})}});
  CHECK(blobs.template fetch<float>("dx") == std::vector<float>{0.5f, -0.5f, 0, 0});
}

TEST_CASE("LpNorm: other exponents, and averages of nothing, are refused") {
  using B = plait::serial;
  auto const error = [](std::string const& with, shape const& dims) {
    return test::error_of<B>(test::table<B>(), "type: 'LpNorm' input: 'x' output: 'y'" + with,
                             {{"x", test::counted<B, float>(dims)}});
  };
  CHECK(test::has(error(arguments(3, 0), {2}), "'p' must be 1 or 2"));
  CHECK(test::has(error(arguments(2, 1), {0}), "have elements to average"));
  CHECK(error(arguments(2, 0), {0}).empty());
}

}  // namespace
