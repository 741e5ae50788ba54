// Products of matrices in tests: random operands, and the rounding that each element of a product is allowed.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/op_oracle.hpp>
#include <support/run_op.hpp>

namespace test {

template <class T>
std::vector<T> random_elements(plait::shape const& dims, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> from(-1, 1);
  std::vector<T> made(static_cast<std::size_t>(dims.size()));
  for (T& x : made) x = static_cast<T>(from(engine));
  return made;
}

inline std::string int_argument(char const* name, std::int64_t value) {
  return std::string(" arg { name: \"") + name + "\" i: " + std::to_string(value) + " }";
}

// A matrix in memory: element (i, j) at i * row + j * column.
template <class T>
struct matrix {
  T const* data;
  std::int64_t row;
  std::int64_t column;
  double operator()(std::int64_t i, std::int64_t j) const { return static_cast<double>(data[i * row + j * column]); }
};

// Returns true if y is the product, plus b for each column if there is one: each element is within the rounding of a
// sum of k + 1.
template <class T>
bool is_product(std::int64_t m, std::int64_t n, std::int64_t k, matrix<T> a, matrix<T> b, T const* bias, T const* y) {
  for (std::int64_t i = 0; i != m; ++i)
    for (std::int64_t j = 0; j != n; ++j) {
      double sum = bias == nullptr ? 0 : double(bias[j]);
      double size = std::abs(sum);
      for (std::int64_t p = 0; p != k; ++p) {
        sum += a(i, p) * b(p, j);
        size += std::abs(a(i, p) * b(p, j));
      }
      double const bound = double(std::numeric_limits<T>::epsilon()) * (double(k) + 2) * size;
      if (!(std::abs(double(y[i * n + j]) - sum) <= bound)) return false;
    }
  return true;
}

// Checks that an op on tensors a, b, … of these shapes fails with an error that states `fact`.
inline void check_refused(std::string const& op, std::vector<plait::shape> const& dims, std::string const& fact) {
  feeds<plait::serial> fed;
  for (std::size_t i = 0; i != dims.size(); ++i)
    fed.emplace_back(std::string(1, char('a' + i)), of<plait::serial>(dims[i], random_elements<float>(dims[i], 1)));
  std::string const error = error_of(table<plait::serial>(), op, fed);
  CHECK_MESSAGE(error.find(fact) != std::string::npos, error);
}

}  // namespace test
