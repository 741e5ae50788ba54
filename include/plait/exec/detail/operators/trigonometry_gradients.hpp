// Gradients of circular and hyperbolic functions and their inverses.
#pragma once

#include <cmath>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/circular_math.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/gradient_kernel.hpp>
#include <plait/exec/detail/operators/trigonometry.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

template <class T>
struct sine_gradient : of_angle<T> {
  PLAIT_HOST_DEVICE T operator()(T x, T dy) const { return dy * std::cos(x); }
  static constexpr T fast(T x, T dy) { return dy * math::cos(x); }
};
template <class T>
struct cosine_gradient : of_angle<T> {
  PLAIT_HOST_DEVICE T operator()(T x, T dy) const { return -(dy * std::sin(x)); }
  static constexpr T fast(T x, T dy) { return -(dy * math::sin(x)); }
};
template <class T>
struct tangent_gradient {
  PLAIT_HOST_DEVICE T operator()(T x, T dy) const {
    T const c = std::cos(x);
    return dy / (c * c);
  }
};
// 1 - x² in two factors: the first is exact for x near 1, the second near -1.
template <class T>
struct arcsine_gradient {
  PLAIT_HOST_DEVICE T operator()(T x, T dy) const { return dy / std::sqrt((T(1) - x) * (T(1) + x)); }
};
template <class T>
struct arccosine_gradient {
  PLAIT_HOST_DEVICE T operator()(T x, T dy) const { return -arcsine_gradient<T>()(x, dy); }
};
template <class T>
struct arctangent_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T x, T dy) const { return dy / (T(1) + x * x); }
};
template <class T>
struct hyperbolic_sine_gradient {
  PLAIT_HOST_DEVICE T operator()(T dy, T x) const { return dy * std::cosh(x); }
};
template <class T>
struct hyperbolic_cosine_gradient {
  PLAIT_HOST_DEVICE T operator()(T dy, T x) const { return dy * std::sinh(x); }
};

}  // namespace functions

/// SinGradient, CosGradient, TanGradient, AsinGradient, AcosGradient, AtanGradient, SinhGradient, CoshGradient.
template <backend B>
void add_trigonometry_gradient_operators(operators<B>& table) {
  table.template add<gradient_kernel<B, functions::sine_gradient>>(
      gradient_schema("SinGradient").describe("dX = dY cos X from X, dY"));
  table.template add<gradient_kernel<B, functions::cosine_gradient>>(
      gradient_schema("CosGradient").describe("dX = -dY sin X from X, dY"));
  table.template add<gradient_kernel<B, functions::tangent_gradient>>(
      gradient_schema("TanGradient").describe("dX = dY / cos² X from X, dY"));
  table.template add<gradient_kernel<B, functions::arcsine_gradient>>(
      gradient_schema("AsinGradient").describe("dX = dY / √(1 - X²) from X, dY"));
  table.template add<gradient_kernel<B, functions::arccosine_gradient>>(
      gradient_schema("AcosGradient").describe("dX = -dY / √(1 - X²) from X, dY"));
  table.template add<gradient_kernel<B, functions::arctangent_gradient>>(
      gradient_schema("AtanGradient").describe("dX = dY / (1 + X²) from X, dY"));
  table.template add<gradient_kernel<B, functions::hyperbolic_sine_gradient>>(
      gradient_schema("SinhGradient").describe("dX = dY cosh X from dY, X"));
  table.template add<gradient_kernel<B, functions::hyperbolic_cosine_gradient>>(
      gradient_schema("CoshGradient").describe("dX = dY sinh X from dY, X"));
}

}  // namespace plait

PLAIT_KERNELS_END
