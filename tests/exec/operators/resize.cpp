#include <plait/exec/detail/operators/resize.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>

namespace {

using plait::shape;
using reals = std::vector<double>;

std::string text(std::string const& name, std::string const& value) {
  return " arg { name: '" + name + "' s: '" + value + "' }";
}
std::string sizes(std::vector<std::int64_t> const& dims) {
  std::string made = " arg { name: 'sizes'";
  for (std::int64_t const each : dims) made += " ints: " + std::to_string(each);
  return made + " }";
}
std::string scales(std::vector<float> const& of) {
  std::string made = " arg { name: 'scales'";
  for (float const each : of) made += " floats: " + std::to_string(each);
  return made + " }";
}

template <class B, class T>
plait::workspace<B> resized(shape const& dims, std::vector<T> const& x, std::string const& arguments) {
  return test::run_op<B>(test::table<B>(), "type: 'Resize' input: 'x' output: 'y'" + arguments,
                         {{"x", test::of<B>(dims, x)}});
}
/// Returns f(0), f(1), … f(count - 1).
template <class F>
reals samples(std::int64_t count, F const& f) {
  reals made;
  for (std::int64_t i = 0; i != count; ++i) made.push_back(f(static_cast<double>(i)));
  return made;
}
void check_close(reals const& got, reals const& wanted, std::size_t border = 0) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = border; i + border < got.size(); ++i) {
    CAPTURE(i);
    CHECK(got[i] == doctest::Approx(wanted[i]).epsilon(1e-12));
  }
}

