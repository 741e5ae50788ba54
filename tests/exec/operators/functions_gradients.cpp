#include <plait/exec/detail/operators/functions_gradients.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>

namespace {

using plait::shape;
using test::of;
using test::random_tensor;
using test::run_op;
using test::table;

TEST_CASE_TEMPLATE("gradients of functions: agree with differences, also in place", B, PLAIT_HOST_BACKENDS) {
  struct function {
    std::string type;
    std::string reads;
    std::string arguments = {};
  };
  auto const bound = [](char const* name, char const* value) {
    return std::string("arg { name: '") + name + "' f: " + value + " } ";
  };
  for (function const& f :
       {function{"Abs", "x"}, function{"Erf", "x"}, function{"Clip", "y"}, function{"Clip", "y", bound("min", "-1.5")},
        function{"Clip", "y", bound("max", "0.5")}, function{"Clip", "y", bound("min", "-1") + bound("max", "1")}})
    for (shape const& dims : {shape{}, shape{7}, shape{0, 3}, shape{3, 1, 5}, shape{17, 1'003}})
      test::check_gradient_of_op<B>(table<B>(), table<plait::serial>(),
                                    {.forward = "type: '" + f.type + "' input: 'x' output: 'y' " + f.arguments,
                                     .gradient = "type: '" + f.type + "Gradient' input: '" + f.reads +
                                                 "' input: 'y_grad' output: 'x_grad' " + f.arguments,
                                     .fed = {{"x", random_tensor(dims, 1, -3, 3, {0, -1.5, -1, 0.5, 1})}},
                                     .most_differences = 50});
}

TEST_CASE_TEMPLATE("gradients of powers: agree with differences, also in place", B, PLAIT_HOST_BACKENDS) {
  struct power {
    std::string type;
    std::string reads;
    double least;
  };
  for (power const& f :
       {power{"Cube", "input: 'y_grad' input: 'x'", -3}, power{"Cbrt", "input: 'y_grad' input: 'y'", -3},
        power{"Rsqrt", "input: 'y_grad' input: 'y'", 0.3}, power{"Reciprocal", "input: 'y' input: 'y_grad'", -3}})
    for (shape const& dims : {shape{}, shape{0, 3}, shape{3, 1, 5}, shape{17, 103}})
      test::check_gradient_of_op<B>(table<B>(), table<plait::serial>(),
                                    {.forward = "type: '" + f.type + "' input: 'x' output: 'y'",
                                     .gradient = "type: '" + f.type + "Gradient' " + f.reads + " output: 'x_grad'",
                                     .fed = {{"x", random_tensor(dims, 1, f.least, 3, {0}, 0.3)}},
                                     .most_differences = 50});
}

TEST_CASE_TEMPLATE("gradients of functions: have fixed values at kinks and for NaN", B, PLAIT_HOST_BACKENDS) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  auto const run = [](std::string const& type, std::vector<double> const& x, std::string const& arguments) {
    shape const dims = {static_cast<std::int64_t>(x.size())};
    return run_op<B>(table<B>(), "type: '" + type + "' input: 'x' input: 'dy' output: 'dx' " + arguments,
                     {{"x", of<B>(dims, x)}, {"dy", of<B>(dims, std::vector<double>(x.size(), 3))}})
        .template fetch<double>("dx");
  };
  CHECK(run("AbsGradient", {0, -0.0, 2, -2, infinity, -infinity}, "") == std::vector<double>{0, 0, 3, -3, 3, -3});
  CHECK(std::isnan(run("AbsGradient", {nan}, "").at(0)));
  std::string const bounds = "arg { name: 'min' f: -1 } arg { name: 'max' f: 1 }";
  CHECK(run("ClipGradient", {-1, -0.5, 0, 0.5, 1, nan}, bounds) == std::vector<double>{0, 3, 3, 3, 0, 3});
  CHECK(run("ClipGradient", {-1e300, 1e300}, "") == std::vector<double>{3, 3});
  CHECK(run("ErfGradient", {infinity, -infinity}, "") == std::vector<double>{0, 0});
}

}  // namespace
