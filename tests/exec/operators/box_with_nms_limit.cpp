#include <plait/exec/detail/operators/box_with_nms_limit.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;

std::string const op = "type: 'BoxWithNMSLimit' input: 's' input: 'b' ";
std::string const outputs = "output: 'S' output: 'B' output: 'C' output: 'splits' output: 'rows' output: 'sizes' ";

template <class T>
struct detections {
  std::vector<T> scores;
  std::vector<T> boxes;
  std::vector<T> classes;
  std::vector<T> splits;
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> sizes;
};

// Runs the op for rows of scores and squares of 10 pixels at x.
template <class B, class T>
detections<T> run(std::int64_t classes, std::vector<T> const& scores, std::vector<T> const& x,
                  std::string const& arguments, std::vector<T> const& splits = {}) {
  std::vector<T> boxes;
  for (T const left : x)
    for (T const corner : {left, T(0), left + 9, T(9)}) boxes.push_back(corner);
  auto const rows = static_cast<std::int64_t>(scores.size()) / classes;
  auto const columns = rows == 0 ? 4 * classes : static_cast<std::int64_t>(boxes.size()) / rows;
  test::feeds<B> fed = {{"s", test::of<B, T>({rows, classes}, scores)}, {"b", test::of<B, T>({rows, columns}, boxes)}};
  if (!splits.empty()) fed.emplace_back("n", test::of<B, T>({static_cast<std::int64_t>(splits.size())}, splits));
  auto const blobs =
      test::run_op<B>(test::table<B>(), op + (splits.empty() ? "" : "input: 'n' ") + outputs + arguments, fed);
  detections<T> made{blobs.template fetch<T>("S"),
                     blobs.template fetch<T>("B"),
                     blobs.template fetch<T>("C"),
                     blobs.template fetch<T>("splits"),
                     blobs.template fetch<std::int32_t>("rows"),
                     blobs.template fetch<std::int32_t>("sizes")};
  CHECK(blobs.view("B").dims() == shape{static_cast<std::int64_t>(made.scores.size()), 4});
  CHECK(blobs.view("sizes").dims() == shape{static_cast<std::int64_t>(made.splits.size()), classes});
  return made;
}

using ints = std::vector<std::int32_t>;

template <class B, class T>
void check_type() {
  // Classes 1 and 2 of three rows. The first two boxes share 9/11 of their union.
  std::vector<T> const scores = {T(0.1), T(0.9), T(0.3), T(0.2), T(0.8), T(0.4), T(0.3), T(0.7), T(0.5)};
  std::vector<T> const x = {0, 0, 0, 1, 1, 1, 30, 30, 30};
  auto const all = run<B, T>(3, scores, x, "");
  CHECK(all.scores == std::vector<T>{T(0.9), T(0.7), T(0.5), T(0.4)});
  CHECK(all.boxes == std::vector<T>{0, 0, 9, 9, 30, 0, 39, 9, 30, 0, 39, 9, 1, 0, 10, 9});
  CHECK(all.classes == std::vector<T>{1, 1, 2, 2});
  CHECK(all.splits == std::vector<T>{4});
  CHECK(all.rows == ints{0, 2, 2, 1});
  CHECK(all.sizes == ints{0, 2, 2});
  CHECK(run<B, T>(3, scores, x, "arg { name: 'nms' f: 0.9 }").rows == ints{0, 1, 2, 2, 1, 0});
  CHECK(run<B, T>(3, scores, x, "arg { name: 'nms' f: -1 }").rows == ints{0, 2});
  CHECK(run<B, T>(3, scores, x, "arg { name: 'score_thresh' f: 0.75 }").rows == ints{0});
  CHECK(run<B, T>(3, scores, x, "arg { name: 'output_classes_include_bg_cls' i: 0 }").classes ==
        std::vector<T>{0, 0, 1, 1});

  auto const limited = run<B, T>(3, scores, x, "arg { name: 'detections_per_im' i: 3 }");
  CHECK(limited.scores == std::vector<T>{T(0.9), T(0.7), T(0.5)});
  CHECK(limited.sizes == ints{0, 2, 1});

  auto const by_image = run<B, T>(3, scores, x, "arg { name: 'detections_per_im' i: 1 }", {2, 0, 1});
  CHECK(by_image.scores == std::vector<T>{T(0.9), T(0.7)});
  CHECK(by_image.splits == std::vector<T>{1, 0, 1});
  CHECK(by_image.rows == ints{0, 0});
  CHECK(by_image.sizes == ints{0, 1, 0, 0, 0, 0, 0, 1, 0});

  // The background is the last of the scores, and has no boxes.
  std::vector<T> const six = {0, 0, 1, 1, 30, 30};
  auto const last = run<B, T>(3, scores, six, "arg { name: 'input_boxes_include_bg_cls' i: 0 }");
  CHECK(last.scores == std::vector<T>{T(0.3), T(0.2), T(0.9), T(0.7)});
  CHECK(last.classes == std::vector<T>{1, 1, 2, 2});
  CHECK(run<B, T>(3, scores, {0, 1, 30}, "arg { name: 'cls_agnostic_bbox_reg' i: 1 }").rows == all.rows);

  auto const linear = run<B, T>(3, scores, x, "arg { name: 'soft_nms_enabled' i: 1 }");
  CHECK(linear.rows == ints{0, 2, 1, 2, 1, 0});
  CHECK(linear.scores[2] == doctest::Approx(0.8 * 2 / 11));
  CHECK(linear.scores[5] == doctest::Approx(0.3 * 2 / 11));
  auto const gaussian =
      run<B, T>(3, scores, x, "arg { name: 'soft_nms_enabled' i: 1 } arg { name: 'soft_nms_method' s: 'gaussian' }");
  CHECK(gaussian.scores[2] == doctest::Approx(0.8 * std::exp(-81.0 / 121 / 0.5)));
  CHECK(run<B, T>(3, scores, x, "arg { name: 'soft_nms_enabled' i: 1 } arg { name: 'soft_nms_min_score_thres' f: 0.1 }")
            .rows == ints{0, 2, 1, 2, 1});
}

