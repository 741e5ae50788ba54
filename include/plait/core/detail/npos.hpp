// npos: the sentinel for "no index" in all numberings of plait.
#pragma once

#include <cstdint>
#include <limits>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// No node, no blob, no op: the result of a failed look-up.
inline constexpr std::uint32_t npos = std::numeric_limits<std::uint32_t>::max();

}  // namespace plait
