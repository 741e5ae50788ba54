#include <plait/exec/detail/operators/box_transform.hpp>

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

std::string const op = "type: 'BBoxTransform' input: 'b' input: 'd' input: 'i' output: 'y' output: 's' ";

template <class B, class T>
test::feeds<B> feeds(std::int64_t rows, std::vector<T> const& boxes, std::vector<T> const& deltas,
                     std::vector<T> const& images) {
  auto const matrix = [rows](std::vector<T> const& x, std::int64_t empty) {
    return test::of<B, T>({rows, rows == 0 ? empty : static_cast<std::int64_t>(x.size()) / rows}, x);
  };
  return {{"b", matrix(boxes, 5)},
          {"d", matrix(deltas, 8)},
          {"i", test::of<B, T>({static_cast<std::int64_t>(images.size()) / 3, 3}, images)}};
}

template <class T>
bool near(std::vector<T> const& got, std::vector<double> const& wanted) {
  return std::ranges::equal(got, wanted, [](T a, double b) { return std::abs(static_cast<double>(a) - b) <= 5e-5; });
}

// Coordinates of one axis: the low one and the high one.
struct side {
  double low;
  double high;
};
// Returns the side that moves by `shift` sides and becomes exp(growth) times as long, in a scaled image.
side moved(side from, double shift, double growth, double scale, double extent, double plus_one) {
  from = {from.low / scale, from.high / scale};
  double const length = from.high - from.low + plus_one;
  double const centre = from.low + length / 2 + shift * length;
  double const half = length * std::exp(std::min(growth, std::log(1000.0 / 16))) / 2;
  double const most = std::floor(extent / scale + 0.5) - plus_one;
  return {std::clamp(centre - half, 0.0, most), std::clamp(centre + half - plus_one, 0.0, most)};
}

template <class B, class T>
void check_type() {
  // Rows of two images, with two classes.
  std::vector<T> const boxes = {0, 1, 1, 5, 6, 0, 2, 2, 9, 9, 1, 0, 0, 7, 7};
  std::vector<double> const deltas = {0,  0, 0, 0, 0.5, -0.25, 0.5, 0, 0.5, 0,   -0.3125, 1,
                                      -2, 0, 0, 0, 0,   0,     9,   9, 0.1, 0.2, 0.3,     0.4};
  std::vector<T> const images = {20, 30, 1, 24, 16.5, 2};
  for (double const plus_one : {1.0, 0.0})
    for (bool const back : {true, false})
      for (double const weight : {1.0, 4.0}) {
        std::vector<double> wanted;
        for (std::size_t row = 0; row != 3; ++row)
          for (std::size_t k = 0; k != 8; k += 4) {
            T const* const b = boxes.data() + row * 5;
            double const* const d = deltas.data() + row * 8 + k;
            T const* const image = images.data() + static_cast<std::size_t>(b[0]) * 3;
            double const scale = static_cast<double>(image[2]);
            double const factor = back ? scale : 1;
            side const x = moved({static_cast<double>(b[1]), static_cast<double>(b[3])}, d[0], d[2] / weight, scale,
                                 static_cast<double>(image[1]), plus_one);
            side const y = moved({static_cast<double>(b[2]), static_cast<double>(b[4])}, d[1], d[3] / weight, scale,
                                 static_cast<double>(image[0]), plus_one);
            for (double const corner : {x.low, y.low, x.high, y.high}) wanted.push_back(corner * factor);
          }
        std::string const arguments = "arg { name: 'legacy_plus_one' i: " + std::to_string(static_cast<int>(plus_one)) +
                                      " } arg { name: 'apply_scale' i: " + (back ? "1" : "0") +
                                      " } arg { name: 'weights' floats: [1, 1, " + std::to_string(weight) + ", " +
                                      std::to_string(weight) + "] }";
        CAPTURE(arguments);
        auto const blobs = test::run_op<B>(test::table<B>(), op + arguments,
                                           feeds<B, T>(3, boxes, std::vector<T>(deltas.begin(), deltas.end()), images));
        CHECK(blobs.view("y").dims() == shape{3, 8});
        CHECK(near(blobs.template fetch<T>("y"), wanted));
        CHECK(blobs.template fetch<T>("s") == std::vector<T>{2, 1});
      }
}

template <class B>
std::string refusal(std::int64_t rows, std::vector<float> const& boxes, std::vector<float> const& images,
                    std::string const& arguments = "") {
  return test::error_of<B>(
      test::table<B>(), op + arguments,
      feeds<B, float>(rows, boxes, std::vector<float>(static_cast<std::size_t>(rows) * 8), images));
}

TEST_CASE_TEMPLATE("BBoxTransform: boxes move, grow and stay in their image", B, PLAIT_HOST_BACKENDS) {
  check_type<B, float>();
  check_type<B, double>();
}

