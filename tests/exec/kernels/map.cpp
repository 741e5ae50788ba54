#include <plait/exec/detail/kernels/map.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/kernels/square_root.hpp>
#include <plait/exec/detail/kernels/weighted_sum.hpp>
#include <support/check_close.hpp>
#include <support/op_oracle.hpp>

namespace {

std::vector<double> noise(std::size_t count, unsigned seed) {
  std::vector<double> made(count);
  for (std::size_t i = 0; i != count; ++i) made[i] = std::sin(static_cast<double>(i) * 1.7 + seed) * 3;
  return made;
}

TEST_CASE_TEMPLATE("map: each element is mapped, in place or not", B, PLAIT_HOST_BACKENDS) {
  struct add_number {
    double by;
    double operator()(double x) const { return x + by; }
  };
  for (std::size_t const count : {0U, 1U, 7U, 16'384U, 16'385U, 100'003U}) {
    std::vector<double> x = noise(count, 1);
    std::vector<double> y(count);
    plait::map<B>(x.data(), y.data(), count, add_number{0.25});
    std::vector<double> expected;
    for (double const e : x) expected.push_back(e + 0.25);
    CHECK(y == expected);
    plait::map<B>(x.data(), x.data(), count, add_number{0.25});
    CHECK(x == expected);
  }
}

TEST_CASE_TEMPLATE("fold: any operands are folded from the left, in place of the first four", B, PLAIT_HOST_BACKENDS) {
  struct subtract {
    double operator()(double a, double b) const { return a - b; }
  };
  for (std::size_t const count : {0U, 1U, 5U, 3'000U, 40'001U})
    for (std::size_t operands = 1; operands != 13; ++operands) {
      std::vector<std::vector<double>> x;
      for (std::size_t k = 0; k != operands; ++k) x.push_back(noise(count, static_cast<unsigned>(k)));
      std::vector<double> expected(count);
      for (std::size_t i = 0; i != count; ++i) {
        double y = x[0][i];
        for (std::size_t k = 1; k != operands; ++k) y -= x[k][i];
        expected[i] = y / 3.0;
      }
      std::vector<double> out(count, 99);
      auto const operand = [&](std::size_t k) -> double const* { return x[k].data(); };
      plait::fold<B, subtract>(operands, operand, out.data(), count, 3.0);
      bool right = out == expected;
      for (std::size_t place = 0; place != std::min(operands, plait::fold_in_place); ++place) {
        std::vector<double> const before = x[place];
        plait::fold<B, subtract>(operands, operand, x[place].data(), count, 3.0);
        right = right && x[place] == expected;
        x[place] = before;
      }
      CAPTURE(count);
      CAPTURE(operands);
      CHECK(right);
    }
}

TEST_CASE_TEMPLATE("weighted_sum: weighted tensors are summed, in place of the first two", B, PLAIT_HOST_BACKENDS) {
  struct pairs {
    std::vector<double> const* x;
    double const* w;
    double const* operator()(std::size_t k) const { return x[k].data(); }
    double const* weight(std::size_t k) const { return w + k; }
  };
  double const weights[] = {0.5, -2, 3, 0.25, 1};
  for (std::size_t const count : {0U, 1U, 3'000U, 40'001U})
    for (std::size_t operands = 1; operands != 6; ++operands) {
      std::vector<std::vector<double>> x;
      for (std::size_t k = 0; k != operands; ++k) x.push_back(noise(count, static_cast<unsigned>(k)));
      auto const worst = [&](std::vector<double> const& out, std::vector<std::vector<double>> const& from) {
        double error = 0;
        for (std::size_t i = 0; i != count; ++i) {
          double y = 0;
          for (std::size_t k = 0; k != operands; ++k) y += from[k][i] * weights[k];
          error = test::larger_error(error, std::abs(out[i] - y));
        }
        return error;
      };
      std::vector<double> out(count);
      plait::weighted_sum<B>(operands, pairs{x.data(), weights}, out.data(), count);
      CHECK(worst(out, x) < 1e-14);
      auto const before = x;
      for (std::size_t place = 0; place != std::min(operands, plait::weighted_sum_in_place); ++place) {
        plait::weighted_sum<B>(operands, pairs{x.data(), weights}, x[place].data(), count);
        CHECK(x[place] == out);
        x[place] = before[place];
      }
    }
}

TEST_CASE_TEMPLATE("square_root: roots are correctly rounded", B, PLAIT_HOST_BACKENDS) {
  for (std::size_t const count : {0U, 1U, 3U, 6U, 40'003U}) {
    std::vector<double> x = noise(count, 4);
    std::vector<float> narrow(x.begin(), x.end());
    std::vector<double> y(count);
    std::vector<float> z(count);
    plait::square_root<B>(x.data(), y.data(), count);
    plait::square_root<B>(narrow.data(), z.data(), count);
    bool right = true;
    for (std::size_t i = 0; i != count; ++i) {
      right = right && (x[i] < 0 ? std::isnan(y[i]) : y[i] == std::sqrt(x[i]));
      right = right && (x[i] < 0 ? std::isnan(z[i]) : z[i] == std::sqrt(narrow[i]));
    }
    CHECK(right);
  }
  std::vector<float> edges = {0.0f, -0.0f, std::numeric_limits<float>::infinity(), 1e-45f, 4.0f};
  plait::square_root<B>(edges.data(), edges.data(), edges.size());
  CHECK(edges[0] == 0);
  CHECK(std::signbit(edges[1]));
  CHECK(std::isinf(edges[2]));
  CHECK(edges[3] == std::sqrt(1e-45f));
  CHECK(edges[4] == 2);
}

}  // namespace
