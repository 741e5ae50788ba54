#include <plait/exec/detail/operators/activations_gradients.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/element_oracle.hpp>
#include <support/gradient_of_op.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::random_tensor;
using test::run_op;
using test::table;

struct activation {
  std::string type;
  std::string reads;  // inputs of the gradient op besides dY: x, y or both
  std::string arguments = {};
};

std::string forward(activation const& a) { return "type: '" + a.type + "' input: 'x' output: 'y' " + a.arguments; }
std::string backward(activation const& a) {
  std::string made = "type: '" + a.type + "Gradient' ";
  for (char const blob : a.reads) made += std::string("input: '") + blob + "' ";
  return made + "input: 'y_grad' output: 'x_grad' " + a.arguments;
}

std::string argument(std::string const& name, double value) {
  return "arg { name: '" + name + "' f: " + std::to_string(value) + " } ";
}

TEST_CASE_TEMPLATE("gradients of activations: agree with differences, also in place", B, PLAIT_HOST_BACKENDS) {
  std::vector<double> const kinks = {0, 2.5, 1, -1.5, -2.5, 4.0 / 3, -2};
  for (activation const& a :
       {activation{"Sigmoid", "y"}, activation{"Tanh", "y"}, activation{"Relu", "y"}, activation{"LeakyRelu", "y"},
        activation{"LeakyRelu", "y", argument("alpha", 0.25)}, activation{"Elu", "y"},
        activation{"Elu", "y", argument("alpha", 2.5)}, activation{"Selu", "y"},
        activation{"Selu", "y", argument("alpha", 2) + argument("scale", 4)}, activation{"Swish", "xy"},
        activation{"Softplus", "y"}, activation{"Softsign", "x"}, activation{"ReluN", "y", argument("n", 2.5)},
        activation{"ThresholdedRelu", "y"}, activation{"ThresholdedRelu", "y", argument("alpha", -1.5)},
        activation{"HardSigmoid", "y"}, activation{"HardSigmoid", "y", argument("alpha", -0.3) + argument("beta", 0.4)},
        activation{"Logit", "x"}})
    for (shape const& dims : {shape{}, shape{7}, shape{0, 3}, shape{3, 1, 5}, shape{17, 1'003}})
      test::check_gradient_of_op<B>(table<B>(), table<plait::serial>(),
                                    {.forward = forward(a),
                                     .gradient = backward(a),
                                     .fed = {{"x", random_tensor(dims, 1, -5, 5, kinks)}},
                                     .most_differences = 50});
}

// GeluGradient reads dY before X.
TEST_CASE_TEMPLATE("gradients of Gelu, and of Logit between 0 and 1: agree with differences", B, PLAIT_HOST_BACKENDS) {
  for (std::string const fast : {"0", "1"})
    for (shape const& dims : {shape{}, shape{0, 3}, shape{17, 103}}) {
      std::string const argument = "arg { name: 'fast_gelu' i: " + fast + " }";
      test::check_gradient_of_op<B>(
          table<B>(), table<plait::serial>(),
          {.forward = "type: 'Gelu' input: 'x' output: 'y' " + argument,
           .gradient = "type: 'GeluGradient' input: 'y_grad' input: 'x' output: 'x_grad' " + argument,
           .fed = {{"x", random_tensor(dims, 1, -5, 5)}},
           .most_differences = 50});
      test::check_gradient_of_op<B>(table<B>(), table<plait::serial>(),
                                    {.forward = forward({"Logit", "x"}),
                                     .gradient = backward({"Logit", "x"}),
                                     .fed = {{"x", random_tensor(dims, 1, 0.1, 0.9)}},
                                     .most_differences = 50});
    }
}

TEST_CASE_TEMPLATE("GeluGradient: returns the limits at infinities", B, PLAIT_HOST_BACKENDS) {
  double const infinity = std::numeric_limits<double>::infinity();
  for (std::string const fast : {"0", "1"}) {
    auto const blobs =
        run_op<B>(table<B>(),
                  "type: 'GeluGradient' input: 'dy' input: 'x' output: 'dx' arg { name: 'fast_gelu' i: " + fast + " }",
                  {{"x", of<B, double>({5}, {-infinity, infinity, 0, -1e200, 1e200})},
                   {"dy", of<B, double>({5}, {3, 3, 3, 3, 3})}});
    CHECK(blobs.template fetch<double>("dx") == std::vector<double>{0, 3, 1.5, 0, 3});
  }
}

using real = long double;

// Compares the gradient for dY = 0.75 with 0.75 f(x, y): errors are at most `bound` ulps, or `slack` ulps of 1.
template <class B, class T, class F>
void check(activation const& a, double bound, double slack, F const& f) {
  CAPTURE(a.type);
  constexpr T inf = std::numeric_limits<T>::infinity();
  std::vector<T> x = test::reals<T>(20'000, -30, 30);
  for (T const special : {T(0), T(-0.0), T(1), T(-1), inf, -inf, std::numeric_limits<T>::quiet_NaN()})
    x.push_back(special);
  shape const dims = {static_cast<std::int64_t>(x.size())};
  auto const blobs = test::run_net<B>(table<B>(), "op {" + forward(a) + "} op {" + backward(a) + "}",
                                      {{"x", of<B>(dims, x)}, {"y_grad", of<B>(dims, std::vector<T>(x.size(), 0.75))}});
  auto const y = blobs.template fetch<T>("y");
  auto const got = blobs.template fetch<T>("x_grad");
  double worst = 0;
  T at = 0;
  for (std::size_t i = 0; i != x.size(); ++i) {
    real const exact = 0.75L * f(static_cast<real>(x[i]), static_cast<real>(y[i]));
    if (std::abs(static_cast<real>(got[i]) - exact) <= slack * std::numeric_limits<T>::epsilon()) continue;
    double const off = test::ulps(got[i], exact);
    if (off > worst) {
      worst = off;
      at = x[i];
    }
  }
  CAPTURE(at);
  CHECK(worst <= bound);
}

template <class B, class T>
void check_all() {
  auto const below = [](real y, real if_below) { return y <= 0 ? if_below : real(1); };
  check<B, T>({"Sigmoid", "y"}, 2, 0, [](real, real y) { return y * (1 - y); });
  check<B, T>({"Tanh", "y"}, 2, 0, [](real, real y) { return (1 - y) * (1 + y); });
  check<B, T>({"Relu", "y"}, 0, 0, [&](real, real y) { return below(y, 0); });
  check<B, T>({"LeakyRelu", "y", argument("alpha", 0.25)}, 0, 0,
              [](real, real y) { return y < 0 ? real(0.25) : real(1); });
  check<B, T>({"Elu", "y"}, 2, 0, [&](real, real y) { return below(y, y + 1); });
  check<B, T>({"Elu", "y", argument("alpha", 2.5)}, 2, 0, [&](real, real y) { return below(y, y + 2.5L); });
  check<B, T>({"Selu", "y", argument("alpha", 2) + argument("scale", 4)}, 2, 0,
              [&](real, real y) { return y <= 0 ? y + 8 : real(4); });
  check<B, T>({"Selu", "y"}, 2, 2, [&](real, real y) {
    auto const scale = static_cast<real>(1.0507009873554804934193349852946f);
    return y <= 0 ? y + scale * static_cast<real>(1.6732632423543772848170429916717f) : scale;
  });
  check<B, T>({"Swish", "xy"}, 8, 4, [](real x, real) {
    if (std::isinf(x)) return x > 0 ? real(1) : real(0);
    real const s = 1 / (1 + std::exp(-x));
    return s + x * s * (1 - s);
  });
  check<B, T>({"Softplus", "y"}, 4, 0, [](real, real y) { return -std::expm1(-y); });
  check<B, T>({"Softsign", "x"}, 3, 0, [](real x, real) { return 1 / ((1 + std::abs(x)) * (1 + std::abs(x))); });
}

TEST_CASE_TEMPLATE("gradients of activations: float agrees with long double", B, PLAIT_HOST_BACKENDS) {
  check_all<B, float>();
}
TEST_CASE_TEMPLATE("gradients of activations: double agrees with long double", B, PLAIT_HOST_BACKENDS) {
  check_all<B, double>();
}

TEST_CASE_TEMPLATE("PReluGradient: agrees with differences for one slope or one per channel", B, PLAIT_HOST_BACKENDS) {
  struct slopes {
    shape x;
    shape s;
    std::string arguments = {};
  };
  std::string const last = "arg { name: 'order' s: 'NHWC' }";
  for (slopes const& each :
       {slopes{{2, 3}, {3}}, slopes{{2, 3, 4}, {3}}, slopes{{2, 3, 4}, {4}, last}, slopes{{7}, {1}}, slopes{{}, {}},
        slopes{{2, 3}, {1, 1}}, slopes{{0, 3}, {3}}, slopes{{2, 0}, {0}}, slopes{{2, 0, 3}, {1}},
        slopes{{3, 1, 2}, {1}}, slopes{{40, 5, 300}, {5}}, slopes{{9'001, 3}, {3}, last}, slopes{{30'001}, {1}}})
    test::check_gradient_of_op<B>(
        table<B>(), table<plait::serial>(),
        {.forward = "type: 'PRelu' input: 'x' input: 's' output: 'y' " + each.arguments,
         .gradient = "type: 'PReluGradient' input: 'y' input: 'y_grad' input: 'x' input: 's' output: 'x_grad' "
                     "output: 's_grad' " +
                     each.arguments,
         .fed = {{"x", random_tensor(each.x, 1, -3, 3, {0})}, {"s", random_tensor(each.s, 2)}},
         .tolerance = 1e-6,
         .most_differences = 30});
}

TEST_CASE_TEMPLATE("gradients of activations: have fixed values at kinks and for NaN", B, PLAIT_HOST_BACKENDS) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  auto const of_zero = [](std::string const& type, float at) {
    return run_op<B>(table<B>(), "type: '" + type + "Gradient' input: 'y' input: 'dy' output: 'dx' ",
                     {{"y", of<B, float>({1}, {at})}, {"dy", of<B, float>({1}, {3})}})
        .template fetch<float>("dx")
        .at(0);
  };
  CHECK(of_zero("Relu", 0) == 0);
  CHECK(of_zero("LeakyRelu", 0) == 3);
  CHECK(of_zero("Elu", 0) == 3);
  CHECK(of_zero("Relu", nan) == 3);
  CHECK(std::isnan(of_zero("Tanh", nan)));
  // Where the function is flat, the gradient is 0, even if dY is NaN or infinite.
  auto const dead = run_op<B>(
      table<B>(), "type: 'ReluGradient' input: 'y' input: 'dy' output: 'dx' ",
      {{"y", of<B, float>({2}, {0, 0})}, {"dy", of<B, float>({2}, {nan, std::numeric_limits<float>::infinity()})}});
  CHECK(dead.template fetch<float>("dx") == std::vector<float>{0, 0});
  auto const prelu = run_op<B>(table<B>(),
                               "type: 'PReluGradient' input: 'y' input: 'dy' input: 'x' input: 's' output: 'dx' "
                               "output: 'ds'",
                               {{"y", of<B, float>({3}, {0, 2, -2})},
                                {"dy", of<B, float>({3}, {3, 4, 5})},
                                {"x", of<B, float>({3}, {0, 2, -4})},
                                {"s", of<B, float>({1}, {0.5})}});
  CHECK(prelu.template fetch<float>("dx") == std::vector<float>{1.5, 4, 2.5});
  CHECK(prelu.template fetch<float>("ds") == std::vector<float>{-20});
}

TEST_CASE("gradients of activations: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refused = [](std::string const& type, plait::tensor<B> const& y, plait::tensor<B> const& dy) {
    return test::error_of<B>(table<B>(), "type: '" + type + "' input: 'y' input: 'dy' output: 'dx'",
                             {{"y", y}, {"dy", dy}});
  };
  auto const six = test::counted<B, float>({2, 3});
  CHECK(has(refused("ReluGradient", six, test::counted<B, float>({3, 2})),
            "inputs 0 'y' and 1 'dy' are float32 2x3 and float32 3x2, of different shapes"));
  CHECK(has(refused("TanhGradient", six, test::counted<B, double>({2, 3})), "of different element types"));
  CHECK(has(refused("EluGradient", test::counted<B, std::int32_t>({2}), test::counted<B, std::int32_t>({2})),
            "EluGradient: "));
  CHECK(has(refused("SwishGradient", six, six), "2 inputs where there should be 3"));
  auto const slopes = [&](shape const& dims, std::string const& arguments) {
    return test::error_of<B>(table<B>(),
                             "type: 'PReluGradient' input: 'x' input: 'x' input: 'x' input: 's' output: 'dx' "
                             "output: 'ds' " +
                                 arguments,
                             {{"x", six}, {"s", test::counted<B, float>(dims)}});
  };
  CHECK(has(slopes({2}, ""), "have an extent of 2 in axis 1, as input 3 's' is float32 2"));
  CHECK(has(slopes({3}, "arg { name: 'order' s: 'WHAT' }"), "argument 'order' should be NCHW or NHWC"));
}

}  // namespace
