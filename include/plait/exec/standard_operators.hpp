// Every op type that plait runs.
#pragma once

#include <plait/exec/operators.hpp>
#include <plait/exec/operators/concat_split.hpp>
#include <plait/exec/operators/learning_rate.hpp>
#include <plait/exec/operators/optimizers.hpp>
#include <plait/exec/operators/reshape.hpp>
#include <plait/exec/operators/shape_values.hpp>
#include <plait/exec/operators/slice.hpp>
#include <plait/exec/operators/transpose.hpp>
#include <plait/exec/operators/units.hpp>
#include <plait/exec/operators/views.hpp>

namespace plait {

/// The table of all of them. Compiling it takes a while: do so in one file of a program (`extern template` elsewhere),
/// or use the groups that are needed.
template <backend B>
[[nodiscard]] operators<B> const& standard_operators() {
  static operators<B> const table = [] {
    operators<B> made;
    add_concat_split_operators(made);
    add_learning_rate_operators(made);
    add_optimizer_operators(made);
    add_reshape_operators(made);
    add_shape_value_operators(made);
    add_slice_operators(made);
    add_transpose_operators(made);
    add_unit_operators(made);
    add_view_operators(made);
    return made;
  }();
  return table;
}

}  // namespace plait
