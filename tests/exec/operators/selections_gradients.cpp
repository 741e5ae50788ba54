#include <plait/exec/detail/operators/selections_gradients.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::table;

std::string const op =
    "type: 'ElementwiseLinearGradient' input: 'y_grad' input: 'x' input: 'w' "
    "output: 'x_grad' output: 'w_grad' output: 'b_grad'";

TEST_CASE_TEMPLATE("ElementwiseLinearGradient: all axes and row chunks match, also in place", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  struct matrix {
    shape x;
    std::int64_t axis;
    std::int64_t width;
  };
  for (matrix const& m : {matrix{{3, 4}, 1, 4}, matrix{{2, 3, 4}, 2, 4}, matrix{{2, 3, 4}, 1, 12},
                          matrix{{2, 3, 4}, -1, 4}, matrix{{2, 3}, 2, 1}, matrix{{5}, 0, 5}, matrix{{0, 4}, 1, 4},
                          matrix{{3, 0}, 1, 0}, matrix{{1100, 40}, 1, 40}, matrix{{3, 700}, 1, 700}}) {
    std::string const axis = " arg { name: 'axis' i: " + std::to_string(m.axis) + " }";
    test::check_gradient_of_op(
        mine, reference,
        {.forward = "type: 'ElementwiseLinear' input: 'x' input: 'w' input: 'b' output: 'y'" + axis,
         .gradient = op + axis,
         .fed = {{"x", test::random_tensor(m.x, 1)},
                 {"w", test::random_tensor({m.width}, 2)},
                 {"b", test::random_tensor({m.width}, 3)}},
         .float_tolerance = 5e-5,
         .most_differences = 60});
  }
}

TEST_CASE("ElementwiseLinearGradient: operands that do not fit are refused") {
  using B = plait::serial;
  auto const operators = table<B>();
  auto const error = [&](shape const& dy, shape const& w) {
    return test::error_of<B>(operators, op,
                             {{"y_grad", test::random_tensor(dy, 1)},
                              {"x", test::random_tensor({3, 4}, 2)},
                              {"w", test::random_tensor(w, 3)}});
  };
  CHECK(error({3, 4}, {4}).empty());
  CHECK(test::has(error({3, 4}, {3}), "ElementwiseLinearGradient: "));
  CHECK(test::has(error({3, 4}, {3}), "4 elements, as the rows of input 1"));
  CHECK(test::has(error({4, 3}, {4}), "different shapes"));
}

}  // namespace
