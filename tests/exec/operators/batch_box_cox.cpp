#include <plait/exec/detail/operators/batch_box_cox.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
std::string const op = "type: 'BatchBoxCox' input: 'x' input: 'e' input: 'o' output: ";

TEST_CASE_TEMPLATE("BatchBoxCox: transforms columns, in place or not", B, PLAIT_HOST_BACKENDS) {
  for (shape const& dims : {shape{4, 3}, shape{3, 2, 5}, shape{300, 100}, shape{0, 3}, shape{5}})
    for (std::string const to : {"x", "y"}) {
      CAPTURE(to_string(dims));
      std::int64_t const width = dims.size_from(1);
      auto const x = test::random_tensor(dims, 1, -1, 5).values<double>();
      auto exponents = test::random_tensor({width}, 2).values<double>();
      auto const offsets = test::random_tensor({width}, 3, -1, 1).values<double>();
      for (std::size_t i = 0; i < exponents.size(); i += 3) exponents[i] = 0;
      auto const blobs = test::run_op<B>(test::table<B>(), op + "'" + to + "'",
                                         {{"x", test::of<B>(dims, x)},
                                          {"e", test::of<B>(shape{width}, exponents)},
                                          {"o", test::of<B>(shape{width}, offsets)}});
      auto const y = blobs.template fetch<double>(to);
      REQUIRE(y.size() == x.size());
      for (std::size_t i = 0; i != x.size(); ++i) {
        std::size_t const column = i % exponents.size();
        double const base = std::max(x[i] + offsets[column], 1e-6);
        double const e = exponents[column];
        CHECK(y[i] == doctest::Approx(e == 0 ? std::log(base) : (std::pow(base, e) - 1) / e));
      }
    }
}

TEST_CASE_TEMPLATE("BatchBoxCox: bounds its base from below, and propagates NaN", B, PLAIT_HOST_BACKENDS) {
  float const infinity = std::numeric_limits<float>::infinity();
  auto const blobs = test::run_op<B>(test::table<B>(), op + "'y'",
                                     {{"x", test::of<B, float>({1, 4}, {std::nanf(""), infinity, -infinity, 1})},
                                      {"e", test::of<B, float>({4}, {0, 0.5f, 2, 2})},
                                      {"o", test::of<B, float>({4}, {1, -1, -50, -50})}});
  auto const y = blobs.template fetch<float>("y");
  CHECK(std::isnan(y[0]));
  CHECK(y[1] == infinity);
  CHECK(y[2] == -0.5f);
  CHECK(y[3] == -0.5f);
}

TEST_CASE("BatchBoxCox: parameters that do not fit are refused") {
  using B = plait::serial;
  std::string const error = test::error_of<B>(test::table<B>(), op + "'y'",
                                              {{"x", test::counted<B, float>({2, 3})},
                                               {"e", test::counted<B, float>({3})},
                                               {"o", test::counted<B, float>({2})}});
  CHECK(test::has(error, "input 2 'o'"));
  CHECK(test::has(error, "have an element for each of 3 columns"));
}

}  // namespace
