// Gradient rules of data movement: gather and scatter, segments, concat and split, reshapes, copies, casts. Emit the
// ops of Caffe2's gradient makers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/detail/rules/lists.hpp>
#include <plait/gradient/detail/rules/simple_rules.hpp>
#include <plait/gradient/gradient_rules.hpp>

namespace plait {

inline constexpr simple_rule movement_rules[] = {
    {"BatchDenseToSparse", "BatchSparseToDense", "i0 i1 g0 i2", "2"},
    {"BatchGather", "BatchGatherGradient", "i0 i1 g0", "0"},
    {"BatchPermutation", "BatchPermutationGradient", "i1 g0", "0"},
    {"BatchSparseToDense", "BatchDenseToSparse", "i0 i1 g0", "2"},
    {"Copy", "CopyOnDeviceLike", "g0 i0", "0"},
    {"CopyCPUToGPU", "CopyGPUToCPU", "g0", "0"},
    {"CopyFromCPUInput", "CopyOnDeviceLike", "g0 i0", "0"},
    {"CopyGPUToCPU", "CopyCPUToGPU", "g0", "0"},
    {"CopyOnDeviceLike", "CopyOnDeviceLike", "g0 i0", "0"},
    {"EnsureCPUOutput", "CopyOnDeviceLike", "g0 i0", "0"},
    {"ExpandDims", "Squeeze", "g0", "0"},
    {"Flatten", "ResizeLike", "g0 i0", "0"},
    {"FlattenToVec", "ResizeLike", "g0 i0", "0"},
    {"FloatToHalf", "HalfToFloat", "g0", "0"},
    {"HalfToFloat", "FloatToHalf", "g0", "0"},
    {"LengthsMax", "LengthsMaxWithMainInputAndForwardOutputGradient", "o0 g0 i1 i0", "0"},
    {"LengthsMean", "LengthsMeanGradient", "g0 i1", "0"},
    {"LengthsSum", "LengthsIndicesInGradientSumGradient", "g0 i1 i0", "0"},
    {"LengthsTile", "LengthsSum", "g0 i1", "0"},
    {"MergeDim", "ResizeLike", "g0 i0", "0"},
    {"NCHW2NHWC", "NHWC2NCHW", "g0", "0"},
    {"NHWC2NCHW", "NCHW2NHWC", "g0", "0"},
    {"PackRNNSequence", "UnpackRNNSequence", "g0 i1", "0"},
    {"ResizeLike", "ResizeLike", "g0 i0", "0"},
    {"ReversePackedSegs", "ReversePackedSegs", "g0 i1", "0"},
    {"SortedSegmentMean", "SortedSegmentMeanGradient", "g0 i1", "0"},
    {"SortedSegmentRangeLogMeanExp", "SortedSegmentRangeLogMeanExpGradient", "i0 o0 g0 i1", "0"},
    {"SortedSegmentRangeLogSumExp", "SortedSegmentRangeLogSumExpGradient", "i0 o0 g0 i1", "0"},
    {"SortedSegmentRangeMax", "SortedSegmentRangeMaxGradient", "i0 o0 g0 i1", "0"},
    {"SortedSegmentRangeMean", "SortedSegmentRangeMeanGradient", "i0 o0 g0 i1", "0"},
    {"SortedSegmentRangeSum", "SortedSegmentRangeSumGradient", "i0 o0 g0 i1", "0"},
    {"SortedSegmentSum", "SortedSegmentSumGradient", "g0 i1", "0"},
    {"SortedSegmentWeightedSum", "SortedSegmentWeightedSumGradient", "i1 g0 i2", "0"},
    {"SparseToDenseMask", "SparseToDenseMaskGradient", "i0 g0 i3*", "1"},
    {"StridedSlice", "StridedSliceGradient", "g0 i*", "0"},
    {"Tile", "TileGradient", "g0 i1*", "0"},
    {"TopK", "TopKGradient", "g0 o1 i0", "0"},
    {"Trilu", "Trilu", "g0 i1*", "0"},
    {"UnsortedSegmentMean", "UnsortedSegmentMeanGradient", "g0 i1", "0"},
    {"UnsortedSegmentSum", "UnsortedSegmentSumGradient", "g0 i1", "0"},
    {"UnsortedSegmentWeightedSum", "UnsortedSegmentWeightedSumGradient", "i1 g0 i2", "0"},
};

namespace detail {

inline void pass_first(gradient_context& c) { c.pass(0, c.output_gradient(0)); }

// Makes dy, rows at the indices, the sparse gradient of input 0; a dense one with the argument dense_gradient.
inline void pass_rows(gradient_context& c, gradient_operand dy, gradient_operand indices) {
  if (c.argument<std::int64_t>("dense_gradient", 0) != 0)
    c.op("SparseToDense", {indices, dy, c.input(0)}, {c.input_gradient(0)});
  else
    c.pass(0, {.values = dy, .indices = indices});
}

// Rows that were cut off, and time steps after the longest sequence, get zeros: the gradient has the shape of X, unlike
// Caffe2's.
inline void pack_gradient(gradient_context& c) {
  std::vector<gradient_operand> reads = {c.input(0), c.output_gradient(0)};
  bool const cuts = c.argument<std::int64_t>("max_length", -1) >= 0 || c.listed_input_count() == 3;
  if (cuts && !c.as_caffe2()) reads.push_back(c.input(1));
  c.op("UnpackSegments", reads, std::vector{c.input_gradient(1)});
}
inline void unpack_gradient(gradient_context& c) {
  std::vector<gradient_operand> reads = {c.input(0), c.output_gradient(0)};
  if (!c.as_caffe2()) reads.push_back(c.input(1));
  c.op("PackSegments", reads, std::vector{c.input_gradient(1)});
}
inline void unpack_rnn_gradient(gradient_context& c) {
  std::vector<gradient_operand> reads = {c.output_gradient(0), c.input(1)};
  if (!c.as_caffe2()) reads.push_back(c.input(0));
  c.op("PackRNNSequence", reads, std::vector{c.input_gradient(0)});
}

inline void row_gather_gradient(gradient_context& c) { pass_rows(c, c.output_gradient(0), c.input(1)); }

// Along other axes, and with indices that may be negative, the gradient is dense: ignores `dense_gradient`, whose value
// 0 Caffe2 refuses.
inline void gather_gradient(gradient_context& c) {
  auto const axis = c.argument<std::int64_t>("axis", 0);
  bool const wraps = c.argument<std::int64_t>("wrap_indices", 0) != 0;
  if (axis == 0 && !wraps) return row_gather_gradient(c);
  auto made = c.op("BatchGatherGradient", {c.input(0), c.input(1), c.output_gradient(0)}, {c.input_gradient(0)});
  if (!c.has_argument("axis")) made.argument("axis", axis);
}

// Adds dy to zeros in the shape of X, at the places that were gathered. Not in Caffe2.
inline void gather_elements_gradient(gradient_context& c) {
  gradient_operand const dy = c.output_gradient(0);
  gradient_operand const zeros = c.temporary(c.gradient_name(0) + "_zeros");
  c.op("ZerosLike", {c.input(0)}, {zeros}).own_arguments();
  c.op("ScatterElements", {zeros, c.input(1), dy}, {c.input_gradient(0)}).argument("reduction", std::string("add"));
}
inline void gather_nd_gradient(gradient_context& c) {
  c.refuse_unless(c.argument<std::int64_t>("batch_dims", 0) == 0, "with batch_dims it has no gradient");
  gradient_operand const dy = c.output_gradient(0);
  gradient_operand const zeros = c.temporary(c.gradient_name(0) + "_zeros");
  c.op("ZerosLike", {c.input(0)}, {zeros}).own_arguments();
  c.op("ScatterND", {zeros, c.input(1), dy}, {c.input_gradient(0)})
      .own_arguments()
      .argument("reduction", std::string("add"));
}

// ScatterElements and ScatterND: the updates gather dy at their places. Without a reduction they replace elements of X,
// and only the last update of a place has a gradient: the one whose number is found there once all numbers have been
// scattered. Not in Caffe2.
inline void scatter_gradient(gradient_context& c, std::string_view scatter, std::string_view gather) {
  auto const reduction = c.argument<std::string>("reduction", "none");
  c.refuse_unless(reduction == "none" || reduction == "add",
                  "with the reduction '" + reduction + "' it has no gradient");
  gradient_operand const dy = c.output_gradient(0);
  gradient_operand const places = c.input(1);
  gradient_operand const updates = c.input(2);
  auto const axis = c.argument<std::int64_t>("axis", 0);
  auto const make = [&](std::string_view type, std::vector<gradient_operand> reads, gradient_operand made) {
    made_op op = c.op(type, std::move(reads), std::vector{made});
    op.own_arguments();
    if (type == "ScatterElements" || type == "GatherElements") op.argument("axis", axis);
    return op;
  };
  auto const temporary = [&](char const* ending) { return c.temporary(c.gradient_name(2) + ending); };
  if (reduction == "add") {
    if (c.is_wanted(0)) c.pass(0, dy);
    if (c.is_wanted(2)) make(gather, {dy, places}, c.input_gradient(2));
    return;
  }
  gradient_operand const zeros = temporary("_zeros");
  make("ZerosLike", {updates}, zeros);
  if (c.is_wanted(0)) make(scatter, {dy, places, zeros}, c.input_gradient(0));
  if (!c.is_wanted(2)) return;
  gradient_operand const count = temporary("_count");
  gradient_operand const list = temporary("_list");
  gradient_operand const numbers = temporary("_numbers");
  gradient_operand const blank = temporary("_blank");
  gradient_operand const left = temporary("_left");
  gradient_operand const found = temporary("_found");
  gradient_operand const is_last = temporary("_is_last");
  gradient_operand const gathered = temporary("_gathered");
  make("Size", {updates}, count);
  make("Range", {count}, list);
  make("ResizeLike", {list, updates}, numbers);
  make("ConstantFill", {c.input(0)}, blank).argument("value", std::int64_t{0}).argument("dtype", std::int64_t{10});
  make(scatter, {blank, places, numbers}, left);
  make(gather, {left, places}, found);
  make("EQ", {found, numbers}, is_last);
  make(gather, {dy, places}, gathered);
  make("Where", {is_last, gathered, zeros}, c.input_gradient(2));
}

// Sums in the other direction. Not in Caffe2.
inline void cumulative_sum_gradient(gradient_context& c) {
  std::vector<gradient_operand> reads = {c.output_gradient(0)};
  if (c.listed_input_count() > 1) reads.push_back(c.input(1));
  made_op op = c.op("CumSum", reads, std::vector{c.input_gradient(0)});
  op.own_arguments();
  op.argument("reverse", std::int64_t{c.argument<std::int64_t>("reverse", 0) == 0 ? 1 : 0});
  for (std::string_view const key : {"axis", "exclusive"})
    if (auto value = c.any_argument(key)) op.argument(key, std::move(*value));
}

// Gathers the row indices as the rows were gathered, which gives each row's origin, in the lengths' type. Not in
// Caffe2.
inline void lengths_gather_gradient(gradient_context& c) {
  gradient_operand const dy = c.output_gradient(0);
  gradient_operand const lengths = c.input(1);
  std::string const name = c.gradient_name(0) + "_indices";
  gradient_operand const total = c.temporary(name);
  gradient_operand const numbers = c.temporary(name);
  gradient_operand const indices = c.temporary(name);
  c.op("SumElementsInt", {lengths}, {total}).own_arguments();
  c.op("Range", {total}, {numbers}).own_arguments();
  c.op("LengthsGather", {numbers, lengths, c.input(2)}, {indices}).own_arguments();
  pass_rows(c, dy, indices);
}

// Scatters dy into zeros. The second output holds the indices of the rows kept; if the op lacks it, another BooleanMask
// computes them. Not in Caffe2.
inline void boolean_mask_gradient(gradient_context& c) {
  gradient_operand const dy = c.output_gradient(0);
  gradient_operand const mask = c.input(1);
  std::string const name = c.gradient_name(0) + "_indices";
  gradient_operand const indices = c.output_count() == 2 ? c.output(1) : c.temporary(name);
  if (c.output_count() != 2) c.op("BooleanMask", {mask, mask}, {c.temporary(name + "_mask"), indices}).own_arguments();
  c.op("SparseToDense", {indices, dy, c.input(0)}, {c.input_gradient(0)}).own_arguments();
}

inline void ensure_dense_gradient(gradient_context& c) {
  if (!c.is_sparse(0)) return c.pass(0, c.output_gradient(0));
  gradient_operands const rows = c.output_rows(0);
  c.op("SparseToDense", {rows.indices, rows.values, c.input(0)}, {c.input_gradient(0)});
}

// Missing gradients of outputs count as zeros; Caffe2 omits them, and the result is too short.
inline void split_gradient(gradient_context& c, bool fill) {
  std::vector<gradient_operand> parts;
  for (std::size_t o = 0; o != c.output_count(); ++o)
    if (fill || c.has_gradient(o)) parts.push_back(gradient_or_zeros(c, o));
  std::string const dims = '_' + c.gradient_name(0) + "_dims";
  c.op("Concat", parts, std::vector{c.input_gradient(0), c.temporary(dims)});
}

inline void concat_gradient(gradient_context& c) {
  c.refuse_unless(c.output_count() == 2, "its second output, the sizes, is needed to split the gradient");
  if (c.as_caffe2() && !c.has_gradient(0)) return;  // only the sizes have one
  std::vector<gradient_operand> parts;
  gradient_operand const dy = c.output_gradient(0);
  for (std::size_t i = 0; i != c.listed_input_count(); ++i) parts.push_back(c.input_gradient(i));
  made_op op = c.op("Split", std::vector{dy, c.output(1)}, parts);
  if (!c.has_argument("split")) return;  // inherits the arguments of the Split whose gradient this Concat is
  op.own_arguments();
  for (std::string_view const key : {"axis", "add_axis", "order"})
    if (auto value = c.any_argument(key)) op.argument(key, std::move(*value));
}

inline void reshape_gradient(gradient_context& c) {
  c.refuse_unless(c.output_count() == 2, "its second output, the old shape, is needed to shape the gradient");
  std::string const dims = '_' + c.gradient_name(0) + "_dims";
  c.op("Reshape", {c.output_gradient(0), c.output(1)}, {c.input_gradient(0), c.temporary(dims)}).own_arguments();
}

inline void slice_gradient(gradient_context& c) {
  std::vector<gradient_operand> reads;
  for (std::size_t i = 0; i != c.listed_input_count(); ++i) reads.push_back(c.input(i));
  reads.push_back(c.output_gradient(0));
  c.op("SliceGradient", reads, std::vector{c.input_gradient(0)});
}

inline void squeeze_gradient(gradient_context& c) {
  if (c.has_argument("dims"))
    c.op("ExpandDims", {c.output_gradient(0)}, {c.input_gradient(0)});
  else
    c.op("ResizeLike", {c.output_gradient(0), c.input(0)}, {c.input_gradient(0)});
}

// A margin of constants is cut off again.
inline void pad_gradient(gradient_context& c) {
  c.refuse_unless(c.argument<std::string>("mode", "constant") == "constant",
                  "its margin repeats elements, which PadImage differentiates");
  auto pads = c.argument<std::vector<std::int64_t>>("pads");
  c.refuse_unless(!pads.empty(), "its pads are an input");
  for (std::int64_t& each : pads) each = -each;
  c.op("Pad", {c.output_gradient(0)}, {c.input_gradient(0)}).argument("pads", pads);
}

inline void transpose_gradient(gradient_context& c) {
  auto const axes = c.argument<std::vector<std::int64_t>>("axes");
  made_op op = c.op("Transpose", {c.output_gradient(0)}, {c.input_gradient(0)});
  if (axes.empty()) return;
  std::vector<std::int64_t> inverse(axes.size());
  for (std::size_t i = 0; i != axes.size(); ++i) {
    c.refuse_unless(axes[i] >= 0 && static_cast<std::size_t>(axes[i]) < axes.size(), "its axes are not a permutation");
    inverse[static_cast<std::size_t>(axes[i])] = static_cast<std::int64_t>(i);
  }
  op.argument("axes", inverse);
}

inline void prepend_gradient(gradient_context& c) {
  c.op("MergeDim", {c.output_gradient(0)}, {c.input_gradient(0)}).own_arguments();
}

inline void dropout_gradient(gradient_context& c) {
  gradient_operand const dy = c.output_gradient(0);
  std::vector<gradient_operand> reads = {dy};
  if (c.argument<std::int64_t>("is_test", 0) == 0) reads.push_back(c.output(1));
  c.op("DropoutGrad", reads, std::vector{c.input_gradient(0)});
}

inline void mask_gradient(gradient_context& c) {
  std::vector<gradient_operand> reads = {c.output_gradient(0)};
  if (c.listed_input_count() > 1) reads.push_back(c.input(1));
  c.op("SequenceMask", reads, std::vector{c.input_gradient(0)}).argument("grad", std::int64_t{1});
}

// Casts back to the type of X, which only the argument from_type provides.
inline void cast_gradient(gradient_context& c) {
  c.refuse_unless(c.has_argument("from_type"), "argument 'from_type' is needed for its gradient");
  auto const number = [&](std::string_view key) -> std::int64_t {
    if (std::optional<argument_value> const given = c.any_argument(key)) {
      if (auto const* const known = std::get_if<std::int64_t>(&*given)) return *known;
      if (auto const* const text = std::get_if<std::string>(&*given)) {
        constexpr std::string_view names[] = {"undefined", "float",  "int32", "byte",  "string", "bool",    "uint8",
                                              "int8",      "uint16", "int16", "int64", "",       "float16", "double"};
        std::string lower = *text;
        for (char& letter : lower)
          if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
        for (std::size_t i = 0; i != std::size(names); ++i)
          if (lower == names[i]) return static_cast<std::int64_t>(i);
      }
    }
    c.refuse("argument '" + std::string(key) + "' is not an element type");
  };
  std::int64_t const to = number("to");
  std::int64_t const from = number("from_type");
  c.op("Cast", {c.output_gradient(0)}, {c.input_gradient(0)})
      .own_arguments()
      .argument("to", from)
      .argument("from_type", to);
}

// Sums over lists of rows of a table (embedding bag): sparse gradients at the indices.
inline void sparse_lengths_sum_gradient(gradient_context& c) {
  c.op("SparseLengthsIndicesInGradientSumGradient", {c.output_gradient(0), c.input(2), c.input(1)},
       {c.input_gradient_rows(0, c.input(1))});
}
inline void sparse_lengths_mean_gradient(gradient_context& c) {
  c.op("SparseLengthsMeanGradient", {c.output_gradient(0), c.input(2)}, {c.input_gradient_rows(0, c.input(1))});
}
inline void sparse_lengths_weighted_sum_gradient(gradient_context& c) {
  if (c.argument<std::int64_t>("grad_on_weights", 0) != 0)
    c.op("SparseLengthsIndicesInGradientWeightedSumWithMainInputGradient",
         {c.input(1), c.output_gradient(0), c.input(3), c.input(0), c.input(2)},
         {c.input_gradient_rows(0, c.input(2)), c.input_gradient(1)});
  else
    c.op("SparseLengthsIndicesInGradientWeightedSumGradient",
         {c.input(1), c.output_gradient(0), c.input(3), c.input(2)}, {c.input_gradient_rows(0, c.input(2))});
}
inline void lengths_weighted_sum_gradient(gradient_context& c) {
  if (c.argument<std::int64_t>("grad_on_weights", 0) != 0)
    c.op("LengthsWeightedSumWithMainInputGradient", {c.input(1), c.output_gradient(0), c.input(2), c.input(0)},
         {c.input_gradient(0), c.input_gradient(1)});
  else
    c.op("LengthsWeightedSumGradient", {c.input(1), c.output_gradient(0), c.input(2)}, {c.input_gradient(0)});
}
// Sparse…Segment…: the gradient of the op without Sparse, as a sparse gradient at the indices.
inline void sparse_segment_gradient(gradient_context& c) {
  std::string const type = std::string(c.type().substr(std::string_view("Sparse").size())) + "Gradient";
  if (c.listed_input_count() == 4)
    c.op(type, {c.input(1), c.output_gradient(0), c.input(3)}, {c.input_gradient_rows(0, c.input(2))});
  else
    c.op(type, {c.output_gradient(0), c.input(2)}, {c.input_gradient_rows(0, c.input(1))});
}
// Caffe2's Gather inherits arguments that it does not know.
inline void sparse_to_dense_gradient(gradient_context& c) {
  made_op op = c.op("Gather", {c.output_gradient(0), c.input(0)}, {c.input_gradient(1)});
  if (!c.as_caffe2()) op.own_arguments();
}

// Fills with zeros, so that an output without readers has a gradient.
inline void zero_gradient(gradient_context& c) {
  c.op("ConstantFill", {c.input(0)}, {c.input_gradient(0)}).argument("value", 0.0f);
}

}  // namespace detail

/// Adds the rules of data movement.
inline void add_movement_rules(gradient_rules& rules) {
  for (simple_rule const& entry : movement_rules) add_simple_rule(rules, entry);
  for (std::string_view const type : {"Alias", "AliasWithName"}) rules.set(type, detail::pass_first);
  rules.set("Gather", detail::gather_gradient);
  rules.set("GatherElements", detail::gather_elements_gradient);
  rules.set("GatherND", detail::gather_nd_gradient);
  rules.set("CumSum", detail::cumulative_sum_gradient);
  rules.set("ScatterElements",
            [](gradient_context& c) { detail::scatter_gradient(c, "ScatterElements", "GatherElements"); });
  rules.set("ScatterND", [](gradient_context& c) { detail::scatter_gradient(c, "ScatterND", "GatherND"); });
  rules.set("LengthsGather", detail::lengths_gather_gradient);
  rules.set("BooleanMask", detail::boolean_mask_gradient);
  add_list_rules(rules);
  rules.set("EnsureDense", detail::ensure_dense_gradient);
  rules.set("PackSegments", detail::pack_gradient);
  rules.set("UnpackSegments", detail::unpack_gradient);
  rules.set("UnpackRNNSequence", detail::unpack_rnn_gradient);
  rules.set("Split", [](gradient_context& c) { detail::split_gradient(c, true); });
  rules.set("Concat", detail::concat_gradient);
  rules.set("Reshape", detail::reshape_gradient);
  rules.set("Slice", detail::slice_gradient);
  rules.set("Squeeze", detail::squeeze_gradient);
  rules.set("Pad", detail::pad_gradient);
  rules.set("Transpose", detail::transpose_gradient);
  rules.set("PrependDim", detail::prepend_gradient);
  rules.set("Dropout", detail::dropout_gradient).repeatable = false;
  rules.set("SequenceMask", detail::mask_gradient);
  rules.set("Cast", detail::cast_gradient);
  rules.set("SparseLengthsSum", detail::sparse_lengths_sum_gradient);
  rules.set("SparseLengthsMean", detail::sparse_lengths_mean_gradient);
  rules.set("SparseLengthsWeightedSum", detail::sparse_lengths_weighted_sum_gradient);
  rules.set("LengthsWeightedSum", detail::lengths_weighted_sum_gradient);
  for (std::string_view const type :
       {"SparseSortedSegmentSum", "SparseSortedSegmentMean", "SparseSortedSegmentWeightedSum",
        "SparseUnsortedSegmentSum", "SparseUnsortedSegmentMean", "SparseUnsortedSegmentWeightedSum"})
    rules.set(type, detail::sparse_segment_gradient);
  rules.set("SparseToDense", detail::sparse_to_dense_gradient);
  rules.set("ZeroGradient", detail::zero_gradient).always = true;
  rules.set_none({"StopGradient"});
  rules.edit("StopGradient").must_be_read = true;
  rules.edit("StopGradient").has_inactive_outputs = true;
}

}  // namespace plait
