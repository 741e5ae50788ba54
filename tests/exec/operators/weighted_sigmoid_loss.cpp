#include <plait/exec/detail/operators/weighted_sigmoid_loss.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;

TEST_CASE_TEMPLATE("WeightedSigmoidCrossEntropyWithLogits: averages weighted losses along the last axis", B,
                   PLAIT_HOST_BACKENDS) {
  for (shape const& dims : {shape{2, 3}, shape{4}, shape{}, shape{2, 2, 700}, shape{0, 3}}) {
    CAPTURE(to_string(dims));
    auto const x = test::random_tensor(dims, 1, -30, 30);
    auto const targets = test::random_tensor(dims, 2, 0, 1);
    auto const weights = test::random_tensor(dims, 3);
    std::string const forward =
        "type: 'WeightedSigmoidCrossEntropyWithLogits' input: 'x' input: 't' input: 'w' output: 'y'";
    auto const blobs = test::run_op<B>(test::table<B>(), forward,
                                       {{"x", test::of<B>(dims, x.values<double>())},
                                        {"t", test::of<B>(dims, targets.values<double>())},
                                        {"w", test::of<B>(dims, weights.values<double>())}});
    auto const y = blobs.template fetch<double>("y");
    std::size_t const width = dims.rank() == 0 ? 1 : static_cast<std::size_t>(dims[dims.rank() - 1]);
    REQUIRE(y.size() * width == x.values<double>().size());
    for (std::size_t row = 0; row != y.size(); ++row) {
      double sum = 0;
      for (std::size_t i = row * width; i != (row + 1) * width; ++i) {
        double const logit = x.values<double>()[i];
        sum += weights.values<double>()[i] *
               (targets.values<double>()[i] * logit - std::max(logit, 0.0) - std::log1p(std::exp(-std::abs(logit))));
      }
      CHECK(y[row] == doctest::Approx(-sum / static_cast<double>(width)));
    }
    if (y.empty()) continue;
    test::check_gradient_of_op(test::table<B>(), test::table<plait::serial>(),
                               {.forward = forward,
                                .gradient = "type: 'WeightedSigmoidCrossEntropyWithLogitsGradient' input: 'y_grad' "
                                            "input: 'x' input: 't' input: 'w' output: 'x_grad'",
                                .fed = {{"x", x}, {"t", targets}, {"w", weights}}});
  }
}

TEST_CASE("WeightedSigmoidCrossEntropyWithLogits: operands of different shapes are refused") {
  using B = plait::serial;
  std::string const error = test::error_of<B>(
      test::table<B>(), "type: 'WeightedSigmoidCrossEntropyWithLogits' input: 'x' input: 't' input: 'w' output: 'y'",
      {{"x", test::counted<B, float>({2, 3})},
       {"t", test::counted<B, float>({2, 3})},
       {"w", test::counted<B, float>({6})}});
  CHECK(test::has(error, "of different shapes"));
}

}  // namespace
