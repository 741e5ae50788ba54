#include <plait/exec/detail/operators/one_hot_gradients.hpp>

#include <string>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::table;

TEST_CASE_TEMPLATE("MakeTwoClassGradient: subtracts the first class from the second", B, PLAIT_HOST_BACKENDS) {
  for (shape const& dims : {shape{4}, shape{2, 3}, shape{}, shape{0}, shape{200, 300}})
    test::check_gradient_of_op(table<B>(), table<plait::serial>(),
                               {.forward = "type: 'MakeTwoClass' input: 'x' output: 'y'",
                                .gradient = "type: 'MakeTwoClassGradient' input: 'y_grad' output: 'x_grad'",
                                .fed = {{"x", test::random_tensor(dims, 1)}},
                                .float_tolerance = 1e-6,
                                .most_differences = 30});
}

TEST_CASE("MakeTwoClassGradient: inputs without two classes are refused") {
  using B = plait::serial;
  auto const error = [](shape const& dims) {
    return test::error_of<B>(table<B>(), "type: 'MakeTwoClassGradient' input: 'y' output: 'x'",
                             {{"y", test::random_tensor(dims, 1)}});
  };
  CHECK(error({3, 2}).empty());
  CHECK(test::has(error({3, 3}), "MakeTwoClassGradient: "));
  CHECK(test::has(error({3, 3}), "a last axis of 2"));
  CHECK(test::has(error({}), "at least 1"));
}

}  // namespace
