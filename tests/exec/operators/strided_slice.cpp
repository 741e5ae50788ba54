#include <plait/exec/detail/operators/strided_slice.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/gradient_of_op.hpp>
#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using numbers = std::vector<std::int64_t>;

struct range {
  std::int64_t start;
  std::int64_t end;
  std::int64_t step;
};

/// Returns the places of a range of an axis: those of Python's slice.indices(), but that a start before the axis is 0.
numbers places(range const& at, std::int64_t extent) {
  auto const bound = [&](std::int64_t x) {
    if (x < 0) x = x < -extent ? -1 : x + extent;
    if (at.step > 0) return x < 0 ? 0 : x > extent ? extent : x;
    return x < -1 ? -1 : x > extent - 1 ? extent - 1 : x;
  };
  numbers made;
  std::int64_t const end = bound(at.end);
  for (std::int64_t i = extent == 0 ? 0 : std::max<std::int64_t>(bound(at.start), 0);
       extent != 0 && (at.step > 0 ? i < end : i > end); i += at.step) {
    made.push_back(i);
    if (at.step > extent || at.step < -extent) break;
  }
  return made;
}

std::string list(char const* name, numbers const& of) {
  std::string made = " arg { name: '" + std::string(name) + '\'';
  for (std::int64_t const each : of) made += " ints: " + std::to_string(each);
  return made + " }";
}

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

TEST_CASE_TEMPLATE("StridedSlice: takes every place of its ranges, of arguments and of inputs", B,
                   PLAIT_HOST_BACKENDS) {
  std::mt19937 random(1);
  auto const pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int turn = 0; turn != 200; ++turn) {
    shape dims;
    for (std::int64_t left = pick(1, 4); left != 0; --left) dims.push_back(pick(turn % 10 == 0 ? 0 : 1, 6));
    std::vector<range> ranges;
    numbers starts, ends, axes, steps;
    std::vector<numbers> taken;
    for (std::size_t axis = 0; axis != dims.rank(); ++axis) {
      range at{0, most, 1};
      if (pick(0, 3) != 0) {
        at = {pick(-8, 8), pick(-8, 8), pick(1, 3) * (pick(0, 1) == 0 ? 1 : -1)};
        if (pick(0, 9) == 0) at.start = pick(0, 1) == 0 ? least : most;
        if (pick(0, 9) == 0) at.end = pick(0, 1) == 0 ? most : least;
        if (pick(0, 9) == 0) at.step = at.step > 0 ? most : least;
        starts.push_back(at.start);
        ends.push_back(at.end);
        steps.push_back(at.step);
        auto const own = static_cast<std::int64_t>(axis);
        axes.push_back(pick(0, 1) == 0 ? own : own - static_cast<std::int64_t>(dims.rank()));
      }
      taken.push_back(places(at, dims[axis]));
    }
    shape part;
    for (numbers const& each : taken) part.push_back(static_cast<std::int64_t>(each.size()));
    auto const x = test::numbered<float>(dims);
    std::vector<float> wanted;
    for (test::index at : test::indices(part)) {
      for (std::size_t axis = 0; axis != at.size(); ++axis) at[axis] = taken[axis][static_cast<std::size_t>(at[axis])];
      wanted.push_back(x[test::place(dims, at)]);
    }
    CAPTURE(to_string(dims));
    CAPTURE(list("starts", starts) + list("ends", ends) + list("axes", axes) + list("steps", steps));
    shape const count{static_cast<std::int64_t>(starts.size())};
    auto const by_arguments = test::run_op<B>(test::table<B>(),
                                              "type: 'StridedSlice' input: 'x' output: 'y'" + list("starts", starts) +
                                                  list("ends", ends) + list("axes", axes) + list("steps", steps),
                                              {{"x", test::of<B>(dims, x)}});
    auto const by_inputs = test::run_op<B>(
        test::table<B>(),
        "type: 'StridedSlice' input: 'x' input: 'starts' input: 'ends' input: 'axes' input: 'steps' output: 'y'",
        {{"x", test::of<B>(dims, x)},
         {"starts", test::of<B>(count, starts)},
         {"ends", test::of<B>(count, ends)},
         {"axes", test::of<B>(count, axes)},
         {"steps", test::of<B>(count, steps)}});
    for (auto const* blobs : {&by_arguments, &by_inputs}) {
      CHECK(blobs->view("y").dims() == part);
      CHECK(blobs->template fetch<float>("y") == wanted);
    }
  }
}

TEST_CASE_TEMPLATE("StridedSlice: bytes and words of eight bytes are moved, too", B, PLAIT_HOST_BACKENDS) {
  auto const run = [&]<class T>(T) {
    auto const blobs = test::run_op<B>(test::table<B>(),
                                       "type: 'StridedSlice' input: 'x' output: 'y'" + list("starts", {-1}) +
                                           list("ends", {least}) + list("axes", {1}) + list("steps", {-2}),
                                       {{"x", test::counted<B, T>({2, 3})}});
    CHECK(blobs.template fetch<T>("y") == std::vector<T>{2, 0, 5, 3});
  };
  run(std::uint8_t());
  run(std::int64_t());
}

TEST_CASE_TEMPLATE("StridedSliceGradient: agrees with differences", B, PLAIT_HOST_BACKENDS) {
  std::string const where =
      list("starts", {3, 0}) + list("ends", {least, 5}) + list("axes", {0, 2}) + list("steps", {-2, 3});
  test::check_gradient_of_op(
      test::table<B>(), test::table<plait::serial>(),
      {.forward = "type: 'StridedSlice' input: 'x' output: 'y'" + where,
       .gradient = "type: 'StridedSliceGradient' input: 'y_grad' input: 'x' output: 'x_grad'" + where,
       .fed = {{"x", test::random_tensor({5, 2, 6}, 2)}}});
}

TEST_CASE("StridedSlice: steps of 0, axes that are given twice, and lists of different lengths are refused") {
  using B = plait::serial;
  auto const error = [](std::string const& more) {
    return test::error_of<B>(test::table<B>(), "type: 'StridedSlice' input: 'x' output: 'y' " + more,
                             {{"x", test::counted<B, float>({2, 3})}});
  };
  std::string const both = list("starts", {0, 0}) + list("ends", {1, 1});
  CHECK(test::has(error(both + list("steps", {1, 0})), "the step of axis 1 is 0"));
  CHECK(test::has(error(both + list("axes", {1, -1})), "axis 1 is sliced twice"));
  CHECK(test::has(error(both + list("axes", {1})), "2 starts, 2 ends, 1 axes"));
  CHECK(test::has(error(both + list("axes", {0, 2})), "has no axis 2"));
  CHECK(test::has(error(list("starts", {0})), "'ends'"));
  CHECK(test::has(error(list("starts", {0, 0, 0}) + list("ends", {1, 1, 1})), "3 starts"));
}

}  // namespace
