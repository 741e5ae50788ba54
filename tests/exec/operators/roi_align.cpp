#include <plait/exec/detail/operators/roi_align.hpp>
#include <plait/exec/detail/operators/roi_align_gradient.hpp>

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

struct pooled {
  std::int64_t high = 1;
  std::int64_t wide = 1;
  std::int64_t samples = 0;
  double scale = 1;
  bool aligned = false;

  std::string arguments(bool last = false) const {
    return " arg { name: 'pooled_h' i: " + std::to_string(high) +
           " } arg { name: 'pooled_w' i: " + std::to_string(wide) +
           " } arg { name: 'sampling_ratio' i: " + std::to_string(samples) +
           " } arg { name: 'spatial_scale' f: " + std::to_string(scale) +
           " } arg { name: 'aligned' i: " + (aligned ? "1" : "0") + " } arg { name: 'order' s: '" +
           (last ? "NHWC" : "NCHW") + "' }";
  }
};

// Returns the value of a plane at a place between pixels; 0 more than a pixel outside.
double between(std::vector<double> const& plane, std::int64_t height, std::int64_t width, double y, double x) {
  if (y < -1 || x < -1 || y > static_cast<double>(height) || x > static_cast<double>(width)) return 0;
  y = std::clamp(y, 0.0, static_cast<double>(height - 1));
  x = std::clamp(x, 0.0, static_cast<double>(width - 1));
  auto const pixel = [&](double row, double column) {
    auto const r = std::min(static_cast<std::int64_t>(row), height - 1);
    auto const k = std::min(static_cast<std::int64_t>(column), width - 1);
    return plane[static_cast<std::size_t>(r * width + k)];
  };
  double const down = y - std::floor(y);
  double const right = x - std::floor(x);
  double const top = (1 - right) * pixel(y, x) + right * pixel(y, x + 1);
  double const bottom = (1 - right) * pixel(y + 1, x) + right * pixel(y + 1, x + 1);
  return (1 - down) * top + down * bottom;
}

// Returns RoIAlign of images×channels×height×width, by its definition.
std::vector<double> align(shape const& dims, std::vector<double> const& x, std::vector<double> const& rois,
                          pooled const& p) {
  std::vector<double> made;
  auto const pixels = static_cast<std::size_t>(dims[2] * dims[3]);
  double const shift = p.aligned ? 0.5 : 0;
  for (std::size_t r = 0; r != rois.size(); r += 5) {
    double const left = rois[r + 1] * p.scale - shift;
    double const top = rois[r + 2] * p.scale - shift;
    double width = rois[r + 3] * p.scale - shift - left;
    double height = rois[r + 4] * p.scale - shift - top;
    if (!p.aligned) {
      width = std::max(width, 1.0);
      height = std::max(height, 1.0);
    }
    double const bin_high = height / static_cast<double>(p.high);
    double const bin_wide = width / static_cast<double>(p.wide);
    auto const samples = [&](double bin) { return p.samples > 0 ? static_cast<double>(p.samples) : std::ceil(bin); };
    double const rows = samples(bin_high);
    double const columns = samples(bin_wide);
    for (std::int64_t c = 0; c != dims[1]; ++c) {
      std::size_t const first =
          (static_cast<std::size_t>(rois[r]) * static_cast<std::size_t>(dims[1]) + static_cast<std::size_t>(c)) *
          pixels;
      std::vector<double> const plane(x.begin() + static_cast<std::ptrdiff_t>(first),
                                      x.begin() + static_cast<std::ptrdiff_t>(first + pixels));
      for (std::int64_t i = 0; i != p.high; ++i)
        for (std::int64_t k = 0; k != p.wide; ++k) {
          double sum = 0;
          for (double row = 0; row < rows; ++row)
            for (double column = 0; column < columns; ++column)
              sum += between(plane, dims[2], dims[3], top + (static_cast<double>(i) + (row + 0.5) / rows) * bin_high,
                             left + (static_cast<double>(k) + (column + 0.5) / columns) * bin_wide);
          made.push_back(sum / (rows * columns));
        }
    }
  }
  return made;
}

// Returns numbers between -1 and 1.
template <class T>
std::vector<T> some(std::size_t count, double step = 0.7) {
  std::vector<T> made;
  for (std::size_t i = 0; i != count; ++i) made.push_back(static_cast<T>(std::sin(step * static_cast<double>(i + 1))));
  return made;
}

// Moves channels to the last axis.
template <class T>
std::vector<T> channels_last(shape const& dims, std::vector<T> const& x) {
  std::vector<T> made(x.size());
  shape const to{dims[0], dims[2], dims[3], dims[1]};
  for (test::index const& i : test::indices(dims))
    made[test::place(to, {i[0], i[2], i[3], i[1]})] = x[test::place(dims, i)];
  return made;
}

