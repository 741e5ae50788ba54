#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_cases.hpp>

namespace {

using test::check_gradient_of;
using test::random_tensor;

// Returns random values away from zero, where several functions have a kink.
test::tensor64 some(plait::shape const& dims, std::uint64_t seed = 1) { return random_tensor(dims, seed, -2, 2, {0}); }
test::tensor64 positive(plait::shape const& dims, std::uint64_t seed = 2) { return random_tensor(dims, seed, 0.3, 2); }

TEST_CASE("element-wise gradients: functions of one tensor equal finite differences") {
  for (plait::shape const& dims : {plait::shape{3, 4}, plait::shape{7}, plait::shape{}, plait::shape{2, 1, 3}}) {
    for (
        std::string const op :
        {"Abs",         "Cos",        "Elu",     "Exp",           "LeakyRelu",    "Negative",      "Relu",
         "Scale",       "Selu",       "Sigmoid", "Sin",           "Softplus",     "Softsign",      "Sqr",
         "Swish",       "Tanh",       "Copy",    "Alias",         "NanCheck",     "EnforceFinite", "CopyOnDeviceLike",
         "EnsureDense", "Atan",       "Cbrt",    "Cosh",          "Cube",         "Erf",           "Gelu",
         "Reciprocal",  "ReplaceNaN", "Sinh",    "AliasWithName", "CopyCPUToGPU", "CopyGPUToCPU",  "EnsureCPUOutput"}) {
      std::string const second = op == "CopyOnDeviceLike" ? " x" : "";
      check_gradient_of({op + " x" + second + " > y", {{"x", some(dims)}}, {"x"}});
    }
    for (std::string const op : {"Log", "Log1p", "Sqrt", "Rsqrt"})
      check_gradient_of({op + " x > y", {{"x", positive(dims)}}, {"x"}});
    check_gradient_of({"Pow x > y [exponent 2.5]", {{"x", positive(dims)}}, {"x"}});
    check_gradient_of({"Pow x > y [exponent 3.0]", {{"x", some(dims)}}, {"x"}});
    check_gradient_of({"Clip x > y [min -1.0] [max 1.0]", {{"x", random_tensor(dims, 3, -2, 2, {-1, 1})}}, {"x"}});
    for (std::string const op : {"Acos", "Asin", "Asinh", "Atanh", "Tan"})
      check_gradient_of({op + " x > y", {{"x", random_tensor(dims, 3, -0.8, 0.8)}}, {"x"}});
    check_gradient_of({"Acosh x > y", {{"x", random_tensor(dims, 3, 1.1, 3)}}, {"x"}});
    check_gradient_of({"Logit x > y", {{"x", random_tensor(dims, 3, 0.1, 0.9)}}, {"x"}});
    for (std::string const op : {"ReluN x > y [n 1.5]", "ThresholdedRelu x > y", "ThresholdedRelu x > y [alpha -1.0]",
                                 "HardSigmoid x > y [alpha 0.5]"})
      check_gradient_of({op, {{"x", random_tensor(dims, 3, -2, 2, {0, 1.5, 1, -1})}}, {"x"}});
    check_gradient_of({"Elu x > y [alpha 0.5]", {{"x", some(dims)}}, {"x"}});
    check_gradient_of({"LeakyRelu x > y [alpha 0.3]", {{"x", some(dims)}}, {"x"}});
    check_gradient_of({"Scale x > y [scale -2.5]", {{"x", some(dims)}}, {"x"}});
    check_gradient_of({"SumSqrElements x > y", {{"x", some(dims)}}, {"x"}});
    check_gradient_of({"SumSqrElements x > y [average 1]", {{"x", some(dims)}}, {"x"}});
    check_gradient_of({"Dropout x > y m [is_test 1]", {{"x", some(dims)}}, {"x"}});
  }
}

TEST_CASE("element-wise gradients: functions in place equal finite differences") {
  for (std::string const op : {"Tanh", "Relu", "Sigmoid", "Exp", "Scale", "Negative", "Elu", "LeakyRelu", "Softplus"})
    check_gradient_of({"Copy x > h; " + op + " h > h; Tanh h > y", {{"x", some({3, 2})}}, {"x"}});
}

TEST_CASE("element-wise gradients: arithmetic on equal shapes equals finite differences") {
  for (std::string const op : {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Mean", "Sum"})
    check_gradient_of({op + " a b > y", {{"a", positive({3, 4}, 5)}, {"b", positive({3, 4}, 6)}}, {"a", "b"}});
  for (std::string const op : {"Max", "Min", "Mean", "Sum"})
    check_gradient_of(
        {op + " a b c > y", {{"a", some({5}, 5)}, {"b", some({5}, 6)}, {"c", some({5}, 7)}}, {"a", "b", "c"}});
  for (std::string const op : {"Add", "Sub", "Mul", "Sum", "Concat"})
    check_gradient_of({op + (op == "Concat" ? " x x > y s" : " x x > y"), {{"x", some({2, 3})}}, {"x"}});
}

TEST_CASE("element-wise gradients: arithmetic with the arguments broadcast and axis equals finite differences") {
  for (std::string const op : {"Add", "Sub", "Mul", "Div", "Pow"}) {
    auto const check = [&](plait::shape const& b, std::string const& arguments) {
      check_gradient_of({op + " a b > y [broadcast 1]" + arguments,
                         {{"a", positive({2, 3, 4}, 5)}, {"b", positive(b, 6)}},
                         {"a", "b"}});
    };
    check({4}, "");
    check({3, 4}, "");
    check({1}, "");
    check({3}, " [axis 1]");
    check({2, 3}, " [axis 0]");
  }
}

TEST_CASE("element-wise gradients: negative alpha, duplicate operands and 0 / 0 are correct or refused") {
  auto const x = random_tensor({6}, 1, -2, 2, {0});
  auto const z = random_tensor({6}, 2, -2, 2, {0});
  check_gradient_of({"LeakyRelu x > y [alpha -0.5]", {{"x", x}}, {"x"}});
  check_gradient_of({"LeakyRelu x > x [alpha -0.5]; Sqr x > y",
                     {{"x", x}},
                     {"x"},
                     {"y"},
                     {.gradients = {.overwritten = plait::overwritten_values::copy}}});
  for (std::string const op : {"Max", "Min"})
    for (std::string const operands : {"x x z", "x z x", "x z"})
      check_gradient_of({op + ' ' + operands + " > y", {{"x", x}, {"z", z}}, {"x", "z"}});
  check_gradient_of({"Pow x > y [exponent 0.0]", {{"x", test::doubles({0, -1, 2}, {3})}}, {"x"}});
  for (std::string const op : {"Elu x > y [alpha -0.5]", "Selu x > y [scale -1.5]", "Selu x > y [alpha -1.0]"}) {
    CAPTURE(op);
    CHECK_THROWS_AS((void)plait::backward_pass(test::tiny_net(op), {"y"}, plait::gradient_rules::standard()),
                    plait::gradient_error);
    CHECK_NOTHROW(
        (void)plait::backward_pass(test::tiny_net(op), {"y"}, plait::gradient_rules::standard(), {.as_caffe2 = true}));
  }
}

TEST_CASE("element-wise gradients: arithmetic with NumPy broadcasting equals finite differences") {
  for (std::string const op : {"Add", "Sub", "Mul", "Div", "Pow"}) {
    auto const check = [&](plait::shape const& a, plait::shape const& b) {
      check_gradient_of({op + " a b > y",
                         {{"a", positive(a, 5)}, {"b", positive(b, 6)}},
                         {"a", "b"},
                         {"y"},
                         {.gradients = {.numpy_broadcasting = true}}});
    };
    check({2, 3}, {2, 3});
    check({2, 3}, {3});
    check({3}, {2, 3});
    check({2, 1, 4}, {3, 1});
    check({1}, {2, 2});
    check({4}, {});
    check_gradient_of({op + " a b > y [broadcast 0]",
                       {{"a", positive({3}, 5)}, {"b", positive({2, 3}, 6)}},
                       {"a", "b"},
                       {"y"},
                       {.gradients = {.numpy_broadcasting = true}}});
  }
}

TEST_CASE("element-wise gradients: Where, PRelu and WeightedSum equal finite differences") {
  test::tensor64 const where = test::tensor64::from(std::vector<bool>{true, false, false, true, true, false}, {2, 3});
  check_gradient_of({"Where c a b > y", {{"c", where}, {"a", some({2, 3}, 5)}, {"b", some({2, 3}, 6)}}, {"a", "b"}});
  check_gradient_of({"PRelu x s > y", {{"x", some({2, 3, 2})}, {"s", positive({3})}}, {"x", "s"}});
  check_gradient_of({"PRelu x s > y", {{"x", some({2, 3})}, {"s", positive({1})}}, {"x", "s"}});
  check_gradient_of({"WeightedSum a v b w > y",
                     {{"a", some({2, 3}, 5)}, {"b", some({2, 3}, 6)}, {"v", positive({1}, 7)}, {"w", positive({1}, 8)}},
                     {"a", "b", "v", "w"}});
  check_gradient_of({"SumReduceLike a b > y [broadcast 1]", {{"a", some({4, 3})}, {"b", some({3})}}, {"a"}});
}

}  // namespace
