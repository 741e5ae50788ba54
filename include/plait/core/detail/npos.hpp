// The number that stands for "none" wherever plait numbers things.
#pragma once

#include <cstdint>
#include <limits>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// No node, no blob, no op: what a failed look-up of a number gives.
inline constexpr std::uint32_t npos = std::numeric_limits<std::uint32_t>::max();

}  // namespace plait
