#include <plait/exec/detail/operators/sums.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::run_op;
using test::table;

template <class T>
std::vector<T> operand(std::size_t count, std::size_t seed) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i != count; ++i) made[i] = static_cast<T>(static_cast<int>((i * 7 + seed * 13) % 31) - 15);
  return made;
}

// Compares an op on A, B, C, … with `exact` element by element, also in place.
template <class B, class T>
void check_fold(std::string const& type, auto const& exact) {
  for (std::size_t const count : {0U, 1U, 40'001U})
    for (std::size_t operands : {1U, 2U, 3U, 4U, 5U, 9U}) {
      test::feeds<B> fed;
      std::string inputs;
      std::vector<std::vector<T>> x;
      for (std::size_t k = 0; k != operands; ++k) {
        std::string const name(1, static_cast<char>('A' + k));
        x.push_back(operand<T>(count, k));
        fed.emplace_back(name, of<B>(shape{static_cast<std::int64_t>(count)}, x.back()));
        inputs += " input: '" + name + "'";
      }
      std::vector<T> expected;
      for (std::size_t i = 0; i != count; ++i) {
        std::vector<T> column;
        for (auto const& each : x) column.push_back(each[i]);
        expected.push_back(exact(column));
      }
      CAPTURE(type);
      CAPTURE(operands);
      for (std::string const output : {"Y", "A", operands > 4 ? "E" : "A"}) {
        auto const ran = run_op<B>(table<B>(), "type: '" + type + "'" + inputs + " output: '" + output + "'", fed);
        CHECK(ran.template fetch<T>(output) == expected);
      }
    }
}

TEST_CASE_TEMPLATE("Sum, Max, Min, Mean: take any number of tensors, in place of any", B, PLAIT_HOST_BACKENDS) {
  auto const sum = []<class T>(std::vector<T> const& x) {
    T y = 0;
    for (T const each : x) y = static_cast<T>(y + each);
    return y;
  };
  auto const greatest = [](auto const& x) { return *std::ranges::max_element(x); };
  auto const least = [](auto const& x) { return *std::ranges::min_element(x); };
  auto const mean = [&]<class T>(std::vector<T> const& x) { return sum(x) / static_cast<T>(x.size()); };
  check_fold<B, float>("Sum", sum);
  check_fold<B, double>("Sum", sum);
  check_fold<B, std::int32_t>("Sum", sum);
  check_fold<B, std::int64_t>("Sum", sum);
  check_fold<B, float>("Max", greatest);
  check_fold<B, double>("Max", greatest);
  check_fold<B, std::int64_t>("Max", greatest);
  check_fold<B, float>("Min", least);
  check_fold<B, double>("Min", least);
  check_fold<B, std::int32_t>("Min", least);
  check_fold<B, float>("Mean", mean);
  check_fold<B, double>("Mean", mean);
}

TEST_CASE_TEMPLATE("Max, Min: propagate NaN", B, PLAIT_HOST_BACKENDS) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  for (std::string const type : {"Max", "Min"}) {
    auto const y = run_op<B>(table<B>(), "type: '" + type + "' input: 'A' input: 'B' input: 'C' output: 'Y'",
                             {{"A", of<B, float>({3}, {nan, 1, 1})},
                              {"B", of<B, float>({3}, {1, nan, 1})},
                              {"C", of<B, float>({3}, {1, 1, nan})}})
                       .template fetch<float>("Y");
    CHECK(std::ranges::all_of(y, [](float e) { return std::isnan(e); }));
  }
}

TEST_CASE_TEMPLATE("WeightedSum: weights are tensors of one element", B, PLAIT_HOST_BACKENDS) {
  std::string const op = "type: 'WeightedSum' input: 'A' input: 'a' input: 'B' input: 'b' input: 'C' input: 'c' ";
  test::feeds<B> const fed = {{"A", of<B, double>({2}, {1, 2})},   {"a", of<B, double>({1}, {0.5})},
                              {"B", of<B, double>({2}, {10, 20})}, {"b", of<B, double>({}, {2})},
                              {"C", of<B, double>({2}, {3, 5})},   {"c", of<B, double>({1, 1}, {-1})}};
  for (std::string const output : {"Y", "A", "B", "C"})
    CHECK(run_op<B>(table<B>(), op + "output: '" + output + "'", fed).template fetch<double>(output) ==
          std::vector<double>{17.5, 36});
  // A tensor may be its own weight.
  CHECK(run_op<B>(table<B>(), "type: 'WeightedSum' input: 'A' input: 'A' output: 'A'", {{"A", of<B, float>({1}, {3})}})
            .template fetch<float>("A") == std::vector<float>{9});
}

TEST_CASE_TEMPLATE("SumReduceLike: sums over broadcast axes", B, PLAIT_HOST_BACKENDS) {
  auto const check = [](shape const& a, shape const& b, std::size_t first, std::string const& arguments) {
    CAPTURE(to_string(a));
    CAPTURE(to_string(b));
    auto const x = operand<float>(static_cast<std::size_t>(a.size()), 3);
    std::vector<float> expected(static_cast<std::size_t>(b.size()), 0);
    for (test::index const& at : test::indices(a)) {
      test::index own;
      for (std::size_t i = 0; i != b.rank(); ++i) own.push_back(b[i] == 1 ? 0 : at[first + i]);
      expected[test::place(b, own)] += x[test::place(a, at)];
    }
    auto const ran = run_op<B>(table<B>(), "type: 'SumReduceLike' input: 'A' input: 'B' output: 'C' " + arguments,
                               {{"A", of<B>(a, x)}, {"B", test::counted<B, float>(b)}});
    CHECK(ran.template fetch<float>("C") == expected);
    CHECK(ran.view("C").dims() == b);
  };
  auto const axis = [](int at) { return "arg { name: 'axis' i: " + std::to_string(at) + " }"; };
  check({2, 3, 4}, {4}, 2, "arg { name: 'broadcast' i: 1 }");
  check({2, 3, 4}, {3, 4}, 1, "");
  check({2, 3, 4}, {2, 3, 4}, 0, "");
  check({2, 3, 4}, {2}, 0, axis(0));
  check({2, 3, 4}, {3}, 1, "arg { name: 'broadcast' i: 1 }" + axis(1));
  check({2, 3, 4}, {2, 3}, 0, axis(0));
  check({2, 3, 4}, {1, 3, 1}, 0, "");
  check({2, 3, 4}, {2, 1, 4}, 0, "");
  check({2, 3, 4}, {1}, 2, "");
  check({2, 3}, {}, 2, "");
  check({0, 3}, {3}, 1, "");
  check({3, 0}, {3, 1}, 0, "");
  check({700, 50}, {50}, 1, "");
  check({50, 700}, {50}, 0, axis(0));
}

TEST_CASE_TEMPLATE("Sum: adds double and int64, which Caffe2's Sum refuses", B, PLAIT_HOST_BACKENDS) {
  plait::operators<B> narrow = table<B>();
  plait::add_caffe2_sum_operator(narrow);
  CHECK(test::error_of<B>(narrow, "type: 'Sum' input: 'A' output: 'Y'", {{"A", of<B, double>({1}, {1})}})
            .find("float64") != std::string::npos);
  CHECK(run_op<B>(table<B>(), "type: 'Sum' input: 'A' input: 'B' input: 'A' output: 'A'",
                  {{"A", of<B, double>({2}, {1, 2e-300})}, {"B", of<B, double>({2}, {0.25, -1e-300})}})
            .template fetch<double>("A") == std::vector<double>{2.25, 3e-300});
  CHECK(test::error_of<B>(narrow, "type: 'Sum' input: 'A' output: 'Y'", {{"A", of<B, std::int64_t>({1}, {7})}})
            .find("int64") != std::string::npos);
  CHECK(run_op<B>(narrow, "type: 'Sum' input: 'A' output: 'Y'", {{"A", of<B, std::int32_t>({1}, {7})}})
            .template fetch<std::int32_t>("Y") == std::vector<std::int32_t>{7});
}

TEST_CASE("sums: operands that do not fit are refused") {
  using B = plait::serial;
  auto const refused = [](std::string const& type, plait::tensor<B> const& a, plait::tensor<B> const& b) {
    return test::error_of<B>(table<B>(), "type: '" + type + "' input: 'A' input: 'B' output: 'Y'",
                             {{"A", a}, {"B", b}});
  };
  auto const six = test::counted<B, float>({2, 3});
  CHECK(has(refused("Sum", six, test::counted<B, float>({3, 2})), "float32 2x3 and float32 3x2, of different shapes"));
  CHECK(has(refused("Sum", of<B, std::uint8_t>({1}, {1}), of<B, std::uint8_t>({1}, {1})), "Sum: "));
  CHECK(has(refused("Max", six, test::counted<B, double>({2, 3})), "of different element types"));
  CHECK(has(refused("Mean", test::counted<B, std::int32_t>({2}), test::counted<B, std::int32_t>({2})),
            "should hold float32 or float64"));
  CHECK(has(refused("WeightedSum", six, six), "have one element, as a weight"));
  CHECK(has(test::error_of<B>(table<B>(), "type: 'WeightedSum' input: 'A' input: 'A' input: 'A' output: 'Y'",
                              {{"A", of<B, float>({1}, {1})}}),
            "inputs should come in pairs"));
  CHECK(has(refused("SumReduceLike", six, test::counted<B, float>({2})), "do not broadcast"));
  CHECK(has(refused("SumReduceLike", six, test::counted<B, float>({4, 2, 3})), "is repeated to"));
}

}  // namespace
