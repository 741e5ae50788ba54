#include <plait/exec/detail/operators/ranking.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::table;
using places = std::vector<std::int64_t>;

// Returns whole numbers of few values, so that many are equal.
template <class T>
std::vector<T> numbers(std::int64_t count, std::uint32_t values) {
  std::vector<T> made(static_cast<std::size_t>(count));
  std::uint32_t seed = 11;
  for (T& x : made) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<std::int32_t>((seed >> 8) % values) - static_cast<std::int32_t>(values / 2));
  }
  return made;
}

std::string integer(std::string const& name, std::int64_t value) {
  return "arg { name: \"" + name + "\" i: " + std::to_string(value) + " } ";
}

// Returns the places of each vector along the axis, sorted: largest or smallest first, of equals the lower place.
template <class T>
std::vector<places> sorted_vectors(shape const& dims, std::size_t axis, std::vector<T> const& x, bool largest) {
  auto const inner = static_cast<std::size_t>(dims.size_from(axis + 1));
  auto const n = static_cast<std::size_t>(dims[axis]);
  std::vector<places> made;
  for (std::size_t v = 0; v != x.size() / n; ++v) {
    std::size_t const first = v / inner * n * inner + v % inner;
    places order(n);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
      T const left = x[first + static_cast<std::size_t>(a) * inner];
      T const right = x[first + static_cast<std::size_t>(b) * inner];
      return largest ? left > right : left < right;
    });
    made.push_back(order);
  }
  return made;
}

TEST_CASE_TEMPLATE("ArgMax, ArgMin, TopK: any axis and type is ranked as by a stable sort", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const check = [&]<class T>(T) {
    for (shape const& dims : {shape{2, 3, 4}, shape{7}, shape{3, 1000}, shape{2, 9, 300}, shape{1, 1, 1}})
      for (std::size_t axis = 0; axis != dims.rank(); ++axis) {
        CAPTURE(plait::to_string(dims));
        CAPTURE(axis);
        auto const x = numbers<T>(dims.size(), 50);
        auto const inner = static_cast<std::size_t>(dims.size_from(axis + 1));
        auto const n = static_cast<std::size_t>(dims[axis]);
        auto const signed_axis =
            static_cast<std::int64_t>(axis) - (axis % 2 == 1 ? static_cast<std::int64_t>(dims.rank()) : 0);
        for (bool const largest : {true, false})
          for (bool const keep : {true, false}) {
            places wanted;
            for (places const& order : sorted_vectors(dims, axis, x, largest)) wanted.push_back(order[0]);
            shape out = dims;
            out.set(axis, 1);
            if (!keep) out.erase(axis);
            auto const got = test::run_op<B>(operators,
                                             std::string("type: \"Arg") + (largest ? "Max" : "Min") +
                                                 "\" input: \"x\" output: \"y\" " + integer("axis", signed_axis) +
                                                 integer("keepdims", keep ? 1 : 0),
                                             {{"x", test::of<B>(dims, x)}});
            CHECK(got.view("y").dims() == out);
            CHECK(got.template fetch<std::int64_t>("y") == wanted);
          }

        auto const orders = sorted_vectors(dims, axis, x, true);
        for (std::size_t const k : {std::size_t{1}, std::size_t{2}, (n + 1) / 2, n, n + 3}) {
          CAPTURE(k);
          shape out = dims;
          out.set(axis, static_cast<std::int64_t>(k));
          std::vector<T> values(static_cast<std::size_t>(out.size()), T(0));
          places indices(values.size(), -1);
          places flat(values.size(), -1);
          for (std::size_t v = 0; v != orders.size(); ++v)
            for (std::size_t i = 0; i != std::min(k, n); ++i) {
              std::size_t const to = v / inner * k * inner + v % inner + i * inner;
              indices[to] = orders[v][i];
              flat[to] = static_cast<std::int64_t>(v / inner * n * inner + v % inner) +
                         orders[v][i] * static_cast<std::int64_t>(inner);
              values[to] = x[static_cast<std::size_t>(flat[to])];
            }
          auto const got =
              test::run_op<B>(operators,
                              "type: \"TopK\" input: \"x\" output: \"v\" output: \"i\" output: \"f\" " +
                                  integer("axis", signed_axis) + integer("k", static_cast<std::int64_t>(k)),
                              {{"x", test::of<B>(dims, x)}});
          CHECK(got.view("v").dims() == out);
          CHECK(got.view("f").dims() == shape{out.size()});
          CHECK(got.template fetch<T>("v") == values);
          CHECK(got.template fetch<std::int64_t>("i") == indices);
          CHECK(got.template fetch<std::int64_t>("f") == flat);
        }
      }
  };
  check(float{});
  check(double{});
  check(std::int32_t{});
  check(std::int64_t{});
}

