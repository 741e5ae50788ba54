#include <plait/exec/detail/operators/normalization.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/check_close.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::check_close;
using test::table;
float const inf = std::numeric_limits<float>::infinity();

template <class T>
std::vector<T> numbers(std::int64_t count, double range = 3, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<T> made(static_cast<std::size_t>(count));
  for (T& x : made) x = static_cast<T>((static_cast<double>(random() % 20001) / 10000.0 - 1.0) * range);
  return made;
}

std::string op(std::string const& type, std::string const& arguments = {}) {
  return "type: \"" + type + "\" input: \"x\" output: \"y\" " + arguments;
}
std::string integer(std::string const& name, std::int64_t value) {
  return "arg { name: \"" + name + "\" i: " + std::to_string(value) + " } ";
}

template <class T>
std::vector<long double> softmax_of(std::vector<T> const& x, std::size_t width, bool log) {
  std::vector<long double> y(x.begin(), x.end());
  for (std::size_t first = 0; first < x.size(); first += width) {
    long double highest = x[first];
    for (std::size_t i = 0; i != width; ++i) highest = std::max(highest, y[first + i]);
    long double total = 0;
    for (std::size_t i = 0; i != width; ++i) total += std::exp(y[first + i] - highest);
    for (std::size_t i = 0; i != width; ++i)
      y[first + i] = log ? y[first + i] - highest - std::log(total) : std::exp(y[first + i] - highest) / total;
  }
  return y;
}

TEST_CASE_TEMPLATE("Softmax, LogSoftmax: any axis may be given, in place or not", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const check = [&]<class T>(T) {
    for (shape const& dims : {shape{2, 3}, shape{5, 17}, shape{1, 1}, shape{3, 2, 40}, shape{2, 1000}, shape{2, 9000}})
      for (std::int64_t axis = 0; axis != static_cast<std::int64_t>(dims.rank()); ++axis) {
        CAPTURE(plait::to_string(dims));
        auto const x = numbers<T>(dims.size(), 30);
        auto const width = static_cast<std::size_t>(dims.size_from(static_cast<std::size_t>(axis)));
        // form 0 counts the axis from the front, 1 from the end; 2 runs in place.
        for (int form = 0; form != 3; ++form) {
          std::string const a = integer("axis", form == 1 ? axis - static_cast<std::int64_t>(dims.rank()) : axis);
          for (bool const log : {false, true}) {
            std::string const type = log ? "LogSoftmax" : "Softmax";
            std::string const text = form == 2 ? "type: \"" + type + "\" input: \"x\" output: \"x\" " + a : op(type, a);
            auto const blobs = test::run_op<B>(operators, text, {{"x", test::of<B>(dims, x)}});
            CHECK(blobs.view(form == 2 ? "x" : "y").dims() == dims);
            // The rounding of x - highest, up to 60, is multiplied by the exponential.
            check_close(blobs.template fetch<T>(form == 2 ? "x" : "y"), softmax_of(x, width, log), log ? 4 : 70,
                        log ? 60 : 1e-30);
          }
        }
      }
  };
  check(float{});
  check(double{});

  auto const row = [&](std::vector<float> const& x, char const* type = "Softmax") {
    return test::run_op<B>(operators, op(type, integer("axis", 0)),
                           {{"x", test::of<B>(shape{static_cast<std::int64_t>(x.size())}, x)}})
        .template fetch<float>("y");
  };
  CHECK(row({1000, 0, -1000}) == std::vector<float>{1, 0, 0});
  CHECK(row({1000, 0, -1000}, "LogSoftmax") == std::vector<float>{0, -1000, -2000});
  CHECK(row({0, -inf}) == std::vector<float>{1, 0});
  CHECK(row({0, -inf}, "LogSoftmax") == std::vector<float>{0, -inf});
  for (std::vector<float> const& x : {std::vector<float>{-inf, -inf}, {inf, 1}, {1, std::nanf("")}})
    for (float const y : row(x)) CHECK((std::isnan(y) || y == 0.0f));
  CHECK(std::isnan(row({1, std::nanf("")})[0]));
  CHECK(row({}).empty());
  auto const no_rows = test::run_op<B>(operators, op("Softmax"), {{"x", test::of<B, float>({0, 3}, {})}});
  CHECK(no_rows.view("y").dims() == shape{0, 3});
}

