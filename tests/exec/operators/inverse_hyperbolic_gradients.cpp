#include <plait/exec/detail/operators/inverse_hyperbolic_gradients.hpp>

#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include <plait/exec/detail/operators/inverse_hyperbolic.hpp>

#include <support/gradient_of_op.hpp>

namespace {

using plait::shape;
using test::of;
using test::random_tensor;
using test::table;

TEST_CASE_TEMPLATE("gradients of inverse hyperbolic functions: agree with differences", B, PLAIT_HOST_BACKENDS) {
  struct function {
    std::string type;
    double least;
    double most;
  };
  for (function const& f : {function{"Asinh", -3, 3}, function{"Acosh", 1.1, 3}, function{"Atanh", -0.9, 0.9}})
    for (shape const& dims : {shape{}, shape{0, 3}, shape{3, 1, 5}, shape{17, 103}})
      test::check_gradient_of_op<B>(
          table<B>(), table<plait::serial>(),
          {.forward = "type: '" + f.type + "' input: 'x' output: 'y'",
           .gradient = "type: '" + f.type + "Gradient' input: 'x' input: 'y_grad' output: 'x_grad'",
           .fed = {{"x", random_tensor(dims, 1, f.least, f.most)}},
           .most_differences = 50});
}

TEST_CASE("gradients of inverse hyperbolic functions: squares do not overflow") {
  using B = plait::serial;
  auto const run = [&](std::string const& type, float x) {
    return test::run_op<B>(table<B>(), "type: '" + type + "' input: 'x' input: 'dy' output: 'dx'",
                           {{"x", of<B, float>({1}, {x})}, {"dy", of<B, float>({1}, {1})}})
        .template fetch<float>("dx")[0];
  };
  CHECK(run("AsinhGradient", 1e30f) == doctest::Approx(1e-30));
  CHECK(run("AsinhGradient", -1e30f) == doctest::Approx(1e-30));
  CHECK(run("AcoshGradient", 1e30f) == doctest::Approx(1e-30));
  CHECK(std::isnan(run("AcoshGradient", 0.5f)));
}

}  // namespace
