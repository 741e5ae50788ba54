// Training operators: learning rates, and dense and sparse optimiser steps.
#pragma once

#include <plait/exec/detail/operators/ftrl.hpp>
#include <plait/exec/detail/operators/learning_rate.hpp>
#include <plait/exec/detail/operators/mutexes.hpp>
#include <plait/exec/detail/operators/optimizers.hpp>
#include <plait/exec/detail/operators/sparse_optimizers.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Adds all training operators.
template <backend B>
void add_training(operators<B>& table) {
  add_ftrl_operators(table);
  add_learning_rate_operators(table);
  add_mutex_operators(table);
  add_optimizer_operators(table);
  add_sparse_optimizer_operators(table);
}

}  // namespace plait
