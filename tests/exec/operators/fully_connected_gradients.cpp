#include <plait/exec/detail/operators/fully_connected_gradients.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::table;

struct layer {
  shape x;
  shape w;
  std::int64_t units;
  bool transposed = false;
  std::string arguments = {};
};

std::string const axis_2 = " arg { name: 'axis' i: 2 }";

std::vector<layer> const layers = {
    {{3, 4}, {5, 4}, 5},
    {{1, 4}, {2, 4}, 2},
    {{2, 3, 4}, {5, 12}, 5},
    {{2, 3, 4}, {5, 4}, 5, false, axis_2},
    {{2, 3, 4}, {5, 4}, 5, false, " arg { name: 'axis' i: -1 }"},
    {{3, 4}, {5, 2, 2}, 5},
    {{3, 2}, {5, 2, 2}, 10, false, " arg { name: 'axis_w' i: -1 }"},
    {{0, 4}, {5, 4}, 5},
    {{3, 0}, {5, 0}, 5},
    {{3, 4}, {0, 4}, 0},
    {{70, 130}, {65, 130}, 65},
    {{1500, 3}, {64, 3}, 64},  // column sums in several chunks
    {{3, 4}, {4, 5}, 5, true},
    {{2, 3, 4}, {4, 5}, 5, true, axis_2},
    {{2, 3, 4}, {12, 5}, 5, true},
    {{3, 4}, {2, 2, 5}, 5, true, " arg { name: 'axis_w' i: 2 }"},
    {{3, 2}, {2, 2, 5}, 10, true},
    {{0, 4}, {4, 5}, 5, true},
    {{3, 0}, {0, 5}, 5, true},
    {{3, 4}, {4, 0}, 0, true},
    {{70, 130}, {130, 65}, 65, true},
};

test::gradient_case fc(layer const& l, bool with_input) {
  std::string const type = l.transposed ? "FCTransposed" : "FC";
  return {.forward = "type: '" + type + "' input: 'x' input: 'w' input: 'b' output: 'y'" + l.arguments,
          .gradient = "type: '" + type + "Gradient' input: 'x' input: 'w' input: 'y_grad' output: 'w_grad' " +
                      "output: 'b_grad'" + (with_input ? " output: 'x_grad'" : "") + l.arguments,
          .fed = {{"x", test::random_tensor(l.x, 1)},
                  {"w", test::random_tensor(l.w, 2)},
                  {"b", test::random_tensor({l.units}, 3)}},
          .tolerance = 1e-6,
          .float_tolerance = 1e-5,
          .most_differences = 60};
}

TEST_CASE_TEMPLATE("FCGradient, FCTransposedGradient: match differences, with or without dX", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (layer const& l : layers) {
    auto const with = test::check_gradient_of_op(mine, reference, fc(l, true));
    auto const without = test::check_gradient_of_op(mine, reference, fc(l, false));
    CHECK(with.template fetch<double>("w_grad") == without.template fetch<double>("w_grad"));
    CHECK(with.template fetch<double>("b_grad") == without.template fetch<double>("b_grad"));
  }
}

TEST_CASE("FCGradient: is exact for integers") {
  using B = plait::serial;
  auto const got = test::run_op<B>(
      table<B>(),
      "type: 'FCGradient' input: 'x' input: 'w' input: 'dy' output: 'w_grad' output: 'b_grad' output: 'x_grad'",
      {{"x", test::of<B, float>({2, 3}, {1, 2, 3, 4, 5, 6})},
       {"w", test::of<B, float>({2, 3}, {1, 0, -1, 2, 1, 0})},
       {"dy", test::of<B, float>({2, 2}, {1, 10, 2, 20})}});
  CHECK(got.fetch<float>("w_grad") == std::vector<float>{9, 12, 15, 90, 120, 150});
  CHECK(got.fetch<float>("b_grad") == std::vector<float>{3, 30});
  CHECK(got.fetch<float>("x_grad") == std::vector<float>{21, 10, -1, 42, 20, -2});
}

TEST_CASE("FCGradient: operands that do not fit are refused") {
  using B = plait::serial;
  auto const operators = table<B>();
  auto const error = [&](shape const& x, shape const& w, plait::tensor<B> const& dy) {
    return test::error_of<B>(operators,
                             "type: 'FCGradient' input: 'x' input: 'w' input: 'dy' output: 'w_grad' output: 'b_grad'",
                             {{"x", test::random_tensor(x, 1)}, {"w", test::random_tensor(w, 2)}, {"dy", dy}});
  };
  CHECK(error({3, 4}, {5, 4}, test::random_tensor({3, 5}, 3)).empty());
  CHECK(test::has(error({3, 4}, {5, 4}, test::random_tensor({5, 3}, 3)), "FCGradient: "));
  CHECK(test::has(error({3, 4}, {5, 4}, test::random_tensor({5, 3}, 3)), "shape of Y, 3x5"));
  CHECK(test::has(error({3, 4}, {5, 3}, test::random_tensor({3, 5}, 3)), "have rows of 3 elements from axis 1"));
  CHECK(test::has(error({3, 4}, {5, 4}, test::of<B>({3, 5}, std::vector<float>(15))), "different element types"));
}

}  // namespace
