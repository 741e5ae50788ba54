// What the Caffe2 of 2018 refused, though operators of the same names take it here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/broadcast_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/net/detail/caffe2_in_place.hpp>
#include <plait/net/detail/operand_pair.hpp>

namespace plait {

namespace detail {

/// Each as an operators::restriction.
template <backend B>
struct caffe2_restrictions {
  using check = typename operators<B>::shape_check;

  // ---- names
  // OpSchema::EnforceInplace
  static void expect_in_place(op_arguments const& a, operand_pair pair) {
    if (pair.input < a.input_count() && std::ranges::find(a.in_place(), pair) == a.in_place().end())
      shape_context::fail("output " + std::to_string(pair.output) + " should have the name of input " +
                          std::to_string(pair.input) + ", which ops of this type overwrite");
  }
  template <std::size_t... Places>
  static check must_be_in_place(op_arguments const& a) {
    (expect_in_place(a, {Places, Places}), ...);
    return {};
  }
  static check sparse_momentum(op_arguments const& a) {
    expect_in_place(a, {1, 1});
    expect_in_place(a, {3, 2});
    return {};
  }

  static check all_in_place(op_arguments const& a) {
    for (std::size_t o = 0; o != a.output_count(); ++o) expect_in_place(a, {o, o});
    return {};
  }

  // ---- operands
  template <std::size_t Most>
  static check inputs_up_to(op_arguments const& a) {
    if (a.input_count() > Most)
      shape_context::fail("there are " + std::to_string(a.input_count()) + " inputs, which should be at most " +
                          std::to_string(Most));
    return {};
  }

  template <std::size_t Count>
  static check outputs(op_arguments const& a) {
    if (a.output_count() != Count)
      shape_context::fail("there are " + std::to_string(a.output_count()) + " outputs, which should be " +
                          std::to_string(Count));
    return {};
  }
  static check values_given(op_arguments const& a) {
    if (!a.has("values")) a.fail("values", "is missing");
    return {};
  }
  template <class... Types>
  static check type_of_first(op_arguments const&) {
    return [](shape_context const& c) { c.expect_type<Types...>(0); };
  }
  static check no_doubles(op_arguments const&) {
    return [](shape_context const& c) {
      for (std::size_t i = 0; i != c.input_count(); ++i)
        c.expect(c.type(i) != element_type::float64, i, "not hold doubles");
    };
  }

  // ---- shapes
  template <std::size_t Rank>
  static check rank_of_first(op_arguments const&) {
    return [](shape_context const& c) { c.expect_rank(0, Rank, Rank); };
  }
  template <std::size_t Least>
  static check least_rank_of_first(op_arguments const&) {
    return [](shape_context const& c) { c.expect_rank(0, Least); };
  }
  static check accuracy(op_arguments const&) {
    return [](shape_context const& c) {
      c.expect_rank(0, 2, 2);
      c.expect_rank(1, 1, 1);
    };
  }
  static check layer_norm(op_arguments const& a) {
    inputs_up_to<1>(a);
    return least_rank_of_first<2>(a);
  }
  static check lengths_gather(op_arguments const&) {
    return [](shape_context const& c) { c.expect_rank(2, 1, 1); };
  }
  static check pack_segments(op_arguments const& a) {
    if (a.flag("return_presence_mask") && a.output_count() < 2) shape_context::fail("there is no output for the mask");
    return inputs_up_to<2>(a);
  }
  static check pack_rnn_sequence(op_arguments const& a) {
    inputs_up_to<2>(a);
    return least_rank_of_first<2>(a);
  }
  static check flatten(op_arguments const& a) {
    if (a.integer("axis") < 0) a.fail("axis", "is " + std::to_string(a.integer("axis")) + ", below 0");
    return {};
  }
  static check top_k(op_arguments const& a) {
    std::int64_t const k = a.integer("k");
    std::int64_t const axis = a.integer("axis");
    if (axis < -1) a.fail("axis", "is " + std::to_string(axis) + ", below -1");
    return [k, axis](shape_context const& c) {
      c.expect(k <= c.dims(0)[c.axis(0, axis)], 0, "have k = ", k, " elements along the axis");
    };
  }
  static check tile(op_arguments const& a) {
    if (a.input_count() < 2 && !a.has("tiles")) a.fail("tiles", "is missing, and there is no second input");
    if (a.input_count() < 3 && !a.has("axis")) a.fail("axis", "is missing, and there is no third input");
    return [](shape_context const& c) {
      for (std::size_t i = 1; i < c.input_count(); ++i) c.expect(c.dims(i) == shape{1}, i, "have the shape 1");
    };
  }
  static check transpose(op_arguments const& a) {
    for (std::int64_t const axis : a.integers("axes"))
      if (axis < 0) a.fail("axes", "has " + std::to_string(axis) + ", below 0");
    return [](shape_context const& c) { c.expect_type<float, double, std::int32_t, std::int64_t>(0); };
  }

