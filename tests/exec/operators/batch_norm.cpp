#include <plait/exec/detail/operators/batch_norm.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/check_close.hpp>
#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace {

using plait::shape;
using test::check_close;
using test::table;

template <class T>
std::vector<T> numbers(std::int64_t count, double range = 3, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<T> made(static_cast<std::size_t>(count));
  for (T& x : made) x = static_cast<T>((static_cast<double>(random() % 20001) / 10000.0 - 1.0) * range);
  return made;
}

// Returns a SpatialBN op that updates the running moments in place, as in Caffe2.
std::string op(bool test, bool last, std::string const& more = {}) {
  return std::string("type: 'SpatialBN' input: 'x' input: 's' input: 'b' input: 'm' input: 'v' output: 'y' ") +
         (test ? "" : "output: 'm' output: 'v' output: 'sm' output: 'sv' ") +
         "arg { name: 'is_test' i: " + (test ? "1" : "0") + " } arg { name: 'order' s: '" + (last ? "NHWC" : "NCHW") +
         "' } " + more;
}

template <class B, class T>
test::feeds<B> fed(shape const& dims, std::vector<T> const& x, std::size_t channels) {
  auto const count = static_cast<std::int64_t>(channels);
  auto v = numbers<T>(count, 1, 5);
  for (T& variance : v) variance += T(1);
  return {{"x", test::of<B>(dims, x)},
          {"s", test::of<B>({count}, numbers<T>(count, 2, 2))},
          {"b", test::of<B>({count}, numbers<T>(count, 2, 3))},
          {"m", test::of<B>({count}, numbers<T>(count, 2, 4))},
          {"v", test::of<B>({count}, v)}};
}

struct layout {
  shape dims;
  bool last = false;
  std::size_t channels() const { return static_cast<std::size_t>(dims[last ? dims.rank() - 1 : 1]); }
  std::size_t inner() const { return last ? 1 : static_cast<std::size_t>(dims.size_from(2)); }
};

TEST_CASE_TEMPLATE("SpatialBN: inference uses the running moments, channels first or last", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const check = [&]<class T>(T) {
    for (bool const last : {false, true}) {
      shape const dims = last ? shape{2, 4, 5, 3} : shape{2, 3, 4, 5};
      auto const x = numbers<T>(dims.size());
      std::vector<T> const scale = {T(2), T(-1), T(0.5)};
      std::vector<T> const bias = {T(1), T(0), T(-3)};
      std::vector<T> const mean = {T(0.5), T(-1), T(2)};
      std::vector<T> const variance = {T(1), T(4), T(0)};
      std::vector<long double> y(x.begin(), x.end());
      for (std::size_t i = 0; i != y.size(); ++i) {
        std::size_t const c = last ? i % 3 : i / 20 % 3;
        y[i] = (y[i] - mean[c]) * scale[c] / std::sqrt(static_cast<long double>(variance[c]) + 0.01f) + bias[c];
      }
      auto const blobs = test::run_op<B>(operators, op(true, last, "arg { name: 'epsilon' f: 0.01 }"),
                                         {{"x", test::of<B>(dims, x)},
                                          {"s", test::of<B>({3}, scale)},
                                          {"b", test::of<B>({3}, bias)},
                                          {"m", test::of<B>({3}, mean)},
                                          {"v", test::of<B>({3}, variance)}});
      check_close(blobs.template fetch<T>("y"), y, 4, 30);
    }
  };
  check(float{});
  check(double{});
}