template <class T>
double dot(std::vector<T> const& a, std::vector<T> const& b) {
  double sum = 0;
  for (std::size_t i = 0; i != a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

std::vector<pooled> const windows = {{2, 3, 0, 0.5, false}, {2, 2, 2, 1, false}, {1, 2, 3, 1, true},
                                     {3, 1, 0, 2, false},   {1, 1, 0, 1, true},  {7, 7, 1, 0.25, false}};
// One lies outside, one is a point, one is large.
std::vector<double> const regions = {0, 0, 0, 3, 2, 1, 1.25, 0.5, 9, 7.5, 1,   -4,  -3,
                                     2, 2, 0, 7, 7, 9, 9,    1,   2, 2,   2.5, 2.25};

template <class B, class T>
void check_type(std::int64_t channels) {
  shape const dims{2, channels, 5, 6};
  auto const x = some<T>(static_cast<std::size_t>(dims.size()));
  std::vector<T> const rois(regions.begin(), regions.end());
  std::vector<double> const exact(x.begin(), x.end());
  auto const count = static_cast<std::int64_t>(rois.size() / 5);
  double const tolerance = sizeof(T) == 4 ? 1e-5 : 1e-12;
  for (pooled const& p : windows) {
    CAPTURE(p.arguments());
    shape const made{count, channels, p.high, p.wide};
    shape const last{count, p.high, p.wide, channels};
    std::vector<double> const wanted = align(dims, exact, regions, p);
    auto const blobs =
        test::run_op<B>(test::table<B>(), "type: 'RoIAlign' input: 'x' input: 'r' output: 'y'" + p.arguments(),
                        {{"x", test::of<B, T>(dims, x)}, {"r", test::of<B, T>({count, 5}, rois)}});
    CHECK(blobs.view("y").dims() == made);
    auto const y = blobs.template fetch<T>("y");
    REQUIRE(y.size() == wanted.size());
    double worst = 0;
    for (std::size_t i = 0; i != y.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(y[i]) - wanted[i]));
    CHECK(worst <= tolerance);

    auto const moved = test::run_op<B>(
        test::table<B>(), "type: 'RoIAlign' input: 'x' input: 'r' output: 'y'" + p.arguments(true),
        {{"x", test::of<B, T>({2, 5, 6, channels}, channels_last(dims, x))}, {"r", test::of<B, T>({count, 5}, rois)}});
    CHECK(moved.view("y").dims() == last);
    CHECK(moved.template fetch<T>("y") == channels_last(made, y));

    // Y is linear in X: the gradient is the adjoint.
    auto const dy = some<T>(y.size(), 1.3);
    auto const back = test::run_op<B>(
        test::table<B>(), "type: 'RoIAlignGradient' input: 'x' input: 'r' input: 'dy' output: 'dx'" + p.arguments(),
        {{"x", test::of<B, T>(dims, x)}, {"r", test::of<B, T>({count, 5}, rois)}, {"dy", test::of<B, T>(made, dy)}});
    auto const dx = back.template fetch<T>("dx");
    REQUIRE(dx.size() == x.size());
    CHECK(std::abs(dot(dx, x) - dot(dy, y)) <= 100 * tolerance);
    auto const back_last = test::run_op<B>(
        test::table<B>(), "type: 'RoIAlignGradient' input: 'x' input: 'r' input: 'dy' output: 'dx'" + p.arguments(true),
        {{"x", test::of<B, T>({2, 5, 6, channels}, channels_last(dims, x))},
         {"r", test::of<B, T>({count, 5}, rois)},
         {"dy", test::of<B, T>(last, channels_last(made, dy))}});
    CHECK(back_last.template fetch<T>("dx") == channels_last(dims, dx));
  }
}

template <class B>
std::string refusal(std::vector<float> const& row, std::string const& arguments) {
  return test::error_of<B>(test::table<B>(), "type: 'RoIAlign' input: 'x' input: 'r' output: 'y' " + arguments,
                           {{"x", test::counted<B, float>({2, 1, 4, 4})},
                            {"r", test::of<B, float>({1, static_cast<std::int64_t>(row.size())}, row)}});
}

TEST_CASE_TEMPLATE("RoIAlign: bins are means of interpolated samples, and the gradient is the adjoint", B,
                   PLAIT_HOST_BACKENDS) {
  check_type<B, float>(3);
  check_type<B, float>(35);
  check_type<B, double>(2);
}

TEST_CASE_TEMPLATE("RoIAlign: regions without an image are of the first", B, PLAIT_HOST_BACKENDS) {
  auto const blobs = test::run_op<B>(
      test::table<B>(), "type: 'RoIAlign' input: 'x' input: 'r' output: 'y' arg { name: 'sampling_ratio' i: 1 }",
      {{"x", test::counted<B, float>({1, 1, 4, 4})}, {"r", test::of<B, float>({2, 4}, {0, 0, 2, 2, 1, 1, 3, 3})}});
  CHECK(blobs.template fetch<float>("y") == std::vector<float>{5, 10});
}

TEST_CASE_TEMPLATE("RoIAlign: no regions, channels, places or bins", B, PLAIT_HOST_BACKENDS) {
  auto const dims_of = [](shape const& x, std::int64_t rows, std::string const& arguments) {
    std::vector<float> const roi = {0, 0, 0, 2, 2};
    std::vector<float> const rois(roi.begin(), roi.begin() + static_cast<std::ptrdiff_t>(rows * 5));
    auto const blobs =
        test::run_op<B>(test::table<B>(), "type: 'RoIAlign' input: 'x' input: 'r' output: 'y' " + arguments,
                        {{"x", test::counted<B, float>(x)}, {"r", test::of<B, float>({rows, 5}, rois)}});
    for (float const y : blobs.template fetch<float>("y")) CHECK(y == 0);
    return blobs.view("y").dims();
  };
  CHECK(dims_of({2, 3, 4, 4}, 0, "arg { name: 'pooled_w' i: 2 }") == shape{0, 3, 1, 2});
  CHECK(dims_of({2, 4, 4, 3}, 0, "arg { name: 'order' s: 'NHWC' }") == shape{0, 1, 1, 3});
  CHECK(dims_of({2, 0, 4, 4}, 1, "") == shape{1, 0, 1, 1});
  CHECK(dims_of({2, 3, 0, 4}, 1, "") == shape{1, 3, 1, 1});
  CHECK(dims_of({2, 3, 4, 4}, 1, "arg { name: 'pooled_h' i: 0 }") == shape{1, 3, 0, 1});
}

TEST_CASE_TEMPLATE("RoIAlignGradient: no regions, and images without places", B, PLAIT_HOST_BACKENDS) {
  auto const of = [](shape const& dims, std::vector<float> const& rois, std::vector<float> const& dy) {
    auto const rows = static_cast<std::int64_t>(dy.size());
    return test::run_op<B>(test::table<B>(), "type: 'RoIAlignGradient' input: 'x' input: 'r' input: 'g' output: 'dx'",
                           {{"x", test::counted<B, float>(dims)},
                            {"r", test::of<B, float>({rows, 4}, rois)},
                            {"g", test::of<B, float>({rows, 1, 1, 1}, dy)}})
        .template fetch<float>("dx");
  };
  CHECK(of({2, 1, 1, 2}, {}, {}) == std::vector<float>(4));
  CHECK(of({std::int64_t{1} << 40, 1, 0, 2}, {0, 0, 1, 1}, {1}).empty());
}

TEST_CASE("RoIAlign: an aligned region without an extent has no samples") {
  using B = plait::serial;
  auto const of = [](std::string const& arguments) {
    return test::run_op<B>(
               test::table<B>(),
               "type: 'RoIAlign' input: 'x' input: 'r' output: 'y' arg { name: 'aligned' i: 1 } " + arguments,
               {{"x", test::counted<B, float>({1, 1, 4, 4})}, {"r", test::of<B, float>({1, 4}, {1, 1, 1, 1})}})
        .fetch<float>("y")
        .front();
  };
  CHECK(std::isnan(of("")));
  CHECK(of("arg { name: 'sampling_ratio' i: 2 }") == 2.5f);
}

TEST_CASE("RoIAlign: invalid regions are refused") {
  using B = plait::serial;
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const infinite = std::numeric_limits<float>::infinity();
  CHECK(refusal<B>({1, 0, 0, 2, 2}, "").empty());
  CHECK(test::has(refusal<B>({2, 0, 0, 2, 2}, ""), "region 0 should name one of 2 images"));
  CHECK(test::has(refusal<B>({-1, 0, 0, 2, 2}, ""), "region 0 should name one of 2 images"));
  CHECK(test::has(refusal<B>({nan, 0, 0, 2, 2}, ""), "region 0"));
  CHECK(test::has(refusal<B>({0, nan, 0, 2, 2}, ""), "finite corners"));
  CHECK(test::has(refusal<B>({0, 0, 0, 2, infinite}, "arg { name: 'sampling_ratio' i: 1 }"), "finite corners"));
  CHECK(test::has(refusal<B>({0, 0, 0, 1e9f, 2}, ""), "of moderate size"));
  CHECK(refusal<B>({0, 0, 0, 1e9f, 2}, "arg { name: 'sampling_ratio' i: 1 }").empty());
  CHECK(refusal<B>({0, 3, 3, 1, 1}, "").empty());
  CHECK(test::has(refusal<B>({0, 3, 3, 1, 1}, "arg { name: 'aligned' i: 1 }"), "in order if 'aligned' is set"));
  CHECK(test::has(refusal<B>({0, 3, 3}, ""), "have 5 columns"));
  CHECK(test::has(refusal<B>({0, 3, 3, 4, 4}, "arg { name: 'pooled_h' i: -1 }"), "'pooled_h' is not from 0"));
  CHECK(test::has(refusal<B>({0, 3, 3, 4, 4}, "arg { name: 'order' s: 'CHW' }"), "should be NCHW or NHWC"));
}

}  // namespace
