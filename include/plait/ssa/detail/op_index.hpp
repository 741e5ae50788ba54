// Numbers of ops.
#pragma once

#include <cstdint>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// An op by number: its position in its net.
using op_index = std::uint32_t;

}  // namespace plait
