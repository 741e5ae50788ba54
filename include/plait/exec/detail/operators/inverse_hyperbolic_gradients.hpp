// Gradients of inverse hyperbolic functions.
#pragma once

#include <cmath>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/gradient_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

template <class T>
struct inverse_hyperbolic_sine_gradient {
  PLAIT_HOST_DEVICE T operator()(T x, T dy) const { return dy / std::hypot(x, T(1)); }
};
// √(x² - 1) as two factors, which do not overflow.
template <class T>
struct inverse_hyperbolic_cosine_gradient {
  PLAIT_HOST_DEVICE T operator()(T x, T dy) const { return dy / (std::sqrt(x - T(1)) * std::sqrt(x + T(1))); }
};
// 1 - x² in two factors: see arcsine_gradient.
template <class T>
struct inverse_hyperbolic_tangent_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T x, T dy) const { return dy / ((T(1) - x) * (T(1) + x)); }
};

}  // namespace functions

/// AsinhGradient, AcoshGradient, AtanhGradient: float and double.
template <backend B>
void add_inverse_hyperbolic_gradient_operators(operators<B>& table) {
  table.template add<gradient_kernel<B, functions::inverse_hyperbolic_sine_gradient>>(
      gradient_schema("AsinhGradient").describe("dX = dY / √(X² + 1) from X, dY"));
  table.template add<gradient_kernel<B, functions::inverse_hyperbolic_cosine_gradient>>(
      gradient_schema("AcoshGradient").describe("dX = dY / √(X² - 1) from X, dY"));
  table.template add<gradient_kernel<B, functions::inverse_hyperbolic_tangent_gradient>>(
      gradient_schema("AtanhGradient").describe("dX = dY / (1 - X²) from X, dY"));
}

}  // namespace plait

PLAIT_KERNELS_END