TEST_CASE_TEMPLATE("BBoxTransform: boxes without an image, and no boxes", B, PLAIT_HOST_BACKENDS) {
  auto const one = test::run_op<B>(test::table<B>(), op,
                                   feeds<B, float>(2, {1, 1, 5, 6, 2, 2, 9, 9}, std::vector<float>(8), {20, 30, 1}));
  CHECK(one.template fetch<float>("y") == std::vector<float>{1, 1, 5, 6, 2, 2, 9, 9});
  CHECK(one.template fetch<float>("s") == std::vector<float>{2});
  auto const none = test::run_op<B>(test::table<B>(), op, feeds<B, float>(0, {}, {}, {20, 30, 1, 20, 30, 1, 9, 9, 1}));
  CHECK(none.view("y").dims() == shape{0, 8});
  CHECK(none.template fetch<float>("s") == std::vector<float>{0, 0, 0});
  auto const skipped = test::run_op<B>(
      test::table<B>(), op,
      feeds<B, float>(2, {1, 1, 1, 5, 6, 3, 2, 2, 9, 9}, std::vector<float>(8), std::vector<float>(12, 20.0f)));
  CHECK(skipped.template fetch<float>("s") == std::vector<float>{0, 1, 0, 1});
}

TEST_CASE_TEMPLATE("BBoxTransform: rotated boxes have bounded angles, and almost upright ones are clipped", B,
                   PLAIT_HOST_BACKENDS) {
  auto const of = [](std::string const& arguments) {
    auto const given = feeds<B, float>(3, {10, 10, 8, 4, 80, 28, 10, 8, 4, 0, 10, 10, 8, 4, -80},
                                       {0, 0, 0, 0, 0.5f, 0, 0, 0, 0, 0, 1, 0, 0, 0, -0.5f}, {20, 30, 1});
    return test::run_op<B>(test::table<B>(), op + "arg { name: 'rotated' i: 1 } " + arguments, given)
        .template fetch<float>("y");
  };
  double const turn = 0.5 * 180 / 3.141592653589793;
  // The second box is 8 wide at 28, from 24.5 to 31.5: it ends at 29.
  CHECK(near(of(""), {10, 10, 8, 4, 80 + turn - 180, 26.75, 10, 5.5, 4, 0, 18, 10, 8, 4, 100 - turn}));
  CHECK(near(of("arg { name: 'angle_bound_on' i: 0 } arg { name: 'clip_angle_thresh' f: -1 }"),
             {10, 10, 8, 4, 80 + turn, 28, 10, 8, 4, 0, 18, 10, 8, 4, -80 - turn}));
}

TEST_CASE("BBoxTransform: NaN stays NaN") {
  using B = plait::serial;
  float const nan = std::numeric_limits<float>::quiet_NaN();
  auto const y = test::run_op<B>(test::table<B>(), op, feeds<B, float>(1, {1, 1, 5, 6}, {nan, 0, 0, 0}, {20, 30, 1}))
                     .fetch<float>("y");
  CHECK(std::isnan(y[0]));
  CHECK(y[1] == 1);
}

TEST_CASE("BBoxTransform: images out of order, and arguments, are refused") {
  using B = plait::serial;
  std::vector<float> const two = {20, 30, 1, 20, 30, 1};
  std::string const order = "row 1 of the boxes should name one of 2 images";
  CHECK(refusal<B>(2, {0, 1, 1, 2, 2, 1, 1, 1, 2, 2}, two).empty());
  CHECK(test::has(refusal<B>(2, {1, 1, 1, 2, 2, 0, 1, 1, 2, 2}, two), order));
  CHECK(test::has(refusal<B>(2, {0, 1, 1, 2, 2, 2, 1, 1, 2, 2}, two), order));
  CHECK(test::has(refusal<B>(2, {0, 1, 1, 2, 2, std::nanf(""), 1, 1, 2, 2}, two), order));
  CHECK(test::has(refusal<B>(1, {-1, 1, 1, 2, 2}, two), "row 0 of the boxes"));
  CHECK(test::has(refusal<B>(1, {1, 1, 2, 2}, two), "be of one image"));
  CHECK(test::has(refusal<B>(1, {1, 1, 2}, two), "have 4 or 5 columns"));
  CHECK(test::has(refusal<B>(1, {1, 1, 2, 2}, {20, 30, 1}, "arg { name: 'weights' floats: [1, 1, 1] }"), "4 numbers"));
  CHECK(test::has(refusal<B>(1, {1, 1, 2, 2}, {20, 30, 1}, "arg { name: 'correct_transform_coords' i: 0 }"),
                  "only 1 is supported"));
  CHECK(test::has(
      refusal<B>(1, {1, 1, 2, 2, 3}, {20, 30, 1}, "arg { name: 'rotated' i: 1 } arg { name: 'angle_bound_hi' i: 10 }"),
      "by a multiple of 180"));
}

}  // namespace
