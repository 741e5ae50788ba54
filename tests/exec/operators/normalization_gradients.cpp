#include <plait/exec/detail/operators/normalization_gradients.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::table;

std::string axis(std::int64_t at) { return " arg { name: 'axis' i: " + std::to_string(at) + " }"; }

std::vector<std::pair<shape, std::string>> const matrices = {
    {{3, 4}, ""},          {{2, 3, 2}, axis(1)}, {{2, 3, 4}, axis(2)}, {{2, 3, 4}, axis(-1)}, {{4}, axis(0)},
    {{2, 3, 4}, axis(-2)}, {{1, 1}, ""},         {{0, 4}, ""},         {{3, 0}, ""},          {{40, 300}, ""},
};

// Returns rows of 1, -1 / -1, 1 / ...
template <class B>
plait::tensor<B> alternating(shape const& dims) {
  std::vector<float> made(static_cast<std::size_t>(dims.size()));
  for (std::size_t i = 0; i != made.size(); ++i) made[i] = (i / 2 + i) % 2 == 0 ? 1.0f : -1.0f;
  return test::of<B, float>(dims, made);
}

TEST_CASE_TEMPLATE("SoftmaxGradient, LogSoftmaxGradient: match differences on every axis", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (std::string const type : {"Softmax", "LogSoftmax"})
    for (auto const& [dims, arguments] : matrices)
      test::check_gradient_of_op(
          mine, reference,
          {.forward = "type: '" + type + "' input: 'x' output: 'y'" + arguments,
           .gradient = "type: '" + type + "Gradient' input: 'y' input: 'y_grad' output: 'x_grad'" + arguments,
           .fed = {{"x", test::random_tensor(dims, 1)}},
           .float_tolerance = 1e-5,
           .most_differences = 60});
}

TEST_CASE_TEMPLATE("LayerNormGradient: agrees with differences for every axis and epsilon", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (auto const& [dims, arguments] : matrices)
    for (std::string const epsilon : {"", " arg { name: 'epsilon' f: 0.1 }"}) {
      if (dims == shape{1, 1} && epsilon.empty()) continue;  // differences are inaccurate for rows of one element
      test::check_gradient_of_op(
          mine, reference,
          {.forward = "type: 'LayerNorm' input: 'x' output: 'y' output: 'm' output: 's'" + arguments + epsilon,
           .gradient = "type: 'LayerNormGradient' input: 'y_grad' input: 'y' input: 'm' input: 's' input: 'x' "
                       "output: 'x_grad'" +
                       arguments + epsilon,
           .fed = {{"x", test::random_tensor(dims, 1)}},
           .float_tolerance = 1e-4,
           .most_differences = 60});
    }
}

TEST_CASE_TEMPLATE("LayerNormGradient: agrees with differences with scale and bias", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  std::string const affine = " arg { name: 'elementwise_affine' i: 1 } arg { name: 'epsilon' f: 0.1 }";
  for (auto const& [dims, arguments] : matrices) {
    std::int64_t const at = arguments.empty() ? 1 : std::stoll(arguments.substr(arguments.find("i: ") + 3));
    auto const rank = static_cast<std::int64_t>(dims.rank());
    shape const row{dims.size_from(static_cast<std::size_t>(at < 0 ? at + rank : at))};
    test::check_gradient_of_op(
        mine, reference,
        {.forward = "type: 'LayerNorm' input: 'x' input: 'a' input: 'b' output: 'y' output: 'm' output: 's'" +
                    arguments + affine,
         .gradient = "type: 'LayerNormGradient' input: 'y_grad' input: 'y' input: 'm' input: 's' input: 'x' "
                     "input: 'a' output: 'x_grad' output: 'a_grad' output: 'b_grad'" +
                     arguments + affine,
         .fed = {{"x", test::random_tensor(dims, 1)},
                 {"a", test::random_tensor(row, 2)},
                 {"b", test::random_tensor(row, 3)}},
         .float_tolerance = 1e-4,
         .most_differences = 60});
  }
  // Long columns are summed in chunks; where signs alternate, all but one element cancel in the gradient of the bias.
  shape const tall{70001, 2};
  auto blobs = test::run_op<B>(mine,
                               "type: 'LayerNormGradient' input: 'dy' input: 'x' input: 'm' input: 's' input: 'x' "
                               "input: 'a' output: 'dx' output: 'da' output: 'db'" +
                                   affine,
                               {{"dy", alternating<B>(tall)},
                                {"x", alternating<B>(tall)},
                                {"m", test::of<B, float>({70001, 1}, std::vector<float>(70001, 0))},
                                {"s", test::of<B, float>({70001, 1}, std::vector<float>(70001, 2))},
                                {"a", test::of<B, float>({2}, {1, 1})}});
  CHECK(blobs.template fetch<float>("db") == std::vector<float>{1, -1});
  CHECK(blobs.template fetch<float>("da") == std::vector<float>{35000.5f, 35000.5f});
}

