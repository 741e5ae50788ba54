#include <plait/exec/detail/operators/triangle.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;

template <class B, class T>
void check_type() {
  for (shape const& dims : {shape{3, 3}, shape{2, 5}, shape{4, 2}, shape{2, 3, 4}, shape{2, 0, 3}, shape{1, 70, 300}})
    for (std::int64_t const k : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-2}, std::int64_t{9},
                                 std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
      for (bool const upper : {false, true})
        for (bool const listed : {false, true}) {
          CAPTURE(to_string(dims));
          CAPTURE(k);
          auto const x = test::numbered<T>(dims, T(1));
          std::vector<T> wanted;
          for (test::index const& i : test::indices(dims)) {
            std::int64_t const beside = i[dims.rank() - 1] - i[dims.rank() - 2];
            wanted.push_back((upper ? beside >= k : beside <= k) ? x[wanted.size()] : T(0));
          }
          std::string const how = " arg { name: 'upper' i: " + std::to_string(upper ? 1 : 0) + " }";
          test::feeds<B> fed{{"x", test::of<B, T>(dims, x)}};
          if (listed) fed.emplace_back("k", test::of<B, std::int64_t>({}, {k}));
          auto const blobs = test::run_op<B>(
              test::table<B>(),
              listed ? "type: 'Trilu' input: 'x' input: 'k' output: 'y'" + how
                     : "type: 'Trilu' input: 'x' output: 'y' arg { name: 'k' i: " + std::to_string(k) + " }" + how,
              fed);
          CHECK(blobs.template fetch<T>("y") == wanted);
        }
}

TEST_CASE_TEMPLATE("Trilu: elements on one side of the diagonal stay", B, PLAIT_HOST_BACKENDS) {
  check_type<B, float>();
  check_type<B, double>();
  check_type<B, std::uint8_t>();
}

TEST_CASE("Trilu: vectors and several diagonals are refused") {
  using B = plait::serial;
  CHECK(test::has(test::error_of<B>(test::table<B>(), "type: 'Trilu' input: 'x' output: 'y'",
                                    {{"x", test::counted<B, float>({3})}}),
                  "should have at least 2 dimensions"));
  CHECK(test::has(
      test::error_of<B>(test::table<B>(), "type: 'Trilu' input: 'x' input: 'k' output: 'y'",
                        {{"x", test::counted<B, float>({3, 3})}, {"k", test::of<B, std::int64_t>({2}, {0, 1})}}),
      "should have one element"));
}

}  // namespace
