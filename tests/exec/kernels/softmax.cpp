#include <plait/exec/detail/kernels/softmax.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

namespace {

constexpr std::size_t widths[] = {1, 2, 7, 16, 255, 256, 257, 1'000};

template <class T>
std::vector<T> random_rows(std::size_t count, double reduction_backward) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> between(-reduction_backward, reduction_backward);
  std::vector<T> made(count);
  for (T& x : made) x = static_cast<T>(between(random));
  return made;
}

// Returns log(sum of exp(x)) by the definition, with the maximum taken out.
template <class T>
long double log_of_total(T const* x, std::size_t width) {
  long double const highest = *std::max_element(x, x + width);
  long double total = 0;
  for (std::size_t i = 0; i != width; ++i) total += std::exp(x[i] - highest);
  return highest + std::log(total);
}

TEST_CASE_TEMPLATE("softmax, log_softmax: results are near long double, in place, too", T, float, double) {
  constexpr long double step = std::numeric_limits<T>::epsilon();
  for (std::size_t const width : widths)
    for (double const reduction_backward : {1.0, 30.0, 1'000.0}) {
      CAPTURE(width);
      CAPTURE(reduction_backward);
      std::size_t const rows = 3;
      auto x = random_rows<T>(rows * width, reduction_backward);
      std::vector<T> y(x.size()), z(x.size());
      plait::softmax<plait::serial>(x.data(), y.data(), rows, width);
      plait::log_softmax<plait::serial>(x.data(), z.data(), rows, width);
      bool right = true;
      for (std::size_t row = 0; row != rows; ++row) {
        T const* const from = x.data() + row * width;
        long double const log_total = log_of_total(from, width);
        long double const highest = *std::max_element(from, from + width);
        for (std::size_t i = 0; i != width; ++i) {
          long double const log = from[i] - log_total;
          // The error of x - highest is half a step, which the exponential turns into as many steps of the result;
          // the sum and the division add to it. Results below the least normal number may be lost.
          long double const off = step * (8 + (highest - from[i]));
          right = right &&
                  std::abs(y[row * width + i] - std::exp(log)) <= std::exp(log) * off + std::numeric_limits<T>::min();
          right = right && std::abs(z[row * width + i] - log) <= 4 * step * (1 + std::abs(log) + std::abs(highest));
        }
      }
      CHECK(right);
      auto again = x;
      plait::softmax<plait::serial>(x.data(), x.data(), rows, width);
      CHECK(x == y);
      plait::log_softmax<plait::serial>(again.data(), again.data(), rows, width);
      CHECK(again == z);
    }
}

TEST_CASE_TEMPLATE("softmax: results have the same bits on every backend", B, plait::omp, plait::tbb) {
  std::size_t const rows = 201;
  std::size_t const width = 333;
  auto const x = random_rows<float>(rows * width, 10);
  std::vector<float> serial(x.size()), other(x.size());
  plait::softmax<plait::serial>(x.data(), serial.data(), rows, width);
  plait::softmax<B>(x.data(), other.data(), rows, width);
  CHECK(serial == other);
  plait::log_softmax<plait::serial>(x.data(), serial.data(), rows, width);
  plait::log_softmax<B>(x.data(), other.data(), rows, width);
  CHECK(serial == other);
}

TEST_CASE("softmax: infinities and NaN follow the definition") {
  double const inf = std::numeric_limits<double>::infinity();
  for (std::size_t const width : {3U, 40U, 300U}) {
    CAPTURE(width);
    auto const of = [width](double first, double others) {
      std::vector<double> row(width, others);
      row[0] = first;
      plait::softmax<plait::serial>(row.data(), row.data(), 1, width);
      return row;
    };
    auto const all_nan = [](std::vector<double> const& row) {
      return std::ranges::all_of(row, [](double x) { return std::isnan(x); });
    };
    CHECK(of(1, -inf)[0] == 1);
    CHECK(of(1, -inf)[width - 1] == 0);
    CHECK(of(-inf, 2)[0] == 0);
    CHECK(of(-inf, 2)[1] == doctest::Approx(1.0 / static_cast<double>(width - 1)));
    CHECK(all_nan(of(inf, 0)));
    CHECK(all_nan(of(-inf, -inf)));
    CHECK(all_nan(of(std::nan(""), 1)));
  }
}

}  // namespace
