// Memory-bound scalar functions: reading and writing the elements takes longer than computing them.
#pragma once

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// Scalar function of x or, if it is binary, of x and y.
enum class simple_function : unsigned char {
  none,           ///< not one of these
  add,            ///< x + y
  subtract,       ///< x - y
  subtract_from,  ///< y - x
  multiply,       ///< x y
  divide,         ///< x / y
  divide_into,    ///< y / x
  negate,         ///< -x
  relu,           ///< 0 where x < 0, else x; NaN stays
};

constexpr bool takes_two(simple_function f) noexcept { return f < simple_function::negate; }
/// Returns the function with x and y exchanged.
constexpr simple_function exchanged(simple_function f) noexcept {
  switch (f) {
    case simple_function::subtract:
      return simple_function::subtract_from;
    case simple_function::subtract_from:
      return simple_function::subtract;
    case simple_function::divide:
      return simple_function::divide_into;
    case simple_function::divide_into:
      return simple_function::divide;
    default:
      return f;
  }
}

}  // namespace plait
