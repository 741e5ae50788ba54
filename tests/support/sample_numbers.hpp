// Reproducible numbers between -2 and 2, as operands of element-wise functions.
#pragma once

#include <cstddef>
#include <vector>

namespace test {

/// Returns multiples of 1/1000 that depend on the seed; neighbours are far from each other.
template <class T>
std::vector<T> sample_numbers(std::size_t count, std::size_t seed) {
  std::vector<T> made;
  for (std::size_t i = 0; i != count; ++i)
    made.push_back(static_cast<T>(static_cast<double>((i * 7919 + seed * 104729) % 4001) / 1000 - 2));
  return made;
}

}  // namespace test
