#include <plait/exec/detail/operators/batch_norm_gradient.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::table;

std::string arguments(bool test, bool last) {
  return std::string(" arg { name: 'is_test' i: ") + (test ? "1" : "0") + " } arg { name: 'order' s: '" +
         (last ? "NHWC" : "NCHW") + "' } arg { name: 'epsilon' f: 0.1 }";
}
std::string forward(bool test, bool last) {
  return std::string("type: 'SpatialBN' input: 'x' input: 's' input: 'b' input: 'm' input: 'v' output: 'y'") +
         (test ? "" : " output: 'new_m' output: 'new_v' output: 'sm' output: 'sv'") + arguments(test, last);
}
std::string gradient(bool test, bool last) {
  return std::string("type: 'SpatialBNGradient' input: 'x' input: 's' input: 'y_grad' ") +
         (test ? "input: 'm' input: 'v'" : "input: 'sm' input: 'sv'") +
         " output: 'x_grad' output: 's_grad' output: 'b_grad'" + arguments(test, last);
}

std::vector<std::pair<shape, bool>> const layouts = {
    {{2, 3, 2, 4}, false}, {{2, 2, 4, 3}, true}, {{3, 2, 5}, false}, {{3, 5, 2}, true},     {{5, 3}, false},
    {{3, 1, 4}, false},    {{3, 4, 1}, true},    {{1, 2, 6}, false}, {{0, 2, 3}, false},    {{2, 2, 0}, false},
    {{0, 3, 2}, true},     {{40, 3, 30}, false}, {{700, 3}, true},   {{2, 2, 8200}, false}, {{600, 2, 2}, false}};

TEST_CASE_TEMPLATE("SpatialBNGradient: agrees with differences in both modes, every layout", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (auto const& [dims, last] : layouts)
    for (bool const test : {false, true}) {
      shape const channels{dims[last ? dims.rank() - 1 : 1]};
      test::check_gradient_of_op(mine, reference,
                                 {.forward = forward(test, last),
                                  .gradient = gradient(test, last),
                                  .fed = {{"x", test::random_tensor(dims, 1)},
                                          {"s", test::random_tensor(channels, 2)},
                                          {"b", test::random_tensor(channels, 3)},
                                          {"m", test::random_tensor(channels, 4)},
                                          {"v", test::random_tensor(channels, 5, 0.5, 2)}},
                                  .tolerance = 1e-6,
                                  .float_tolerance = 1e-3,
                                  .most_differences = 20});
    }
}

TEST_CASE("SpatialBNGradient: operands that do not fit are refused") {
  using B = plait::serial;
  auto const error = [](shape const& dy, shape const& scale, shape const& mean) {
    return test::error_of<B>(table<B>(), gradient(false, false),
                             {{"x", test::random_tensor({2, 3, 2}, 1)},
                              {"s", test::random_tensor(scale, 2)},
                              {"y_grad", test::random_tensor(dy, 3)},
                              {"sm", test::random_tensor(mean, 4)},
                              {"sv", test::random_tensor({3}, 5, 1, 2)}});
  };
  CHECK(error({2, 3, 2}, {3}, {3}).empty());
  CHECK(test::has(error({2, 3, 1}, {3}, {3}), "different shapes"));
  CHECK(test::has(error({2, 3, 2}, {2}, {3}), "2x3x2, which should have an extent of 2 in axis 1, as input 1 's'"));
  CHECK(test::has(error({2, 3, 2}, {3}, {3, 1}), "a number for each of 3 channels"));
}

}  // namespace
