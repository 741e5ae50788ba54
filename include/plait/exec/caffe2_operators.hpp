// The table of operators as the Caffe2 of 2018 has it, for nets that are to do exactly what they did there.
#pragma once

#include <string_view>

#include <plait/exec/backend.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/operators/sums.hpp>

namespace plait {

/// standard_operators, but that arguments which Caffe2 got later are passed over, as it does with all that it does not
/// know, and that Sum takes float alone. See docs/differences.md for what is different all the same.
template <backend B>
[[nodiscard]] operators<B> caffe2_operators() {
  struct later {
    std::string_view type;
    std::string_view argument;
  };
  static constexpr later arguments[] = {
      {"Adagrad", "weight_decay"},
      {"BatchGather", "match_outer"},
      {"BatchGather", "wrap_indices"},
      {"BatchGatherGradient", "axis"},
      {"BatchGatherGradient", "match_outer"},
      {"BatchGatherGradient", "wrap_indices"},
      {"Gather", "axis"},
      {"Gather", "match_outer"},
      {"Gather", "wrap_indices"},
      {"GivenTensorFill", "dtype"},
      {"Shape", "axes"},
      {"SoftmaxWithLoss", "average_by_batch_size"},
      {"SoftmaxWithLossGradient", "average_by_batch_size"},
      {"SparseAdagrad", "weight_decay"},
  };
  operators<B> table = standard_operators<B>();
  for (auto const& [type, argument] : arguments) table.pass_over(type, argument);
  add_caffe2_sum_operator(table);
  return table;
}

}  // namespace plait
