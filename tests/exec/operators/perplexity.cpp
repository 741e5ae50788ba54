#include <plait/exec/detail/operators/perplexity.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

TEST_CASE_TEMPLATE("Perplexity: is the inverse geometric mean", B, PLAIT_HOST_BACKENDS) {
  auto const run = [](std::vector<float> const& x) {
    auto const blobs = test::run_op<B>(test::table<B>(), "type: 'Perplexity' input: 'x' output: 'y'",
                                       {{"x", test::of<B>(plait::shape{static_cast<std::int64_t>(x.size())}, x)}});
    CHECK(blobs.view("y").dims() == plait::shape{});
    return blobs.template fetch<float>("y")[0];
  };
  CHECK(run({0.5f, 0.25f, 1, 0.1f}) == doctest::Approx(2.9906973));
  CHECK(run({2, 1}) == doctest::Approx(0.70710677));
  CHECK(run({}) == 1);
  CHECK(run({0, 1}) == std::numeric_limits<float>::infinity());
  CHECK(std::isnan(run({std::nanf(""), 1})));
  CHECK(std::isnan(run({-1, 1})));
  CHECK(run(std::vector<float>(100'000, 0.125f)) == doctest::Approx(8));
}

TEST_CASE("Perplexity: matrices are refused") {
  using B = plait::serial;
  CHECK(test::has(test::error_of<B>(test::table<B>(), "type: 'Perplexity' input: 'x' output: 'y'",
                                    {{"x", test::counted<B, float>({2, 2})}}),
                  "be a vector"));
}

}  // namespace
