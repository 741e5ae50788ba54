#include <plait/exec/detail/operators/gather_gradients.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

TEST_CASE_TEMPLATE("BatchGatherGradient: accumulates indices listed once, often and never", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  auto const check = [&]<class I>(shape const& dims, shape const& list, std::vector<I> const& indices) {
    CAPTURE(plait::to_string(dims));
    test::check_gradient_of_op(
        operators, reference,
        {.forward = "type: 'BatchGather' input: 'x' input: 'i' output: 'y'",
         .gradient = "type: 'BatchGatherGradient' input: 'x' input: 'i' input: 'y_grad' output: 'x_grad'",
         .fed = {{"x", test::random_tensor(dims, 8)}, {"i", test::of<plait::serial>(list, indices)}},
         .most_differences = 40});
  };
  check({2, 5}, {3}, std::vector<std::int32_t>{2, 0, 2});
  check({3, 4, 2}, {2, 2}, std::vector<std::int64_t>{3, 3, 3, 1});
  check({1, 4, 3}, {}, std::vector<std::int32_t>{2});
  check({2, 3, 0}, {2}, std::vector<std::int32_t>{0, 2});
  check({0, 3}, {2}, std::vector<std::int32_t>{0, 2});
  check({2, 3}, {0}, std::vector<std::int32_t>{});
  std::vector<std::int32_t> many(500);
  for (std::size_t i = 0; i != many.size(); ++i) many[i] = static_cast<std::int32_t>(i * 7 % 30);
  check({20, 30, 3}, {50, 10}, many);
  check({2, 30, 700}, {500}, many);
}

TEST_CASE_TEMPLATE("BatchGatherGradient: is the gradient of Gather along any axis", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  auto const check = [&](std::string const& arguments, shape const& dims, shape const& list, std::int32_t last = 2) {
    CAPTURE(arguments);
    test::check_gradient_of_op(
        operators, reference,
        {.forward = "type: 'Gather' input: 'x' input: 'i' output: 'y' " + arguments,
         .gradient = "type: 'BatchGatherGradient' input: 'x' input: 'i' input: 'y_grad' output: 'x_grad' " + arguments,
         .fed = {{"x", test::random_tensor(dims, 8)},
                 {"i", test::of<plait::serial>(list, std::vector<std::int32_t>{1, 0, last, 0, 0, 1})}},
         .most_differences = 40});
  };
  check("arg { name: 'axis' i: 0 }", {4, 2}, {6});
  check("arg { name: 'axis' i: 2 }", {2, 2, 3, 2}, {3, 2});
  check("arg { name: 'axis' i: -1 }", {2, 2, 3}, {6});
  check("arg { name: 'axis' i: 1 } arg { name: 'match_outer' i: 1 }", {2, 4, 2}, {2, 3});
  check("arg { name: 'axis' i: 2 } arg { name: 'match_outer' i: 1 }", {3, 2, 3}, {3, 2});
  check("arg { name: 'axis' i: 0 } arg { name: 'wrap_indices' i: 1 }", {4, 2}, {6}, -1);
  check("arg { name: 'axis' i: 1 } arg { name: 'wrap_indices' i: 1 } arg { name: 'match_outer' i: 1 }", {2, 4, 2},
        {2, 3}, -4);
}

TEST_CASE_TEMPLATE("BatchGatherGradient: operands that do not fit are refused", B, PLAIT_HOST_BACKENDS) {
  auto const refused = [&](shape const& dy, std::vector<std::int32_t> const& indices) {
    return test::error_of<B>(table<B>(), "type: 'BatchGatherGradient' input: 'x' input: 'i' input: 'dy' output: 'dx'",
                             {{"x", test::counted<B, float>({2, 3})},
                              {"i", test::of<B>({static_cast<std::int64_t>(indices.size())}, indices)},
                              {"dy", test::counted<B, float>(dy)}});
  };
  CHECK(refused({2, 2}, {0, 2}).empty());
  CHECK(test::has(refused({2, 2}, {0, 3}), "index 3 at place 1"));
  CHECK(test::has(refused({2, 2}, {-1, 0}), "index -1 at place 0"));
  CHECK(test::has(refused({2, 3}, {0, 2}), "be 2x2, as what was gathered is"));
}

}  // namespace
