#include <plait/exec/detail/operators/gather_elements.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;

struct element_case {
  shape data;
  shape list;
  std::int64_t axis;
};
std::vector<element_case> const cases = {{{5}, {7}, 0},
                                         {{2, 3}, {2, 5}, 1},
                                         {{4, 3}, {6, 2}, 0},
                                         {{2, 3, 4}, {1, 5, 3}, 1},
                                         {{2, 3, 4}, {2, 3, 9}, -1},
                                         {{3, 2, 300}, {4, 2, 290}, -3},
                                         {{0, 3}, {0, 3}, 0},
                                         {{2, 3}, {2, 0}, 1}};

// Returns indices of both signs, of which some are repeated.
template <class I>
std::vector<I> places_of(element_case const& at) {
  std::size_t const axis =
      at.axis < 0 ? at.data.rank() - static_cast<std::size_t>(-at.axis) : static_cast<std::size_t>(at.axis);
  std::int64_t const n = at.data[axis];
  std::vector<I> made;
  for (std::int64_t i = 0; i != at.list.size(); ++i) made.push_back(static_cast<I>(i * 7 % (2 * n) - n));
  return made;
}

// Returns, for each index, the place in the data that it names.
template <class I>
std::vector<std::size_t> named_places(element_case const& at, std::vector<I> const& list) {
  std::size_t const axis =
      at.axis < 0 ? at.data.rank() - static_cast<std::size_t>(-at.axis) : static_cast<std::size_t>(at.axis);
  std::vector<std::size_t> made;
  for (test::index i : test::indices(at.list)) {
    auto const named = static_cast<std::int64_t>(list[made.size()]);
    i[axis] = named < 0 ? named + at.data[axis] : named;
    made.push_back(test::place(at.data, i));
  }
  return made;
}

std::string axis_text(std::int64_t axis) { return " arg { name: 'axis' i: " + std::to_string(axis) + " }"; }

template <class B, class T, class I>
void check_gather() {
  for (element_case const& at : cases) {
    CAPTURE(to_string(at.data));
    CAPTURE(at.axis);
    auto const x = test::numbered<T>(at.data);
    auto const list = places_of<I>(at);
    std::vector<T> wanted;
    for (std::size_t const place : named_places(at, list)) wanted.push_back(x[place]);
    auto const blobs = test::run_op<B>(test::table<B>(),
                                       "type: 'GatherElements' input: 'x' input: 'i' output: 'y'" + axis_text(at.axis),
                                       {{"x", test::of<B, T>(at.data, x)}, {"i", test::of<B, I>(at.list, list)}});
    CHECK(blobs.view("y").dims() == at.list);
    CHECK(blobs.template fetch<T>("y") == wanted);
  }
}

TEST_CASE_TEMPLATE("GatherElements: indices select along the axis, from the end if negative", B, PLAIT_HOST_BACKENDS) {
  check_gather<B, float, std::int64_t>();
  check_gather<B, double, std::int32_t>();
  check_gather<B, std::int64_t, std::int64_t>();
}

template <class T>
T combined(std::string const& how, T old, T update) {
  if (how == "add") return static_cast<T>(old + update);
  if (how == "mul") return static_cast<T>(old * update);
  if (how == "max") return std::max(old, update);
  if (how == "min") return std::min(old, update);
  return update;
}

