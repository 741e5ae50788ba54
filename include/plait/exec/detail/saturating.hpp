// Saturating arithmetic on sizes, as std::add_sat and std::mul_sat of C++26: the result stops at the largest
// std::size_t instead of wrapping.
#pragma once

#include <cstddef>
#include <limits>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

/// Returns a + b, or the largest std::size_t on overflow.
[[nodiscard]] constexpr std::size_t add_sat(std::size_t a, std::size_t b) noexcept {
  return a > std::numeric_limits<std::size_t>::max() - b ? std::numeric_limits<std::size_t>::max() : a + b;
}

/// Returns a * b, or the largest std::size_t on overflow.
[[nodiscard]] constexpr std::size_t mul_sat(std::size_t a, std::size_t b) noexcept {
  return b != 0 && a > std::numeric_limits<std::size_t>::max() / b ? std::numeric_limits<std::size_t>::max() : a * b;
}

}  // namespace plait::detail