TEST_CASE_TEMPLATE("SpatialBN: training computes each channel's saved and running moments", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  auto const check = [&]<class T>(T) {
    for (layout const& at : std::vector<layout>{{{2, 3, 4, 5}},
                                                {{2, 4, 5, 3}, true},
                                                {{3, 2, 5}},
                                                {{3, 5, 2}, true},
                                                {{7, 3}},
                                                {{1, 2, 3, 2, 2, 1}},
                                                {{4, 1, 6}},
                                                {{4, 6, 1}, true},
                                                {{1, 1, 1}},
                                                {{2, 300, 2}},
                                                {{3, 2, 300}, true},
                                                {{2, 2, 9000}},
                                                {{20000, 3}, true},
                                                {{5000, 2, 2}}}) {
      CAPTURE(to_string(at.dims));
      CAPTURE(at.last);
      std::size_t const channels = at.channels();
      auto const x = numbers<T>(at.dims.size());
      auto const given = fed<B>(at.dims, x, channels);
      auto const old = [&](std::size_t i) { return given[i].second.template values<T>(); };
      auto const channel_of = [&](std::size_t i) { return i / at.inner() % channels; };
      auto const n = static_cast<long double>(x.size() / channels);
      std::vector<long double> mean(channels);
      std::vector<long double> variance(channels);
      std::vector<long double> inverse(channels);
      for (std::size_t i = 0; i != x.size(); ++i) mean[channel_of(i)] += x[i] / n;
      for (std::size_t i = 0; i != x.size(); ++i)
        variance[channel_of(i)] += (x[i] - mean[channel_of(i)]) * (x[i] - mean[channel_of(i)]) / n;
      std::vector<long double> running_mean(channels);
      std::vector<long double> running_variance(channels);
      for (std::size_t c = 0; c != channels; ++c) {
        inverse[c] = 1 / std::sqrt(variance[c] + 0.01f);
        running_mean[c] = 0.75L * old(3)[c] + 0.25L * mean[c];
        running_variance[c] = 0.75L * old(4)[c] + 0.25L * variance[c];
      }
      std::vector<long double> y(x.size());
      for (std::size_t i = 0; i != x.size(); ++i) {
        std::size_t const c = channel_of(i);
        y[i] = (x[i] - mean[c]) * inverse[c] * old(1)[c] + old(2)[c];
      }
      std::string text = op(false, at.last, "arg { name: 'epsilon' f: 0.01 } arg { name: 'momentum' f: 0.75 }");
      for (bool const in_place : {false, true}) {
        if (in_place) text.replace(text.find("output: 'y'"), 11, "output: 'x'");
        auto const blobs = test::run_op<B>(operators, text, given);
        check_close(blobs.template fetch<T>(in_place ? "x" : "y"), y, 16, 30);
        check_close(blobs.template fetch<T>("sm"), mean, 8, 3);
        check_close(blobs.template fetch<T>("sv"), inverse, 16);
        check_close(blobs.template fetch<T>("m"), running_mean, 8, 3);
        check_close(blobs.template fetch<T>("v"), running_variance, 16, 3);
      }
    }
  };
  check(float{});
  check(double{});
}

TEST_CASE_TEMPLATE("SpatialBN: variances do not cancel, and empty batches have moments", B, PLAIT_HOST_BACKENDS) {
  auto const operators = table<B>();
  for (bool const last : {false, true}) {
    std::vector<float> x(8192);
    for (std::size_t i = 0; i != x.size(); ++i) x[i] = i % 4 < 2 ? 4096.0f : 4097.0f;  // both channels have both values
    auto const blobs = test::run_op<B>(operators, op(false, last, "arg { name: 'epsilon' f: 0 }"),
                                       fed<B>(last ? shape{64, 64, 2} : shape{64, 2, 64}, x, 2));
    CHECK(blobs.template fetch<float>("sm") == std::vector<float>{4096.5f, 4096.5f});
    for (float const inverse : blobs.template fetch<float>("sv")) CHECK(inverse == doctest::Approx(2).epsilon(1e-6));
  }
  // As in Caffe2: a batch without items, and items without elements.
  for (auto const& [dims, inverse] : std::vector<std::pair<shape, float>>{{{0, 2, 3}, 0.0f}, {{3, 2, 0}, 10.0f}}) {
    auto const given = fed<B>(dims, std::vector<float>(), 2);
    auto const blobs = test::run_op<B>(
        operators, op(false, false, "arg { name: 'epsilon' f: 0.01 } arg { name: 'momentum' f: 0.5 }"), given);
    CHECK(blobs.view("y").dims() == dims);
    CHECK(blobs.template fetch<float>("sm") == std::vector<float>{0, 0});
    for (float const got : blobs.template fetch<float>("sv")) CHECK(got == doctest::Approx(inverse));
    // A batch without items leaves the running moments unchanged.
    for (auto const& [name, input] : {std::pair{"m", 3}, {"v", 4}}) {
      auto moments = given[static_cast<std::size_t>(input)].second.template values<float>();
      if (dims[0] != 0)
        for (float& m : moments) m /= 2;
      CHECK(blobs.template fetch<float>(name) == moments);
    }
  }
}

