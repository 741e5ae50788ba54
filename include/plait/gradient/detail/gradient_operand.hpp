// Operands of gradient ops, and adjoints.
#pragma once

#include <cstdint>

#include <plait/core/detail/npos.hpp>

namespace plait {

/// An operand of a gradient op: a value of the forward net or one that gradient ops define.
struct gradient_operand {
  std::uint32_t id = npos;
  constexpr explicit operator bool() const noexcept { return id != npos; }
  friend constexpr bool operator==(gradient_operand, gradient_operand) = default;
};

/// The adjoint of a value during the pass: dense, sparse (rows and their indices), or none.
struct gradient_operands {
  gradient_operand values;
  gradient_operand indices;  ///< absent unless sparse
  constexpr explicit operator bool() const noexcept { return static_cast<bool>(values); }
  constexpr bool is_sparse() const noexcept { return static_cast<bool>(indices); }
};

}  // namespace plait
