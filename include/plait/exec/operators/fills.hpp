// Operators that fill tensors with constants, listed values and random numbers.
#pragma once

#include <plait/exec/detail/operators/diagonal_fill.hpp>
#include <plait/exec/detail/operators/fills.hpp>
#include <plait/exec/detail/operators/random_fills.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Adds all fill operators.
template <backend B>
void add_fills(operators<B>& table) {
  add_diagonal_fill_operator(table);
  add_fill_operators(table);
  add_random_fill_operators(table);
}

}  // namespace plait
