// Comparison of results in T with those of an oracle in a wider type.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace test {

/// Returns the larger of a maximum so far and an error; infinity for NaN, which std::max would drop.
inline double larger_error(double most, double error) {
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(most, error);
}

/// Checks that each element of `got` is within `units` times T's epsilon of `wanted`, relative to the larger of that
/// and `least`.
template <class T, class Wanted = double>
void check_close(std::vector<T> const& got, std::vector<Wanted> const& wanted, double units, double least = 0) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i != got.size(); ++i) {
    auto const y = static_cast<double>(wanted[i]);
    double const tolerance =
        units * static_cast<double>(std::numeric_limits<T>::epsilon()) * std::max(std::abs(y), least);
    if (!(std::abs(static_cast<double>(got[i]) - y) <= tolerance)) {
      CAPTURE(i);
      CHECK(static_cast<double>(got[i]) == y);
    }
  }
}

}  // namespace test