TEST_CASE_TEMPLATE("SpatialBN: training leaves the running moments unchanged if its outputs are other blobs", B,
                   PLAIT_HOST_BACKENDS) {
  auto const x = numbers<float>(24);
  auto const given = fed<B>({2, 3, 4}, x, 3);
  auto const in_place = test::run_op<B>(table<B>(), op(false, false), given);
  std::string text = op(false, false);
  text.replace(text.find("output: 'm' output: 'v'"), 23, "output: 'm2' output: 'v2'");
  auto const blobs = test::run_op<B>(table<B>(), text, given);
  CHECK(blobs.template fetch<float>("m") == given[3].second.template values<float>());
  CHECK(blobs.template fetch<float>("m2") == in_place.template fetch<float>("m"));
  CHECK(blobs.template fetch<float>("v2") == in_place.template fetch<float>("v"));
}

TEST_CASE("SpatialBN: wrong operands are refused, and host backends give the same bits") {
  using S = plait::serial;
  auto const x = numbers<float>(2 * 3 * 700);
  auto const refused = [&](std::string const& text, test::feeds<S> const& given, std::string const& why) {
    CAPTURE(why);
    CHECK(test::has(test::error_of<S>(table<S>(), text, given), why));
  };
  auto const given = fed<S>({2, 3, 700}, x, 3);
  CHECK(test::error_of<S>(table<S>(), op(false, false), given).empty());
  refused(op(true, false, "output: 'm'"), given, "1 outputs, not 2");
  refused(op(false, false).replace(op(false, false).find("output: 'sv'"), 12, ""), given, "5 outputs, not 4");
  refused(op(true, true), given, "an extent of 3 in axis 2");
  refused(op(false, false).replace(op(false, false).find("NCHW"), 4, "CHWN"), given, "NCHW or NHWC");
  auto wrong = given;
  wrong[4].second = test::of<S>({3}, std::vector<double>{1, 2, 3});
  refused(op(false, false), wrong, "different element types");
  wrong[4].second = test::of<S>({2}, std::vector<float>{1, 2});
  refused(op(false, false), wrong, "a number for each of 3 channels");
  wrong = fed<S>({2, 3}, std::vector<float>(6), 3);
  wrong[0].second = test::of<S>({6}, std::vector<float>(6));
  refused(op(false, false), wrong, "at least 2 dimensions");

  for (layout const& at : std::vector<layout>{{{2, 3, 700}}, {{2, 700, 3}, true}, {{700, 3, 2}}, {{1400, 3}, true}})
    for (char const* output : {"y", "m", "v", "sm", "sv"}) {
      CAPTURE(output);
      auto const run = [&]<class B>(B) {
        return test::run_op<B>(table<B>(), op(false, at.last), fed<B>(at.dims, x, 3)).template fetch<float>(output);
      };
      auto const wanted = run(S());
      test::for_parallel_backends([&]<class B>(B backend) { CHECK(test::agree<B>(run(backend), wanted, 1e-5)); });
    }
}

}  // namespace
