// Scalar functions of the ops of static cells: those of the kernels that run the same ops in a net.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/square_root.hpp>
#include <plait/exec/detail/operators/activations_gradients.hpp>
#include <plait/exec/detail/operators/arithmetic_gradients.hpp>
#include <plait/exec/detail/operators/functions_gradients.hpp>
#include <plait/exec/detail/operators/sums_gradients.hpp>
#include <plait/exec/detail/operators/trigonometry_gradients.hpp>
#include <plait/net/detail/traced_net.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

/// Arguments of an op of a cell, as op_arguments has them.
struct cell_arguments {
  traced_op op;
  constexpr double real(std::string_view name) const { return op.number(op.info().arguments[0] == name ? 0 : 1); }
  constexpr bool has(std::string_view) const { return true; }
};

/// Function of numbers: get<T>(op), by the function's number.
template <cell_op F>
struct cell_functor;

template <template <class> class F>
struct functor_of_type {
  template <class T>
  static constexpr F<T> get(traced_op const& op) {
    if constexpr (std::is_constructible_v<F<T>, cell_arguments const&>)
      return F<T>(cell_arguments{op});
    else
      return F<T>();
  }
};
template <class F>
struct functor_of_any_type {
  template <class T>
  static constexpr F get(traced_op const&) {
    return F();
  }
};

// A power with the fast paths of the exponents that Pow has them for.
template <class T>
struct cell_power {
  T exponent;
  constexpr explicit cell_power(cell_arguments const& a) : exponent(static_cast<T>(a.real("exponent"))) {}
  PLAIT_HOST_DEVICE T operator()(T x) const {
    if (exponent == T(1)) return x;
    if (exponent == T(2)) return functions::square<T>()(x);
    if (exponent == T(3)) return functions::cube<T>()(x);
    if (exponent == T(-1)) return functions::reciprocal<T>()(x);
    functions::power_of<T> const power{exponent};
#if !defined(__CUDA_ARCH__)
    if constexpr (has_fast_path<functions::power_of<T>, T>)
      if (power.is_fast(x)) return power.fast(x);
#endif
    return power(x);
  }
};

// A function of angles, by its fast path where that holds.
template <template <class> class F>
struct of_usual_angle {
  template <class T>
  struct type {
    template <class... Ts>
    PLAIT_HOST_DEVICE T operator()(T x, Ts... more) const {
      F<T> const f;
#if !defined(__CUDA_ARCH__)
      if (f.is_fast(x)) return f.fast(x, more...);
#endif
      return f(x, more...);
    }
  };
};

#define PLAIT_CELL_FUNCTOR(name, ...) \
  template <>                         \
  struct cell_functor<cell_op_number(name)> : __VA_ARGS__ {}