TEST_CASE_TEMPLATE("LayerNorm: rows get mean 0 and variance 1, and moments are outputs", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const check = [&]<class T>(T, shape const& dims, std::int64_t axis, float epsilon, double offset) {
    CAPTURE(plait::to_string(dims));
    auto x = numbers<T>(dims.size());
    for (T& value : x) value += static_cast<T>(offset);
    auto const width = static_cast<std::size_t>(dims.size_from(static_cast<std::size_t>(axis)));
    std::vector<long double> y(x.begin(), x.end());
    std::vector<long double> means;
    std::vector<long double> deviations;
    for (std::size_t first = 0; first != y.size(); first += width) {
      long double sum = 0;
      for (std::size_t i = 0; i != width; ++i) sum += y[first + i];
      long double const mean = sum / static_cast<long double>(width);
      long double squares = 0;
      for (std::size_t i = 0; i != width; ++i) squares += (y[first + i] - mean) * (y[first + i] - mean);
      long double const deviation = std::sqrt(squares / static_cast<long double>(width) + epsilon);
      for (std::size_t i = 0; i != width; ++i) y[first + i] = (y[first + i] - mean) / deviation;
      means.push_back(mean);
      deviations.push_back(deviation);
    }
    shape moments;
    for (std::size_t i = 0; i != static_cast<std::size_t>(axis); ++i) moments.push_back(dims[i]);
    moments.push_back(1);
    for (std::string const to : {"y", "x"}) {
      auto const blobs =
          test::run_op<B>(operators,
                          "type: \"LayerNorm\" input: \"x\" output: \"" + to + "\" output: \"m\" output: \"s\" " +
                              integer("axis", axis) + "arg { name: \"epsilon\" f: " + std::to_string(epsilon) + " }",
                          {{"x", test::of<B>(dims, x)}});
      CHECK(blobs.view(to).dims() == dims);
      CHECK(blobs.view("m").dims() == moments);
      CHECK(blobs.view("s").dims() == moments);
      // The mean's rounding error, in units of the largest element, is divided by the deviation.
      double const lost = 8 * (3 + std::abs(offset));
      check_close(blobs.template fetch<T>(to), y, lost, 1);
      check_close(blobs.template fetch<T>("m"), means, lost, 1);
      check_close(blobs.template fetch<T>("s"), deviations, lost, 1);
    }
  };
  for (double const offset : {0.0, 100.0}) {
    check(float{}, {3, 4}, 1, 1e-5f, offset);
    check(double{}, {2, 3, 40}, 2, 0.1f, offset);
    check(float{}, {2, 3, 40}, 1, 1e-5f, offset);
    check(float{}, {2, 3, 40}, 0, 1e-5f, offset);
    check(float{}, {2, 10000}, 1, 1e-5f, offset);
    check(double{}, {1, 1}, 1, 1e-5f, offset);
  }
  for (std::string const to : {"y", "x"}) {
    std::string const affine = "type: \"LayerNorm\" input: \"x\" input: \"a\" input: \"b\" output: \"" + to +
                               "\" output: \"m\" output: \"s\" arg { name: \"elementwise_affine\" i: 1 } ";
    auto const rows = [](float first) { return test::of<B, float>({2, 2}, {first, -first, 3, 5}); };
    auto const blobs = test::run_op<B>(
        operators, affine + "arg { name: \"epsilon\" f: 0 }",
        {{"x", rows(2)}, {"a", test::of<B, float>({2}, {10, 100})}, {"b", test::of<B, float>({2}, {1, 2})}});
    CHECK(blobs.template fetch<float>(to) == std::vector<float>{11, -98, -9, 102});
    CHECK(blobs.template fetch<float>("m") == std::vector<float>{0, 4});
  }
  // With one output, scale and bias need no argument.
  auto const one = [&](std::string const& inputs, std::string const& arguments) {
    return test::run_op<B>(operators,
                           "type: \"LayerNorm\" output: \"y\" " + inputs + arguments + "arg { name: \"epsilon\" f: 0 }",
                           {{"x", test::of<B, float>({2, 2}, {2, -2, 3, 5})},
                            {"a", test::of<B, float>({2}, {10, 100})},
                            {"b", test::of<B, float>({2}, {1, 2})}})
        .template fetch<float>("y");
  };
  CHECK(one("input: \"x\" ", "") == std::vector<float>{1, -1, -1, 1});
  CHECK(one("input: \"x\" input: \"a\" input: \"b\" ", "") == std::vector<float>{11, -98, -9, 102});
  CHECK_THROWS_AS(one("input: \"x\" input: \"a\" input: \"b\" ", integer("elementwise_affine", 0)), plait::exec_error);
  auto const constant =
      test::run_op<B>(operators, "type: \"LayerNorm\" input: \"x\" output: \"y\" output: \"m\" output: \"s\"",
                      {{"x", test::of<B, float>({1, 3}, {1, 1, 1})}});
  CHECK(constant.template fetch<float>("y") == std::vector<float>{0, 0, 0});
  CHECK(constant.template fetch<float>("s")[0] == doctest::Approx(std::sqrt(1e-5)));
}

