#include <plait/exec/detail/operators/bucketize.hpp>

#include <cstdint>
#include <limits>
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

template <class B, class T>
std::vector<std::int32_t> buckets(std::vector<T> const& x, std::string const& boundaries) {
  auto const blobs = test::run_op<B>(
      table<B>(), "type: 'Bucketize' input: 'x' output: 'y' arg { name: 'boundaries' " + boundaries + " }",
      {{"x", of<B>({static_cast<std::int64_t>(x.size())}, x)}});
  return blobs.template fetch<std::int32_t>("y");
}

TEST_CASE_TEMPLATE("Bucketize: the number of boundaries below each element", B, PLAIT_HOST_BACKENDS) {
  auto const check = []<class T>(T) {
    T const infinity = std::numeric_limits<T>::infinity();
    T const nan = std::numeric_limits<T>::quiet_NaN();
    CHECK(buckets<B, T>({2, 4, 1, 0.5, 2.5, -infinity, infinity, nan}, "floats: 0.5 floats: 2.5") ==
          std::vector<std::int32_t>{1, 2, 1, 0, 1, 0, 2, 0});
    CHECK(buckets<B, T>({1, 1.5, 3}, "floats: 1 floats: 1 floats: 2") == std::vector<std::int32_t>{0, 2, 3});
    CHECK(buckets<B, T>({1, -1}, "") == std::vector<std::int32_t>{0, 0});
    CHECK(buckets<B, T>({}, "floats: 1").empty());
  };
  check(float());
  check(double());
}

TEST_CASE("Bucketize: boundaries that do not ascend are refused") {
  using B = plait::serial;
  CHECK(has(
      test::error_of<B>(table<B>(),
                        "type: 'Bucketize' input: 'x' output: 'y' arg { name: 'boundaries' floats: 2.5 floats: 0.5 }",
                        {{"x", test::counted<B, float>({2})}}),
      "'boundaries' must ascend"));
}

}  // namespace
