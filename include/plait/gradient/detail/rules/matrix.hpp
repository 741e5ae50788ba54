// Gradient rules of matrix products, convolution, pooling, losses, distances, normalisation, reductions and recurrent
// units. Emit the ops of Caffe2's gradient makers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/detail/rules/elementwise.hpp>
#include <plait/gradient/detail/rules/second_order_rows.hpp>
#include <plait/gradient/detail/rules/simple_rules.hpp>
#include <plait/gradient/gradient_rules.hpp>

namespace plait {

inline constexpr simple_rule matrix_rules[] = {
    {"AveragedLoss", "AveragedLossGradient", "i0 g0", "0"},
    {"ChannelShuffle", "ChannelShuffleGradient", "g0", "0"},
    {"ColwiseMax", "ColwiseMaxGradient", "i0 o0 g0", "0"},
    {"CosineSimilarity", "CosineSimilarityGradient", "i0 i1 g0", "0 1"},
    {"CrossEntropy", "CrossEntropyGradient", "i0 i1 g0", "0"},
    {"DotProduct", "DotProductGradient", "i0 i1 g0", "0 1"},
    {"ElementwiseLinear", "ElementwiseLinearGradient", "g0 i0 i1", "0 1 2"},
    {"FC", "FCGradient", "i0 i1 g0", "1 2 0?"},
    {"FCTransposed", "FCTransposedGradient", "i0 i1 g0", "1 2 0?"},
    {"L1Distance", "L1DistanceGradient", "i0 i1 g0", "0 1"},
    {"LRN", "LRNGradient", "i0 o0 g0", "0"},
    {"LabelCrossEntropy", "LabelCrossEntropyGradient", "i0 i1 g0", "0"},
    {"LogSoftmax", "LogSoftmaxGradient", "o0 g0", "0"},
    {"LpNorm", "LpNormGradient", "i0 g0", "0"},
    {"MakeTwoClass", "MakeTwoClassGradient", "g0", "0"},
    {"Normalize", "NormalizeGradient", "i0 g0", "0"},
    {"ReduceFrontMax", "ReduceFrontMaxGradient", "g0 i0 o0 i1*", "0"},
    {"ReduceFrontMean", "ReduceFrontMeanGradient", "g0 i*", "0"},
    {"ReduceFrontSum", "ReduceFrontSumGradient", "g0 i*", "0"},
    {"ReduceL1", "ReduceL1Gradient", "g0 i0 o0 i1*", "0"},
    {"ReduceL2", "ReduceL2Gradient", "g0 i0 o0 i1*", "0"},
    {"ReduceMax", "ReduceMaxGradient", "g0 i0 o0 i1*", "0"},
    {"ReduceMean", "ReduceMeanGradient", "g0 i0 o0 i1*", "0"},
    {"ReduceMin", "ReduceMinGradient", "g0 i0 o0 i1*", "0"},
    {"ReduceSum", "ReduceSumGradient", "g0 i0 o0 i1*", "0"},
    {"ResizeNearest", "ResizeNearestGradient", "g0 i0", "0"},
    {"RoIAlign", "RoIAlignGradient", "i0 i1 g0", "0"},
    {"RoIAlignRotated", "RoIAlignRotatedGradient", "i0 i1 g0", "0"},
    {"RowwiseMax", "RowwiseMaxGradient", "i0 o0 g0", "0"},
    {"SigmoidCrossEntropyWithLogits", "SigmoidCrossEntropyWithLogitsGradient", "g0 i0 i1", "0"},
    {"Softmax", "SoftmaxGradient", "o0 g0", "0"},
    {"SquaredL2Distance", "SquaredL2DistanceGradient", "i0 i1 g0", "0 1"},
    {"SumElements", "SumElementsGradient", "i0 g0", "0"},
    {"WeightedSigmoidCrossEntropyWithLogits", "WeightedSigmoidCrossEntropyWithLogitsGradient", "g0 i0 i1 i2", "0"},
    {"GRUUnit", "GRUUnitGradient", "i* o0 g0", "0 1"},
};

namespace detail {

// LSTMUnit in Caffe2, which requires gradients of both the hidden and the cell state.
inline constexpr simple_rule gradient_of_lstm_unit{"LSTMUnit", "LSTMUnitGradient", "i* o0 o1 g0 g1", "0 1 2"};

// A missing gradient counts as zeros: nothing reads the cell state of the last time step.
inline void lstm_unit_gradient(gradient_context& c) {
  std::vector<gradient_operand> reads;
  for (std::size_t i = 0; i != c.listed_input_count(); ++i) reads.push_back(c.input(i));
  for (std::size_t o = 0; o != 2; ++o) reads.push_back(c.output(o));
  for (std::size_t o = 0; o != 2; ++o) {
    if (c.has_gradient(o)) {
      reads.push_back(c.output_gradient(o));
      continue;
    }
    reads.push_back(c.temporary(std::string(c.output_name(o)) + "_grad"));
    c.op("ConstantFill", {c.output(o)}, {reads.back()}).own_arguments().argument("value", 0.0f);
  }
  c.op("LSTMUnitGradient", reads, {c.input_gradient(0), c.input_gradient(1), c.input_gradient(2)});
}

inline made_op transposed(made_op op, bool a, bool b) {
  op.own_arguments();
  if (a) op.argument("trans_a", std::int64_t{1});
  if (b) op.argument("trans_b", std::int64_t{1});
  return op;
}

// C = A' B', each transposed or not: dA' = dC B'ᵀ, dB' = A'ᵀ dC. MatMul's gradients have a third input, whose shape
// they take; second-order gradients assume that its first axis alone counts rows. For other axes a ResizeLike follows
// instead.
inline void matrix_product_gradient(gradient_context& c, std::string_view type, bool shaped) {
  bool const ta = c.argument<std::int64_t>("trans_a", 0) != 0;
  bool const tb = c.argument<std::int64_t>("trans_b", 0) != 0;
  gradient_operand const a = c.input(0);
  gradient_operand const b = c.input(1);
  gradient_operand const dy = c.output_gradient(0);
  auto const axis_a = c.argument<std::int64_t>("axis_a", 1);
  auto const axis_b = c.argument<std::int64_t>("axis_b", 1);
  auto const product = [&](gradient_operand left, gradient_operand right, bool transpose_left, bool transpose_right,
                           std::size_t of, bool left_is_dy) {
    std::vector<gradient_operand> operands = {left, right};
    bool const later = shaped && !c.as_caffe2() && (of == 0 ? axis_a : axis_b) != 1;
    if (shaped && !later) operands.push_back(c.input(of));
    gradient_operand const made = later ? c.temporary(c.gradient_name(of) + "_matrix") : c.input_gradient(of);
    made_op op = transposed(c.op(type, operands, std::vector{made}), transpose_left, transpose_right);
    if (later) c.op("ResizeLike", {made, c.input(of)}, {c.input_gradient(of)}).own_arguments();
    if (!shaped) return;
    // The column axis of dC is 1; that of the other factor is the operand's.
    if (left_is_dy)
      op.argument("axis_b", of == 0 ? axis_b : axis_a);
    else
      op.argument("axis_a", of == 0 ? axis_b : axis_a);
  };
  if (!ta)
    product(dy, b, false, !tb, 0, true);
  else
    product(b, dy, tb, true, 0, false);
  if (!tb)
    product(a, dy, !ta, false, 1, false);
  else
    product(dy, a, true, ta, 1, true);
}

inline void batch_product_gradient(gradient_context& c) {
  c.refuse_unless(c.argument<std::int64_t>("broadcast", 0) == 0, "BatchMatMul with broadcast has no gradient");
  matrix_product_gradient(c, "BatchMatMul", false);
}

inline void convolution_gradient_of(gradient_context& c, gradient_operand dy) {
  if (c.listed_input_count() == 3)
    c.op("ConvGradient", {c.input(0), c.input(1), dy}, {c.input_gradient(1), c.input_gradient(2), c.input_gradient(0)});
  else
    c.op("ConvGradient", {c.input(0), c.input(1), dy}, {c.input_gradient(1), c.input_gradient(0)})
        .argument("no_bias", std::int64_t{1});
}
inline void convolution_gradient(gradient_context& c) { convolution_gradient_of(c, c.output_gradient(0)); }
// Not in Caffe2.
inline void convolution_relu_gradient(gradient_context& c) {
  gradient_operand const of_conv = c.temporary(c.gradient_name(0) + "_conv");
  c.op("ReluGradient", {c.output(0), c.output_gradient(0)}, {of_conv}).own_arguments();
  convolution_gradient_of(c, of_conv);
}

inline void transposed_convolution_gradient(gradient_context& c) {
  bool const with_bias = c.listed_input_count() == 3;
  std::vector<gradient_operand> gradients{c.input_gradient(1)};
  if (with_bias) gradients.push_back(c.input_gradient(2));
  gradients.push_back(c.input_gradient(0));
  made_op op = c.op("ConvTransposeGradient", std::vector{c.input(0), c.input(1), c.output_gradient(0)}, gradients);
  if (!with_bias) op.argument("no_bias", std::int64_t{1});
}

// Recomputes moments that are not outputs, which Caffe2 requires.
inline void layer_norm_gradient(gradient_context& c) {
  std::size_t const outputs = c.output_count();
  c.refuse_unless(outputs == 3 || !c.as_caffe2(), "it should have three outputs: its gradient reads the moments");
  for (std::size_t o = 1; o != outputs; ++o)
    c.refuse_unless(c.as_caffe2() || !c.has_gradient(o), "the mean and the deviation have no gradient");
  bool const usual = outputs == 1 && c.listed_input_count() == 3;
  bool const affine = c.argument<std::int64_t>("elementwise_affine", usual ? 1 : 0) != 0;
  gradient_operand const x = c.input(0);
  std::vector<gradient_operand> made;
  if (outputs == 3) {
    for (std::size_t o = 0; o != 3; ++o) made.push_back(c.output(o));
  } else {
    for (std::size_t o = 0; o != 3; ++o) made.push_back(c.temporary(c.gradient_name(0) + "_norm"));
    c.op("LayerNorm", std::vector{x}, made).argument("elementwise_affine", std::int64_t{0});
  }
  std::vector<gradient_operand> operands = {c.output_gradient(0), made[0], made[1], made[2], x};
  std::vector<gradient_operand> gradients = {c.input_gradient(0)};
  if (affine) {
    operands.push_back(c.input(1));
    gradients.insert(gradients.end(), {c.input_gradient(1), c.input_gradient(2)});
  }
  made_op op = c.op("LayerNormGradient", operands, gradients);
  if (affine && usual) op.argument("elementwise_affine", std::int64_t{1});
}

inline void rms_norm_gradient(gradient_context& c) {
  c.refuse_unless(c.as_caffe2() || !c.has_gradient(1), "the factors of its rows have no gradient");
  c.op("RMSNormGradient", {c.output_gradient(0), c.input(0), c.input(1), c.output(1)},
       {c.input_gradient(0), c.input_gradient(1), c.input_gradient(2)});
}

inline void padded_dot_product_gradient(gradient_context& c) {
  c.op("DotProductWithPaddingGradient", {c.input(0), c.input(1), c.output_gradient(0)},
       {c.input_gradient(0), c.input_gradient(1)})
      .argument("pad_value", c.argument<float>("pad_value", 0))
      .argument("replicate", c.argument<std::int64_t>("replicate", 0));
}

// Sum or mean of squares: the gradient of SumElements, times 2 x. Not in Caffe2.
inline void sum_of_squares_gradient(gradient_context& c) {
  std::string const name = c.gradient_name(0);
  gradient_operand const reduction_backward = c.temporary(name);
  gradient_operand const product = c.temporary(name);
  c.op("SumElementsGradient", {c.input(0), c.output_gradient(0)}, {reduction_backward});
  c.op("Mul", {reduction_backward, c.input(0)}, {product}).own_arguments();
  c.op("Scale", {product}, {c.input_gradient(0)}).own_arguments().argument("scale", 2.0f);
}

// Broadcasts the gradient to the shape of A: zeros of that shape, plus dy. Not in Caffe2.
inline void sum_like_gradient(gradient_context& c) {
  gradient_operand const zero = c.temporary(c.gradient_name(0) + "_zero");
  c.op("ConstantFill", {c.input(0)}, {zero}).own_arguments().argument("value", 0.0f);
  made_op const sum = c.op("Add", {zero, c.output_gradient(0)}, {c.input_gradient(0)});
  // SumReduceLike takes an axis without `broadcast`, Add does not.
  legacy_broadcast const repeat(c);
  if (repeat.used || repeat.axis != -1 || !repeat.axis_text.empty()) repeat.set(sum);
}

// Broadcasts each sum along its row: zeros of the shape of X, plus dy. Not in Caffe2.
inline void tail_sum_gradient(gradient_context& c) {
  gradient_operand const dy = c.output_gradient(0);
  row_ops r(c, 1, c.gradient_name(0) + "_zero");
  gradient_operand const zero = r.filled(c.input(0), 0);
  r.by_row("Add", zero, dy, c.input_gradient(0));
}

// dx = dy p / x with p the product of the other elements, or dy p for an element that is the only zero of its product.
// p is that of all elements but zeros, so that nothing is divided by zero. Not in Caffe2.
inline void product_gradient(gradient_context& c) {
  gradient_operand const x = c.input(0);
  gradient_operand const dy = c.output_gradient(0);
  std::string const name = c.gradient_name(0);
  auto const make = [&](std::string_view type, std::vector<gradient_operand> reads, char const* ending) {
    gradient_operand const made = c.temporary(name + ending);
    c.op(type, std::move(reads), std::vector{made}).own_arguments();
    return made;
  };
  auto const filled = [&](gradient_operand like, float value, char const* ending) {
    gradient_operand const made = c.temporary(name + ending);
    c.op("ConstantFill", {like}, {made}).own_arguments().argument("value", value);
    return made;
  };
  // Keeps the reduced axes.
  auto const reduced = [&](std::string_view type, gradient_operand of, char const* ending) {
    gradient_operand const made = c.temporary(name + ending);
    std::vector<gradient_operand> reads{of};
    if (c.listed_input_count() > 1) reads.push_back(c.input(1));
    c.op(type, std::move(reads), std::vector{made}).argument("keepdims", std::int64_t{1});
    return made;
  };
  gradient_operand const zeros = filled(x, 0, "_zeros");
  gradient_operand const ones = filled(x, 1, "_ones");
  gradient_operand const is_zero = make("EQ", {x, zeros}, "_is_zero");
  gradient_operand const factors = make("Where", {is_zero, ones, x}, "_factors");
  gradient_operand const product = reduced("ReduceProd", factors, "_product");
  gradient_operand const count = reduced("ReduceSum", make("Where", {is_zero, ones, zeros}, "_marks"), "_count");
  gradient_operand const none = filled(count, 0, "_none");
  gradient_operand const slope = make("Mul", {product, make("ResizeLike", {dy, product}, "_dy")}, "_slope");
  gradient_operand const has_none = make("EQ", {count, none}, "_has_none");
  gradient_operand const has_one = make("EQ", {count, filled(count, 1, "_one")}, "_has_one");
  gradient_operand const whole = make("Where", {has_none, slope, none}, "_whole");
  gradient_operand const single = make("Where", {has_one, slope, none}, "_single");
  gradient_operand const quotient = make("Div", {whole, factors}, "_quotient");
  gradient_operand const spread = make("Add", {zeros, single}, "_spread");
  c.op("Where", {is_zero, spread, quotient}, {c.input_gradient(0)}).own_arguments();
}

// y = x / n with n = Σ |x|, or 1 where that is 0: dx = (dy - sign(x) Σ dy y) / n, which is dy where all of x is 0.
// Recomputes y from x, so that y need not stay live. Not in Caffe2.
inline void normalize_l1_gradient(gradient_context& c) {
  gradient_operand const x = c.input(0);
  gradient_operand const dy = c.output_gradient(0);
  std::string const name = c.gradient_name(0);
  std::vector<std::int64_t> const axes = {c.argument<std::int64_t>("axis", -1)};
  row_ops r(c, 1, name);
  auto const along_axis = [&](std::string_view type, std::initializer_list<gradient_operand> reads) {
    gradient_operand const made = c.temporary(name);
    c.op(type, reads, {made}).own_arguments().argument("axes", axes);
    return made;
  };
  gradient_operand const sums = along_axis("ReduceL1", {x});
  gradient_operand const none = r.op("EQ", sums, r.filled(sums, 0));
  gradient_operand const n = c.temporary(name + "_norm");
  c.op("Where", {none, r.filled(sums, 1), sums}, {n}).own_arguments();
  gradient_operand const products = r.op("Div", along_axis("ReduceSum", {r.op("Mul", dy, x)}), n);
  gradient_operand const turned = r.op("AbsGradient", x, along_axis("ReduceSumGradient", {products, x}));
  c.op("Div", {r.op("Sub", dy, turned), n}, {c.input_gradient(0)})
      .own_arguments()
      .argument("broadcast", std::int64_t{1});
}

// y = (x - mean) f + bias with f = scale / σ and σ = √(variance + epsilon), by channel: dx = dy f, and with sums over
// all but the channels, db = Σ dy, ds = Σ dy (x - mean) / σ, dmean = -f db, dvariance = -f ds / 2σ. Caffe2's operator
// computes the first three.
inline void batch_norm_test_gradient(gradient_context& c) {
  gradient_operand const scale = c.input(1);
  gradient_operand const variance = c.input(4);
  gradient_operand const dy = c.output_gradient(0);
  std::int64_t const channels = c.argument<std::string>("order", "NCHW") == "NHWC" ? -1 : 1;
  auto const epsilon = c.argument<float>("epsilon", 1e-5f);
  std::string const name = c.gradient_name(0);
  row_ops r(c, 1, name);
  auto const by_channel = [&](std::string_view type, gradient_operand a, gradient_operand numbers,
                              gradient_operand to) {
    c.op(type, {a, numbers}, {to}).own_arguments().argument("broadcast", std::int64_t{1}).argument("axis", channels);
    return to;
  };
  gradient_operand const deviation = c.temporary(name + "_deviation");
  c.op("Sqrt", {r.op("Add", variance, r.filled(variance, epsilon))}, {deviation}).own_arguments();
  gradient_operand const factor = c.temporary(name + "_factor");
  c.op("Div", {scale, deviation}, {factor}).own_arguments();
  by_channel("Mul", dy, factor, c.input_gradient(0));
  gradient_operand const by_bias = by_channel("SumReduceLike", dy, scale, c.input_gradient(2));
  gradient_operand const centered = by_channel("Sub", c.input(0), c.input(3), c.temporary(name));
  gradient_operand const products = r.op("Mul", dy, centered);
  gradient_operand const sums = by_channel("SumReduceLike", products, scale, c.temporary(name));
  gradient_operand const by_scale = c.input_gradient(1);
  c.op("Div", {sums, deviation}, {by_scale}).own_arguments();
  c.op("Negative", {r.op("Mul", by_bias, factor)}, {c.input_gradient(3)}).own_arguments();
  c.op("Scale", {r.op("Div", r.op("Mul", by_scale, factor), deviation)}, {c.input_gradient(4)})
      .own_arguments()
      .argument("scale", -0.5f);
}

// Emits Caffe2's operator, which reads the input moments or, in training, those of the batch.
inline void batch_norm_gradient(gradient_context& c) {
  bool const test = c.argument<std::int64_t>("is_test", 0) != 0;
  c.refuse_unless(c.output_count() == (test ? 1 : 5),
                  test ? "with is_test it should have one output" : "without is_test it should have five outputs");
  for (std::size_t o = 1; o != c.output_count(); ++o)
    c.refuse_unless(c.as_caffe2() || !c.has_gradient(o), "its output means and variances have no gradient");
  c.op("SpatialBNGradient",
       {c.input(0), c.input(1), c.output_gradient(0), test ? c.input(3) : c.output(3), test ? c.input(4) : c.output(4)},
       {c.input_gradient(0), c.input_gradient(1), c.input_gradient(2)});
}

// Reads the moments, which the op outputs on request.
inline void group_norm_gradient(gradient_context& c) {
  c.refuse_unless(c.output_count() == 3, "it should have three outputs: its gradient reads the moments of the groups");
  for (std::size_t o = 1; o != 3; ++o)
    c.refuse_unless(c.as_caffe2() || !c.has_gradient(o), "its output moments have no gradient");
  c.op("GroupNormGradient", {c.output_gradient(0), c.input(0), c.input(1), c.input(2), c.output(1), c.output(2)},
       {c.input_gradient(0), c.input_gradient(1), c.input_gradient(2)});
}

inline constexpr simple_rule gradient_of_softmax_loss = {"SoftmaxWithLoss", "SoftmaxWithLossGradient", "i* o0 g1", "0"};

// Sums the gradient through the loss, as Caffe2's, and that through the probabilities, which Caffe2 drops.
inline void softmax_with_loss_gradient(gradient_context& c) {
  std::vector<gradient_operand> parts;
  bool const both = c.has_gradient(0) && c.has_gradient(1);
  auto const part = [&] { return parts.emplace_back(both ? c.temporary(c.gradient_name(0)) : c.input_gradient(0)); };
  if (!c.has_gradient(0) || c.has_gradient(1)) {
    auto const reads = rule_reads(c, gradient_of_softmax_loss.reads);
    c.op(gradient_of_softmax_loss.gradient, reads, std::vector{part()});
  }
  if (c.has_gradient(0))
    c.op("SoftmaxGradient", {c.output(0), c.output_gradient(0)}, {part()})
        .own_arguments()
        .argument("axis", c.argument<std::int64_t>("axis", 1));
  if (both) c.op("Sum", parts, std::vector{c.input_gradient(0)}).own_arguments();
}

}  // namespace detail

/// Adds the rules of matrix products, convolution, pooling, losses, distances, normalisation, reductions and recurrent
/// units.
inline void add_matrix_rules(gradient_rules& rules) {
  for (simple_rule const& entry : matrix_rules) add_simple_rule(rules, entry);
  for (simple_rule const& entry : row_reduction_rules) add_simple_rule(rules, entry);
  rules.set("LSTMUnit", detail::lstm_unit_gradient);
  rules.set("MatMul", [](gradient_context& c) { detail::matrix_product_gradient(c, "MatMul", true); });
  rules.set("BatchMatMul", detail::batch_product_gradient);
  rules.set("Conv", detail::convolution_gradient);
  rules.set("ConvRelu", detail::convolution_relu_gradient);
  rules.set("ConvTranspose", detail::transposed_convolution_gradient);
  rules.set("LayerNorm", detail::layer_norm_gradient);
  rules.set("RMSNorm", detail::rms_norm_gradient);
  rules.set("DotProductWithPadding", detail::padded_dot_product_gradient);
  rules.set("SumSqrElements", detail::sum_of_squares_gradient);
  rules.set("SumReduceLike", detail::sum_like_gradient);
  rules.set("ReduceTailSum", detail::tail_sum_gradient);
  rules.set("NormalizeL1", detail::normalize_l1_gradient);
  rules.set("ReduceProd", detail::product_gradient);
  rules.set("SpatialBN", [](gradient_context& c) {
    if (c.argument<std::int64_t>("is_test", 0) != 0)
      detail::batch_norm_test_gradient(c);
    else
      detail::batch_norm_gradient(c);
  });
  rules.set("GroupNorm", detail::group_norm_gradient);
  rules.set("SoftmaxWithLoss", detail::softmax_with_loss_gradient);
  add_simple_rule(rules, {"MaxPool", "MaxPoolGradient", "i0 o0 g0", "0"});
  add_simple_rule(rules, {"AveragePool", "AveragePoolGradient", "i0 o0 g0", "0"});
  add_simple_rule(rules, {"PadImage", "PadImageGradient", "g0", "0"});
}

}  // namespace plait
