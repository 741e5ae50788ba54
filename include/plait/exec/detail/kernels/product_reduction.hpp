// Product as a combining function of reductions and scans.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <plait/exec/backend.hpp>

namespace plait {

/// Product; integers wrap around.
struct product_reduction {
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T identity() {
    return T(1);
  }
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T combine(T a, T b) {
    if constexpr (std::integral<T>) {
      using wide = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
      return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b));
    } else {
      return a * b;
    }
  }
};

}  // namespace plait
