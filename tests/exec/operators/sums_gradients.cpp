#include <plait/exec/detail/operators/sums_gradients.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::random_tensor;
using test::run_op;
using test::table;

std::string name(std::size_t k) { return std::string(1, static_cast<char>('a' + k)); }

TEST_CASE_TEMPLATE("sums_gradients: Max, Min and Mean match differences, also in place of dY", B, PLAIT_HOST_BACKENDS) {
  for (std::string const type : {"Max", "Min", "Mean"})
    for (std::size_t const count : {1u, 2u, 3u, 6u})
      for (shape const& dims : {shape{}, shape{5}, shape{0, 3}, shape{2, 3}, shape{17, 1'003}}) {
        test::gradient_case c{.most_differences = 20};
        c.forward = "type: '" + type + "' output: 'y' ";
        c.gradient = "type: '" + type + "Gradient' ";
        if (type != "Mean") c.gradient += "input: 'y' ";
        c.gradient += "input: 'y_grad' ";
        for (std::size_t k = 0; k != count; ++k) {
          c.forward += "input: '" + name(k) + "' ";
          if (type != "Mean") c.gradient += "input: '" + name(k) + "' ";
          c.gradient += "output: '" + name(k) + "_grad' ";
          c.fed.emplace_back(name(k), random_tensor(dims, k));
        }
        test::check_gradient_of_op<B>(table<B>(), table<plait::serial>(), c);
      }
}

TEST_CASE_TEMPLATE("WeightedSumGradient: matches differences, for the weights if grad_on_w is set", B,
                   PLAIT_HOST_BACKENDS) {
  for (std::size_t const count : {1u, 2u, 5u})
    for (shape const& dims : {shape{}, shape{0, 3}, shape{2, 3}, shape{17, 1'003}})
      for (bool const weights : {false, true}) {
        test::gradient_case c{.most_differences = 20};
        c.forward = "type: 'WeightedSum' output: 'y' ";
        c.gradient = "type: 'WeightedSumGradient' input: 'y_grad' ";
        for (std::size_t k = 0; k != count; ++k) {
          std::string const pair = "input: '" + name(k) + "' input: 'w" + name(k) + "' ";
          c.forward += pair;
          c.gradient += pair + "output: '" + name(k) + "_grad' ";
          c.fed.emplace_back(name(k), random_tensor(dims, k));
          c.fed.emplace_back('w' + name(k), random_tensor({1}, 10 + k));
        }
        for (std::size_t k = 0; weights && k != count; ++k) c.gradient += "output: 'w" + name(k) + "_grad' ";
        if (weights) c.gradient += "arg { name: 'grad_on_w' i: 1 }";
        test::check_gradient_of_op<B>(table<B>(), table<plait::serial>(), c);
      }
}

TEST_CASE("WeightedSumGradient: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refused = [](std::string const& operands) {
    return test::error_of<B>(table<B>(), "type: 'WeightedSumGradient' " + operands,
                             {{"y", test::counted<B, float>({2})}, {"w", test::counted<B, float>({1})}});
  };
  CHECK(
      has(refused("input: 'y' input: 'y' input: 'w' input: 'y' output: 'a'"), "inputs after dY should come in pairs"));
  CHECK(has(refused("input: 'y' input: 'y' input: 'w' output: 'a' output: 'b'"), "there should be 1 outputs"));
  CHECK(has(refused("input: 'y' input: 'y' input: 'y' output: 'a'"), "have one element, as a weight"));
  CHECK(has(refused("input: 'y' input: 'w' input: 'w' output: 'a'"), "WeightedSumGradient: "));
}

// A write to one output must not be read as the input of another.
TEST_CASE_TEMPLATE("MeanGradient: an output that is listed twice does not alias the input", B, PLAIT_HOST_BACKENDS) {
  auto const blobs =
      run_op<B>(table<B>(), "type: 'MeanGradient' input: 'g' output: 'g' output: 'h' output: 'g' output: 'g'",
                {{"g", of<B, float>({3}, {4, 8, -16})}});
  CHECK(blobs.template fetch<float>("g") == std::vector<float>{1, 2, -4});
  CHECK(blobs.template fetch<float>("h") == std::vector<float>{1, 2, -4});
}

TEST_CASE_TEMPLATE("MaxGradient, MinGradient: all tied inputs get the whole gradient", B, PLAIT_HOST_BACKENDS) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  for (std::string const type : {"Max", "Min"}) {
    float const sign = type == "Max" ? 1.0f : -1.0f;
    auto const blobs =
        test::run_net<B>(table<B>(),
                         "op { type: '" + type + "' input: 'a' input: 'b' output: 'y' } op { type: '" + type +
                             "Gradient' input: 'y' input: 'dy' input: 'a' input: 'b' output: 'da' output: 'db' }",
                         {{"a", of<B, float>({4}, {sign * 1, sign * 2, sign * 2, nan})},
                          {"b", of<B, float>({4}, {sign * 1, sign * 3, sign * 1, 1})},
                          {"dy", of<B, float>({4}, {5, 6, 7, 8})}});
    CHECK(blobs.template fetch<float>("da") == std::vector<float>{5, 0, 7, 8});
    CHECK(blobs.template fetch<float>("db") == std::vector<float>{5, 6, 0, 0});
  }
  // One tensor is both inputs.
  auto const same = run_op<B>(table<B>(),
                              "type: 'MaxGradient' input: 'y' input: 'dy' input: 'y' input: 'y' output: 'da' "
                              "output: 'dy'",
                              {{"y", of<B, float>({2}, {1, 2})}, {"dy", of<B, float>({2}, {3, 4})}});
  CHECK(same.template fetch<float>("da") == std::vector<float>{3, 4});
  CHECK(same.template fetch<float>("dy") == std::vector<float>{3, 4});
}

TEST_CASE("MaxGradient, MeanGradient: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refused = [](std::string const& op, shape const& a) {
    return test::error_of<B>(
        table<B>(), op,
        {{"y", test::counted<B, float>({2})}, {"dy", test::counted<B, float>({2})}, {"a", test::counted<B, float>(a)}});
  };
  std::string const op = "type: 'MaxGradient' input: 'y' input: 'dy' input: 'a' output: 'da' ";
  CHECK(has(refused(op, {3}), "inputs 0 'y' and 2 'a' are float32 2 and float32 3, of different shapes"));
  CHECK(has(refused(op + "output: 'db'", {2}), "as many outputs as inputs after the second"));
  CHECK(has(test::error_of<B>(table<B>(), "type: 'MeanGradient' input: 'y' output: 'a'",
                              {{"y", test::counted<B, std::int32_t>({2})}}),
            "MeanGradient: "));
}

}  // namespace