TEST_CASE_TEMPLATE("NormalizeGradient: agrees with differences for vectors along any axis", B, PLAIT_HOST_BACKENDS) {
  auto const mine = table<B>();
  auto const reference = table<plait::serial>();
  for (auto const& [dims, arguments] : std::vector<std::pair<shape, std::string>>{{{3, 4}, ""},
                                                                                  {{5}, ""},
                                                                                  {{2, 3, 5}, axis(0)},
                                                                                  {{2, 3, 5}, axis(1)},
                                                                                  {{2, 3, 5}, axis(2)},
                                                                                  {{2, 3, 5}, axis(-3)},
                                                                                  {{0, 3}, ""},
                                                                                  {{3, 0}, axis(0)},
                                                                                  {{3, 0}, axis(1)},
                                                                                  {{2, 3, 600}, axis(1)},
                                                                                  {{40, 300}, ""}})
    test::check_gradient_of_op(
        mine, reference,
        {.forward = "type: 'Normalize' input: 'x' output: 'y'" + arguments,
         .gradient = "type: 'NormalizeGradient' input: 'x' input: 'y_grad' output: 'x_grad'" + arguments,
         .fed = {{"x", test::random_tensor(dims, 1, 0.2, 2)}},
         .float_tolerance = 1e-5,
         .most_differences = 60});
}

TEST_CASE_TEMPLATE("NormalizeGradient: is finite for zero vectors and very long ones", B, PLAIT_HOST_BACKENDS) {
  for (bool const columns : {false, true}) {
    auto const of = [&](std::vector<float> const& rows) {  // two vectors of two elements
      return columns ? test::of<B, float>({2, 2}, {rows[0], rows[2], rows[1], rows[3]})
                     : test::of<B, float>({2, 2}, rows);
    };
    auto const got = test::run_op<B>(
        table<B>(), "type: 'NormalizeGradient' input: 'x' input: 'dy' output: 'x_grad'" + axis(columns ? 0 : 1),
        {{"x", of({0, 0, 3e15f, 4e15f})}, {"dy", of({2, 3, 1, -2})}});
    auto const gradient = got.template fetch<float>("x_grad");
    CHECK(gradient[0] == doctest::Approx(2e12));
    CHECK(gradient[columns ? 2 : 1] == doctest::Approx(3e12));
    // dy less its projection on the vector, (1, -2) - (-1) (0.6, 0.8), is (1.6, -1.2)
    CHECK(static_cast<double>(gradient[columns ? 1 : 2]) * 5e15 == doctest::Approx(1.6));
    CHECK(static_cast<double>(gradient[3]) * 5e15 == doctest::Approx(-1.2));
  }
}

TEST_CASE("gradients of normalizations: operands that do not fit are refused") {
  using B = plait::serial;
  auto const operators = table<B>();
  auto const x = test::random_tensor({3, 4}, 1);
  auto const other = test::random_tensor({4, 3}, 1);
  for (std::string const type : {"Softmax", "LogSoftmax", "Normalize"}) {
    std::string const op = "type: '" + type + "Gradient' input: 'y' input: 'dy' output: 'dx'";
    CHECK(test::error_of<B>(operators, op, {{"y", x}, {"dy", x}}).empty());
    CHECK(test::has(test::error_of<B>(operators, op, {{"y", x}, {"dy", other}}), type + "Gradient: "));
    CHECK(test::has(test::error_of<B>(operators, op, {{"y", x}, {"dy", other}}), "different shapes"));
    CHECK(test::has(test::error_of<B>(operators, op + axis(2), {{"y", x}, {"dy", x}}), "no axis 2"));
  }
  auto const norm = [&](plait::tensor<B> const& moments, plait::tensor<B> const& last) {
    return test::error_of<B>(
        operators, "type: 'LayerNormGradient' input: 'dy' input: 'y' input: 'm' input: 's' input: 'x' output: 'x_grad'",
        {{"dy", x}, {"y", x}, {"m", moments}, {"s", moments}, {"x", last}});
  };
  CHECK(norm(test::random_tensor({3, 1}, 2, 1, 2), x).empty());
  CHECK(test::has(norm(test::random_tensor({4, 1}, 2, 1, 2), x), "shape of the moments, 3x1"));
  CHECK(test::has(norm(test::random_tensor({3, 1}, 2, 1, 2), other), "different shapes"));

  auto const affine = [&](std::string const& more) {
    auto const m = test::random_tensor({3, 1}, 2, 1, 2);
    return test::error_of<B>(operators,
                             "type: 'LayerNormGradient' input: 'dy' input: 'y' input: 'm' input: 's' input: 'x' "
                             "arg { name: 'elementwise_affine' i: 1 } " +
                                 more,
                             {{"dy", x}, {"y", x}, {"m", m}, {"s", m}, {"x", x}, {"a", test::random_tensor({4}, 2)}});
  };
  std::string const all = "output: 'dx' output: 'da' output: 'db'";
  CHECK(affine("input: 'a'" + all).empty());
  CHECK(test::has(affine(all), "6 inputs, not 5"));
  CHECK(test::has(affine("input: 'a' output: 'dx'"), "3 outputs with elementwise_affine"));
  CHECK(test::has(affine("input: 'm'" + all), "a number for each of the 4 places of a row"));
}

}  // namespace
