#include <plait/exec/detail/operators/non_max_suppression.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using integers = std::vector<std::int64_t>;

std::string const op = "type: 'NonMaxSuppression' input: 'b' input: 's' input: 'm' input: 'o' output: 'y' ";
std::string const with_least =
    "type: 'NonMaxSuppression' input: 'b' input: 's' input: 'm' input: 'o' input: 'l' output: 'y' ";

// Boxes of one image: squares of 10 at x.
std::vector<float> squares(std::vector<float> const& x) {
  std::vector<float> made;
  for (float const left : x)
    for (float const corner : {0.0f, left, 10.0f, left + 10}) made.push_back(corner);
  return made;
}
template <class B>
test::feeds<B> fed(shape const& dims, std::vector<float> const& boxes, std::vector<float> const& scores,
                   std::int64_t most, float overlap) {
  auto const classes = scores.empty() ? 1 : static_cast<std::int64_t>(scores.size()) / (dims[0] * dims[1]);
  return {{"b", test::of<B, float>(dims, boxes)},
          {"s", test::of<B, float>({dims[0], classes, dims[1]}, scores)},
          {"m", test::of<B, std::int64_t>({1}, {most})},
          {"o", test::of<B, float>({}, {overlap})}};
}

TEST_CASE_TEMPLATE("NonMaxSuppression: images, classes and boxes by descending score", B, PLAIT_HOST_BACKENDS) {
  auto const run = [](std::string const& text, test::feeds<B> const& given) {
    return test::run_op<B>(test::table<B>(), text, given).template fetch<std::int64_t>("y");
  };
  // The first two boxes share 9/11 of their union. Equal scores keep the order of boxes.
  auto given = fed<B>({1, 4, 4}, squares({0, 1, 20, 40}), {0.5f, 0.6f, 0.9f, 0.9f, 0.7f, 0, 0.1f, 0.2f}, 10, 0.5f);
  CHECK(run(op, given) == integers{0, 0, 2, 0, 0, 3, 0, 0, 1, 0, 1, 0, 0, 1, 3, 0, 1, 2});
  given.emplace_back("l", test::of<B, float>({1}, {0.2f}));
  CHECK(run(with_least, given) == integers{0, 0, 2, 0, 0, 3, 0, 0, 1, 0, 1, 0});
  CHECK(run(op, fed<B>({1, 4, 4}, squares({0, 1, 20, 40}), {4, 3, 2, 1}, 2, 0.9f)) == integers{0, 0, 0, 0, 0, 1});
  CHECK(run(op, fed<B>({2, 1, 4}, squares({0, 0}), {1, 2}, 5, 0)) == integers{0, 0, 0, 1, 0, 0});
  CHECK(run(op, fed<B>({1, 2, 4}, squares({0, 0}), {1, 2}, 0, 0)).empty());
  CHECK(run(op, fed<B>({1, 0, 4}, {}, {}, 3, 0)).empty());
  CHECK(run("type: 'NonMaxSuppression' input: 'b' input: 's' output: 'y'", fed<B>({1, 1, 4}, squares({0}), {1}, 5, 0))
            .empty());
}

TEST_CASE("NonMaxSuppression: corners in any order, centres, empty boxes, NaN") {
  using B = plait::serial;
  auto const run = [](std::vector<float> const& boxes, std::string const& argument) {
    return test::run_op<B>(test::table<B>(), op + argument, fed<B>({1, 2, 4}, boxes, {1, 2}, 5, 0.5f))
        .fetch<std::int64_t>("y");
  };
  integers const second{0, 0, 1};
  integers const both{0, 0, 1, 0, 0, 0};
  CHECK(run({0, 0, 1, 1, 1, 1, 0, 0}, "") == second);
  CHECK(run({5, 5, 2, 2, 5, 5, 2, 2.5f}, "arg { name: 'center_point_box' i: 1 }") == second);
  CHECK(run({5, 5, 2, 2, 8, 5, 2, 2}, "arg { name: 'center_point_box' i: 1 }") == both);
  CHECK(run({1, 1, 1, 1, 1, 1, 1, 1}, "") == both);
  float const nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(run({0, 0, nan, 1, 0, 0, 1, 1}, "") == both);
}

TEST_CASE("NonMaxSuppression: shapes and thresholds are refused") {
  using B = plait::serial;
  auto const refusal = [](test::feeds<B> const& given) { return test::error_of<B>(test::table<B>(), op, given); };
  auto const good = [] { return fed<B>({1, 2, 4}, squares({0, 1}), {1, 2}, 5, 0.5f); };
  CHECK(refusal(good()).empty());
  auto given = good();
  given[1].second = test::of<B, float>({1, 1, 3}, {1, 2, 3});
  CHECK(test::has(refusal(given), "have a score by class for each box"));
  given = good();
  given[0].second = test::of<B, float>({1, 2, 3}, {0, 0, 0, 0, 0, 0});
  CHECK(test::has(refusal(given), "have 4 numbers by box"));
  given = good();
  given[2].second = test::of<B, std::int64_t>({2}, {1, 2});
  CHECK(test::has(refusal(given), "be one number"));
  given = good();
  given[3].second = test::of<B, float>({1}, {1.5f});
  CHECK(test::has(refusal(given), "be 0 to 1"));
}

}  // namespace
