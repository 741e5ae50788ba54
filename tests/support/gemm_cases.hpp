// GEMM test cases with expected results.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>

#include <support/instruction_sets.hpp>

namespace test {

using plait::gemm_shape;

template <class T>
std::vector<T> random_numbers(std::ptrdiff_t count, std::mt19937& random) {
  std::uniform_real_distribution<T> number(-1, 1);
  std::vector<T> made(static_cast<std::size_t>(count));
  for (T& x : made) x = number(random);
  return made;
}

/// Returns small integers, whose sums and products are exact.
template <class T>
std::vector<T> whole_numbers(std::ptrdiff_t count, unsigned seed) {
  std::vector<T> made;
  for (std::ptrdiff_t i = 0; i != count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    made.push_back(static_cast<T>(static_cast<int>(seed >> 28) - 8));
  }
  return made;
}

/// The operands of one GEMM, with guard elements around c that must not change.
template <class T>
struct gemm_case {
  gemm_shape shape;
  T alpha;
  T beta;
  std::vector<T> a, b, c;

  static constexpr std::int64_t guard = 19;

  gemm_case(gemm_shape const& s, T alpha_, T beta_, std::mt19937& random) : shape(s), alpha(alpha_), beta(beta_) {
    if (shape.lda == 0) shape.lda = s.transpose_a ? s.m : s.k;
    if (shape.ldb == 0) shape.ldb = s.transpose_b ? s.k : s.n;
    if (shape.ldc == 0) shape.ldc = s.n;
    // Exactly as long as required, so that sanitizers detect overruns; unaligned, too.
    fill(a, extent(s.transpose_a ? s.k : s.m, s.transpose_a ? s.m : s.k, shape.lda), random);
    fill(b, extent(s.transpose_b ? s.n : s.k, s.transpose_b ? s.k : s.n, shape.ldb), random);
    fill(c, shape.ldc * s.m + 2 * guard, random);
    if (beta == T(0))  // must not be read
      for (std::int64_t i = 0; i < s.m; ++i)
        for (std::int64_t j = 0; j < s.n; ++j) at(c, i, j) = std::numeric_limits<T>::quiet_NaN();
  }

  T* result() { return c.data() + guard; }
  T& at(std::vector<T>& in, std::int64_t i, std::int64_t j) const {
    return in[static_cast<std::size_t>(guard + i * shape.ldc + j)];
  }

  /// Checks that `after` is the result, within the rounding error of k additions in any order.
  void check(std::vector<T> after) {
    long double worst = 0;
    for (std::int64_t i = 0; i < shape.m; ++i)
      for (std::int64_t j = 0; j < shape.n; ++j) {
        long double sum = 0;
        long double size = 0;
        for (std::int64_t l = 0; l < shape.k; ++l) {
          long double const x = a[static_cast<std::size_t>(shape.transpose_a ? l * shape.lda + i : i * shape.lda + l)];
          long double const y = b[static_cast<std::size_t>(shape.transpose_b ? j * shape.ldb + l : l * shape.ldb + j)];
          sum += x * y;
          size += std::fabs(x * y);
        }
        long double expected = alpha * sum;
        size *= std::fabs(alpha);
        if (beta != T(0)) {
          long double const scaled = static_cast<long double>(beta) * at(c, i, j);
          expected += scaled;
          size += std::fabs(scaled);
        }
        auto const bound = static_cast<long double>(shape.k + 4) * std::numeric_limits<T>::epsilon() * size;
        long double const difference = std::fabs(at(after, i, j) - expected);
        // Compared in this direction so that NaN fails.
        worst = std::max(worst, difference <= bound ? 0.0L : std::isnan(difference) ? 1e9L : difference);
        at(after, i, j) = at(c, i, j) = 0;
      }
    CHECK(worst == 0);
    bool const untouched = after == c;
    CHECK(untouched);
  }

 private:
  static std::int64_t extent(std::int64_t rows, std::int64_t columns, std::int64_t ld) {
    return rows == 0 || columns == 0 ? 0 : (rows - 1) * ld + columns;
  }
  static void fill(std::vector<T>& v, std::int64_t count, std::mt19937& random) {
    std::uniform_real_distribution<T> number(-1, 1);
    v.resize(static_cast<std::size_t>(count));
    for (T& x : v) x = number(random);
  }
};

/// Returns the case as a problem for the kernels, with result c.
template <class T>
plait::detail::gemm_problem<T> problem(gemm_case<T> const& x, T* c) {
  gemm_shape const& s = x.shape;
  return {s.m,
          s.n,
          s.k,
          x.a.data(),
          s.transpose_a ? 1 : s.lda,
          s.transpose_a ? s.lda : 1,
          x.b.data(),
          s.transpose_b ? 1 : s.ldb,
          s.transpose_b ? s.ldb : 1,
          c,
          s.ldc,
          x.alpha,
          x.beta};
}

template <class C>
auto pick(std::mt19937& random, C const& from) {
  return from[std::uniform_int_distribution<std::size_t>(0, std::size(from) - 1)(random)];
}

}  // namespace test

#define PLAIT_INFO_GEMM(s) \
  INFO("m ", (s).m, " n ", (s).n, " k ", (s).k, " transposed ", (s).transpose_a, (s).transpose_b)