template <class B, class T>
void check_scatter() {
  for (element_case const& at : cases)
    for (char const* how : {"none", "add", "mul", "max", "min"}) {
      CAPTURE(to_string(at.data));
      CAPTURE(how);
      auto const x = test::numbered<T>(at.data, T(1));
      auto const list = places_of<std::int64_t>(at);
      std::vector<T> updates;
      for (std::size_t i = 0; i != list.size(); ++i) updates.push_back(static_cast<T>(i % 3 + 1));
      std::vector<T> wanted = x;
      auto const places = named_places(at, list);
      for (std::size_t i = 0; i != places.size(); ++i) wanted[places[i]] = combined(how, wanted[places[i]], updates[i]);
      auto const blobs = test::run_op<B>(
          test::table<B>(),
          "type: 'ScatterElements' input: 'x' input: 'i' input: 'u' output: 'y' arg { name: 'reduction' s: '" +
              std::string(how) + "' }" + axis_text(at.axis),
          {{"x", test::of<B, T>(at.data, x)},
           {"i", test::of<B, std::int64_t>(at.list, list)},
           {"u", test::of<B, T>(at.list, updates)}});
      CHECK(blobs.template fetch<T>("y") == wanted);
    }
}

TEST_CASE_TEMPLATE("ScatterElements: updates are combined in their order", B, PLAIT_HOST_BACKENDS) {
  check_scatter<B, double>();
  check_scatter<B, std::int64_t>();
  check_scatter<B, std::uint8_t>();
}

TEST_CASE("ScatterElements: extremes propagate NaN, and integers wrap") {
  using B = plait::serial;
  float const nan = std::numeric_limits<float>::quiet_NaN();
  std::string const op =
      "type: 'ScatterElements' input: 'x' input: 'i' input: 'u' output: 'y' arg { name: 'reduction' s: ";
  auto const most = test::run_op<B>(test::table<B>(), op + "'max' }",
                                    {{"x", test::of<B, float>({2}, {1, nan})},
                                     {"i", test::of<B, std::int32_t>({2}, {0, 1})},
                                     {"u", test::of<B, float>({2}, {nan, 1})}})
                        .fetch<float>("y");
  CHECK(most[0] != most[0]);
  CHECK(most[1] != most[1]);
  auto const sum = test::run_op<B>(test::table<B>(), op + "'add' }",
                                   {{"x", test::of<B, std::int32_t>({1}, {std::numeric_limits<std::int32_t>::max()})},
                                    {"i", test::of<B, std::int32_t>({1}, {0})},
                                    {"u", test::of<B, std::int32_t>({1}, {1})}});
  CHECK(sum.fetch<std::int32_t>("y")[0] == std::numeric_limits<std::int32_t>::min());
}

TEST_CASE("GatherElements and ScatterElements: indices out of range, and shapes that do not fit, are refused") {
  using B = plait::serial;
  std::string const gather = "type: 'GatherElements' input: 'x' input: 'i' output: 'y'";
  auto const x = test::counted<B, float>({2, 3});
  auto const error = [&](shape const& dims, std::vector<std::int64_t> const& list) {
    return test::error_of<B>(test::table<B>(), gather, {{"x", x}, {"i", test::of<B, std::int64_t>(dims, list)}});
  };
  CHECK(error({1, 1}, {-2}).empty());
  CHECK(test::has(error({1, 2}, {0, 2}), "index 2 at place 1 is not from -2 up to, but without, 2"));
  CHECK(test::has(error({1, 1}, {-3}), "index -3"));
  CHECK(test::has(error({2}, {0, 0}), "should have 2 dimensions"));
  CHECK(test::has(error({1, 4}, {0, 0, 0, 0}), "extent of at most 3 in axis 1"));
  std::string const scatter = "type: 'ScatterElements' input: 'x' input: 'i' input: 'u' output: 'y'";
  auto const list = test::of<B, std::int64_t>({1, 2}, {0, 1});
  CHECK(test::has(
      test::error_of<B>(test::table<B>(), scatter, {{"x", x}, {"i", list}, {"u", test::counted<B, float>({2})}}),
      "of different shapes"));
  CHECK(test::has(test::error_of<B>(test::table<B>(), scatter + " arg { name: 'reduction' s: 'mean' }",
                                    {{"x", x}, {"i", list}, {"u", test::counted<B, float>({1, 2})}}),
                  "should be none, add, mul, max or min"));
}

}  // namespace
