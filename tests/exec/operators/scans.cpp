#include <plait/exec/detail/operators/scans.hpp>

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
void check_type(std::string const& type) {
  struct scan_case {
    shape dims;
    std::int64_t axis;
  };
  for (scan_case const& at : std::vector<scan_case>{
           {{5}, 0}, {{2, 3}, 0}, {{2, 3}, -1}, {{2, 3, 4}, 1}, {{3, 2, 300}, 0}, {{0, 3}, 1}, {{2, 0}, 1}})
    for (bool const exclusive : {false, true})
      for (bool const reverse : {false, true})
        for (bool const listed : {false, true}) {
          CAPTURE(type);
          CAPTURE(to_string(at.dims));
          auto const axis =
              static_cast<std::size_t>(at.axis < 0 ? at.axis + static_cast<std::int64_t>(at.dims.rank()) : at.axis);
          std::vector<T> x;
          for (std::int64_t i = 0; i != at.dims.size(); ++i) x.push_back(static_cast<T>(i % 4 - 1));
          bool const sums = type == "CumSum";
          std::vector<T> wanted;
          for (test::index const& i : test::indices(at.dims)) {
            T total = sums ? T(0) : T(1);
            test::index from = i;
            for (from[axis] = 0; from[axis] != at.dims[axis]; ++from[axis]) {
              bool const counts = reverse ? from[axis] > i[axis] : from[axis] < i[axis];
              if (!counts && (exclusive || from[axis] != i[axis])) continue;
              T const each = x[test::place(at.dims, from)];
              total = sums ? total + each : total * each;
            }
            wanted.push_back(total);
          }
          std::string const how = " arg { name: 'exclusive' i: " + std::to_string(exclusive ? 1 : 0) +
                                  " } arg { name: 'reverse' i: " + std::to_string(reverse ? 1 : 0) + " }";
          test::feeds<B> fed{{"x", test::of<B, T>(at.dims, x)}};
          if (listed) fed.emplace_back("a", test::of<B, std::int32_t>({}, {static_cast<std::int32_t>(at.axis)}));
          auto const blobs = test::run_op<B>(
              test::table<B>(),
              "type: '" + type + "' input: 'x' output: 'y'" +
                  (listed ? " input: 'a'" : " arg { name: 'axis' i: " + std::to_string(at.axis) + " }") + how,
              fed);
          CHECK(blobs.template fetch<T>("y") == wanted);
        }
}

TEST_CASE_TEMPLATE("CumSum and CumProd: inclusive, exclusive and reversed scans of any axis", B, PLAIT_HOST_BACKENDS) {
  for (char const* type : {"CumSum", "CumProd"}) {
    check_type<B, float>(type);
    check_type<B, double>(type);
    check_type<B, std::int32_t>(type);
    check_type<B, std::int64_t>(type);
  }
}

TEST_CASE("CumSum: integers wrap, runs in place, and refuses an axis out of range") {
  using B = plait::serial;
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  auto const blobs = test::run_op<B>(test::table<B>(), "type: 'CumSum' input: 'x' output: 'x'",
                                     {{"x", test::of<B, std::int32_t>({2}, {most, 1})}});
  CHECK(blobs.fetch<std::int32_t>("x") == std::vector<std::int32_t>{most, std::numeric_limits<std::int32_t>::min()});
  CHECK(test::has(test::error_of<B>(test::table<B>(), "type: 'CumSum' input: 'x' input: 'a' output: 'y'",
                                    {{"x", test::counted<B, float>({2})}, {"a", test::of<B, std::int64_t>({1}, {1})}}),
                  "has no axis 1"));
}

}  // namespace
