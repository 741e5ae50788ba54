// Building blocks of oracles for recurrent cells: rows of numbers, and affine maps with parameters known by name.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include <support/named_numbers.hpp>

namespace test {

/// y = w x + b, with the values of <name>_w and <name>_b.
struct affine {
  numbers w, b;

  affine(std::string const& name, std::size_t outputs, std::size_t inputs)
      : w(values(name + "_w", static_cast<std::int64_t>(outputs * inputs))),
        b(values(name + "_b", static_cast<std::int64_t>(outputs))) {}
  numbers operator()(numbers const& x) const {
    numbers y = b;
    for (std::size_t i = 0; i != y.size(); ++i)
      for (std::size_t k = 0; k != x.size(); ++k) y[i] += w[i * x.size() + k] * x[k];
    return y;
  }
};

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Returns the elements [at × width, (at + 1) × width).
inline numbers row(numbers const& x, std::size_t at, std::size_t width) {
  auto const first = x.begin() + static_cast<std::ptrdiff_t>(at * width);
  return {first, first + static_cast<std::ptrdiff_t>(width)};
}

}  // namespace test
