// Operator table in Caffe2 mode: the op types of Caffe2 of 2018, for nets that must behave exactly as there.
#pragma once

#include <string_view>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/caffe2_restrictions.hpp>
#include <plait/exec/detail/operators/arithmetic.hpp>
#include <plait/exec/detail/operators/sums.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Returns standard_operators, restricted to Caffe2: ignores arguments that Caffe2 got later, as it ignores all unknown
/// ones, accepts only float and int32 in Sum and fewer types in comparisons, and refuses more (restrict_as_caffe2).
/// docs/migrating/differences.md lists the remaining differences.
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
      // Caffe2 never reads it: it treats the variance as the inverse deviation, and both as those of the batch.
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