TEST_CASE_TEMPLATE("Normalize, NormalizeL1: vectors along any axis get norm 1", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const check = [&]<class T>(T) {
    for (shape const& dims : {shape{3, 4}, shape{2, 3, 4}, shape{5, 2, 700}, shape{1, 40, 1}, shape{2, 9000}})
      for (std::size_t axis = 0; axis != dims.rank(); ++axis)
        for (bool const l1 : {false, true}) {
          CAPTURE(plait::to_string(dims));
          CAPTURE(axis);
          auto const x = numbers<T>(dims.size());
          std::vector<long double> y(x.begin(), x.end());
          auto const inner = static_cast<std::size_t>(dims.size_from(axis + 1));
          auto const n = static_cast<std::size_t>(dims[axis]);
          for (std::size_t vector = 0; vector != x.size() / n; ++vector) {
            std::size_t const first = vector / inner * n * inner + vector % inner;
            long double sum = 0;
            for (std::size_t i = 0; i != n; ++i) {
              long double const value = y[first + i * inner];
              sum += l1 ? std::abs(value) : value * value;
            }
            long double const norm = l1 ? sum : std::sqrt(sum);
            for (std::size_t i = 0; i != n; ++i) y[first + i * inner] /= norm;
          }
          for (std::string const to : {"y", "x"}) {
            auto const blobs =
                test::run_op<B>(operators,
                                std::string("type: \"Normalize") + (l1 ? "L1" : "") + "\" input: \"x\" output: \"" +
                                    to + "\" " + integer("axis", static_cast<std::int64_t>(axis)),
                                {{"x", test::of<B>(dims, x)}});
            check_close(blobs.template fetch<T>(to), y, 8);
          }
        }
  };
  check(float{});
  check(double{});
  auto const run = [&](char const* type, shape const& dims, std::vector<float> const& x) {
    return test::run_op<B>(operators, op(type), {{"x", test::of<B>(dims, x)}}).template fetch<float>("y");
  };
  CHECK(run("Normalize", {2, 2}, {3, 4, 0, 0}) == std::vector<float>{3.0f / 5, 4.0f / 5, 0, 0});
  CHECK(run("NormalizeL1", {2, 2}, {3, -1, 0, 0}) == std::vector<float>{0.75f, -0.25f, 0, 0});
  CHECK(run("Normalize", {2}, {1e-20f, 0})[0] == doctest::Approx(1e-8f));
  CHECK(run("Normalize", {0, 3}, {}).empty());
}

TEST_CASE("normalisation: wrong operands are refused, and host backends give the same bits") {
  auto const refused = [&](std::string const& text, shape const& dims, char const* why) {
    try {
      test::run_op<plait::serial>(
          table<plait::serial>(), text,
          {{"x", test::of<plait::serial>(dims, std::vector<float>(static_cast<std::size_t>(dims.size())))}});
      FAIL("was not refused: " << text);
    } catch (plait::exec_error const& e) {
      CHECK(text.find(e.type) != std::string::npos);
      CHECK(std::string(e.what()).find(why) != std::string::npos);
    }
  };
  std::string const affine = "output: \"m\" output: \"s\" arg { name: \"elementwise_affine\" i: 1 } ";
  refused(op("LayerNorm") + affine, {2, 3}, "3 inputs, not 1");
  refused(op("LayerNorm") + affine + "input: \"x\" input: \"x\"", {2, 3}, "a number for each of the 3 places");
  refused(op("Softmax"), {3}, "no axis 1");
  refused(op("Softmax", integer("axis", -3)), {3, 2}, "no axis -3");
  refused(op("Normalize"), {}, "no axis -1");
  refused(op("LayerNorm", "output: \"m\" output: \"s\" output: \"z\""), {2, 3}, "outputs");
  CHECK_THROWS_AS(test::run_op<plait::serial>(table<plait::serial>(), op("Softmax"),
                                              {{"x", test::of<plait::serial, std::int32_t>({1, 2}, {1, 2})}}),
                  plait::exec_error);

  shape const dims{700, 150};
  auto const x = numbers<float>(dims.size());
  for (char const* type : {"Softmax", "LogSoftmax", "LayerNorm", "Normalize", "NormalizeL1"})
    for (std::int64_t const axis : {0, 1}) {
      CAPTURE(type);
      auto const run = [&]<class B>(B) {
        std::string const more = std::string(type) == "LayerNorm" ? "output: \"m\" output: \"s\" " : "";
        return test::run_op<B>(table<B>(), op(type, more + integer("axis", axis)), {{"x", test::of<B>(dims, x)}})
            .template fetch<float>("y");
      };
      auto const wanted = run(plait::serial());
      test::for_parallel_backends([&]<class B>(B backend) { CHECK(test::agree<B>(run(backend), wanted)); });
    }
}

}  // namespace
