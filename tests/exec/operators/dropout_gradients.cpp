#include <plait/exec/detail/operators/dropout_gradients.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::run_op;
using test::table;

// Checks that DropoutGrad repeats Dropout with the same mask: Dropout is linear and element-wise.
template <class B, class T>
void check_adjoint(std::string const& ratio, std::string const& output) {
  std::string const arguments = "arg { name: 'ratio' f: " + ratio + " } ";
  for (shape const& dims : {shape{}, shape{0, 3}, shape{7}, shape{300, 101}}) {
    auto const blobs = test::run_net<B>(
        table<B>(),
        "op { type: 'Dropout' input: 'x' output: 'y' output: 'mask' " + arguments +
            "} op { type: 'DropoutGrad' input: 'dy' input: 'mask' output: '" + output + "' " + arguments + "}",
        {{"x", test::counted<B, T>(dims, T(1))}, {"dy", test::counted<B, T>(dims, T(1))}});
    CHECK(blobs.template fetch<T>(output) == blobs.template fetch<T>("y"));
    CHECK(blobs.view(output).dims() == dims);
  }
}

TEST_CASE_TEMPLATE("DropoutGrad: applies the mask and the scale of Dropout to dY", B, PLAIT_HOST_BACKENDS) {
  for (std::string const ratio : {"0", "0.25", "0.5", "0.9"})
    for (std::string const output : {"dx", "dy"}) {
      check_adjoint<B, float>(ratio, output);
      check_adjoint<B, double>(ratio, output);
    }
  auto const some =
      run_op<B>(table<B>(), "type: 'DropoutGrad' input: 'dy' input: 'mask' output: 'dx' arg { name: 'ratio' f: 0.75 }",
                {{"dy", of<B, float>({3}, {1, 2, -3})},
                 {"mask", plait::tensor<B>::from(std::vector<bool>{true, false, true}, {3})}});
  CHECK(some.template fetch<float>("dx") == std::vector<float>{4, 0, -12});
}

TEST_CASE_TEMPLATE("DropoutGrad: returns dY with is_test, with and without a mask", B, PLAIT_HOST_BACKENDS) {
  for (std::string const mask : {"", "input: 'mask' "})
    test::check_gradient_of_op<B>(
        table<B>(), table<plait::serial>(),
        {.forward = "type: 'Dropout' input: 'x' output: 'y' output: 'mask' arg { name: 'is_test' i: 1 }",
         .gradient = "type: 'DropoutGrad' input: 'y_grad' " + mask + "output: 'x_grad' arg { name: 'is_test' i: 1 }",
         .fed = {{"x", test::random_tensor({3, 5}, 1)}}});
}

TEST_CASE("DropoutGrad: operands and arguments that do not fit are refused") {
  using B = plait::serial;
  auto const refused = [](std::string const& op, shape const& mask) {
    return test::error_of<B>(
        table<B>(), "type: 'DropoutGrad' input: 'dy' output: 'dx' " + op,
        {{"dy", test::counted<B, float>({2})}, {"mask", plait::tensor<B>::from(std::vector<bool>(3, true), mask)}});
  };
  CHECK(has(refused("", {3}), "there is no input 1, the mask"));
  CHECK(has(refused("input: 'mask'", {3}), "of different shapes"));
  CHECK(has(refused("input: 'dy'", {3}), "which should hold bool"));
  CHECK(
      has(refused("input: 'mask' arg { name: 'ratio' f: 1 }", {3}), "argument 'ratio' must be at least 0 and below 1"));
}

}  // namespace