  // ---- arguments
  static check concat(op_arguments const& a) {
    outputs<2>(a);
    if (a.has("axis") && a.has("order")) a.fail("order", "cannot be given beside axis");
    return {};
  }
  static check dropout(op_arguments const& a) {
    if (!a.has("is_test")) a.fail("is_test", "is missing");
    if (!a.flag("is_test") && a.output_count() < 2) shape_context::fail("there is no output for the mask");
    return {};
  }
  static check spatial_bn(op_arguments const& a) {
    if (!a.has("is_test")) a.fail("is_test", "is missing");
    if (a.real("epsilon") <= 0) a.fail("epsilon", "should be above 0");
    if (a.real("momentum") < 0 || a.real("momentum") > 1) a.fail("momentum", "should be from 0 to 1");
    if (a.output_count() > 1) {
      expect_in_place(a, {3, 1});
      expect_in_place(a, {4, 2});
    }
    return least_rank_of_first<3>(a);
  }

  /// With broadcast=1: B without 1s at either end has the extents of A that it faces, instead of being repeated along
  /// axes between.
  static check legacy_broadcast(op_arguments const& a) {
    if (!a.flag("broadcast")) return {};
    if (std::ranges::find(a.in_place(), operand_pair{1, 0}) != a.in_place().end())
      shape_context::fail("the output has the name of input 1, which is only for ops that do not broadcast");
    return [places = broadcast_arguments(a)](shape_context const& c) {
      shape const& whole = c.dims(0);
      shape const b = places.match(whole, c.dims(1)).right;
      std::size_t first = 0;
      while (first != b.rank() && b[first] == 1) ++first;
      std::size_t last = b.rank();
      while (last != first && b[last - 1] == 1) --last;
      for (std::size_t axis = first; axis != last; ++axis)
        c.expect(b[axis] == whole[axis + whole.rank() - b.rank()], 1, "not be repeated along axes between others");
    };
  }
};

}  // namespace detail

/// Has a table refuse, with an error, what the Caffe2 of 2018 refused by its schemas and checks. Precondition: the
/// table has the operators of standard_operators.
template <backend B>
void restrict_as_caffe2(operators<B>& table) {
  using asks = detail::caffe2_restrictions<B>;
  struct rule {
    std::string_view type;
    typename operators<B>::restriction restriction;
  };
  rule const rules[] = {
      {"Abs", asks::template type_of_first<float>},
      {"Accuracy", asks::accuracy},
      {"Add", asks::legacy_broadcast},
      {"And", asks::legacy_broadcast},
      {"Concat", asks::concat},
      {"Div", asks::legacy_broadcast},
      {"Dropout", asks::dropout},
      {"EQ", asks::legacy_broadcast},
      {"EnsureDense", asks::template least_rank_of_first<1>},
      {"Flatten", asks::flatten},
      {"FlattenToVec", asks::template least_rank_of_first<1>},
      {"Free", asks::all_in_place},
      {"GE", asks::legacy_broadcast},
      {"GT", asks::legacy_broadcast},
      {"GivenTensorBoolFill", asks::values_given},
      {"GivenTensorDoubleFill", asks::values_given},
      {"GivenTensorFill", asks::values_given},
      {"GivenTensorInt64Fill", asks::values_given},
      {"GivenTensorIntFill", asks::values_given},
      {"GivenTensorStringFill", asks::values_given},
      {"HasElements", asks::template inputs_up_to<1>},
      {"Iter", asks::template must_be_in_place<0>},
      {"LE", asks::legacy_broadcast},
      {"LT", asks::legacy_broadcast},
      {"LayerNorm", asks::layer_norm},
      {"LengthsGather", asks::lengths_gather},
      {"LengthsMax", asks::template type_of_first<float>},
      {"LengthsMean", asks::template type_of_first<float>},
      {"LengthsSum", asks::template type_of_first<float>},
      {"Mean", asks::template type_of_first<float>},
      {"Mul", asks::legacy_broadcast},
      {"Or", asks::legacy_broadcast},
      {"PackRNNSequence", asks::pack_rnn_sequence},
      {"PackSegments", asks::pack_segments},
      {"Range", asks::template rank_of_first<0>},
      {"ReduceBackMax", asks::template type_of_first<float>},
      {"ReduceFrontMax", asks::template type_of_first<float>},
      {"ReduceTailSum", asks::template type_of_first<float>},
      {"Reshape", asks::template outputs<2>},
      {"ReversePackedSegs", asks::template rank_of_first<3>},
      {"RowWiseSparseAdagrad", asks::template must_be_in_place<0, 1>},
      {"RowWiseSparseAdam", asks::template must_be_in_place<0, 1, 2>},
      {"ScatterAssign", asks::template must_be_in_place<0>},
      {"ScatterWeightedSum", asks::template must_be_in_place<0>},
      {"SegmentIdsToRanges", asks::template rank_of_first<1>},
      {"SortedSegmentSum", asks::template type_of_first<float>},
      {"SparseAdagrad", asks::template must_be_in_place<0, 1>},
      {"SparseAdam", asks::template must_be_in_place<0, 1, 2>},
      {"SparseLengthsSum", asks::template type_of_first<float>},
      {"SparseMomentumSGDUpdate", asks::sparse_momentum},
      {"SpatialBN", asks::spatial_bn},
      {"SpatialBNGradient", asks::template least_rank_of_first<3>},
      {"Sqr", asks::template type_of_first<float>},
      {"Sub", asks::legacy_broadcast},
      {"SumElements", asks::template type_of_first<float>},
      {"Tile", asks::tile},
      {"TopK", asks::top_k},
      {"Transpose", asks::transpose},
      {"Unique", asks::template rank_of_first<1>},
      {"UnpackRNNSequence", asks::template least_rank_of_first<3>},
      {"UnpackSegments", asks::template inputs_up_to<2>},
      {"UnsortedSegmentSum", asks::template type_of_first<float>},
      {"Xor", asks::legacy_broadcast},
  };
  for (auto const& [type, restriction] : rules) table.restrict(type, restriction);

  // Not of doubles, though operators of the same names take them here.
  static constexpr std::string_view single_precision[] = {
      "Accuracy",
      "Acos",
      "Adagrad",
      "Adam",
      "Asin",
      "Atan",
      "AveragePool",
      "AveragedLoss",
      "BatchMatMul",
      "Cbrt",
      "Ceil",
      "Clip",
      "ClipGradient",
      "ClipTensorByScaling",
      "ColwiseMax",
      "ColwiseMaxGradient",
      "Conv",
      "ConvGradient",
      "Cos",
      "Cosh",
      "CosineSimilarity",
      "CosineSimilarityGradient",
      "CrossEntropy",
      "DotProduct",
      "DotProductGradient",
      "DotProductWithPadding",
      "Dropout",
      "ElementwiseLinear",
      "ElementwiseLinearGradient",
      "Elu",
      "EluGradient",
      "Exp",
      "FC",
      "FCGradient",
      "FCTransposed",
      "FCTransposedGradient",
      "Floor",
      "GRUUnit",
      "GRUUnitGradient",
      "GroupNorm",
      "GroupNormGradient",
      "HardSigmoid",
      "L1Distance",
      "LSTMUnit",
      "LSTMUnitGradient",
      "LabelCrossEntropy",
      "LayerNorm",
      "LeakyRelu",
      "LeakyReluGradient",
      "LengthsMaxWithMainInputAndForwardOutputGradient",
      "LengthsWeightedSum",
      "LengthsWeightedSumWithMainInputGradient",
      "Log",
      "Logit",
      "MakeTwoClass",
      "MatMul",
      "MaxGradient",
      "MaxPool",
      "MeanGradient",
      "MinGradient",
      "MomentumSGD",
      "MomentumSGDUpdate",
      "NCHW2NHWC",
      "NHWC2NCHW",
      "NanCheck",
      "Normalize",
      "NormalizeL1",
      "PRelu",
      "PReluGradient",
      "PackSegments",
      "PadImage",
      "Pow",
      "Reciprocal",
      "ReduceMean",
      "Relu",
      "ReluGradient",
      "ReluN",
      "RmsProp",
      "RowWiseSparseAdagrad",
      "RowWiseSparseAdam",
      "RowwiseMax",
      "Rsqrt",
      "Scale",
      "ScatterAssign",
      "ScatterWeightedSum",
      "Selu",
      "SeluGradient",
      "SequenceMask",
      "Sigmoid",
      "SigmoidCrossEntropyWithLogits",
      "SigmoidGradient",
      "Sin",
      "Sinh",
      "Softmax",
      "SoftmaxWithLoss",
      "SoftmaxWithLossGradient",
      "Softplus",
      "SoftplusGradient",
      "Softsign",
      "SoftsignGradient",
      "SortedSegmentMean",
      "SortedSegmentWeightedSum",
      "SparseAdagrad",
      "SparseAdam",
      "SparseLengthsIndicesInGradientWeightedSumWithMainInputGradient",
      "SparseLengthsMean",
      "SparseLengthsWeightedSum",
      "SparseMomentumSGDUpdate",
      "SparseSortedSegmentMean",
      "SparseSortedSegmentSum",
      "SparseSortedSegmentWeightedSum",
      "SparseToDense",
      "SparseUnsortedSegmentMean",
      "SparseUnsortedSegmentSum",
      "SparseUnsortedSegmentWeightedSum",
      "SpatialBN",
      "SpatialBNGradient",
      "Sqrt",
      "SquaredL2Distance",
      "SquaredL2DistanceGradient",
      "SumSqrElements",
      "Swish",
      "SwishGradient",
      "Tan",
      "Tanh",
      "TanhGradient",
      "ThresholdedRelu",
      "TopK",
      "UnpackSegments",
      "UnsortedSegmentMean",
      "UnsortedSegmentWeightedSum",
      "WeightedSum"};
  for (std::string_view const type : single_precision) table.restrict(type, asks::no_doubles);

  // If, While, Do and Free may have any names twice; the others came later.
  static constexpr std::string_view without_schema[] = {
      "AliasWithName", "Do", "Erf",   "ErfGradient",      "Free",       "Gelu",
      "GeluGradient",  "If", "IsNaN", "LengthsToOffsets", "LogSoftmax", "LogSoftmaxGradient",
      "While"};
  for (op_schema const* s : table.schemas()) {
    std::string const type = s->type();
    table.expect_exact_numbers(type);
    if (std::ranges::find(without_schema, type) == std::end(without_schema))
      table.restrict_names(type, caffe2_in_place(type));
  }
}

}  // namespace plait
