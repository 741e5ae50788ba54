// Gradients of elementary functions that are not made of other ops.
#pragma once

#include <cmath>
#include <cstddef>

#include <plait/exec/backend.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/operators/functions.hpp>
#include <plait/exec/operators/gradient_kernel.hpp>

namespace plait {

namespace functions {

/// Zero at zero, NaN where x is.
template <class T>
struct absolute_gradient {
  PLAIT_HOST_DEVICE constexpr T operator()(T x, T dy) const {
    T const moving = x < T(0) ? -dy : dy;
    return x > T(0) || x < T(0) ? moving : x;
  }
};
template <class T>
struct sine_gradient {
  PLAIT_HOST_DEVICE T operator()(T x, T dy) const { return dy * std::cos(x); }
};
template <class T>
struct cosine_gradient {
  PLAIT_HOST_DEVICE T operator()(T x, T dy) const { return -(dy * std::sin(x)); }
};
/// Nothing reaches an x that is a bound itself.
template <class T>
struct clip_gradient : clip<T> {
  using clip<T>::clip;
  PLAIT_HOST_DEVICE constexpr T operator()(T y, T dy) const {
    return static_cast<bool>((y <= this->least) | (y >= this->most)) ? T(0) : dy;
  }
};

}  // namespace functions

/// AbsGradient, SinGradient, CosGradient, ClipGradient.
template <backend B>
void add_function_gradient_operators(operators<B>& table) {
  table.template add<gradient_kernel<B, functions::absolute_gradient>>(
      gradient_schema("AbsGradient").describe("dX = dY, -dY where X < 0, or 0 where X is, from X, dY"));
  table.template add<gradient_kernel<B, functions::sine_gradient>>(
      gradient_schema("SinGradient").describe("dX = dY cos X from X, dY"));
  table.template add<gradient_kernel<B, functions::cosine_gradient>>(
      gradient_schema("CosGradient").describe("dX = -dY sin X from X, dY"));
  table.template add<gradient_kernel<B, functions::clip_gradient>>(functions::clip<float>::describe(
      gradient_schema("ClipGradient").describe("dX = dY, or 0 where Y is not between min and max, from Y, dY")));
}

}  // namespace plait
