#include <plait/exec/detail/kernels/pooling.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

#include <support/op_oracle.hpp>

namespace {

using plait::pooling;
using plait::windows;

constexpr std::int64_t images = 2;
constexpr std::int64_t channels = 3;

// Returns windows with padding on both sides, gaps between taps, strides that skip places, and one of padding only.
std::vector<windows> some_windows() {
  return {
      {.in = {1, 1, 9}, .out = {1, 1, 9}, .kernel = {1, 1, 1}},
      {.in = {1, 1, 40}, .out = {1, 1, 39}, .kernel = {1, 1, 2}},
      {.in = {1, 7, 6},
       .out = {1, 4, 3},
       .kernel = {1, 3, 2},
       .stride = {1, 2, 2},
       .head = {0, 1, 0},
       .tail = {0, 1, 0}},
      {.in = {1, 5, 8},
       .out = {1, 3, 8},
       .kernel = {1, 2, 3},
       .dilation = {1, 2, 1},
       .head = {0, 0, 1},
       .tail = {0, 0, 1}},
      {.in = {3, 4, 5},
       .out = {2, 2, 3},
       .kernel = {2, 3, 3},
       .stride = {1, 1, 2},
       .head = {0, 0, 1},
       .tail = {0, 0, 1}},
      {.in = {1, 3, 3},
       .out = {1, 3, 3},
       .kernel = {1, 1, 1},
       .stride = {1, 2, 2},
       .head = {0, 1, 2},
       .tail = {0, 1, 0}},
  };
}

// Returns the index of (image, channel, place of three axes).
std::size_t at(bool last, windows::extents const& e, std::int64_t image, std::int64_t channel, std::int64_t place) {
  auto const count = static_cast<std::int64_t>(windows::product(e));
  return static_cast<std::size_t>(last ? (image * count + place) * channels + channel
                                       : (image * channels + channel) * count + place);
}
// Calls f(window, place) for all places that a window covers, in the order of taps.
template <class F>
void for_each_seen(windows const& w, F const& f) {
  for (std::int64_t o = 0; o != static_cast<std::int64_t>(w.count()); ++o)
    for (std::int64_t k = 0; k != static_cast<std::int64_t>(w.taps()); ++k) {
      std::int64_t place = 0;
      std::int64_t window = o;
      std::int64_t tap = k;
      std::int64_t step = 1;
      bool inside = true;
      for (std::size_t axis = 3; axis-- != 0;) {
        std::int64_t const i = w.place_of(axis, window % w.out[axis], tap % w.kernel[axis]);
        window /= w.out[axis];
        tap /= w.kernel[axis];
        inside = inside && i >= 0;
        place += i * step;
        step *= w.in[axis];
      }
      if (inside) f(o, place);
    }
}
template <pooling How>
std::vector<double> divisors(windows const& w) {
  std::vector<double> made(w.count(), How == pooling::mean_with_padding ? static_cast<double>(w.taps()) : 0);
  if (How == pooling::mean)
    for_each_seen(w, [&](std::int64_t o, std::int64_t) { ++made[static_cast<std::size_t>(o)]; });
  return made;
}

template <pooling How>
std::vector<double> pooled(windows const& w, std::vector<double> const& x, bool last) {
  bool const is_maximum = How == pooling::maximum;
  std::vector<double> made(images * channels * w.count(), is_maximum ? -std::numeric_limits<double>::infinity() : 0);
  auto const each = [&](auto const& f) {
    for (std::int64_t i = 0; i != images; ++i)
      for (std::int64_t c = 0; c != channels; ++c) f(i, c);
  };
  each([&](std::int64_t i, std::int64_t c) {
    for_each_seen(w, [&](std::int64_t o, std::int64_t place) {
      double& y = made[at(last, w.out, i, c, o)];
      double const seen = x[at(last, w.in, i, c, place)];
      y = is_maximum ? std::max(y, seen) : y + seen;
    });
    if (is_maximum) return;
    auto const by = divisors<How>(w);
    for (std::size_t o = 0; o != by.size(); ++o) made[at(last, w.out, i, c, static_cast<std::int64_t>(o))] /= by[o];
  });
  return made;
}
template <pooling How>
std::vector<double> unpooled(windows const& w, std::vector<double> const& x, std::vector<double> const& y,
                             std::vector<double> const& dy, bool last) {
  std::vector<double> made(x.size());
  auto const by = divisors<How>(w);
  for (std::int64_t i = 0; i != images; ++i)
    for (std::int64_t c = 0; c != channels; ++c)
      for_each_seen(w, [&](std::int64_t o, std::int64_t place) {
        std::size_t const from = at(last, w.out, i, c, o);
        std::size_t const to = at(last, w.in, i, c, place);
        if (How != pooling::maximum)
          made[to] += dy[from] / by[static_cast<std::size_t>(o)];
        else if (x[to] == y[from])
          made[to] += dy[from];
      });
  return made;
}

// Returns small integers. Quotients are added in another order than here, but are at most nine, each off by an ulp of
// 11.
std::vector<double> numbers(std::size_t count, std::size_t seed) {
  std::vector<double> made(count);
  for (std::size_t i = 0; i != count; ++i) made[i] = static_cast<double>((i * 7919 + seed * 31) % 23) - 11;
  return made;
}
bool same(std::vector<double> const& a, std::vector<double> const& b) {
  return std::ranges::equal(
      a, b, [](double x, double y) { return x == y || (x != x && y != y) || std::abs(x - y) <= 1e-13; });
}

template <pooling How, class B>
void check_pooling() {
  for (windows const& w : some_windows())
    for (bool const last : {false, true}) {
      CAPTURE(last);
      CAPTURE(w.taps());
      CAPTURE(w.count());
      auto const x = numbers(images * channels * w.places(), 1);
      std::vector<double> y(images * channels * w.count(), 77);
      plait::pool<How, B>(w, x.data(), y.data(), images, channels, last);
      CHECK(same(y, pooled<How>(w, x, last)));
      auto const dy = numbers(y.size(), 2);
      std::vector<double> dx(x.size(), 77);
      plait::unpool<How, B>(w, x.data(), y.data(), dy.data(), dx.data(), images, channels, last);
      CHECK(same(dx, unpooled<How>(w, x, y, dy, last)));
    }
}

}  // namespace

TEST_CASE_TEMPLATE("pooling: windows are reduced to their maximum or mean, and gradients flow back", B,
                   PLAIT_HOST_BACKENDS) {
  SUBCASE("maximum") { check_pooling<pooling::maximum, B>(); }
  SUBCASE("mean") { check_pooling<pooling::mean, B>(); }
  SUBCASE("mean with padding") { check_pooling<pooling::mean_with_padding, B>(); }
}

TEST_CASE("pooling: NaN is the maximum, and gets the gradient") {
  windows const w{.in = {1, 1, 3}, .out = {1, 1, 2}, .kernel = {1, 1, 2}};
  float const nan = std::numeric_limits<float>::quiet_NaN();
  for (bool const last : {false, true}) {
    std::vector<float> const x{1, nan, 2};
    std::vector<float> y(2);
    plait::pool<pooling::maximum, plait::serial>(w, x.data(), y.data(), 1, 1, last);
    CHECK((y[0] != y[0] && y[1] != y[1]));
    std::vector<float> const dy{3, 5};
    std::vector<float> dx(3);
    plait::unpool<pooling::maximum, plait::serial>(w, x.data(), y.data(), dy.data(), dx.data(), 1, 1, last);
    CHECK(dx == std::vector<float>{0, 8, 0});
  }
}
