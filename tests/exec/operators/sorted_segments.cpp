#include <plait/exec/detail/operators/sorted_segments.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/check_close.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>
#include <support/segment_oracle.hpp>

namespace {

using plait::shape;
using test::table;

TEST_CASE_TEMPLATE("SortedSegmentSum: rows of a segment are summed", B, PLAIT_HOST_BACKENDS) {
  auto const run = [](plait::tensor<B> const& x, plait::tensor<B> const& ids) {
    return test::run_op<B>(table<B>(), R"(type: "SortedSegmentSum" input: "x" input: "s" output: "y")",
                           {{"x", x}, {"s", ids}});
  };
  auto const some = run(test::counted<B, double>({4, 2}), test::of<B, std::int32_t>({4}, {0, 0, 1, 2}));
  CHECK(some.view("y").dims() == shape{3, 2});
  CHECK(some.template fetch<double>("y") == std::vector<double>{2, 4, 4, 5, 6, 7});
  auto const none = run(test::counted<B, std::int64_t>({0, 2}), test::of<B, std::int64_t>({0}, {}));
  CHECK(none.view("y").dims() == shape{0, 2});
  int const most = std::numeric_limits<std::int32_t>::max();
  auto const wrapped = run(test::of<B, std::int32_t>({2}, {most, 1}), test::of<B, std::int64_t>({2}, {0, 0}));
  CHECK(wrapped.template fetch<std::int32_t>("y") == std::vector<std::int32_t>{-most - 1});
}

TEST_CASE_TEMPLATE("SparseSortedSegmentSum: chosen rows of a segment are summed", B, PLAIT_HOST_BACKENDS) {
  auto const x = test::counted<B, double>({4, 2});
  auto const run = [&](plait::tensor<B> const& indices, plait::tensor<B> const& ids) {
    return test::run_op<B>(table<B>(), R"(type: "SparseSortedSegmentSum" input: "x" input: "i" input: "s" output: "y")",
                           {{"x", x}, {"i", indices}, {"s", ids}});
  };
  auto const some =
      run(test::of<B, std::int64_t>({5}, {3, 0, 1, 1, 2}), test::of<B, std::int32_t>({5}, {0, 0, 1, 1, 2}));
  CHECK(some.view("y").dims() == shape{3, 2});
  CHECK(some.template fetch<double>("y") == std::vector<double>{6, 8, 4, 6, 4, 5});
  auto const none = run(test::of<B, std::int32_t>({0}, {}), test::of<B, std::int64_t>({0}, {}));
  CHECK(none.view("y").dims() == shape{0, 2});
  auto const refusal = [&](std::vector<std::int32_t> const& indices, std::vector<std::int32_t> const& ids) {
    return test::error_of<B>(table<B>(),
                             R"(type: "SparseSortedSegmentSum" input: "x" input: "i" input: "s" output: "y")",
                             {{"x", x},
                              {"i", test::of<B>({static_cast<std::int64_t>(indices.size())}, indices)},
                              {"s", test::of<B>({static_cast<std::int64_t>(ids.size())}, ids)}});
  };
  CHECK(test::has(refusal({0, 4}, {0, 0}), "index 4 at place 1"));
  CHECK(test::has(refusal({0, 3}, {0, 2}), "segment 2 at place 1 follows segment 0"));
  CHECK(test::has(refusal({0, 3}, {0}), "a segment for each of 2 rows"));
}

TEST_CASE_TEMPLATE("sorted segments: sums, means and weighted sums are right for all rows and chosen ones", B,
                   PLAIT_HOST_BACKENDS) {
  test::check_numbered_segments<B, float, std::int32_t>("Sorted", {0, 0, 1, 2, 2, 2}, 2);
  test::check_numbered_segments<B, double, std::int64_t>("Sorted", {0, 1, 1, 1}, 1);
  test::check_numbered_segments<B, float, std::int32_t>("Sorted", {}, 3);
  test::check_numbered_segments<B, float, std::int32_t>("Sorted", {0, 0, 1}, 0);
  test::check_numbered_segments<B, std::int64_t, std::int32_t>("Sorted", {0, 0, 1}, 5);
  std::vector<int> many(2'000);
  for (std::size_t i = 0; i != many.size(); ++i) many[i] = static_cast<int>(i / 3);
  test::check_numbered_segments<B, float, std::int64_t>("Sorted", many, 40);
}

TEST_CASE("sorted segments: ids that do not ascend and operands that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& op, std::vector<std::int32_t> const& numbers) {
    return test::error_of<B>(table<B>(), op + R"( output: "y")",
                             {{"x", test::counted<B, float>({3, 2})},
                              {"n", test::of<B, std::int32_t>({3}, {1, 2, 3})},
                              {"short", test::counted<B, float>({2})},
                              {"l", test::of<B, std::int32_t>({static_cast<std::int64_t>(numbers.size())}, numbers)}});
  };
  std::string const sorted = R"(type: "SortedSegmentSum" input: "x" input: "l")";
  CHECK(test::has(refusal(sorted, {0, 0, 2}), "segment 2 at place 2 follows segment 0"));
  CHECK(test::has(refusal(sorted, {0, 1, 0}), "segment 0 at place 2 follows segment 1"));
  CHECK(test::has(refusal(sorted, {1, 1, 2}), "segment 1 at place 0 follows segment -1"));
  CHECK(test::has(refusal(sorted, {-1, 0, 0}), "segment -1 at place 0"));
  CHECK(test::has(refusal(sorted, {0, 1}), "a segment for each of 3 rows"));
  CHECK(test::has(refusal(R"(type: "SortedSegmentWeightedSum" input: "x" input: "short" input: "l")", {0, 0, 0}),
                  "a weight for each of 3 rows"));
  CHECK(test::has(refusal(R"(type: "SortedSegmentMean" input: "n" input: "l")", {0, 0, 0}), "float32 or float64"));
}

// Computes reductions and their gradients, for dY = 1, by definition.
struct range_oracle {
  std::vector<double> y;
  std::vector<double> dx;
};
range_oracle reduce_range(std::string const& how, std::vector<double> const& x, std::vector<std::int32_t> const& ids,
                          std::size_t width) {
  range_oracle made;
  made.dx.resize(x.size());
  std::size_t const rows = ids.size();
  for (std::size_t first = 0, last = 0; first != rows; first = last) {
    while (last != rows && ids[last] == ids[first]) ++last;
    auto const count = static_cast<double>(last - first);
    for (std::size_t column = 0; column != width; ++column) {
      double sum = 0;
      double exponentials = 0;
      double most = x[first * width + column];
      for (std::size_t row = first; row != last; ++row) {
        double const at = x[row * width + column];
        sum += at;
        exponentials += std::exp(at);
        most = std::max(most, at);
      }
      double const y = how == "Sum"         ? sum
                       : how == "Mean"      ? sum / count
                       : how == "Max"       ? most
                       : how == "LogSumExp" ? std::log(exponentials)
                                            : std::log(exponentials / count);
      made.y.push_back(y);
      for (std::size_t row = first; row != last; ++row) {
        double const at = x[row * width + column];
        made.dx[row * width + column] = how == "Sum"    ? 1
                                        : how == "Mean" ? 1 / count
                                        : how == "Max"  ? (at == most ? 1 : 0)
                                                        : std::exp(at) / exponentials;
      }
    }
  }
  return made;
}

template <class B, class T>
void check_range(std::vector<std::int32_t> const& ids, std::size_t width) {
  auto const rows = static_cast<std::int64_t>(ids.size());
  std::vector<double> wide(ids.size() * width);
  for (std::size_t i = 0; i != wide.size(); ++i) wide[i] = (static_cast<double>(i * 37 % 101) - 50) / 16;
  for (std::string const how : {"Sum", "Mean", "Max", "LogSumExp", "LogMeanExp"}) {
    CAPTURE(how);
    range_oracle const wanted = reduce_range(how, wide, ids, width);
    std::string const type = "SortedSegmentRange" + how;
    auto const blobs = test::run_net<B>(
        table<B>(),
        "op { type: '" + type + "' input: 'x' input: 's' output: 'y' } op { type: 'ConstantFill' input: 'y' " +
            "output: 'dy' arg { name: 'value' f: 1 } arg { name: 'dtype' i: " +
            std::to_string(std::is_same_v<T, float> ? 1 : 13) + " } } op { type: '" + type +
            "Gradient' input: 'x' input: 'y' input: 'dy' input: 's' output: 'dx' }",
        {{"x", test::of<B>({rows, static_cast<std::int64_t>(width)}, std::vector<T>(wide.begin(), wide.end()))},
         {"s", test::of<B>({rows}, ids)}});
    test::check_close(blobs.template fetch<T>("y"), wanted.y, 8, 4);
    test::check_close(blobs.template fetch<T>("dx"), wanted.dx, 16, 1);
  }
}

TEST_CASE_TEMPLATE("SortedSegmentRange*: reductions and gradients equal those by definition", B, PLAIT_HOST_BACKENDS) {
  for (std::size_t const width : std::vector<std::size_t>{1, 3, 70}) {
    check_range<B, float>({0, 0, 1, 2, 2, 2}, width);
    check_range<B, double>({0, 0, 1, 2, 2, 2}, width);
    check_range<B, double>({0}, width);
    check_range<B, float>({}, width);
  }
  check_range<B, float>(std::vector<std::int32_t>(300, 0), 5);
}

TEST_CASE_TEMPLATE("SortedSegmentRangeLogSumExp: infinities and NaN follow the definition", B, PLAIT_HOST_BACKENDS) {
  float const infinity = std::numeric_limits<float>::infinity();
  float const nan = std::numeric_limits<float>::quiet_NaN();
  auto const reduced = [&](std::string const& how) {
    return test::run_op<B>(table<B>(), "type: 'SortedSegmentRange" + how + "' input: 'x' input: 's' output: 'y'",
                           {{"x", test::of<B, float>({2, 5}, {infinity, -infinity, nan, 1000, -infinity,  //
                                                              1, -infinity, 2, 1000, 3})},
                            {"s", test::of<B, std::int32_t>({2}, {0, 0})}})
        .template fetch<float>("y");
  };
  for (std::string const how : {"LogSumExp", "LogMeanExp", "Max"}) {
    CAPTURE(how);
    auto const y = reduced(how);
    CHECK(y[0] == infinity);
    CHECK(y[1] == -infinity);
    CHECK(std::isnan(y[2]));
    CHECK(std::abs(y[3] - (how == "LogSumExp" ? 1000.6931f : 1000.0f)) < 1e-3f);
    CHECK(std::abs(y[4] - (how == "LogMeanExp" ? 2.3068528f : 3.0f)) < 1e-5f);
  }
}

TEST_CASE("SortedSegmentRange*: ids that do not ascend and operands that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& op, std::vector<std::int32_t> const& ids) {
    return test::error_of<B>(table<B>(), op + " output: 'z'",
                             {{"x", test::counted<B, float>({3, 2})},
                              {"y", test::counted<B, float>({2, 2})},
                              {"s", test::of<B>({static_cast<std::int64_t>(ids.size())}, ids)}});
  };
  CHECK(test::has(refusal("type: 'SortedSegmentRangeMax' input: 'x' input: 's'", {0, 2, 2}), "segment 2 at place 1"));
  CHECK(test::has(refusal("type: 'SortedSegmentRangeMax' input: 'x' input: 's'", {0, 0}), "for each of 3 rows"));
  std::string const gradient = "type: 'SortedSegmentRangeMaxGradient' input: 'x' input: 'y' input: 'y' input: 's'";
  CHECK(refusal(gradient, {0, 1, 1}).empty());
  CHECK(test::has(refusal(gradient, {0, 1, 2}), "index 2 at place 2"));
  CHECK(test::has(refusal(gradient, {0, 1}), "be 2x2, rows like those of"));
}

}  // namespace
