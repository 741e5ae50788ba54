#include <plait/exec/detail/operators/unsorted_segments.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>
#include <support/segment_oracle.hpp>

namespace {

using plait::shape;
using test::table;

TEST_CASE_TEMPLATE("unsorted segments: sums, means and weighted sums are right for all rows and chosen ones", B,
                   PLAIT_HOST_BACKENDS) {
  test::check_numbered_segments<B, float, std::int32_t>("Unsorted", {3, 0, 3, 1, 0}, 2);
  test::check_numbered_segments<B, double, std::int64_t>("Unsorted", {2, 0, 0, 4}, 1);
  test::check_numbered_segments<B, float, std::int32_t>("Unsorted", {}, 3);
  test::check_numbered_segments<B, float, std::int32_t>("Unsorted", {2, 1, 1}, 0);
  test::check_numbered_segments<B, std::int32_t, std::int64_t>("Unsorted", {2, 1, 1}, 5);
  std::vector<int> many(2'000);
  for (std::size_t i = 0; i != many.size(); ++i) many[i] = static_cast<int>(i * 37 % 101);
  test::check_numbered_segments<B, float, std::int64_t>("Unsorted", many, 700);
}

TEST_CASE_TEMPLATE("unsorted segments: num_segments sets the number of segments", B, PLAIT_HOST_BACKENDS) {
  for (std::string const type : {"UnsortedSegmentSum", "UnsortedSegmentMean"}) {
    auto const blobs = test::run_op<B>(
        table<B>(), "type: '" + type + "' input: 'x' input: 's' output: 'y' arg { name: 'num_segments' i: 4 }",
        {{"x", test::of<B, float>({3, 1}, {1, 2, 4})}, {"s", test::of<B, std::int32_t>({3}, {1, 0, 1})}});
    CHECK(blobs.view("y").dims() == shape{4, 1});
    float const both = type == "UnsortedSegmentSum" ? 5.0f : 2.5f;
    CHECK(blobs.template fetch<float>("y") == std::vector<float>{2, both, 0, 0});
  }
}

TEST_CASE("unsorted segments: invalid ids and operands that do not fit are refused") {
  using B = plait::serial;
  auto const refusal = [](std::string const& op, std::vector<std::int64_t> const& numbers) {
    return test::error_of<B>(table<B>(), op + R"( output: "y")",
                             {{"x", test::counted<B, float>({2, 2})},
                              {"w", test::counted<B, float>({3})},
                              {"i", test::of<B, std::int32_t>({2}, {0, 2})},
                              {"s", test::of<B>({static_cast<std::int64_t>(numbers.size())}, numbers)}});
  };
  std::string const sum = R"(type: "UnsortedSegmentSum" input: "x" input: "s")";
  CHECK(test::has(refusal(sum + R"(arg { name: "num_segments" i: 2 })", {0, 2}), "index 2 at place 1"));
  CHECK(test::has(refusal(sum + R"(arg { name: "num_segments" i: -2 })", {0, 2}), "must not be negative"));
  CHECK(test::has(refusal(sum, {0, -1}), "input 1 has the negative index -1"));
  CHECK(test::has(refusal(sum, {0}), "name a segment for each of 2 rows"));
  CHECK(test::has(refusal(R"(type: "UnsortedSegmentWeightedSum" input: "x" input: "w" input: "s")", {0, 1}),
                  "a weight for each of 2 rows"));
  CHECK(test::has(refusal(R"(type: "SparseUnsortedSegmentSum" input: "x" input: "i" input: "s")", {0, 1}),
                  "index 2 at place 1"));
}

}  // namespace
