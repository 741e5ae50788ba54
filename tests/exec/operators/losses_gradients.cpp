#include <plait/exec/detail/operators/losses_gradients.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/operators/reductions.hpp>
#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::table;

template <class I>
plait::tensor<plait::serial> labels_of(shape const& dims, std::int64_t classes) {
  std::vector<I> made;
  for (std::int64_t r = 0; r != dims.size(); ++r) made.push_back(static_cast<I>((r * 7 + 3) % classes));
  return test::of<plait::serial>(dims, made);
}

TEST_CASE_TEMPLATE("LabelCrossEntropyGradient: agrees with differences for both label types", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (shape const& dims : {shape{3, 4}, shape{1, 1}, shape{2, 3, 2}, shape{5}, shape{0, 4}, shape{300, 70}}) {
    std::int64_t const rows = dims.rank() == 1 ? 1 : dims[0];
    std::int64_t const classes = dims.rank() == 1 ? dims[0] : dims.size_from(1);
    for (auto const& labels : {labels_of<std::int32_t>({rows}, classes), labels_of<std::int64_t>({rows, 1}, classes)})
      test::check_gradient_of_op(
          mine, reference,
          {.forward = "type: 'LabelCrossEntropy' input: 'x' input: 'l' output: 'y'",
           .gradient = "type: 'LabelCrossEntropyGradient' input: 'x' input: 'l' input: 'y_grad' output: 'x_grad'",
           .fed = {{"x", test::random_tensor(dims, 1, 0.1, 1)}, {"l", labels}},
           .float_tolerance = 1e-6,
           .most_differences = 100});
  }
  // The lower bound of the logarithm's argument also bounds the slope.
  auto const got =
      test::run_op<B>(mine, "type: 'LabelCrossEntropyGradient' input: 'x' input: 'l' input: 'dy' output: 'dx'",
                      {{"x", test::of<B, float>({2, 2}, {1, 0, 0, 1})},
                       {"l", test::of<B, std::int32_t>({2}, {1, 1})},
                       {"dy", test::of<B, float>({2}, {-0.019f, 0.243f})}});
  auto const gradient = got.template fetch<float>("dx");
  CHECK(gradient[0] == 0);
  CHECK(gradient[1] == doctest::Approx(1.9e18));
  CHECK(gradient[2] == 0);
  CHECK(gradient[3] == -0.243f);
}

TEST_CASE_TEMPLATE("CrossEntropyGradient: agrees with differences for probabilities", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (shape const& dims : {shape{3, 4}, shape{1, 1}, shape{2, 3, 2}, shape{5}, shape{0, 4}, shape{300, 70}})
    test::check_gradient_of_op(
        mine, reference,
        {.forward = "type: 'CrossEntropy' input: 'x' input: 'l' output: 'y'",
         .gradient = "type: 'CrossEntropyGradient' input: 'x' input: 'l' input: 'y_grad' output: 'x_grad'",
         .fed = {{"x", test::random_tensor(dims, 1, 0.1, 1)}, {"l", test::random_tensor(dims, 2, 0, 1)}},
         .float_tolerance = 1e-6,
         .most_differences = 100});
  auto const got = test::run_op<B>(mine, "type: 'CrossEntropyGradient' input: 'x' input: 'l' input: 'dy' output: 'dx'",
                                   {{"x", test::of<B, double>({1, 3}, {0, 1, 0.5})},
                                    {"l", test::of<B, double>({1, 3}, {0.5, 0.25, 0})},
                                    {"dy", test::of<B, double>({1}, {2})}});
  auto const gradient = got.template fetch<double>("dx");
  CHECK(gradient[0] == doctest::Approx(-1e20));
  CHECK(gradient[1] == -0.5);
  CHECK(gradient[2] == 0);
}

