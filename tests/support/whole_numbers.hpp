// Integers as floats, for tests of sums.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace test {

/// Returns integers between -8 and 8, whose sums are exact in any order.
inline std::vector<float> whole_numbers(std::size_t count) {
  std::mt19937 random(3);
  std::vector<float> made(count);
  for (float& x : made) x = static_cast<float>(static_cast<int>(random() % 17) - 8);
  return made;
}

}  // namespace test
