// The table of operators as the Caffe2 of 2018 has it, for nets that are to do exactly what they did there.
#pragma once

#include <string_view>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/caffe2_restrictions.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/sums.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// standard_operators, but that arguments which Caffe2 got later are passed over, as it does with all that it does not
/// know, that Sum takes float and int32 alone, that comparisons take fewer types, and that more is refused
/// (restrict_as_caffe2). See docs/migrating/differences.md for what is different all the same.
template <backend B>
[[nodiscard]] operators<B> caffe2_operators() {
  struct later {
    std::string_view type;
    std::string_view argument;
  };
  static constexpr later arguments[] = {
      {"Adagrad", "weight_decay"},
      {"Add", "whole_axes"},
      {"AveragePool", "count_include_pad"},
      {"AveragePoolGradient", "count_include_pad"},
      {"BatchGather", "match_outer"},
      {"BatchGather", "wrap_indices"},
      {"BatchGatherGradient", "axis"},
      {"BatchGatherGradient", "match_outer"},
      {"BatchGatherGradient", "wrap_indices"},
      {"Gather", "axis"},
      {"Gather", "match_outer"},
      {"Gather", "wrap_indices"},
      {"GivenTensorFill", "dtype"},
      {"GroupNorm", "eps"},
      {"LayerNorm", "elementwise_affine"},
      {"LayerNormGradient", "elementwise_affine"},
      {"PackSegments", "max_length"},
      {"RowWiseSparseAdagrad", "weight_decay"},
      {"SequenceMask", "exact"},
      {"Shape", "axes"},
      {"SoftmaxWithLoss", "average_by_batch_size"},
      {"SoftmaxWithLossGradient", "average_by_batch_size"},
      {"SparseAdagrad", "weight_decay"},
      // Not later, but never looked at: Caffe2 takes the variance for its inverse deviation, and both for the batch's.
      {"SpatialBNGradient", "is_test"},
      {"UnpackSegments", "max_length"},
  };
  operators<B> table = standard_operators<B>();
  for (auto const& [type, argument] : arguments) table.pass_over(type, argument);
  add_caffe2_sum_operator(table);
  add_caffe2_comparison_operators(table);
  restrict_as_caffe2(table);
  return table;
}

}  // namespace plait
