// Element-wise operators and their gradients.
#pragma once

#include <plait/exec/detail/operators/activations.hpp>
#include <plait/exec/detail/operators/activations_gradients.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/arithmetic_gradients.hpp>
#include <plait/exec/detail/operators/casts.hpp>
#include <plait/exec/detail/operators/dropout.hpp>
#include <plait/exec/detail/operators/dropout_gradients.hpp>
#include <plait/exec/detail/operators/elementwise_operators.hpp>
#include <plait/exec/detail/operators/functions.hpp>
#include <plait/exec/detail/operators/functions_gradients.hpp>
#include <plait/exec/detail/operators/selections.hpp>
#include <plait/exec/detail/operators/selections_gradients.hpp>
#include <plait/exec/detail/operators/sums.hpp>
#include <plait/exec/detail/operators/sums_gradients.hpp>
#include <plait/exec/detail/operators/trigonometry.hpp>
#include <plait/exec/detail/operators/trigonometry_gradients.hpp>
