#include <plait/exec/detail/operators/summarize.hpp>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/observers.hpp>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;

TEST_CASE_TEMPLATE("Summarize: computes extremes, mean and sample deviation", B, PLAIT_HOST_BACKENDS) {
  auto const run = [](shape const& dims, std::vector<float> const& x) {
    auto const blobs =
        test::run_op<B>(test::table<B>(), "type: 'Summarize' input: 'x' output: 'y'", {{"x", test::of<B>(dims, x)}});
    CHECK(blobs.view("y").dims() == shape{4});
    return blobs.template fetch<float>("y");
  };
  CHECK(run({1, 3}, {1, 2.5f, -3}) == std::vector<float>{-3, 2.5f, 0.1666666716337204f, 2.8431203365325928f});
  CHECK(run({}, {3}) == std::vector<float>{3, 3, 3, 0});
  CHECK(run({3}, {1e8f, 1e8f + 8, 1e8f + 16}) == std::vector<float>{1e8f, 1e8f + 16, 1e8f + 8, 8});
  for (float const each : run({3}, {1, std::nanf(""), 2})) CHECK(std::isnan(each));
  auto const x = test::numbered<float>({100'000}, 1'000);
  auto const many = run({100'000}, x);
  CHECK(many[0] == 1'000);
  CHECK(many[1] == 100'999);
  CHECK(many[2] == doctest::Approx(50'999.5));
  CHECK(many[3] == doctest::Approx(28'867.658));
  CHECK(test::has(
      test::error_of<B>(test::table<B>(), "type: 'Summarize' input: 'x'", {{"x", test::of<B, float>({0}, {})}}),
      "have elements"));
}

TEST_CASE_TEMPLATE("Summarize: writes a line if the net asks for a file", B, PLAIT_HOST_BACKENDS) {
  for (bool const to_file : {false, true}) {
    plait::workspace<B> blobs;
    blobs.feed("x", test::of<B, double>({2, 3}, {1, 2.5, -3, 4, 1e20, 0}));
    auto plan = plait::compile(plait::read_netdef_text("op { type: 'Summarize' input: 'x' arg { name: 'to_file' i: " +
                                                       std::to_string(to_file) + " } }"),
                               test::table<B>(), blobs);
    std::ostringstream text;
    plait::text_observer observer(text);
    for (int run = 0; run != 2; ++run) plan.run({.observer = &observer});
    std::string const line = "-3 1e+20 1.66667e+19 4.08248e+19\n";
    CHECK(text.str() == (to_file ? line + line : ""));
  }
}

}  // namespace
