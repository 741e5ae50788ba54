// Sums and products of sizes that stop at the largest number instead of wrapping.
#pragma once

#include <cstddef>
#include <limits>

#include <plait/core/cxx20.hpp>

namespace plait {

/// Returns a + b, or the largest std::size_t where that is exceeded.
[[nodiscard]] constexpr std::size_t saturated_sum(std::size_t a, std::size_t b) noexcept {
  return a > std::numeric_limits<std::size_t>::max() - b ? std::numeric_limits<std::size_t>::max() : a + b;
}

/// Returns a * b, or the largest std::size_t where that is exceeded.
[[nodiscard]] constexpr std::size_t saturated_product(std::size_t a, std::size_t b) noexcept {
  return b != 0 && a > std::numeric_limits<std::size_t>::max() / b ? std::numeric_limits<std::size_t>::max() : a * b;
}

}  // namespace plait
