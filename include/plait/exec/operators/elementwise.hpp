// Element-wise operators and their gradients.
#pragma once

#include <plait/exec/detail/operators/activations.hpp>
#include <plait/exec/detail/operators/activations_gradients.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/arithmetic_gradients.hpp>
#include <plait/exec/detail/operators/batch_box_cox.hpp>
#include <plait/exec/detail/operators/bucketize.hpp>
#include <plait/exec/detail/operators/casts.hpp>
#include <plait/exec/detail/operators/dropout.hpp>
#include <plait/exec/detail/operators/dropout_gradients.hpp>
#include <plait/exec/detail/operators/functions.hpp>
#include <plait/exec/detail/operators/functions_gradients.hpp>
#include <plait/exec/detail/operators/integer_arithmetic.hpp>
#include <plait/exec/detail/operators/inverse_hyperbolic.hpp>
#include <plait/exec/detail/operators/inverse_hyperbolic_gradients.hpp>
#include <plait/exec/detail/operators/quantize_linear.hpp>
#include <plait/exec/detail/operators/selections.hpp>
#include <plait/exec/detail/operators/selections_gradients.hpp>
#include <plait/exec/detail/operators/sums.hpp>
#include <plait/exec/detail/operators/sums_gradients.hpp>
#include <plait/exec/detail/operators/trigonometry.hpp>
#include <plait/exec/detail/operators/trigonometry_gradients.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Adds all element-wise operators.
template <backend B>
void add_elementwise(operators<B>& table) {
  add_activation_gradient_operators(table);
  add_activation_operators(table);
  add_arithmetic_gradient_operators(table);
  add_arithmetic_operators(table);
  add_batch_box_cox_operator(table);
  add_bucketize_operators(table);
  add_cast_operators(table);
  add_dropout_gradient_operators(table);
  add_dropout_operators(table);
  add_function_gradient_operators(table);
  add_function_operators(table);
  add_integer_arithmetic_operators(table);
  add_inverse_hyperbolic_gradient_operators(table);
  add_inverse_hyperbolic_operators(table);
  add_quantize_linear_operators(table);
  add_selection_gradient_operators(table);
  add_selection_operators(table);
  add_sum_gradient_operators(table);
  add_sum_operators(table);
  add_trigonometry_gradient_operators(table);
  add_trigonometry_operators(table);
}

}  // namespace plait
