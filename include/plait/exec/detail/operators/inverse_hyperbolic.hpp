// Asinh, Acosh, Atanh: inverse hyperbolic functions.
#pragma once

#include <cmath>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/map_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace functions {

template <class T>
struct inverse_hyperbolic_sine {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::asinh(x); }
};
template <class T>
struct inverse_hyperbolic_cosine {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::acosh(x); }
};
template <class T>
struct inverse_hyperbolic_tangent {
  PLAIT_HOST_DEVICE T operator()(T x) const { return std::atanh(x); }
};

}  // namespace functions

/// Asinh, Acosh, Atanh: float and double.
template <backend B>
void add_inverse_hyperbolic_operators(operators<B>& table) {
  table.template add<map_kernel<B, functions::inverse_hyperbolic_sine, float, double>>(
      map_schema("Asinh").describe("Y = arsinh X"));
  table.template add<map_kernel<B, functions::inverse_hyperbolic_cosine, float, double>>(
      map_schema("Acosh").describe("Y = arcosh X, NaN where X < 1"));
  table.template add<map_kernel<B, functions::inverse_hyperbolic_tangent, float, double>>(
      map_schema("Atanh").describe("Y = artanh X, NaN where |X| > 1"));
}

}  // namespace plait

PLAIT_KERNELS_END
