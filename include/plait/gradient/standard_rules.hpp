// Standard gradient rules: those of all operators of plait's runtime, and the subset that Caffe2 has.
#pragma once

#include <string>
#include <string_view>

#include <plait/gradient/detail/control_flow_rules.hpp>
#include <plait/gradient/detail/rules/elementwise.hpp>
#include <plait/gradient/detail/rules/matrix.hpp>
#include <plait/gradient/detail/rules/movement.hpp>
#include <plait/gradient/detail/rules/recurrence_rule.hpp>
#include <plait/gradient/detail/rules/second_order.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/net/detail/caffe2_in_place.hpp>

namespace plait {

namespace detail {

// As in Caffe2, no gradient flows back through tables of quantised rows, nor to the weights of their sums.
inline void add_quantised_row_rules(gradient_rules& rules) {
  auto const add_format = [&](std::string const& quantise, std::string const& dequantise, std::string const& rows) {
    rules.set_none({quantise, dequantise});
    rules.edit(quantise).has_inactive_outputs = true;
    for (std::string const how : {"Sum", "Mean", "WeightedSum"}) rules.set_none({"SparseLengths" + how + rows});
  };
  for (std::string const bits : {"8", "4", "2"}) {
    std::string const fused = "Fused" + bits + "BitRowwise";
    add_format("FloatTo" + fused + "Quantized", fused + "QuantizedToFloat", fused);
  }
  add_format("FloatToRowwiseQuantized8Bits", "Rowwise8BitQuantizedToFloat", "8BitsRowwise");
  rules.set_none({"SparseLengthsWeightedMean8BitsRowwise"});
}

inline void add_nondifferentiable_rules(gradient_rules& rules) {
  // Outputs that do not depend on the inputs' elements, or are piecewise constant in them: no gradient flows back.
  rules.set_none({"ArgMax",
                  "ArgMin",
                  "BatchOneHot",
                  "ConstantFill",
                  "DiagonalFill",
                  "GivenTensorBoolFill",
                  "GivenTensorDoubleFill",
                  "GivenTensorFill",
                  "GivenTensorByteStringToUInt8Fill",
                  "GivenTensorFp16Fill",
                  "GivenTensorInt16Fill",
                  "GivenTensorInt64Fill",
                  "GivenTensorIntFill",
                  "GivenTensorStringFill",
                  "Int8GivenIntTensorFill",
                  "Int8GivenTensorFill",
                  "LengthsRangeFill",
                  "OneHot",
                  "Range",
                  "Size",
                  "UniformIntFill",
                  "Unique",
                  "ZerosLike"});
  rules.set_none({"GatherRangesToDense"});  // as in Caffe2
  rules.set_none({"GaussianFill", "MSRAFill", "UniformFill", "XavierFill"});
  add_quantised_row_rules(rules);
  for (std::string_view type :
       {"ArgMax", "ArgMin", "BatchOneHot", "GivenTensorBoolFill", "GivenTensorByteStringToUInt8Fill",
        "GivenTensorInt16Fill", "GivenTensorInt64Fill", "GivenTensorIntFill", "GivenTensorStringFill",
        "Int8GivenIntTensorFill", "Int8GivenTensorFill", "LengthsRangeFill", "OneHot", "Range", "Size",
        "UniformIntFill", "Unique"})
    rules.edit(type).has_inactive_outputs = true;
  for (std::string_view type : {"GaussianFill", "MSRAFill", "UniformFill", "UniformIntFill", "XavierFill"})
    rules.edit(type).repeatable = false;

  for (std::string_view type :
       {"Accuracy", "And",         "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Bucketize", "EQ",        "GE",
        "GT",       "HasElements", "HasScope",   "IsEmpty",   "IsNaN",      "LE",        "LT",        "NE",
        "Not",      "Or",          "Shape",      "ShiftLeft", "ShiftRight", "Sign",      "Summarize", "Xor"})
    rules.refuse(type, "its output is not a differentiable function of its inputs");
  for (std::string_view type :
       {"BBoxTransform", "BoxWithNMSLimit", "CollectAndDistributeFpnRpnProposals", "CollectRpnProposals",
        "DistributeFpnProposals", "GenerateProposals", "GenerateProposalsCPP", "NonMaxSuppression"})
    rules.refuse(type, "boxes are not differentiated");
  for (std::string_view type :
       {"ConvInteger", "LengthsToOffsets", "LengthsToRanges", "LengthsToSegmentIds", "LengthsToShape",
        "LengthsToWeights", "MatMulInteger", "SegmentIdsToLengths", "SegmentIdsToRanges"})
    rules.refuse(type, "its inputs are integers");
  for (std::string_view type : {"Ceil", "DequantizeLinear", "Floor", "Mod", "QuantizeLinear", "SumElementsInt"})
    rules.refuse(type, "it is not differentiable: its derivative is zero where there is one");
  for (std::string_view type : {"Adagrad",
                                "Adam",
                                "AtomicIter",
                                "ClipTensorByScaling",
                                "CreateMutex",
                                "CreateScope",
                                "Ftrl",
                                "Iter",
                                "LearningRate",
                                "MomentumSGD",
                                "MomentumSGDUpdate",
                                "RmsProp",
                                "RowWiseSparseAdagrad",
                                "RowWiseSparseAdam",
                                "ScatterAssign",
                                "ScatterWeightedSum",
                                "SparseAdagrad",
                                "SparseAdam",
                                "SparseFtrl",
                                "SparseMomentumSGDUpdate"})
    rules.refuse(type, "it updates its inputs and has no gradient");
  for (std::string_view type :
       {"BatchBoxCox", "CumProd", "FloorMod", "GatherPadding", "GatherRanges", "Perplexity", "Resize", "TruncMod"})
    rules.refuse(type, "there is no operator for its gradient");
  rules.refuse("Print", "it has no output");
  rules.refuse("Free", "the blob it frees is gone");
}

inline gradient_rules make_standard_rules() {
  gradient_rules rules;
  add_elementwise_rules(rules);
  add_matrix_rules(rules);
  add_movement_rules(rules);
  add_nondifferentiable_rules(rules);
  add_second_order_rules(rules);
  add_control_flow_rules(rules);
  add_recurrence_rules(rules);
  return rules;
}

// A template, so that programs can link the instantiation of plait::runtime (extern_templates.hpp).
template <class Rules>
Rules const& standard_gradient_rules() {
  static Rules const rules = make_standard_rules();
  return rules;
}

}  // namespace detail

/// Returns the rules of plait's operators: every differentiable operator has one, all others refuse with a reason.
inline gradient_rules const& gradient_rules::standard() { return detail::standard_gradient_rules<gradient_rules>(); }

/// Returns the rules of Caffe2 (2018). Compared with the standard rules: operators without a gradient in Caffe2 refuse;
/// the gradient of Split omits outputs without a gradient; both outputs of LSTMUnit must have one; Pow in place assumes
/// positive bases; Gather knows axis 0 only (run the generated ops with caffe2_operators); the probabilities of
/// SoftmaxWithLoss have no gradient; gradient operators refuse (no second order); only the outputs that Caffe2's
/// schemas list may be in place.
[[nodiscard]] inline gradient_rules caffe2_gradient_rules() {
  gradient_rules rules = gradient_rules::standard();
  for (std::string_view type : {"Acosh",          "Asinh",           "Atanh",         "BooleanMask",
                                "ConvRelu",       "CumSum",          "EnforceFinite", "FillExamplesWithIndicator",
                                "GatherElements", "GatherND",        "LengthsGather", "Log1p",
                                "MergeDim",       "NormalizeL1",     "Pad",           "ReduceL1",
                                "ReduceL2",       "ReduceMax",       "ReduceMean",    "ReduceMin",
                                "ReduceProd",     "ReduceSum",       "ReduceTailSum", "ReplaceNaN",
                                "ResizeLike",     "ScatterElements", "ScatterND",     "StridedSlice",
                                "SumReduceLike",  "SumSqrElements",  "Trilu",         "Where"})
    rules.refuse(type, "Caffe2 has no gradient of this operator");
  rules.refuse("Unique", "its outputs are indices");
  rules.set_none({"AtomicIter", "Iter", "LearningRate"});
  rules.set("Div", [](gradient_context& c) {
    c.refuse_unless(!c.has_argument("broadcast"), "Caffe2 has no gradient of it with the argument 'broadcast'");
    detail::divide_gradient(c);
  });
  rules.set("SpatialBN", detail::batch_norm_gradient);
  rules.set("Split", [](gradient_context& c) { detail::split_gradient(c, false); });
  rules.set("Pow", [](gradient_context& c) { detail::power_gradient(c, true); });
  rules.set("Gather", detail::row_gather_gradient);
  add_simple_rule(rules, detail::gradient_of_softmax_loss);
  add_simple_rule(rules, detail::gradient_of_lstm_unit);
  rules.set("WeightedSum", detail::caffe2_weighted_sum_gradient);
  rules.set("Dropout", [](gradient_context& c) {
    c.refuse_unless(c.has_argument("is_test"), "Caffe2 requires the argument 'is_test'");
    detail::dropout_gradient(c);
  });
  gradient_rules higher;
  add_second_order_rules(higher);
  for (std::string_view type : higher.types()) rules.refuse(type, "Caffe2 has no gradient of gradient operators");
  for (std::string_view type : {"AliasWithName", "CopyFromCPUInput", "CopyOnDeviceLike", "EnsureCPUOutput"})
    rules.refuse(type, "Caffe2 has no gradient of this operator");
  for (std::string_view type : rules.types())
    if (type != "If" && type != "While" && type != "Do") rules.edit(type).in_place = caffe2_in_place(type);
  return rules;
}

}  // namespace plait
