#include <plait/exec/detail/operators/sorted_segments.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

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

}  // namespace
