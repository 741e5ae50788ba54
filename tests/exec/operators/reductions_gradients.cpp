#include <plait/exec/detail/operators/reductions_gradients.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;

// Returns distinct unsorted numbers, far enough apart for differences.
plait::tensor<plait::serial> distinct(shape const& dims, int seed = 0) {
  std::vector<double> made(static_cast<std::size_t>(dims.size()));
  std::size_t step = 7;  // prime to the number of elements
  while (!made.empty() && made.size() % step == 0) step += 2;
  for (std::size_t i = 0; i != made.size(); ++i)
    made[i] = 0.103 + 0.01 * static_cast<double>((i * step + static_cast<std::size_t>(seed)) % made.size()) -
              0.005 * static_cast<double>(made.size());
  return test::of<plait::serial>(dims, made);
}

std::string axes_of(std::vector<int> const& axes, bool keep) {
  std::string text = keep ? "" : "arg { name: 'keepdims' i: 0 } ";
  if (axes.empty()) return text;
  text += "arg { name: 'axes'";
  for (int const axis : axes) text += " ints: " + std::to_string(axis);
  return text + " }";
}

TEST_CASE_TEMPLATE("gradients of Reduce*: agree with differences for any axes, kept or not", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  struct sample {
    shape dims;
    std::vector<int> axes;
  };
  std::vector<sample> const samples = {
      {{2, 3, 4}, {}},
      {{2, 3, 4}, {1}},
      {{2, 3, 4}, {0, -1}},
      {{2, 3, 4}, {-1}},
      {{2, 3, 4}, {0}},
      {{7}, {0}},
      {{}, {}},
      {{2, 1, 3}, {1}},
      {{1, 4, 1}, {0, 2}},
      {{3, 2, 2, 2, 3}, {0, 2, 4}},
      {{2, 2, 3, 2, 2}, {1, 3}},
      {{3, 0, 2}, {0}},
      {{3, 0, 2}, {1}},
      {{40, 600}, {0}},
      {{600, 40}, {1}},
  };
  for (sample const& s : samples)
    for (bool const keep : {true, false})
      for (char const* const kind : {"Sum", "Mean", "Max", "Min", "L1", "L2"}) {
        CAPTURE(plait::to_string(s.dims));
        std::string const arguments = axes_of(s.axes, keep);
        bool const alone = std::string(kind) == "Sum" || std::string(kind) == "Mean" || std::string(kind) == "L1";
        for (bool const with_y : {true, false}) {
          if (!with_y && !alone) continue;
          test::check_gradient_of_op(
              operators, reference,
              {.forward = std::string("type: 'Reduce") + kind + "' input: 'x' output: 'y' " + arguments,
               .gradient = std::string("type: 'Reduce") + kind + "Gradient' input: 'y_grad' input: 'x' " +
                           (with_y ? "input: 'y' " : "") + "output: 'x_grad' " + arguments,
               .fed = {{"x", distinct(s.dims)}},
               .most_differences = 40});
        }
      }
}

TEST_CASE_TEMPLATE("gradients of ReduceFront*, ReduceBack*: agree, with and without lengths", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  auto const check = [&](std::string const& end, char const* kind, shape const& dims, std::string const& arguments,
                         test::feeds<plait::serial> lengths) {
    bool const max = std::string(kind) == "Max";
    std::string const type = "type: 'Reduce" + end + kind;
    std::string const list = lengths.empty() ? " " : " input: 'l' ";
    lengths.emplace_back("x", distinct(dims, 3));
    test::check_gradient_of_op(operators, reference,
                               {.forward = type + "' input: 'x'" + list + "output: 'y' " + arguments,
                                .gradient = type + "Gradient' input: 'y_grad' input: 'x'" + (max ? " input: 'y'" : "") +
                                            list + "output: 'x_grad' " + arguments,
                                .fed = lengths,
                                .most_differences = 40});
  };
  for (char const* const kind : {"Sum", "Mean", "Max"})
    for (char const* const end : {"Front", "Back"}) {
      CAPTURE(end);
      for (int count = 0; count != 4; ++count)
        check(end, kind, {2, 3, 4}, "arg { name: 'num_reduce_dim' i: " + std::to_string(count) + " }", {});
      check(end, kind, {2, 3, 4}, "", {});
      check(end, kind, {5}, "", {});
      check(end, kind, {0, 3}, "", {});
      check(end, kind, {3, 0}, "", {});
      check(end, kind, {300, 70}, "", {});
      bool const front = std::string(end) == "Front";
      auto const results = front ? shape{3, 4} : shape{5, 3};
      std::vector<std::int32_t> narrow;
      std::vector<std::int64_t> wide;
      for (int i = 0; i != static_cast<int>(results.size()); ++i) {
        narrow.push_back(i % (front ? 6 : 5));
        wide.push_back((i + 2) % (front ? 6 : 5));
      }
      check(end, kind, {5, 3, 4}, "", {{"l", test::of<plait::serial>(results, narrow)}});
      check(end, kind, {5, 3, 4}, "", {{"l", test::of<plait::serial>(results, wide)}});
      check(end, kind, {1, 1}, "", {{"l", test::of<plait::serial, std::int32_t>({1}, {1})}});
      check(end, kind, {1, 1}, "", {{"l", test::of<plait::serial, std::int32_t>({1}, {0})}});
    }
}

