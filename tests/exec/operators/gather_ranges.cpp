#include <plait/exec/detail/operators/gather_ranges.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::has;
using test::of;
using test::table;

TEST_CASE_TEMPLATE("GatherRanges: ranges of a vector are concatenated", B, PLAIT_HOST_BACKENDS) {
  auto const check = []<class T, class I>(T, I, shape const& dims, std::vector<I> const& ranges,
                                          std::vector<T> const& wanted, std::vector<std::int32_t> const& counts) {
    auto const blobs = test::run_op<B>(table<B>(), "type: 'GatherRanges' input: 'x' input: 'r' output: 'y' output: 'l'",
                                       {{"x", test::counted<B, T>({6})}, {"r", of<B>(dims, ranges)}});
    CHECK(blobs.template fetch<T>("y") == wanted);
    CHECK(blobs.template fetch<std::int32_t>("l") == counts);
  };
  check(float(), std::int32_t(), {2, 2, 2}, {0, 1, 2, 2, 4, 1, 5, 1}, {0, 2, 3, 4, 5}, {3, 2});
  check(std::int64_t(), std::int64_t(), {1, 2, 2}, {0, 4, 0, 4}, {0, 1, 2, 3, 0, 1, 2, 3}, {8});
  check(std::uint8_t(), std::int32_t(), {3, 1, 2}, {9, 0, 5, 1, 0, 0}, {5}, {0, 1, 0});
  check(double(), std::int32_t(), {0, 2, 2}, {}, {}, {});
}

TEST_CASE("GatherRanges: ranges outside the vector are refused") {
  using B = plait::serial;
  auto const refusal = [](shape const& dims, std::vector<std::int64_t> const& ranges) {
    return test::error_of<B>(table<B>(), "type: 'GatherRanges' input: 'x' input: 'r' output: 'y' output: 'l'",
                             {{"x", test::counted<B, float>({6})}, {"r", of<B>(dims, ranges)}});
  };
  CHECK(has(refusal({1, 1, 2}, {4, 3}), "the range of 3 from 4 on is not within 6 elements"));
  CHECK(has(refusal({1, 1, 2}, {-1, 1}), "the range of 1 from -1 on"));
  CHECK(has(refusal({1, 1, 2}, {0, -1}), "the range of -1 from 0 on"));
  CHECK(has(refusal({1, 1, 2}, {1, std::int64_t{1} << 62}), "is not within 6"));
  CHECK(has(refusal({1, 2}, {0, 1}), "3 dimensions"));
  CHECK(has(refusal({1, 1, 3}, {0, 1, 2}), "a start and a length"));
  CHECK(has(refusal({1, 0, 2}, {}), "a range for each example"));
}

}  // namespace
