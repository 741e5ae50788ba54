#include <plait/exec/detail/kernels/image_gemm.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/detail/kernels/depthwise.hpp>
#include <plait/exec/detail/kernels/padded_image.hpp>

namespace {

// Lines narrower than a panel, and more windows than a block has.
std::vector<plait::windows> geometries() {
  std::vector<plait::windows> made(9);
  made[0] = {{1, 9, 37}, {1, 9, 37}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}};
  made[1] = {{1, 40, 41}, {1, 40, 41}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}};
  made[2] = {{1, 1, 3000}, {1, 1, 746}, {1, 1, 7}, {1, 1, 4}, {1, 1, 3}, {0, 0, 1}, {0, 0, 0}};
  made[3] = {{4, 5, 6}, {4, 4, 3}, {1, 2, 3}, {1, 1, 2}, {2, 1, 1}, {0, 0, 1}, {0, 0, 0}};
  made[4] = {{1, 3, 2}, {1, 3, 2}, {1, 5, 5}, {1, 1, 1}, {1, 1, 1}, {0, 2, 2}, {0, 2, 2}};
  made[5] = {{1, 2, 3}, {1, 6, 7}, {1, 2, 2}, {1, 1, 1}, {1, 1, 1}, {0, 3, 3}, {0, 2, 2}};  // windows in the padding
  made[6] = {{1, 20, 20}, {1, 10, 10}, {1, 1, 1}, {1, 2, 2}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}};
  // As many windows as a tile has columns, with AVX2 and with AVX-512.
  made[7] = {{1, 4, 4}, {1, 4, 4}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}};
  made[8] = {{1, 8, 8}, {1, 8, 8}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}};
  return made;
}

// Whole numbers: sums are exact in any order.
template <class T>
std::vector<T> numbers(std::size_t count, std::size_t seed) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i != count; ++i) made[i] = static_cast<T>(static_cast<int>((i * 37 + seed) % 11) - 5);
  return made;
}

template <class T>
T relu(T x) {
  return x < T(0) ? T(0) : x;
}

// Returns y = relu(bias + w * x + addend), [units, windows].
template <class T>
std::vector<T> convolved(plait::windows const& w, std::vector<T> const& x, std::vector<T> const& weights,
                         std::vector<T> y, std::vector<T> const& addend, std::size_t channels, std::size_t groups,
                         std::size_t units) {
  auto const count = static_cast<std::int64_t>(w.count());
  std::size_t const of_group = channels / groups;
  for (std::size_t u = 0; u != units; ++u)
    for (std::int64_t window = 0; window != count; ++window) {
      plait::detail::digits at = {window};
      std::int64_t const o2 = at.next(w.out[2]);
      std::int64_t const o1 = at.next(w.out[1]);
      T& sum = y[u * w.count() + static_cast<std::size_t>(window)];
      std::size_t weight = u * of_group * w.taps();
      for (std::size_t c = 0; c != of_group; ++c)
        for (std::int64_t k0 = 0; k0 != w.kernel[0]; ++k0)
          for (std::int64_t k1 = 0; k1 != w.kernel[1]; ++k1)
            for (std::int64_t k2 = 0; k2 != w.kernel[2]; ++k2, ++weight) {
              std::int64_t const i0 = w.place_of(0, at.rest, k0);
              std::int64_t const i1 = w.place_of(1, o1, k1);
              std::int64_t const i2 = w.place_of(2, o2, k2);
              if (i0 < 0 || i1 < 0 || i2 < 0) continue;
              std::size_t const channel = u / (units / groups) * of_group + c;
              sum += weights[weight] *
                     x[channel * w.places() + static_cast<std::size_t>((i0 * w.in[1] + i1) * w.in[2] + i2)];
            }
      sum = relu(sum + addend[u * w.count() + static_cast<std::size_t>(window)]);
    }
  return y;
}

TEST_CASE_TEMPLATE("multiply_image: equals the definition of a convolution, in groups, with an epilogue", B,
                   plait::serial, plait::omp, plait::tbb) {
  auto const check = []<class T>(T) {
    for (plait::windows const& w : geometries())
      for (std::int64_t const groups : {1, 2}) {
        constexpr std::int64_t channels = 6;
        constexpr std::int64_t units = 14;
        CAPTURE(w.count());
        CAPTURE(groups);
        auto const size = [](std::int64_t rows, std::size_t row) { return static_cast<std::size_t>(rows) * row; };
        auto const x = numbers<T>(size(channels, w.places()), 1);
        auto const weights = numbers<T>(size(units * channels / groups, w.taps()), 2);
        auto const addend = numbers<T>(size(units, w.count()), 3);
        auto const bias = numbers<T>(units, 4);
        std::vector<T> y;
        for (T const each : bias) y.insert(y.end(), w.count(), each);
        auto const expected = convolved(w, x, weights, y, addend, channels, static_cast<std::size_t>(groups), units);
        plait::padded_image image;
        image.assign(w, channels, groups);
        std::vector<T> copy(image.size(), std::numeric_limits<T>::quiet_NaN());
        image.copy<B>(x.data(), copy.data());
        plait::multiply_image<B>(
            image, copy.data(), groups, units,
            plait::convolution_operands<T>{nullptr, weights.data(), bias.data(), addend.data(), true, y.data()});
        CHECK(y == expected);
      }
  };
  check(float());
  check(double());
}