TEST_CASE_TEMPLATE("Resize: linear interpolation reproduces linear functions in every convention", B,
                   PLAIT_HOST_BACKENDS) {
  auto const f = [](double at) { return 3 * at - 5; };
  reals const x = samples(9, f);
  auto const run = [&](std::int64_t out, char const* places) {
    return resized<B>({9}, x, sizes({out}) + text("mode", "linear") + text("coordinate_transformation_mode", places))
        .template fetch<double>("y");
  };
  for (std::int64_t const out : {5, 17, 33}) {
    CAPTURE(out);
    double const scale = static_cast<double>(out) / 9;
    auto const inside = [](double at) { return std::clamp(at, 0.0, 8.0); };
    check_close(run(out, "align_corners"),
                samples(out, [&](double o) { return f(o * 8 / static_cast<double>(out - 1)); }));
    check_close(run(out, "asymmetric"), samples(out, [&](double o) { return f(inside(o / scale)); }));
    for (char const* const places : {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel"})
      check_close(run(out, places), samples(out, [&](double o) { return f(inside((o + 0.5) / scale - 0.5)); }));
  }
  check_close(run(1, "align_corners"), {f(0)});
  check_close(run(1, "pytorch_half_pixel"), {f(0)});
  check_close(run(1, "half_pixel"), {f(4)});
}

// Cubic convolution with a = -1/2 is exact for polynomials of the second degree.
TEST_CASE_TEMPLATE("Resize: cubic interpolation reproduces parabolas inside, and constants everywhere", B,
                   PLAIT_HOST_BACKENDS) {
  auto const f = [](double at) { return 0.5 * at * at - 3 * at + 1; };
  std::string const cubic = text("mode", "cubic") + " arg { name: 'cubic_coeff_a' f: -0.5 }";
  auto const made = resized<B>({12}, samples(12, f), sizes({36}) + cubic).template fetch<double>("y");
  check_close(made, samples(36, [&](double o) { return f((o + 0.5) / 3 - 0.5); }), 6);
  for (char const* const more : {"", " arg { name: 'exclude_outside' i: 1 }", " arg { name: 'antialias' i: 1 }"})
    for (std::int64_t const out : {3, 7, 25})
      check_close(resized<B>({12}, reals(12, 4.5), sizes({out}) + cubic + more).template fetch<double>("y"),
                  reals(static_cast<std::size_t>(out), 4.5));
}

TEST_CASE_TEMPLATE("Resize: antialiasing weighs all elements of a smaller result, and leaves a larger one as it is", B,
                   PLAIT_HOST_BACKENDS) {
  std::string const linear = text("mode", "linear");
  std::string const antialias = linear + " arg { name: 'antialias' i: 1 }";
  reals const x = samples(12, [](double at) { return std::sin(at); });
  check_close(resized<B>({12}, x, sizes({31}) + antialias).template fetch<double>("y"),
              resized<B>({12}, x, sizes({31}) + linear).template fetch<double>("y"));
  // Weights of a triangle of width 3 on either side, about the middle of 3 elements.
  auto const made = resized<B>({12}, x, sizes({4}) + antialias).template fetch<double>("y");
  double wanted = 0;
  for (int k = -2; k <= 2; ++k) wanted += x[static_cast<std::size_t>(4 + k)] * (3 - std::abs(k)) / 9.0;
  CHECK(made[1] == doctest::Approx(wanted));
}

TEST_CASE_TEMPLATE("Resize: the nearest places are those of each rounding, for elements of any type", B,
                   PLAIT_HOST_BACKENDS) {
  auto const check = [&]<class T>(char const* rounding, char const* places, float scale, std::vector<T> const& wanted) {
    CAPTURE(rounding);
    CAPTURE(places);
    auto const x = test::numbered<T>({4});
    auto const blobs = resized<B>(
        {4}, x, scales({scale}) + text("nearest_mode", rounding) + text("coordinate_transformation_mode", places));
    CHECK(blobs.template fetch<T>("y") == wanted);
  };
  using bytes = std::vector<std::uint8_t>;
  check("floor", "asymmetric", 2, bytes{0, 0, 1, 1, 2, 2, 3, 3});
  check("ceil", "asymmetric", 2, bytes{0, 1, 1, 2, 2, 3, 3, 3});
  check("round_prefer_floor", "asymmetric", 2, std::vector<float>{0, 0, 1, 1, 2, 2, 3, 3});
  check("round_prefer_ceil", "asymmetric", 2, std::vector<std::int64_t>{0, 1, 1, 2, 2, 3, 3, 3});
  check("round_prefer_floor", "half_pixel", 0.5f, std::vector<double>{0, 2});
  check("floor", "tf_half_pixel_for_nn", 1, std::vector<std::int32_t>{0, 1, 2, 3});
}

TEST_CASE_TEMPLATE("Resize: axes are interpolated independently of each other", B, PLAIT_HOST_BACKENDS) {
  shape const dims{2, 3, 5, 4};
  auto const x = test::numbered<double>(dims);
  std::string const cubic = text("mode", "cubic");
  auto const both = resized<B>(dims, x, sizes({2, 3, 7, 9}) + cubic);
  auto const first = resized<B>(dims, x, scales({1.4f}) + " arg { name: 'axes' ints: 2 }" + cubic);
  auto const second = resized<B>({2, 3, 7, 4}, first.template fetch<double>("y"),
                                 sizes({9}) + " arg { name: 'axes' ints: -1 }" + cubic);
  CHECK(both.view("y").dims() == shape{2, 3, 7, 9});
  CHECK(second.view("y").dims() == shape{2, 3, 7, 9});
  reals const got = both.template fetch<double>("y");
  reals const wanted = second.template fetch<double>("y");
  for (std::size_t i = 0; i != got.size(); ++i) CHECK(got[i] == doctest::Approx(wanted[i]).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("Resize: extents come from an input, too, and may keep the ratio", B, PLAIT_HOST_BACKENDS) {
  auto const by = [&]<class T>(std::vector<T> const& list, std::string const& more) {
    return test::run_op<B>(test::table<B>(), "type: 'Resize' input: 'x' input: 'by' output: 'y'" + more,
                           {{"x", test::counted<B, float>({3, 8})}, {"by", test::of<B>({2}, list)}})
        .view("y")
        .dims();
  };
  CHECK(by(std::vector<std::int64_t>{6, 2}, "") == shape{6, 2});
  CHECK(by(std::vector<float>{2, 0.3f}, "") == shape{6, 2});
  CHECK(by(std::vector<std::int64_t>{6, 12}, text("keep_aspect_ratio_policy", "not_larger")) == shape{5, 12});
  CHECK(by(std::vector<std::int64_t>{6, 12}, text("keep_aspect_ratio_policy", "not_smaller")) == shape{6, 16});
}

TEST_CASE_TEMPLATE("Resize: a region of the input is cropped, and what is outside is extrapolated", B,
                   PLAIT_HOST_BACKENDS) {
  reals const x = samples(5, [](double at) { return at; });
  auto const crop = [&](std::string const& region, std::int64_t out) {
    return resized<B>({5}, x,
                      sizes({out}) + text("mode", "linear") +
                          text("coordinate_transformation_mode", "tf_crop_and_resize") +
                          " arg { name: 'extrapolation_value' f: -9 } arg { name: 'roi' " + region + " }")
        .template fetch<double>("y");
  };
  check_close(crop("floats: 0.25 floats: 0.75", 5), {1, 1.5, 2, 2.5, 3});
  check_close(crop("floats: 0.5 floats: 1.5", 3), {2, 4, -9});
  check_close(crop("floats: 0.25 floats: 0.75", 1), {2});
}

TEST_CASE("Resize: arguments that do not fit are refused") {
  using B = plait::serial;
  auto const error = [](std::string const& more, shape const& dims = {2, 3}) {
    return test::error_of<B>(test::table<B>(), "type: 'Resize' input: 'x' output: 'y' " + more,
                             {{"x", test::counted<B, float>(dims)}});
  };
  CHECK(test::has(error(""), "one of them only"));
  CHECK(test::has(error(sizes({1, 1}) + scales({1, 1})), "one of them only"));
  CHECK(test::has(error(sizes({1})), "1 factors or extents are given for 2 axes"));
  CHECK(test::has(error(scales({0, 1})), "a factor of axis 0 is not above 0"));
  CHECK(test::has(error(scales({1.5f, 1.5f}) + text("coordinate_transformation_mode", "align_corners")),
                  "a factor of axis 1 gives no integral extent"));
  CHECK(test::has(error(sizes({-1, 1})), "an extent of axis 0 is negative"));
  CHECK(test::has(error(sizes({1, 1}), {0, 3}), "to interpolate"));
  CHECK(test::has(error(sizes({1, 1}) + text("mode", "area")), "must be one of nearest, linear, cubic"));
  CHECK(test::has(error(sizes({1, 1}) + text("coordinate_transformation_mode", "tf_crop_and_resize")), "a region"));
  CHECK(test::has(error(scales({1, 1}) + text("keep_aspect_ratio_policy", "not_larger")), "applies to sizes"));
  CHECK(test::has(
      test::error_of<B>(test::table<B>(), "type: 'Resize' input: 'x' output: 'y'" + sizes({1}) + text("mode", "linear"),
                        {{"x", test::counted<B, std::int32_t>({3})}}),
      "float32 or float64"));
}

}  // namespace
