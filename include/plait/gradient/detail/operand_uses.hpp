// Operand uses of gradient ops: elements, shape only or device only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// The property of an operand that an op reads.
enum class operand_use {
  elements,
  shape,   ///< any value of the same shape and element type is a substitute
  device,  ///< any value on the same device is a substitute
};

namespace detail {

struct shape_operand {
  std::string_view type;
  std::size_t input;
};

inline constexpr auto shape_operands = std::to_array<shape_operand>({
    {"AveragePoolGradient", 0},
    {"AveragePoolGradient", 1},
    {"AveragedLossGradient", 0},
    {"BatchGatherGradient", 0},
    {"BatchSparseToDense", 3},
    {"ConstantFill", 0},
    {"LengthsIndicesInGradientSumGradient", 2},
    {"MatMul", 2},
    {"PackRNNSequence", 2},
    {"PackSegments", 2},
    {"ReduceBackMeanGradient", 1},
    {"ReduceBackSumGradient", 1},
    {"ReduceFrontMeanGradient", 1},
    {"ReduceFrontSumGradient", 1},
    {"ReduceMeanGradient", 1},
    {"ReduceMeanGradient", 2},
    {"ReduceSumGradient", 1},
    {"ReduceSumGradient", 2},
    {"ResizeLike", 1},
    {"RoIAlignGradient", 0},
    {"RoIAlignRotatedGradient", 0},
    {"SliceGradient", 0},
    {"SparseToDense", 2},
    {"SumElementsGradient", 0},
    {"SumReduceLike", 1},
    {"TopKGradient", 2},
    {"UnpackSegments", 2},
    {"ZerosLike", 0},
});

// Types whose first output has the shape and element type of the first input, whatever the other operands are.
inline constexpr auto shape_keepers = std::to_array<std::string_view>({"Abs",
                                                                       "Acos",
                                                                       "Acosh",
                                                                       "Alias",
                                                                       "Asin",
                                                                       "Asinh",
                                                                       "Atan",
                                                                       "Atanh",
                                                                       "Cbrt",
                                                                       "Ceil",
                                                                       "Clip",
                                                                       "Copy",
                                                                       "Cos",
                                                                       "Cosh",
                                                                       "Cube",
                                                                       "Dropout",
                                                                       "Elu",
                                                                       "Erf",
                                                                       "Exp",
                                                                       "Floor",
                                                                       "Gelu",
                                                                       "HardSigmoid",
                                                                       "LeakyRelu",
                                                                       "Log",
                                                                       "LogSoftmax",
                                                                       "Logit",
                                                                       "Mean",
                                                                       "NanCheck",
                                                                       "NegateGradient",
                                                                       "Negative",
                                                                       "Normalize",
                                                                       "NormalizeL1",
                                                                       "PRelu",
                                                                       "Reciprocal",
                                                                       "Relu",
                                                                       "ReluN",
                                                                       "ReversePackedSegs",
                                                                       "Rsqrt",
                                                                       "Scale",
                                                                       "Selu",
                                                                       "SequenceMask",
                                                                       "Sigmoid",
                                                                       "Sign",
                                                                       "Sin",
                                                                       "Sinh",
                                                                       "Softmax",
                                                                       "Softplus",
                                                                       "Softsign",
                                                                       "Sqr",
                                                                       "Sqrt",
                                                                       "StopGradient",
                                                                       "Sum",
                                                                       "Swish",
                                                                       "Tan",
                                                                       "Tanh",
                                                                       "ThresholdedRelu",
                                                                       "WeightedSum"});

}  // namespace detail

/// Returns how a gradient op uses an input. `from_shape`: the op is a fill whose input holds the shape
/// (input_as_shape).
[[nodiscard]] constexpr operand_use use_of_operand(std::string_view type, std::size_t input, bool from_shape = false) {
  if (type == "CopyOnDeviceLike" && input == 1) return operand_use::device;
  if (from_shape) return operand_use::elements;
  bool const listed = std::ranges::any_of(
      detail::shape_operands, [&](detail::shape_operand const& o) { return o.type == type && o.input == input; });
  return listed ? operand_use::shape : operand_use::elements;
}

/// Returns true if the first output of ops of a type has the shape and element type of their first input.
[[nodiscard]] constexpr bool keeps_shape(std::string_view type) {
  return std::ranges::find(detail::shape_keepers, type) != detail::shape_keepers.end();
}

}  // namespace plait
