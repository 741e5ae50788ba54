#include <plait/exec/detail/operators/random_fills.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>

namespace {

std::string op(std::string const& type, std::string const& arguments, std::string const& output = "y") {
  return "type: \"" + type + "\" output: \"" + output + "\" " + arguments;
}

std::string const large = R"(arg { name: "shape" ints: 400 ints: 50 } )";

struct moments {
  double mean = 0;
  double variance = 0;
  double least = 0;
  double greatest = 0;
};
template <class T>
moments moments_of(std::vector<T> const& values) {
  moments made;
  auto const n = static_cast<double>(values.size());
  for (T const x : values) made.mean += static_cast<double>(x) / n;
  for (T const x : values)
    made.variance += (static_cast<double>(x) - made.mean) * (static_cast<double>(x) - made.mean) / n;
  made.least = static_cast<double>(*std::ranges::min_element(values));
  made.greatest = static_cast<double>(*std::ranges::max_element(values));
  return made;
}

// Allows 5 standard errors of 20,000 numbers: for the mean 1 / 141 of the deviation, for the variance 1 / 100 of it.
void check(moments const& got, double mean, double variance) {
  CHECK(std::abs(got.mean - mean) < 5 * std::sqrt(variance) / 141);
  CHECK(std::abs(got.variance - variance) < 5 * variance / 100);
}

TEST_CASE_TEMPLATE("random fills: moments and ranges are those of the distributions", B, PLAIT_HOST_BACKENDS) {
  auto const table = test::table<B>();
  auto const draw = [&](std::string const& type, std::string const& arguments) {
    return moments_of(test::run_op<B>(table, op(type, large + arguments), {}).template fetch<float>("y"));
  };
  auto m = draw("UniformFill", "");
  check(m, 0.5, 1.0 / 12);
  CHECK(m.least >= 0);
  CHECK(m.greatest < 1);
  m = draw("UniformFill", R"(arg { name: "min" f: -3 } arg { name: "max" f: 5 })");
  check(m, 1, 64.0 / 12);
  CHECK(m.least >= -3);
  CHECK(m.greatest <= 5);
  check(draw("GaussianFill", ""), 0, 1);
  check(draw("GaussianFill", R"(arg { name: "mean" f: 2 } arg { name: "std" f: 0.5 })"), 2, 0.25);
  m = draw("GaussianFill", R"(arg { name: "mean" f: 2 } arg { name: "std" f: 0 })");
  CHECK(m.least == 2);
  CHECK(m.greatest == 2);
  m = draw("XavierFill", "");
  check(m, 0, 1.0 / 50);
  CHECK(m.greatest <= std::sqrt(3.0 / 50));
  check(draw("MSRAFill", ""), 0, 2.0 / 400);

  auto const draw_doubles = [&](std::string const& type) {
    auto const drawn = test::run_op<B>(table, op(type, large + R"(arg { name: "dtype" i: 13 })"), {});
    auto const all = drawn.template fetch<double>("y");
    CHECK(std::ranges::any_of(all, [](double x) { return x != double(float(x)); }));
    return moments_of(all);
  };
  m = draw_doubles("UniformFill");
  check(m, 0.5, 1.0 / 12);
  CHECK(m.least >= 0);
  CHECK(m.greatest < 1);
  check(draw_doubles("GaussianFill"), 0, 1);
  m = draw_doubles("XavierFill");
  check(m, 0, 1.0 / 50);
  CHECK(m.greatest <= std::sqrt(3.0 / 50));
  check(draw_doubles("MSRAFill"), 0, 2.0 / 400);
  auto const dice =
      test::run_op<B>(table, op("UniformIntFill", large + R"(arg { name: "min" i: 1 } arg { name: "max" i: 6 })"), {})
          .template fetch<std::int32_t>("y");
  for (std::int32_t face = 1; face != 7; ++face)
    CHECK(std::abs(double(std::ranges::count(dice, face)) - 20'000.0 / 6) < 5 * 53);
  CHECK(moments_of(dice).least == 1);
  CHECK(moments_of(dice).greatest == 6);
}

TEST_CASE_TEMPLATE("random fills: all backends draw the same numbers", B, PLAIT_PARALLEL_BACKENDS) {
  for (char const* type : {"UniformFill", "GaussianFill", "XavierFill", "MSRAFill"})
    CHECK(test::run_op<B>(test::table<B>(), op(type, large), {}).template fetch<float>("y") ==
          test::run_op<plait::serial>(test::table<plait::serial>(), op(type, large), {}).template fetch<float>("y"));
  CHECK(test::run_op<B>(test::table<B>(), op("UniformIntFill", large), {}).template fetch<std::int32_t>("y") ==
        test::run_op<plait::serial>(test::table<plait::serial>(), op("UniformIntFill", large), {})
            .template fetch<std::int32_t>("y"));
}

TEST_CASE("random fills: numbers depend only on the seed, the value written and the run") {
  using B = plait::serial;
  auto const table = test::table<B>();
  std::string const shape = R"(arg { name: "shape" ints: 5 } )";
  auto const draw = [&](std::string const& before, std::string const& arguments, std::string const& output) {
    return test::run_net<B>(table, before + "op { " + op("UniformFill", shape + arguments, output) + " }", {})
        .template fetch<float>(output);
  };
  auto const first = draw("", "", "w");
  CHECK(draw("", "", "w") == first);
  CHECK(draw("op { " + op("GaussianFill", shape, "v") + " }", "", "w") == first);
  CHECK(draw("", "", "v") != first);
  CHECK(draw("", R"(arg { name: "seed" i: 1 })", "w") != first);
  CHECK(draw("op { " + op("UniformFill", shape, "w") + " }", "", "w") != first);

  plait::workspace<B> blobs;
  auto const net = plait::read_netdef_text("op { " + op("UniformFill", shape, "w") + " }");
  auto plan = plait::compile(net, table, blobs);
  plan.run();
  CHECK(blobs.fetch<float>("w") == first);
  plan.run();
  auto const second = blobs.fetch<float>("w");
  CHECK(second != first);
  auto again = plait::compile(net, table, blobs);
  again.run();
  CHECK(blobs.fetch<float>("w") == first);
  again.run();
  CHECK(blobs.fetch<float>("w") == second);
}

TEST_CASE_TEMPLATE("random fills: bounds and shape may be inputs", B, PLAIT_HOST_BACKENDS) {
  auto const table = test::table<B>();
  test::feeds<B> const fed = {{"x", test::of<B>({30, 2}, std::vector<float>(60))},
                              {"low", test::of<B, float>({1}, {4})},
                              {"high", test::of<B, float>({}, {4.5})}};
  std::string const inputs = R"(input: "x" input: "low" input: "high")";
  auto const blobs = test::run_op<B>(table, op("UniformFill", inputs), fed);
  CHECK(blobs.view("y").dims() == plait::shape{30, 2});
  auto const m = moments_of(blobs.template fetch<float>("y"));
  CHECK(m.least >= 4);
  CHECK(m.greatest <= 4.5);
  CHECK_THROWS_AS(test::run_op<B>(table, op("UniformFill", R"(input: "x" input: "high" input: "low")"), fed),
                  plait::exec_error);
  CHECK_THROWS_AS(test::run_op<B>(table, op("UniformFill", R"(input: "x" input: "low")"), fed), plait::exec_error);
  CHECK_THROWS_AS(test::run_op<B>(table, op("UniformFill", inputs + R"( arg { name: "min" f: 0 })"), fed),
                  plait::exec_error);
  CHECK(test::run_op<B>(table, op("XavierFill", R"(arg { name: "shape" ints: 0 ints: 3 })"), {}).view("y").dims() ==
        plait::shape{0, 3});
}

TEST_CASE("random fills: invalid arguments are refused by name") {
  using B = plait::serial;
  auto const refused = [](std::string const& text, std::string const& fact) {
    try {
      test::run_op<B>(test::table<B>(), text, {});
      FAIL("not refused: " << text);
    } catch (plait::exec_error const& e) {
      CHECK_MESSAGE(std::string(e.what()).find(fact) != std::string::npos, e.what());
    }
  };
  refused(op("UniformFill", large + R"(arg { name: "min" f: 1 })"), "'max'");
  refused(op("UniformIntFill", large + R"(arg { name: "min" i: 2 })"), "'max'");
  refused(op("UniformIntFill", large + R"(arg { name: "max" i: 2147483648 })"), "no int32");
  refused(op("GaussianFill", large + R"(arg { name: "std" f: -1 })"), "'std'");
  refused(op("GaussianFill", large + R"(arg { name: "dtype" i: 2 })"), "int32, not FLOAT");
  refused(op("XavierFill", ""), "first axis");
  refused(op("MSRAFill", R"(arg { name: "shape" ints: 3 })"), "second axis");
}

}  // namespace
