// In-place operands of Caffe2's op types.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include <plait/net/detail/operand_pair.hpp>

namespace plait {

/// Returns the pairs of an input and an output that ops of a type may give one name (OpSchema::AllowInplace and
/// EnforceInplace of Caffe2's last release of 2018). Empty for most types, also for those unknown to Caffe2. Does not
/// cover If, While, Do and Free, which allow every pair.
[[nodiscard]] inline std::vector<operand_pair> caffe2_in_place(std::string_view op_type) {
  // In alphabetical order.
  static constexpr std::string_view first_by_first[] = {
      "And",
      "BatchBoxCox",
      "BitwiseAnd",
      "BitwiseOr",
      "BitwiseXor",
      "Cbrt",
      "CbrtGradient",
      "Ceil",
      "Clip",
      "ClipTensorByScaling",
      "ConstantFill",
      "Div",
      "DivGradient",
      "Dropout",
      "DropoutGrad",
      "Elu",
      "EnsureDense",
      "Exp",
      "ExpandDims",
      "Floor",
      "GaussianFill",
      "GivenTensorBoolFill",
      "GivenTensorDoubleFill",
      "GivenTensorFill",
      "GivenTensorInt64Fill",
      "GivenTensorIntFill",
      "GivenTensorStringFill",
      "HardSigmoid",
      "Iter",
      "LeakyRelu",
      "Log",
      "Logit",
      "MSRAFill",
      "Max",
      "Mean",
      "MeanGradient",
      "MergeDim",
      "Min",
      "Mod",
      "NanCheck",
      "NegateGradient",
      "Negative",
      "Or",
      "PRelu",
      "PrependDim",
      "Reciprocal",
      "Relu",
      "ReluN",
      "ReplaceNaN",
      "Reshape",
      "Rsqrt",
      "RsqrtGradient",
      "Scale",
      "ScatterAssign",
      "ScatterWeightedSum",
      "Selu",
      "Sigmoid",
      "Softplus",
      "Softsign",
      "Sqr",
      "Sqrt",
      "Squeeze",
      "StopGradient",
      "Sum",
      "Tanh",
      "ThresholdedRelu",
      "UniformFill",
      "UniformIntFill",
      "WeightedSum",
      "XavierFill",
      "Xor",
  };
  static constexpr std::string_view second_by_first[] = {
      "ClipGradient",
      "EluGradient",
      "HardSigmoidGradient",
      "LeakyReluGradient",
      "ReciprocalGradient",
      "ReluGradient",
      "ReluNGradient",
      "SeluGradient",
      "SigmoidGradient",
      "SoftplusGradient",
      "SoftsignGradient",
      "TanhGradient",
      "ThresholdedReluGradient",
  };
  static_assert(std::ranges::is_sorted(first_by_first) && std::ranges::is_sorted(second_by_first));
  struct others {
    std::string_view op_type;
    std::vector<operand_pair> pairs;
  };
  static std::vector<others> const more = {
      {"Adagrad", {{0, 0}, {1, 1}}},
      {"Adam", {{0, 0}, {1, 1}, {2, 2}}},
      {"Add", {{0, 0}, {1, 0}}},
      {"AtomicIter", {{1, 0}}},
      {"Ftrl", {{0, 0}, {1, 1}}},
      {"MomentumSGD", {{0, 0}, {1, 1}}},
      {"MomentumSGDUpdate", {{0, 0}, {1, 1}, {3, 2}}},
      {"Mul", {{0, 0}, {1, 0}}},
      {"Pow", {{0, 0}, {1, 0}}},
      {"RmsProp", {{0, 0}, {1, 1}, {2, 2}}},
      {"RowWiseSparseAdagrad", {{0, 0}, {1, 1}}},
      {"RowWiseSparseAdam", {{0, 0}, {1, 1}, {2, 2}}},
      {"SparseAdagrad", {{0, 0}, {1, 1}}},
      {"SparseAdam", {{0, 0}, {1, 1}, {2, 2}}},
      {"SparseFtrl", {{0, 0}, {1, 1}}},
      {"SparseMomentumSGDUpdate", {{0, 0}, {1, 1}, {3, 2}}},
      {"SpatialBN", {{0, 0}, {3, 1}, {4, 2}}},
      {"Sub", {{0, 0}, {1, 0}}},
      {"SwishGradient", {{2, 0}}},
  };
  if (std::ranges::binary_search(first_by_first, op_type)) return {{0, 0}};
  if (std::ranges::binary_search(second_by_first, op_type)) return {{1, 0}};
  auto const found = std::ranges::find(more, op_type, &others::op_type);
  return found == more.end() ? std::vector<operand_pair>() : found->pairs;
}

}  // namespace plait