TEST_CASE("multiply_image: without channels, results are the bias") {
  plait::windows const w = {{1, 4, 5}, {1, 4, 5}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}};
  plait::padded_image image;
  image.assign(w, 0, 1);
  std::vector<float> const copy(image.size());
  std::vector<float> const bias = {1, 2};
  std::vector<float> y(40);
  plait::multiply_image<plait::serial>(
      image, copy.data(), 1, 2,
      plait::convolution_operands<float>{nullptr, nullptr, bias.data(), nullptr, false, y.data()});
  CHECK(std::ranges::count(y, 1.0F) == 20);
  CHECK(std::ranges::count(y, 2.0F) == 20);
}

TEST_CASE("padded_image: a copy larger than any memory is refused") {
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  plait::windows w;
  for (std::size_t axis = 0; axis != 3; ++axis) {
    w.dilation[axis] = most;
    w.kernel[axis] = 2;
  }
  CHECK_THROWS_AS(plait::padded_image().assign(w, 1, 1), plait::shape_error);
}

TEST_CASE_TEMPLATE("depthwise: equals the definition of a convolution in both orders", B, plait::serial, plait::omp,
                   plait::tbb) {
  for (plait::windows const& w : geometries())
    for (std::size_t const of_channel : {1U, 3U}) {
      constexpr std::size_t channels = 5;
      constexpr std::size_t images = 2;
      std::size_t const units = channels * of_channel;
      CAPTURE(w.count());
      auto const weights = numbers<float>(units * w.taps(), 2);
      auto const bias = numbers<float>(units, 5);
      auto const x = numbers<float>(images * channels * w.places(), 1);
      auto const addend = numbers<float>(images * units * w.count(), 3);
      std::vector<float> expected;
      for (std::size_t image = 0; image != images; ++image) {
        auto const part = [&](std::vector<float> const& of, std::size_t size) {
          return std::vector<float>(of.begin() + static_cast<std::ptrdiff_t>(image * size),
                                    of.begin() + static_cast<std::ptrdiff_t>((image + 1) * size));
        };
        std::vector<float> y;
        for (float const each : bias) y.insert(y.end(), w.count(), each);
        auto const made = convolved(w, part(x, channels * w.places()), weights, y, part(addend, units * w.count()),
                                    channels, channels, units);
        expected.insert(expected.end(), made.begin(), made.end());
      }
      std::vector<float> y(expected.size());
      plait::padded_image padded;
      padded.assign(w, channels, channels);
      std::vector<float> copy(padded.size(), std::numeric_limits<float>::quiet_NaN());
      for (std::size_t image = 0; image != images; ++image) {
        padded.copy<B>(x.data() + image * channels * w.places(), copy.data());
        std::size_t const at = image * units * w.count();
        plait::depthwise<B>(padded, copy.data(),
                            plait::convolution_operands<float>{nullptr, weights.data(), bias.data(), addend.data() + at,
                                                               true, y.data() + at},
                            static_cast<std::int64_t>(units));
      }
      CHECK(y == expected);
      if (of_channel != 1) continue;
      // Exchanges the last two axes of [images, rows, columns].
      auto const turned = [&](std::vector<float> const& of, std::size_t rows, std::size_t columns) {
        std::vector<float> made(of.size());
        for (std::size_t i = 0; i != of.size(); ++i) {
          std::size_t const row = i / columns % rows;
          made[(i / columns / rows * columns + i % columns) * rows + row] = of[i];
        }
        return made;
      };
      auto const last_x = turned(x, channels, w.places());
      auto const last_addend = turned(addend, units, w.count());
      plait::depthwise_channels_last<B>(w,
                                        plait::convolution_operands<float>{last_x.data(), weights.data(), bias.data(),
                                                                           last_addend.data(), true, y.data()},
                                        images, static_cast<std::int64_t>(units));
      CHECK(turned(y, w.count(), units) == expected);
    }
}

}  // namespace
