#include <plait/exec/detail/operators/softmax_with_loss_gradients.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::table;

plait::tensor<plait::serial> labels_of(shape const& dims, std::int64_t classes) {
  std::vector<std::int32_t> made;
  for (std::int64_t r = 0; r != dims.size(); ++r) made.push_back(static_cast<std::int32_t>((r * 7 + 3) % classes));
  return test::of<plait::serial>(dims, made);
}

plait::tensor<plait::serial> distributions_of(shape const& dims, std::int64_t classes) {
  std::vector<double> made = test::random_tensor(dims, 5, 0, 1).values<double>();
  auto const width = static_cast<std::size_t>(classes);
  for (std::size_t first = 0; first < made.size(); first += width) {
    double sum = 0;
    for (std::size_t i = 0; i != width; ++i) sum += made[first + i];
    for (std::size_t i = 0; i != width; ++i) made[first + i] /= sum;
  }
  return test::of<plait::serial>(dims, made);
}

TEST_CASE_TEMPLATE("SoftmaxWithLossGradient: agrees with differences for every argument", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (shape const& dims : {shape{3, 4}, shape{1, 1}, shape{2, 1}, shape{2, 3, 4}, shape{0, 4}, shape{90, 300}})
    for (std::size_t axis = 1; axis != dims.rank(); ++axis)
      for (int form = 0; form != 10; ++form) {
        bool const soft = (form & 1) != 0;
        bool const by_rows = form >= 8;
        bool const weighted = by_rows || (form & 2) != 0;
        bool const scaled = (form & 4) != 0;
        std::int64_t const classes = dims.size_from(axis);
        std::int64_t const rows = dims.size_to(axis);
        shape labels;  // without an axis of classes
        for (std::size_t i = 0; i != axis; ++i) labels.push_back(dims[i]);
        std::string const inputs = "input: 'x' input: 'l' " + std::string(weighted ? "input: 'w' " : "");
        std::string const arguments = " arg { name: 'axis' i: " + std::to_string(axis) + " }" +
                                      (soft ? " arg { name: 'label_prob' i: 1 }" : "") +
                                      (by_rows ? " arg { name: 'average_by_batch_size' i: 1 }" : "") +
                                      (scaled ? " arg { name: 'scale' f: 0.75 }" : "");
        test::gradient_case made = {
            .forward = "type: 'SoftmaxWithLoss' " + inputs + "output: 'p' output: 'loss'" + arguments,
            .gradient = "type: 'SoftmaxWithLossGradient' " + inputs + "input: 'p' input: 'loss_grad' output: 'x_grad'" +
                        arguments,
            .fed = {{"x", test::random_tensor(dims, 1)},
                    {"l", soft ? distributions_of(dims, classes) : labels_of(labels, classes)}},
            .float_tolerance = 1e-6,
            .most_differences = 30};
        if (weighted) made.fed.emplace_back("w", test::random_tensor({rows}, 2, 0.1, 1));
        test::check_gradient_of_op(mine, reference, made);
      }
}

TEST_CASE_TEMPLATE("SoftmaxWithLossGradient: is 0 if all weights are 0", B, PLAIT_HOST_BACKENDS) {
  auto const got = test::run_op<B>(
      table<B>(),
      "type: 'SoftmaxWithLossGradient' input: 'x' input: 'l' input: 'w' input: 'p' input: 'dloss' output: 'dx'",
      {{"x", test::of<B, float>({2, 2}, {1, 2, 3, 4})},
       {"l", test::of<B, std::int64_t>({2, 1}, {0, 1})},
       {"w", test::of<B, float>({2}, {0, 0})},
       {"p", test::of<B, float>({2, 2}, {0.25, 0.75, 0.5, 0.5})},
       {"dloss", test::of<B, float>({}, {1})}});
  for (float const gradient : got.template fetch<float>("dx")) CHECK(gradient == 0);
}

TEST_CASE("SoftmaxWithLossGradient: operands that do not fit are refused") {
  using B = plait::serial;
  auto const operators = table<B>();
  auto const x = test::random_tensor({3, 4}, 1);
  auto const error = [&](std::vector<std::int32_t> const& labels, plait::tensor<B> const& p,
                         plait::tensor<B> const& dloss) {
    return test::error_of<B>(
        operators, "type: 'SoftmaxWithLossGradient' input: 'x' input: 'l' input: 'p' input: 'dloss' output: 'dx'",
        {{"x", x}, {"l", test::of<B>({std::int64_t(labels.size())}, labels)}, {"p", p}, {"dloss", dloss}});
  };
  auto const one = test::random_tensor({}, 1);
  CHECK(error({0, 3, 1}, x, one).empty());
  CHECK(test::has(error({0, 3, -1}, x, one), "SoftmaxWithLossGradient: "));
  CHECK(test::has(error({0, 3, -1}, x, one), "index -1 at place 2"));
  CHECK(test::has(error({0, 3}, x, one), "a label for each of 3 rows"));
  CHECK(test::has(error({0, 3, 1}, test::random_tensor({4, 3}, 1), one), "different shapes"));
  CHECK(test::has(error({0, 3, 1}, x, x), "be one number"));
}

}  // namespace
