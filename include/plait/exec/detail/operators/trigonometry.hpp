// Circular and hyperbolic functions and their inverses.
#pragma once

#include <cmath>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/circular_math.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/map_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

/// Argument range of the fast path of sine, cosine and their gradients (fast_path.hpp).
template <class T>
struct of_angle {
  static constexpr bool is_fast(T x) { return !(math::detail::magnitude(x) > math::circular_end<T>); }
};
template <class T>
struct sine : of_angle<T> {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::sin(x); }
  static constexpr T fast(T x) { return math::sin(x); }
};
template <class T>
struct cosine : of_angle<T> {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::cos(x); }
  static constexpr T fast(T x) { return math::cos(x); }
};
template <class T>
struct tangent {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::tan(x); }
};
template <class T>
struct arcsine {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::asin(x); }
};
template <class T>
struct arccosine {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::acos(x); }
};
template <class T>
struct arctangent {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::atan(x); }
};
template <class T>
struct hyperbolic_sine {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::sinh(x); }
};
template <class T>
struct hyperbolic_cosine {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::cosh(x); }
};

}  // namespace functions

/// Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh: float and double. (Tanh is an activation.)
template <backend B>
void add_trigonometry_operators(operators<B>& table) {
  table.template add<map_kernel<B, functions::sine, float, double>>(
      map_schema("Sin").no_doubles_in_caffe2().describe("Y = sin X"));
  table.template add<map_kernel<B, functions::cosine, float, double>>(
      map_schema("Cos").no_doubles_in_caffe2().describe("Y = cos X"));
  table.template add<map_kernel<B, functions::tangent, float, double>>(
      map_schema("Tan").no_doubles_in_caffe2().describe("Y = tan X"));
  table.template add<map_kernel<B, functions::arcsine, float, double>>(
      map_schema("Asin").no_doubles_in_caffe2().describe("Y = arcsin X, NaN where |X| > 1"));
  table.template add<map_kernel<B, functions::arccosine, float, double>>(
      map_schema("Acos").no_doubles_in_caffe2().describe("Y = arccos X, NaN where |X| > 1"));
  table.template add<map_kernel<B, functions::arctangent, float, double>>(
      map_schema("Atan").no_doubles_in_caffe2().describe("Y = arctan X"));
  table.template add<map_kernel<B, functions::hyperbolic_sine, float, double>>(
      map_schema("Sinh").no_doubles_in_caffe2().describe("Y = sinh X"));
  table.template add<map_kernel<B, functions::hyperbolic_cosine, float, double>>(
      map_schema("Cosh").no_doubles_in_caffe2().describe("Y = cosh X"));
}

}  // namespace plait

PLAIT_KERNELS_END
