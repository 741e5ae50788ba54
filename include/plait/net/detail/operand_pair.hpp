// Operand pair: an input and an output of one op.
#pragma once

#include <cstddef>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// Positions of an input and an output among those of their op.
struct operand_pair {
  std::size_t input;
  std::size_t output;
  friend constexpr bool operator==(operand_pair const&, operand_pair const&) = default;
};

}  // namespace plait
