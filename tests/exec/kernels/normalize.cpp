#include <plait/exec/detail/kernels/normalize.hpp>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

namespace {

std::vector<float> random_floats(std::size_t count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> between(-2, 2);
  std::vector<float> made(count);
  for (float& x : made) x = between(random);
  return made;
}

// Compares with a result of sums in double: they are a few roundings of float apart.
bool near(float made, double wanted) { return std::abs(made - wanted) <= 4e-6 * (1 + std::abs(wanted)); }

TEST_CASE("normalize: rows and columns of any width are normalised, in place, too") {
  for (std::size_t const n : {1U, 3U, 16U, 300U})
    for (std::size_t const inner : {1U, 2U, 255U, 513U}) {
      CAPTURE(n);
      CAPTURE(inner);
      std::size_t const outer = 2;
      auto x = random_floats(outer * n * inner);
      std::vector<float> y(x.size()), z(x.size());
      plait::normalize<plait::serial, false>(x.data(), y.data(), outer, n, inner);
      plait::normalize<plait::serial, true>(x.data(), z.data(), outer, n, inner);
      bool same = true;
      for (std::size_t vector = 0; vector != outer * inner; ++vector) {
        std::size_t const first = vector / inner * n * inner + vector % inner;
        double squares = 0;
        double magnitudes = 0;
        for (std::size_t i = 0; i != n; ++i) {
          double const each = x[first + i * inner];
          squares += each * each;
          magnitudes += std::abs(each);
        }
        for (std::size_t i = 0; i != n; ++i) {
          std::size_t const at = first + i * inner;
          same = same && near(y[at], x[at] / std::sqrt(squares)) && near(z[at], x[at] / magnitudes);
        }
      }
      CHECK(same);
      plait::normalize<plait::serial, false>(x.data(), x.data(), outer, n, inner);
      CHECK(x == y);
    }
}

TEST_CASE("normalize: zeros stay zeros, and vectors too short to divide by their norm are scaled by 1e12") {
  std::vector<float> const x = {0, 0, 1e-20f, 0};
  std::vector<float> y(4);
  plait::normalize<plait::serial, false>(x.data(), y.data(), 2, 2, 1);
  CHECK(y == std::vector<float>{0, 0, 1e-20f / 1e-12f, 0});
  plait::normalize<plait::serial, true>(x.data(), y.data(), 2, 2, 1);
  CHECK(y == std::vector<float>{0, 0, 1, 0});
}

TEST_CASE("layer_norm: a large mean causes no cancellation, and scale and bias come last") {
  for (std::size_t const width : {1U, 5U, 16U, 700U}) {
    CAPTURE(width);
    std::size_t const rows = 3;
    auto x = random_floats(rows * width);
    for (float& each : x) each += 1000;
    auto const scale = random_floats(width);
    std::vector<float> const bias(width, 0.5f);
    std::vector<float> plain(x.size()), scaled(x.size()), means(rows), deviations(rows);
    plait::layer_norm<plait::serial, float>(x.data(), nullptr, nullptr, plain.data(), means.data(), deviations.data(),
                                            rows, width, 1e-3f);
    plait::layer_norm<plait::serial, float>(x.data(), scale.data(), bias.data(), scaled.data(), means.data(),
                                            deviations.data(), rows, width, 1e-3f);
    for (std::size_t row = 0; row != rows; ++row) {
      double mean = 0;
      for (std::size_t i = 0; i != width; ++i) mean += x[row * width + i];
      mean /= static_cast<double>(width);
      double variance = 0;
      for (std::size_t i = 0; i != width; ++i) variance += std::pow(x[row * width + i] - mean, 2);
      double const deviation = std::sqrt(variance / static_cast<double>(width) + 1e-3);
      CHECK(means[row] == doctest::Approx(mean).epsilon(1e-6));
      CHECK(deviations[row] == doctest::Approx(deviation).epsilon(1e-4));
      bool same = true;
      for (std::size_t i = 0; i != width; ++i) {
        std::size_t const at = row * width + i;
        // A mean near 1000 is known to four steps of float.
        same = same && std::abs(plain[at] - (x[at] - mean) / deviation) <= 4 * 6.1e-5 / deviation &&
               near(scaled[at], double{plain[at]} * scale[i] + bias[i]);
      }
      CHECK(same);
    }
  }
}

}  // namespace