TEST_CASE_TEMPLATE("SigmoidCrossEntropyWithLogitsGradient: agrees with differences", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (std::string const kind : {"", " arg { name: 'log_D_trick' i: 1 }", " arg { name: 'unjoined_lr_loss' i: 1 }"}) {
    for (shape const& dims : {shape{3, 4}, shape{5}, shape{}, shape{2, 3, 4}, shape{0, 3}, shape{3, 0}, shape{90, 300}})
      test::check_gradient_of_op(
          mine, reference,
          {.forward = "type: 'SigmoidCrossEntropyWithLogits' input: 'x' input: 't' output: 'y'" + kind,
           .gradient = "type: 'SigmoidCrossEntropyWithLogitsGradient' input: 'y_grad' input: 'x' input: 't' "
                       "output: 'x_grad'" +
                       kind,
           .fed = {{"x", test::random_tensor(dims, 1, -4, 4, {0})}, {"t", test::random_tensor(dims, 2, 0, 1)}},
           .float_tolerance = 1e-6,
           .most_differences = 100});
    auto const far = test::run_op<B>(
        mine, "type: 'SigmoidCrossEntropyWithLogitsGradient' input: 'dy' input: 'x' input: 't' output: 'dx'" + kind,
        {{"dy", test::of<B, float>({}, {4})},
         {"x", test::of<B, float>({4}, {1e5f, 1e5f, -1e5f, -1e5f})},
         {"t", test::of<B, float>({4}, {0, 1, 0, 1})}});
    auto const gradient = far.template fetch<float>("dx");
    std::vector<float> const plain = {1, 0, 0, -1};
    std::vector<float> const trick = {0, 0, 1, -1};
    std::vector<float> const unjoined = {1, -1, 0, -1};
    auto const& wanted = kind.empty() ? plain : test::has(kind, "log_D") ? trick : unjoined;
    for (std::size_t i = 0; i != 4; ++i) CHECK(gradient[i] == wanted[i]);
  }
}

TEST_CASE_TEMPLATE("AveragedLossGradient: divides dY equally among the elements", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (shape const& dims : {shape{4}, shape{2, 3}, shape{}, shape{0}, shape{200, 300}})
    test::check_gradient_of_op(mine, reference,
                               {.forward = "type: 'AveragedLoss' input: 'x' output: 'y'",
                                .gradient = "type: 'AveragedLossGradient' input: 'x' input: 'y_grad' output: 'x_grad'",
                                .fed = {{"x", test::random_tensor(dims, 1)}},
                                .float_tolerance = 1e-6,
                                .most_differences = 20});
}

TEST_CASE("gradients of losses: operands that do not fit are refused") {
  using B = plait::serial;
  auto const operators = table<B>();
  auto const x = test::random_tensor({3, 4}, 1, 0.1, 1);
  auto const rows = test::random_tensor({3}, 2);
  auto const columns = test::random_tensor({4}, 2);
  std::string const by_label = "type: 'LabelCrossEntropyGradient' input: 'x' input: 'l' input: 'dy' output: 'dx'";
  auto const label_error = [&](std::vector<std::int32_t> const& labels, plait::tensor<B> const& dy) {
    return test::error_of<B>(operators, by_label,
                             {{"x", x}, {"l", test::of<B>({std::int64_t(labels.size())}, labels)}, {"dy", dy}});
  };
  CHECK(label_error({0, 3, 1}, rows).empty());
  CHECK(test::has(label_error({0, 4, 1}, rows), "LabelCrossEntropyGradient: "));
  CHECK(test::has(label_error({0, 4, 1}, rows), "index 4 at place 1"));
  CHECK(test::has(label_error({0, 1}, rows), "a label for each of 3 rows"));
  CHECK(test::has(label_error({0, 3, 1}, columns), "an element for each of 3 rows"));
  std::string const by_class = "type: 'CrossEntropyGradient' input: 'x' input: 'l' input: 'dy' output: 'dx'";
  CHECK(test::error_of<B>(operators, by_class, {{"x", x}, {"l", x}, {"dy", rows}}).empty());
  CHECK(test::has(test::error_of<B>(operators, by_class, {{"x", x}, {"l", rows}, {"dy", rows}}),
                  "a probability for each of 4 classes"));
  CHECK(test::has(test::error_of<B>(operators, by_class, {{"x", x}, {"l", x}, {"dy", x}}),
                  "an element for each of 3 rows"));
  std::string const sigmoid =
      "type: 'SigmoidCrossEntropyWithLogitsGradient' input: 'dy' input: 'x' input: 't' output: 'dx'";
  CHECK(test::has(test::error_of<B>(operators, sigmoid, {{"dy", x}, {"x", x}, {"t", x}}), "shape of the losses, 3"));
  CHECK(test::has(
      test::error_of<B>(operators, sigmoid + " arg { name: 'log_D_trick' i: 1 } arg { name: 'unjoined_lr_loss' i: 1 }",
                        {{"dy", rows}, {"x", x}, {"t", x}}),
      "exclude each other"));
  CHECK(test::has(test::error_of<B>(operators, "type: 'AveragedLossGradient' input: 'x' input: 'dy' output: 'dx'",
                                    {{"x", x}, {"dy", rows}}),
                  "be one number"));
}

}  // namespace