TEST_CASE_TEMPLATE("gradients of SumElements, RowwiseMax, ColwiseMax: agree with differences", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const reference = table<plait::serial>();
  for (shape const& dims : {shape{}, {1}, {5}, {2, 3, 4}, {30'000}, {0}, {2, 0}})
    for (std::string const average : {"", "arg { name: 'average' i: 1 }", "arg { name: 'average' i: 0 }"}) {
      CAPTURE(plait::to_string(dims));
      test::check_gradient_of_op(
          operators, reference,
          {.forward = "type: 'SumElements' input: 'x' output: 'y' " + average,
           .gradient = "type: 'SumElementsGradient' input: 'x' input: 'y_grad' output: 'x_grad' " + average,
           .fed = {{"x", test::random_tensor(dims, 5)}},
           .most_differences = 20});
    }
  for (shape const& dims : {shape{2, 3, 4}, {1, 1, 1}, {3, 5, 1}, {3, 1, 5}, {0, 2, 3}, {20, 40, 60}})
    for (std::string const type : {"RowwiseMax", "ColwiseMax"}) {
      CAPTURE(plait::to_string(dims));
      test::check_gradient_of_op(
          operators, reference,
          {.forward = "type: '" + type + "' input: 'x' output: 'y'",
           .gradient = "type: '" + type + "Gradient' input: 'x' input: 'y' input: 'y_grad' output: 'x_grad'",
           .fed = {{"x", distinct(dims)}},
           .most_differences = 40});
    }
}

// At kinks, tied elements have the whole gradient each; the gradients of |0| and of the norm of zeros are 0.
TEST_CASE_TEMPLATE("gradients of reductions: have fixed values at kinks and for NaN", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const gradient = [&](std::string const& type, std::vector<double> const& x, double y) {
    return test::run_op<B>(operators,
                           "type: '" + type + "Gradient' input: 'dy' input: 'x' input: 'y' output: 'dx' " +
                               (type.starts_with("ReduceBack") ? "" : "arg { name: 'axes' ints: 1 }"),
                           {{"dy", test::of<B, double>(type.starts_with("ReduceBack") ? shape{1} : shape{1, 1}, {3})},
                            {"x", test::of<B>({1, static_cast<std::int64_t>(x.size())}, x)},
                            {"y", test::of<B, double>(type.starts_with("ReduceBack") ? shape{1} : shape{1, 1}, {y})}})
        .template fetch<double>("dx");
  };
  CHECK(gradient("ReduceMax", {2, 1, 2}, 2) == std::vector<double>{3, 0, 3});
  CHECK(gradient("ReduceMin", {2, 1, 1}, 1) == std::vector<double>{0, 3, 3});
  CHECK(gradient("ReduceBackMax", {2, 2, 1}, 2) == std::vector<double>{3, 3, 0});
  CHECK(gradient("ReduceMax", {2, nan, 1}, nan) == std::vector<double>{0, 3, 0});
  CHECK(gradient("ReduceL1", {-2, 0, 5}, 7) == std::vector<double>{-3, 0, 3});
  CHECK(gradient("ReduceL2", {0, 0}, 0) == std::vector<double>{0, 0});
  CHECK(gradient("ReduceL2", {3, -4}, 5) == std::vector<double>{3 * 0.6, 3 * -0.8});
  auto const slopes = gradient("ReduceL1", {1, nan}, nan);
  CHECK(slopes[0] == 3);
  CHECK(std::isnan(slopes[1]));
}

TEST_CASE_TEMPLATE("gradients of reductions: operands that do not fit are refused", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const x = test::counted<B, float>({2, 3});
  auto const integers = test::counted<B, std::int32_t>({2, 3});
  auto const error = [&](std::string const& op, test::feeds<B> const& fed) {
    return test::error_of<B>(operators, op, fed);
  };
  std::string const sum = "type: 'ReduceSumGradient' input: 'dy' input: 'x' output: 'dx' ";
  std::string text = error(sum, {{"dy", test::counted<B, float>({2})}, {"x", x}});
  CHECK(test::has(text, "ReduceSumGradient: "));
  CHECK(test::has(text, "be 1x1, as the reduction of 2x3 is"));
  text = error(sum + "arg { name: 'axes' ints: 1 }", {{"dy", test::counted<B, float>({2})}, {"x", x}});
  CHECK(test::has(text, "be 2x1"));
  text = error(sum + "arg { name: 'axes' ints: 1 ints: -1 }", {{"dy", test::counted<B, float>({2, 1})}, {"x", x}});
  CHECK(test::has(text, "axis -1 twice"));
  text = error(sum, {{"dy", test::counted<B, double>({})}, {"x", x}});
  CHECK(test::has(text, "of different element types"));
  text = error(sum, {{"dy", test::counted<B, std::int32_t>({})}, {"x", integers}});
  CHECK(test::has(text, "float32 or float64"));
  std::string const back = "type: 'ReduceBackSumGradient' input: 'dy' input: 'x' input: 'l' output: 'dx' ";
  auto const dy = test::counted<B, float>({2});
  text = error(back, {{"dy", dy}, {"x", x}, {"l", test::of<B, std::int32_t>({2}, {1, 4})}});
  CHECK(test::has(text, "index 4 at place 1"));
  text = error(back, {{"dy", dy}, {"x", x}, {"l", test::of<B, std::int32_t>({3}, {1, 1, 1})}});
  CHECK(test::has(text, "a length for each of 2 results"));
  text = error(back + "arg { name: 'num_reduce_dim' i: 2 }",
               {{"dy", test::counted<B, float>({})}, {"x", x}, {"l", test::of<B, std::int32_t>({1}, {1})}});
  CHECK(test::has(text, "must be 1 where lengths are given"));
  text = error("type: 'SumElementsGradient' input: 'x' input: 'dy' output: 'dx'", {{"x", x}, {"dy", dy}});
  CHECK(test::has(text, "have one element"));
  text = error("type: 'ReduceMaxGradient' input: 'dy' input: 'x' output: 'dx'", {{"x", x}, {"dy", dy}});
  CHECK(test::has(text, "2 inputs where there should be 3"));
}

}  // namespace
