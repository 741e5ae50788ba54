#include <plait/exec/detail/operators/ranking_gradients.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/operators/ranking.hpp>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

// Returns distinct unsorted numbers.
plait::tensor<plait::serial> distinct(shape const& dims) {
  std::vector<double> made(static_cast<std::size_t>(dims.size()));
  for (std::size_t i = 0; i != made.size(); ++i) made[i] = static_cast<double>(i * 7'919 % 100'003) / 1'000;
  return test::of<plait::serial>(dims, made);
}

TEST_CASE_TEMPLATE("TopKGradient: agrees with differences along any axis, for any k", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  for (shape const& dims : {shape{7}, {4, 3}, {2, 5}, {2, 3, 4}, {0, 3}, {2, 60, 300}})
    for (int axis = -static_cast<int>(dims.rank()); axis != static_cast<int>(dims.rank()); ++axis)
      for (int const k : {1, 2, 6})
        for (bool const flat : {false, true}) {
          CAPTURE(plait::to_string(dims));
          std::string const arguments =
              "arg { name: 'k' i: " + std::to_string(k) + " } arg { name: 'axis' i: " + std::to_string(axis) + " }";
          test::check_gradient_of_op(
              operators, reference,
              {.forward = "type: 'TopK' input: 'x' output: 'v' output: 'i' " + std::string(flat ? "output: 'f' " : "") +
                          arguments,
               .gradient = "type: 'TopKGradient' input: 'v_grad' input: 'i' input: 'x' output: 'x_grad' " + arguments,
               .fed = {{"x", distinct(dims)}},
               .most_differences = 30});
        }
}

TEST_CASE_TEMPLATE("TopKGradient: operands that do not fit are refused", B, PLAIT_HOST_BACKENDS) {
  auto const refused = [&](shape const& dims, std::vector<std::int64_t> const& places) {
    return test::error_of<B>(
        table<B>(), "type: 'TopKGradient' input: 'dy' input: 'i' input: 'x' output: 'dx' arg { name: 'k' i: 2 }",
        {{"x", test::counted<B, float>({2, 3})},
         {"i", test::of<B>(dims, places)},
         {"dy", test::counted<B, float>(dims)}});
  };
  CHECK(refused({2, 2}, {0, 2, 1, -1}).empty());
  CHECK(test::has(refused({2, 2}, {0, 2, 3, 0}), "place 2 of the list is not in axis 1"));
  CHECK(test::has(refused({2, 2}, {-2, 2, 1, 0}), "place 0 of the list"));
  CHECK(test::has(refused({1, 2}, {0, 2}), "be 2x3 but for axis 1"));
  CHECK(test::has(refused({2}, {0, 2}), "be 2x3 but for axis 1"));
}

}  // namespace
