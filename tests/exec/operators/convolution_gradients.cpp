#include <plait/exec/detail/operators/convolution_gradients.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/image_oracle.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

TEST_CASE_TEMPLATE("ConvGradient: matches differences for 1 to 3 axes, orders, groups, strides, dilations, padding", B,
                   PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  for (test::window_case const& c : test::window_cases())
    for (std::int64_t const groups : {1, 2, 6})
      for (bool const with_bias : {true, false}) {
        CAPTURE(plait::to_string(c.x));
        shape weights = {6};
        if (!c.last) weights.push_back(c.channels() / groups);
        for (std::int64_t const extent : c.kernel) weights.push_back(extent);
        if (c.last) weights.push_back(c.channels() / groups);
        std::string const arguments = c.arguments() + "arg { name: 'group' i: " + std::to_string(groups) + " } ";
        test::feeds<plait::serial> fed = {{"x", test::random_tensor(c.x, 1)}, {"w", test::random_tensor(weights, 2)}};
        if (with_bias) fed.emplace_back("b", test::random_tensor({6}, 3));
        test::check_gradient_of_op(
            operators, reference,
            {.forward = "type: 'Conv' input: 'x' input: 'w' " + std::string(with_bias ? "input: 'b' " : "") +
                        "output: 'y' " + arguments,
             .gradient = "type: 'ConvGradient' input: 'x' input: 'w' input: 'y_grad' output: 'w_grad' " +
                         std::string(with_bias ? "output: 'b_grad' output: 'x_grad' "
                                               : "output: 'x_grad' arg { name: 'no_bias' i: 1 } ") +
                         arguments,
             .fed = fed,
             .most_differences = 12});
      }
}

TEST_CASE_TEMPLATE("ConvGradient: outputs are optional, and wrong operands are refused", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  for (std::string const outputs :
       {"output: 'w_grad'", "output: 'w_grad' output: 'b_grad'", "output: 'w_grad' arg { name: 'no_bias' i: 1 }"})
    test::check_gradient_of_op(
        operators, reference,
        {.forward = "type: 'Conv' input: 'x' input: 'w' input: 'b' output: 'y' arg { name: 'kernel' i: 2 }",
         .gradient =
             "type: 'ConvGradient' input: 'x' input: 'w' input: 'y_grad' arg { name: 'kernel' i: 2 } " + outputs,
         .fed = {{"x", test::random_tensor({2, 3, 4, 4}, 1)},
                 {"w", test::random_tensor({5, 3, 2, 2}, 2)},
                 {"b", test::random_tensor({5}, 3)}}});
  auto const error = [&](shape const& dy, std::string const& more) {
    return test::error_of<B>(operators,
                             "type: 'ConvGradient' input: 'x' input: 'w' input: 'dy' output: 'dw' output: 'db' "
                             "output: 'dx' arg { name: 'kernel' i: 2 } " +
                                 more,
                             {{"x", test::counted<B, float>({1, 3, 4, 4})},
                              {"w", test::counted<B, float>({5, 3, 2, 2})},
                              {"dy", test::counted<B, float>(dy)}});
  };
  CHECK(error({1, 5, 3, 3}, "").empty());
  CHECK(test::has(error({1, 5, 3, 4}, ""), "be 1x5x3x3, as the output is"));
  CHECK(test::has(error({1, 5, 3, 3}, "arg { name: 'no_bias' i: 1 }"), "no more than two outputs"));
}

}  // namespace
