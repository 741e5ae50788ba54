// Standard operators: every op type of plait, for the one file of a program that instantiates them (see operators.hpp).
#pragma once

#include <plait/exec/operators.hpp>
#include <plait/exec/operators/control_flow.hpp>
#include <plait/exec/operators/data_movement.hpp>
#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/operators/fills.hpp>
#include <plait/exec/operators/linear_algebra.hpp>
#include <plait/exec/operators/recurrence.hpp>
#include <plait/exec/operators/reductions.hpp>
#include <plait/exec/operators/training.hpp>

namespace plait {

template <backend B>
operators<B> const& standard_operators() {
  static operators<B> const table = [] {
    operators<B> made;
    add_control_flow(made);
    add_data_movement(made);
    add_elementwise(made);
    add_fills(made);
    add_linear_algebra(made);
    add_recurrence(made);
    add_reductions(made);
    add_training(made);
    return made;
  }();
  return table;
}

}  // namespace plait
