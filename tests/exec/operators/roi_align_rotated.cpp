#include <plait/exec/detail/operators/roi_align_rotated.hpp>

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

std::string const forward = "type: 'RoIAlignRotated' input: 'x' input: 'r' output: 'y' ";
std::string const backward = "type: 'RoIAlignRotatedGradient' input: 'x' input: 'r' input: 'g' output: 'dx' ";
std::string const four = "arg { name: 'pooled_h' i: 2 } arg { name: 'pooled_w' i: 2 } ";

template <class T>
std::vector<T> image() {
  std::vector<T> made;
  for (int i = 0; i != 60; ++i) made.push_back(static_cast<T>(std::pow(i, 1.3)));
  return made;
}
std::vector<double> const regions = {0, 2.5, 2, 3, 2, 0, 1, 3, 2.5, 4, 2, 30, 0, 1, 1, 5, 5, -75};

template <class T>
double largest_difference(std::vector<T> const& got, std::vector<double> const& wanted) {
  REQUIRE(got.size() == wanted.size());
  double worst = 0;
  for (std::size_t i = 0; i != got.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - wanted[i]));
  return worst;
}

template <class B, class T>
void check_type() {
  std::vector<T> const rois(regions.begin(), regions.end());
  auto const of = [&](std::string const& arguments, bool last = false) {
    auto const blobs = test::run_op<B>(test::table<B>(), forward + four + arguments,
                                       {{"x", test::of<B, T>(last ? shape{2, 5, 6, 1} : shape{2, 1, 5, 6}, image<T>())},
                                        {"r", test::of<B, T>({3, 6}, rois)}});
    CHECK(blobs.view("y").dims() == (last ? shape{3, 2, 2, 1} : shape{3, 1, 2, 2}));
    return blobs.template fetch<T>("y");
  };
  std::string const two = "arg { name: 'sampling_ratio' i: 2 } ";
  // Values that Caffe2 computed.
  CHECK(largest_difference(of(two), {22.2672, 26.2929, 39.2674, 43.8541, 150.4832, 133.0906, 174.4345, 156.4112, 2.2988,
                                     31.1042, 3.797, 35.9515}) < 1e-4);
  auto const y = of(two + "arg { name: 'aligned' i: 1 }");
  CHECK(largest_difference(y, {13.6342, 17.194, 29.0703, 33.3506, 136.183, 119.2105, 159.6209, 141.978, 0.9149, 21.6258,
                               0.1491, 22.0935}) < 1e-4);
  CHECK(of(two + "arg { name: 'aligned' i: 1 } arg { name: 'order' s: 'NHWC' }", true) == y);

  // Y is linear in X: the gradient is the adjoint.
  std::vector<T> dy;
  for (int i = 0; i != 12; ++i) dy.push_back(static_cast<T>(std::sin(i + 1)));
  auto const blobs = test::run_op<B>(test::table<B>(), backward + four + two + "arg { name: 'aligned' i: 1 }",
                                     {{"x", test::of<B, T>({2, 1, 5, 6}, image<T>())},
                                      {"r", test::of<B, T>({3, 6}, rois)},
                                      {"g", test::of<B, T>({3, 1, 2, 2}, dy)}});
  auto const dx = blobs.template fetch<T>("dx");
  auto const dot = [](std::vector<T> const& a, std::vector<T> const& b) {
    double sum = 0;
    for (std::size_t i = 0; i != a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
  };
  REQUIRE(dx.size() == 60);
  CHECK(dot(dx, image<T>()) == doctest::Approx(dot(dy, y)).epsilon(sizeof(T) == 4 ? 1e-5 : 1e-12));
}

TEST_CASE_TEMPLATE("RoIAlignRotated: as Caffe2, and the gradient is the adjoint", B, PLAIT_HOST_BACKENDS) {
  check_type<B, float>();
  check_type<B, double>();
}

TEST_CASE_TEMPLATE("RoIAlignRotated: regions without an image, and none", B, PLAIT_HOST_BACKENDS) {
  auto const of = [](std::vector<double> const& rois, std::int64_t columns) {
    auto const rows = static_cast<std::int64_t>(rois.size()) / columns;
    auto const blobs = test::run_op<B>(
        test::table<B>(), forward + "arg { name: 'pooled_w' i: 2 }",
        {{"x", test::of<B, double>({2, 1, 5, 6}, image<double>())}, {"r", test::of<B, double>({rows, columns}, rois)}});
    CHECK(blobs.view("y").dims() == shape{rows, 1, 1, 2});
    return blobs.template fetch<double>("y");
  };
  CHECK(of({}, 6).empty());
  CHECK(largest_difference(of({2.5, 2, 3, 2, 0, 3, 2.5, 4, 2, 30, 1, 1, 5, 5, -75}, 5),
                           {30.7673, 35.0735, 49.9426, 36.816, 2.3001, 33.6244}) < 1e-4);
}

TEST_CASE("RoIAlignRotated: invalid regions are refused") {
  using B = plait::serial;
  auto const refusal = [](std::vector<float> const& row, std::string const& arguments) {
    return test::error_of<B>(test::table<B>(), forward + arguments,
                             {{"x", test::counted<B, float>({2, 1, 4, 4})},
                              {"r", test::of<B, float>({1, static_cast<std::int64_t>(row.size())}, row)}});
  };
  CHECK(refusal({1, 2, 2, 2, 2, 45}, "").empty());
  CHECK(refusal({1, 2, 2, -2, 2, 45}, "").empty());
  CHECK(test::has(refusal({1, 2, 2, -2, 2, 45}, "arg { name: 'aligned' i: 1 }"), "region 0"));
  CHECK(test::has(refusal({2, 2, 2, 2, 2, 45}, ""), "should name one of 2 images"));
  CHECK(test::has(refusal({1, 2, 2, 2, 2, std::numeric_limits<float>::infinity()}, ""), "region 0"));
  CHECK(test::has(refusal({1, 2, 2, 1e9f, 2, 0}, ""), "of moderate size"));
  CHECK(test::has(refusal({1, 2, 2, 2}, ""), "have 6 columns"));
}

}  // namespace