PLAIT_CELL_FUNCTOR("Abs", functor_of_type<functions::absolute>);
PLAIT_CELL_FUNCTOR("AbsGradient", functor_of_type<functions::absolute_gradient>);
PLAIT_CELL_FUNCTOR("Add", functor_of_any_type<functions::add>);
PLAIT_CELL_FUNCTOR("And", functor_of_any_type<functions::logical_and>);
PLAIT_CELL_FUNCTOR("Cbrt", functor_of_type<functions::cube_root>);
PLAIT_CELL_FUNCTOR("CbrtGradient", functor_of_type<functions::cube_root_gradient>);
PLAIT_CELL_FUNCTOR("Ceil", functor_of_type<functions::ceiling>);
PLAIT_CELL_FUNCTOR("Clip", functor_of_type<functions::clip>);
PLAIT_CELL_FUNCTOR("ClipGradient", functor_of_type<functions::clip_gradient>);
PLAIT_CELL_FUNCTOR("Copy", functor_of_type<functions::identity>);
PLAIT_CELL_FUNCTOR("Cos", functor_of_type<of_usual_angle<functions::cosine>::type>);
PLAIT_CELL_FUNCTOR("CosGradient", functor_of_type<of_usual_angle<functions::cosine_gradient>::type>);
PLAIT_CELL_FUNCTOR("Cosh", functor_of_type<functions::hyperbolic_cosine>);
PLAIT_CELL_FUNCTOR("CoshGradient", functor_of_type<functions::hyperbolic_cosine_gradient>);
PLAIT_CELL_FUNCTOR("Cube", functor_of_type<functions::cube>);
PLAIT_CELL_FUNCTOR("CubeGradient", functor_of_type<functions::cube_gradient>);
PLAIT_CELL_FUNCTOR("Div", functor_of_any_type<functions::divide>);
PLAIT_CELL_FUNCTOR("EQ", functor_of_any_type<functions::equal>);
PLAIT_CELL_FUNCTOR("Elu", functor_of_type<functions::elu>);
PLAIT_CELL_FUNCTOR("EluGradient", functor_of_type<functions::elu_gradient>);
PLAIT_CELL_FUNCTOR("Erf", functor_of_type<functions::error_function>);
PLAIT_CELL_FUNCTOR("ErfGradient", functor_of_type<functions::error_function_gradient>);
PLAIT_CELL_FUNCTOR("Exp", functor_of_type<functions::exponential>);
PLAIT_CELL_FUNCTOR("Floor", functor_of_type<functions::floor>);
PLAIT_CELL_FUNCTOR("GE", functor_of_any_type<functions::greater_equal>);
PLAIT_CELL_FUNCTOR("GT", functor_of_any_type<functions::greater>);
PLAIT_CELL_FUNCTOR("HardSigmoid", functor_of_type<functions::hard_sigmoid>);
PLAIT_CELL_FUNCTOR("HardSigmoidGradient", functor_of_type<functions::hard_sigmoid_gradient>);
PLAIT_CELL_FUNCTOR("LE", functor_of_any_type<functions::less_equal>);
PLAIT_CELL_FUNCTOR("LT", functor_of_any_type<functions::less>);
PLAIT_CELL_FUNCTOR("LeakyRelu", functor_of_type<functions::leaky_relu>);
PLAIT_CELL_FUNCTOR("LeakyReluGradient", functor_of_type<functions::leaky_relu_gradient>);
PLAIT_CELL_FUNCTOR("Log", functor_of_type<functions::logarithm>);
PLAIT_CELL_FUNCTOR("Log1p", functor_of_type<functions::logarithm_of_one_plus>);
PLAIT_CELL_FUNCTOR("Max", functor_of_any_type<functions::maximum>);
PLAIT_CELL_FUNCTOR("Min", functor_of_any_type<functions::minimum>);
PLAIT_CELL_FUNCTOR("Mul", functor_of_any_type<functions::multiply>);
PLAIT_CELL_FUNCTOR("NE", functor_of_any_type<functions::not_equal>);
PLAIT_CELL_FUNCTOR("Negative", functor_of_type<functions::negate>);
PLAIT_CELL_FUNCTOR("Not", functor_of_type<functions::logical_not>);
PLAIT_CELL_FUNCTOR("Or", functor_of_any_type<functions::logical_or>);
PLAIT_CELL_FUNCTOR("Pow", functor_of_type<cell_power>);
PLAIT_CELL_FUNCTOR("Reciprocal", functor_of_type<functions::reciprocal>);
PLAIT_CELL_FUNCTOR("ReciprocalGradient", functor_of_type<functions::reciprocal_gradient>);
PLAIT_CELL_FUNCTOR("Relu", functor_of_type<functions::relu>);
PLAIT_CELL_FUNCTOR("ReluGradient", functor_of_type<functions::relu_gradient>);
PLAIT_CELL_FUNCTOR("Rsqrt", functor_of_type<functions::reciprocal_root>);
PLAIT_CELL_FUNCTOR("RsqrtGradient", functor_of_type<functions::reciprocal_root_gradient>);
PLAIT_CELL_FUNCTOR("Scale", functor_of_type<functions::scale>);
PLAIT_CELL_FUNCTOR("Sigmoid", functor_of_type<functions::sigmoid>);
PLAIT_CELL_FUNCTOR("SigmoidGradient", functor_of_type<functions::sigmoid_gradient>);
PLAIT_CELL_FUNCTOR("Sin", functor_of_type<of_usual_angle<functions::sine>::type>);
PLAIT_CELL_FUNCTOR("SinGradient", functor_of_type<of_usual_angle<functions::sine_gradient>::type>);
PLAIT_CELL_FUNCTOR("Softplus", functor_of_type<functions::softplus>);
PLAIT_CELL_FUNCTOR("SoftplusGradient", functor_of_type<functions::softplus_gradient>);
PLAIT_CELL_FUNCTOR("Softsign", functor_of_type<functions::softsign>);
PLAIT_CELL_FUNCTOR("SoftsignGradient", functor_of_type<functions::softsign_gradient>);
PLAIT_CELL_FUNCTOR("Sqr", functor_of_type<functions::square>);
PLAIT_CELL_FUNCTOR("Sqrt", functor_of_type<functions::square_root>);
PLAIT_CELL_FUNCTOR("Sub", functor_of_any_type<functions::subtract>);
PLAIT_CELL_FUNCTOR("Swish", functor_of_type<functions::swish>);
PLAIT_CELL_FUNCTOR("SwishGradient", functor_of_type<functions::swish_gradient>);
PLAIT_CELL_FUNCTOR("Tanh", functor_of_type<functions::tanh>);
PLAIT_CELL_FUNCTOR("TanhGradient", functor_of_type<functions::tanh_gradient>);

#undef PLAIT_CELL_FUNCTOR

}  // namespace plait::detail

PLAIT_KERNELS_END
