// Gradients of elementary functions, unless composed of other ops.
#pragma once

#include <numbers>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/vector_math.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/functions.hpp>
#include <plait/exec/detail/operators/gradient_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

/// Zero at zero; propagates NaN of x.
template <class T>
struct absolute_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T x, T dy) const {
    T const moving = x < T(0) ? -dy : dy;
    return x > T(0) || x < T(0) ? moving : x;
  }
};
template <class T>
struct cube_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T dy, T x) const { return T(3) * dy * x * x; }
};
/// Infinite at zero, where the function is not differentiable.
template <class T>
struct cube_root_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T dy, T y) const { return dy / (T(3) * y * y); }
};
template <class T>
struct reciprocal_root_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T dy, T y) const { return T(-0.5) * dy * y * y * y; }
};
template <class T>
struct reciprocal_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const { return -(dy * y * y); }
};
template <class T>
struct error_function_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T x, T dy) const {
    return T(2 * std::numbers::inv_sqrtpi) * dy * math::exp_of_negative(-(x * x));
  }
};
/// Zero also where x equals a bound.
template <class T>
struct clip_gradient : clip<T> {
  using clip<T>::clip;
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const {
    return static_cast<bool>((y <= this->least) | (y >= this->most)) ? T(0) : dy;
  }
};

}  // namespace functions

/// Adds AbsGradient, CubeGradient, CbrtGradient, RsqrtGradient, ReciprocalGradient, ErfGradient, ClipGradient.
template <backend B>
void add_function_gradient_operators(operators<B>& table) {
  table.template add<gradient_kernel<B, functions::absolute_gradient>>(
      gradient_schema("AbsGradient").describe("dX = dY, -dY where X < 0, or 0 where X is, from X, dY"));
  table.template add<gradient_kernel<B, functions::cube_gradient>>(
      gradient_schema("CubeGradient").describe("dX = 3 dY X² from dY, X"));
  table.template add<gradient_kernel<B, functions::cube_root_gradient>>(
      gradient_schema("CbrtGradient").describe("dX = dY / 3Y² from dY, Y"));
  table.template add<gradient_kernel<B, functions::reciprocal_root_gradient>>(
      gradient_schema("RsqrtGradient").describe("dX = -dY Y³ / 2 from dY, Y"));
  table.template add<gradient_kernel<B, functions::reciprocal_gradient>>(
      gradient_schema("ReciprocalGradient").describe("dX = -dY Y² from Y, dY"));
  table.template add<gradient_kernel<B, functions::error_function_gradient>>(
      gradient_schema("ErfGradient").without_caffe2_schema().describe("dX = 2 / √π dY e^(-X²) from X, dY"));
  table.template add<gradient_kernel<B, functions::clip_gradient>>(
      functions::clip<float>::describe(gradient_schema("ClipGradient")
                                           .no_doubles_in_caffe2()
                                           .describe("dX = dY, or 0 where Y is not between min and max, from Y, dY")));
}

}  // namespace plait

PLAIT_KERNELS_END
