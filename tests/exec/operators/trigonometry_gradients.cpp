#include <plait/exec/detail/operators/trigonometry_gradients.hpp>

#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>

namespace {

using plait::shape;
using test::of;
using test::random_tensor;
using test::table;

TEST_CASE_TEMPLATE("gradients of circular and hyperbolic functions: agree with differences, also in place", B,
                   PLAIT_HOST_BACKENDS) {
  struct function {
    std::string type;
    double bound;
    bool dy_first = false;
  };
  for (function const& f :
       {function{"Sin", 3}, function{"Cos", 3}, function{"Tan", 1.3}, function{"Asin", 0.9}, function{"Acos", 0.9},
        function{"Atan", 3}, function{"Sinh", 3, true}, function{"Cosh", 3, true}})
    for (shape const& dims : {shape{}, shape{0, 3}, shape{3, 1, 5}, shape{17, 103}})
      test::check_gradient_of_op<B>(
          table<B>(), table<plait::serial>(),
          {.forward = "type: '" + f.type + "' input: 'x' output: 'y'",
           .gradient = "type: '" + f.type + "Gradient' " +
                       (f.dy_first ? "input: 'y_grad' input: 'x'" : "input: 'x' input: 'y_grad'") + " output: 'x_grad'",
           .fed = {{"x", random_tensor(dims, 1, -f.bound, f.bound)}},
           .most_differences = 50});
}

TEST_CASE("gradients of inverse functions: are as exact near the ends of their range as elsewhere") {
  using B = plait::serial;
  double const near = 1 - 0x1p-50;
  auto const run = [&](std::string const& type) {
    return test::run_op<B>(table<B>(), "type: '" + type + "' input: 'x' input: 'dy' output: 'dx'",
                           {{"x", of<B, double>({2}, {near, -near})}, {"dy", of<B, double>({2}, {1, 1})}})
        .template fetch<double>("dx");
  };
  // 1 - x² = 2⁻⁴⁹ (1 - 2⁻⁵¹)
  for (double const dx : run("AsinGradient")) CHECK(dx == doctest::Approx(0x1p24 * 1.4142135623730951).epsilon(1e-15));
  for (double const dx : run("AcosGradient")) CHECK(dx == doctest::Approx(-0x1p24 * 1.4142135623730951).epsilon(1e-15));
}

}  // namespace
