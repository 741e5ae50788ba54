#include <plait/exec/detail/operators/reduce_product.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;

template <class B, class T>
void check_type() {
  auto const products = [](shape const& dims, std::string const& arguments) {
    return test::run_op<B>(test::table<B>(), "type: 'ReduceProd' input: 'x' output: 'y'" + arguments,
                           {{"x", test::counted<B, T>(dims, T(1))}})
        .template fetch<T>("y");
  };
  CHECK(products({2, 3}, "") == std::vector<T>{720});
  CHECK(products({2, 3}, " arg { name: 'axes' ints: 0 }") == std::vector<T>{4, 10, 18});
  CHECK(products({2, 3}, " arg { name: 'axes' ints: -1 } arg { name: 'keepdims' i: 0 }") == std::vector<T>{6, 120});
  CHECK(products({2, 2, 2}, " arg { name: 'axes' ints: 0 ints: 2 }") == std::vector<T>{60, 672});
  CHECK(products({2, 0}, " arg { name: 'axes' ints: 1 }") == std::vector<T>{1, 1});
  CHECK(products({}, "") == std::vector<T>{1});
  auto const along = [](std::vector<std::int32_t> const& axes, std::string const& arguments) {
    return test::run_op<B>(test::table<B>(), "type: 'ReduceProd' input: 'x' input: 'axes' output: 'y'" + arguments,
                           {{"x", test::counted<B, T>({2, 3}, T(1))},
                            {"axes", test::of<B, std::int32_t>({static_cast<std::int64_t>(axes.size())}, axes)}})
        .template fetch<T>("y");
  };
  CHECK(along({-1}, "") == std::vector<T>{6, 120});
  CHECK(along({}, "") == std::vector<T>{720});
  CHECK(along({}, " arg { name: 'noop_with_empty_axes' i: 1 }") == std::vector<T>{1, 2, 3, 4, 5, 6});
  CHECK_THROWS_WITH_AS(along({0}, " arg { name: 'axes' ints: 0 }"), doctest::Contains("besides the input"),
                       plait::exec_error);
}

TEST_CASE_TEMPLATE("ReduceProd: products along axes, 1 of no elements", B, PLAIT_HOST_BACKENDS) {
  check_type<B, float>();
  check_type<B, double>();
  check_type<B, std::int32_t>();
  check_type<B, std::int64_t>();
}

TEST_CASE_TEMPLATE("ReduceProd: long rows and columns are accurate, and integers wrap", B, PLAIT_HOST_BACKENDS) {
  constexpr std::int64_t count = 20'000;
  std::vector<double> x;
  double wanted = 0;
  for (std::int64_t i = 0; i != 2 * count; ++i) x.push_back(1 + static_cast<double>(i % 7 - 3) * 1e-5);
  for (std::int64_t i = 0; i != 2 * count; ++i) wanted += std::log1p(static_cast<double>(i % 7 - 3) * 1e-5);
  for (shape const& dims : {shape{2 * count}, shape{2 * count, 1}, shape{2, count}}) {
    auto const y = test::run_op<B>(test::table<B>(), "type: 'ReduceProd' input: 'x' output: 'y'",
                                   {{"x", test::of<B, double>(dims, x)}})
                       .template fetch<double>("y");
    CHECK(std::abs(y[0] - std::exp(wanted)) <= 1e-11);
  }
  auto const powers = test::run_op<B>(test::table<B>(), "type: 'ReduceProd' input: 'x' output: 'y'",
                                      {{"x", test::of<B, std::int32_t>({3}, {1 << 20, 1 << 10, 3})}})
                          .template fetch<std::int32_t>("y");
  CHECK(powers == std::vector<std::int32_t>{-(1 << 30)});
}

}  // namespace
