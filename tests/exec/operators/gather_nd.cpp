#include <plait/exec/detail/operators/gather_nd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;

template <class B, class T>
void check_gather(shape const& dims, shape const& tuples, std::vector<std::int64_t> const& list, std::int64_t batches,
                  shape const& made, std::vector<T> const& wanted) {
  auto const blobs = test::run_op<B>(
      test::table<B>(),
      "type: 'GatherND' input: 'x' input: 'i' output: 'y' arg { name: 'batch_dims' i: " + std::to_string(batches) +
          " }",
      {{"x", test::counted<B, T>(dims)}, {"i", test::of<B, std::int64_t>(tuples, list)}});
  CHECK(blobs.view("y").dims() == made);
  CHECK(blobs.template fetch<T>("y") == wanted);
}

TEST_CASE_TEMPLATE("GatherND: tuples name slices, for each place of the batch axes", B, PLAIT_HOST_BACKENDS) {
  check_gather<B, float>({2, 3}, {2, 2}, {0, 2, -1, -3}, 0, {2}, {2, 3});
  check_gather<B, double>({2, 3}, {3, 1}, {1, 0, -1}, 0, {3, 3}, {3, 4, 5, 0, 1, 2, 3, 4, 5});
  check_gather<B, std::int64_t>({2, 3, 2}, {2, 1}, {2, -3}, 1, {2, 2}, {4, 5, 6, 7});
  check_gather<B, float>({2, 3}, {2}, {1, 1}, 0, {}, {4});
  check_gather<B, float>({2, 3}, {0, 1}, {}, 0, {0, 3}, {});
  check_gather<B, float>({2, 2, 2}, {2, 2, 1}, {0, 1, 1, -2}, 2, {2, 2}, {0, 3, 5, 6});
}

TEST_CASE_TEMPLATE("ScatterND: updates of slices are combined in their order", B, PLAIT_HOST_BACKENDS) {
  auto const scattered = [](std::string const& how) {
    return test::run_op<B>(
               test::table<B>(),
               "type: 'ScatterND' input: 'x' input: 'i' input: 'u' output: 'y' arg { name: 'reduction' s: '" + how +
                   "' }",
               {{"x", test::counted<B, float>({3, 2}, 1)},
                {"i", test::of<B, std::int32_t>({3, 1}, {2, 0, -1})},
                {"u", test::of<B, float>({3, 2}, {1, 2, 3, 4, 5, 9})}})
        .template fetch<float>("y");
  };
  CHECK(scattered("none") == std::vector<float>{3, 4, 3, 4, 5, 9});
  CHECK(scattered("add") == std::vector<float>{4, 6, 3, 4, 11, 17});
  CHECK(scattered("mul") == std::vector<float>{3, 8, 3, 4, 25, 108});
  CHECK(scattered("max") == std::vector<float>{3, 4, 3, 4, 5, 9});
  CHECK(scattered("min") == std::vector<float>{1, 2, 3, 4, 1, 2});
  auto const bytes = test::run_op<B>(test::table<B>(), "type: 'ScatterND' input: 'x' input: 'i' input: 'u' output: 'y'",
                                     {{"x", test::counted<B, std::uint8_t>({2, 2})},
                                      {"i", test::of<B, std::int64_t>({1, 2}, {1, 0})},
                                      {"u", test::of<B, std::uint8_t>({1}, {255})}});
  CHECK(bytes.template fetch<std::uint8_t>("y") == std::vector<std::uint8_t>{0, 1, 255, 3});
}

TEST_CASE("GatherND and ScatterND: indices out of range, and shapes that do not fit, are refused") {
  using B = plait::serial;
  auto const x = test::counted<B, float>({2, 3});
  auto const error = [&](shape const& dims, std::vector<std::int64_t> const& list) {
    return test::error_of<B>(test::table<B>(), "type: 'GatherND' input: 'x' input: 'i' output: 'y'",
                             {{"x", x}, {"i", test::of<B, std::int64_t>(dims, list)}});
  };
  CHECK(test::has(error({2, 2}, {0, 0, 0, 3}), "index 3 at place 1 of tuple 1 is not from -3 up to, but without, 3"));
  CHECK(test::has(error({1, 1}, {-3}), "index -3 at place 0 of tuple 0"));
  CHECK(test::has(error({1, 3}, {0, 0, 0}), "have 1 to 2 elements in its last axis"));
  CHECK(test::has(error({1, 0}, {}), "have 1 to 2 elements in its last axis"));
  CHECK(test::has(error({}, {0}), "dimensions"));
  CHECK(test::has(
      test::error_of<B>(test::table<B>(), "type: 'ScatterND' input: 'x' input: 'i' input: 'u' output: 'y'",
                        {{"x", x}, {"i", test::of<B, std::int64_t>({1, 1}, {0})}, {"u", test::counted<B, float>({3})}}),
      "should be 1x3"));
}

}  // namespace