TEST_CASE_TEMPLATE("BoxWithNMSLimit: boxes of a class that do not overlap, with the highest scores", B,
                   PLAIT_HOST_BACKENDS) {
  check_type<B, float>();
  check_type<B, double>();
}

TEST_CASE_TEMPLATE("BoxWithNMSLimit: no rows, no classes", B, PLAIT_HOST_BACKENDS) {
  auto const none = run<B, float>(3, {}, {}, "", {0, 0});
  CHECK(none.splits == std::vector<float>{0, 0});
  CHECK(none.sizes == ints{0, 0, 0, 0, 0, 0});
  CHECK(run<B, float>(1, {0.9f, 0.8f}, {0, 1}, "").splits == std::vector<float>{0});
  // More images and classes than there can be sizes.
  auto const refusal = [](std::int64_t classes) {
    return test::error_of<B>(test::table<B>(), op + "input: 'n' output: 'S' output: 'B' output: 'C' ",
                             {{"s", test::of<B, float>({0, classes}, {})},
                              {"b", test::of<B, float>({0, 4 * classes}, {})},
                              {"n", test::of<B, float>({2}, {0, 0})}});
  };
  CHECK(refusal(1000).empty());
  CHECK(test::has(refusal(std::int64_t{1} << 30), "have fewer classes"));
  CHECK(test::has(refusal(std::int64_t{1} << 40), "have fewer elements"));
}

TEST_CASE("BoxWithNMSLimit: NaN, and empty boxes") {
  using B = plait::serial;
  float const nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(run<B, float>(2, {0, nan, 0, 0.6f}, {0, 0, 50, 50}, "").rows == ints{1});
  CHECK(run<B, float>(2, {0, 0.9f, 0, 0.6f}, {nan, nan, 0, 0}, "").rows == ints{0});
  CHECK(run<B, float>(2, {0, 0.5f, 0, 0.6f}, {nan, nan, 0, 0}, "").rows == ints{1});
}

TEST_CASE("BoxWithNMSLimit: many equal scores keep the order of classes and rows") {
  using B = plait::serial;
  std::vector<float> const scores(120, 0.5f);
  std::vector<float> x;
  for (int i = 0; i != 120; ++i) x.push_back(static_cast<float>(i / 3 * 20));
  auto const made = run<B, float>(3, scores, x, "arg { name: 'detections_per_im' i: 60 }");
  REQUIRE(made.rows.size() == 60);
  for (std::size_t i = 0; i != 60; ++i) CHECK(made.rows[i] == static_cast<std::int32_t>(i % 40));
  CHECK(made.sizes == ints{0, 40, 20});
}

TEST_CASE("BoxWithNMSLimit: shapes, numbers of rows and arguments are refused") {
  using B = plait::serial;
  auto const refusal = [](shape const& boxes, std::vector<float> const& splits, std::string const& arguments) {
    return test::error_of<B>(test::table<B>(), op + "input: 'n' output: 'S' output: 'B' output: 'C' " + arguments,
                             {{"s", test::counted<B, float>({3, 2})},
                              {"b", test::counted<B, float>(boxes)},
                              {"n", test::of<B, float>({static_cast<std::int64_t>(splits.size())}, splits)}});
  };
  CHECK(refusal({3, 8}, {1, 2}, "").empty());
  CHECK(test::has(refusal({3, 4}, {3}, ""), "be 3x8"));
  CHECK(refusal({3, 4}, {3}, "arg { name: 'cls_agnostic_bbox_reg' i: 1 }").empty());
  CHECK(refusal({3, 4}, {3}, "arg { name: 'input_boxes_include_bg_cls' i: 0 }").empty());
  CHECK(test::has(refusal({3, 8}, {2, 2}, ""), "add up to 3"));
  CHECK(test::has(refusal({3, 8}, {1.5f, 1.5f}, ""), "have numbers of rows"));
  CHECK(test::has(refusal({3, 8}, {4, -1}, ""), "have numbers of rows"));
  CHECK(test::has(refusal({3, 8}, {3}, "arg { name: 'rotated' i: 1 }"), "'rotated' is set"));
  CHECK(test::has(refusal({3, 8}, {3}, "arg { name: 'soft_nms_method' s: 'hard' }"), "should be linear or gaussian"));
}

}  // namespace