TEST_CASE_TEMPLATE("ArgMax, ArgMin, TopK: NaN, infinities and empty axes are ranked", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  float const nan = std::nanf("");
  float const inf = std::numeric_limits<float>::infinity();
  auto const locate = [&](char const* type, shape const& dims, std::vector<float> const& x, std::int64_t axis) {
    return test::run_op<B>(operators,
                           std::string("type: \"") + type + "\" input: \"x\" output: \"y\" " + integer("axis", axis),
                           {{"x", test::of<B>(dims, x)}})
        .template fetch<std::int64_t>("y");
  };
  std::vector<float> x(600, 1.0f);
  x[400] = nan;
  x[500] = nan;
  CHECK(locate("ArgMax", {600}, x, 0) == places{400});
  CHECK(locate("ArgMin", {600}, x, 0) == places{400});
  CHECK(locate("ArgMax", {300, 2}, x, 0) == places{200, 0});
  CHECK(locate("ArgMin", {3, 2}, {nan, 2, 1, nan, 0, nan}, 0) == places{0, 1});
  CHECK(locate("ArgMax", {3}, {-inf, -inf, -inf}, 0) == places{0});
  CHECK(locate("ArgMax", {2, 0, 0}, {}, 1).empty());
  auto const top =
      test::run_op<B>(operators, "type: \"TopK\" input: \"x\" output: \"v\" output: \"i\" " + integer("k", 3),
                      {{"x", test::of<B, float>({4}, {1, nan, inf, nan})}});
  CHECK(top.template fetch<std::int64_t>("i") == places{1, 3, 2});
  auto const none =
      test::run_op<B>(operators, "type: \"TopK\" input: \"x\" output: \"v\" output: \"i\" " + integer("k", 2),
                      {{"x", test::of<B, float>({2, 0}, {})}});
  CHECK(none.template fetch<float>("v") == std::vector<float>{0, 0, 0, 0});
  CHECK(none.template fetch<std::int64_t>("i") == places{-1, -1, -1, -1});
}

TEST_CASE_TEMPLATE("TopK: k may be an input", B, PLAIT_HOST_BACKENDS) {
  auto const run = [&](std::int64_t k, std::string const& more) {
    return test::run_op<B>(table<B>(), "type: \"TopK\" input: \"x\" input: \"k\" output: \"v\" output: \"i\" " + more,
                           {{"x", test::of<B, float>({4}, {1, 4, 2, 3})}, {"k", test::of<B, std::int64_t>({1}, {k})}});
  };
  CHECK(run(2, "").template fetch<float>("v") == std::vector<float>{4, 3});
  CHECK(run(3, "").template fetch<std::int64_t>("i") == std::vector<std::int64_t>{1, 3, 2});
  CHECK_THROWS_WITH_AS(run(0, ""), doctest::Contains("k is 0, which is less than 1"), plait::exec_error);
  CHECK_THROWS_WITH_AS(run(1, integer("k", 1)), doctest::Contains("besides the second input"), plait::exec_error);
}

TEST_CASE("ArgMax, TopK: axes and k that do not fit are refused") {
  using B = plait::serial;
  auto const refused = [&](std::string const& text, shape const& dims, char const* why) {
    try {
      test::run_op<B>(table<B>(), text,
                      {{"x", test::of<B>(dims, std::vector<float>(static_cast<std::size_t>(dims.size())))}});
      FAIL("was not refused: " << text);
    } catch (plait::exec_error const& e) {
      CHECK(text.find(e.type) != std::string::npos);
      CHECK(std::string(e.what()).find(why) != std::string::npos);
    }
  };
  std::string const top = "type: \"TopK\" input: \"x\" output: \"v\" output: \"i\" ";
  refused(top, {3}, "'k' is missing");
  refused(top + integer("k", 0), {3}, "'k' is less than 1");
  refused(top + integer("k", 1) + integer("axis", 1), {3}, "no axis 1");
  refused("type: \"ArgMax\" input: \"x\" output: \"y\"", {2, 0}, "elements along the axis");
  refused("type: \"ArgMax\" input: \"x\" output: \"y\"", {}, "no axis -1");
}

}  // namespace
