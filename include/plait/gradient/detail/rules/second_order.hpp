// Second-order gradient rules: rules of gradient operators. Not in Caffe2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/detail/rules/matrix.hpp>
#include <plait/gradient/detail/rules/second_order_rows.hpp>
#include <plait/gradient/detail/rules/simple_rules.hpp>
#include <plait/gradient/gradient_rules.hpp>

namespace plait {

/// Gradient operators that are linear in the incoming gradient and otherwise read signs, indices and shapes only, whose
/// derivative is zero: each rule emits the transposed operator.
inline constexpr simple_rule second_order_rules[] = {
    {"AbsGradient", "AbsGradient", "i0 g0", "1"},
    {"AveragePoolGradient", "AveragePool", "g0", "2"},
    {"AveragedLossGradient", "AveragedLoss", "g0", "1"},
    {"ClipGradient", "ClipGradient", "i0 g0", "1"},
    {"DropoutGrad", "DropoutGrad", "g0 i1*", "0"},
    {"HardSigmoidGradient", "HardSigmoidGradient", "i0 g0", "1"},
    {"LengthsIndicesInGradientSumGradient", "LengthsSum", "g0 i1", "0"},
    {"LengthsMeanGradient", "LengthsMean", "g0 i1", "0"},
    {"LeakyReluGradient", "LeakyReluGradient", "i0 g0", "1"},
    {"ReduceBackMeanGradient", "ReduceBackMean", "g0 i2*", "0"},
    {"ReduceBackSumGradient", "ReduceBackSum", "g0 i2*", "0"},
    {"ReduceFrontMeanGradient", "ReduceFrontMean", "g0 i2*", "0"},
    {"ReduceFrontSumGradient", "ReduceFrontSum", "g0 i2*", "0"},
    {"ReduceMeanGradient", "ReduceMean", "g0 i3*", "0"},
    {"ReduceSumGradient", "ReduceSum", "g0 i3*", "0"},
    {"ReluGradient", "ReluGradient", "i0 g0", "1"},
    {"ReluNGradient", "ReluNGradient", "i0 g0", "1"},
    {"SortedSegmentMeanGradient", "SortedSegmentMean", "g0 i1", "0"},
    {"SortedSegmentSumGradient", "SortedSegmentSum", "g0 i1", "0"},
    {"SumElementsGradient", "SumElements", "g0", "1"},
    {"ThresholdedReluGradient", "ThresholdedReluGradient", "i0 g0", "1"},
    {"TileGradient", "Tile", "g0 i1*", "0"},
};

namespace detail {

inline void gather_gradient_gradient(gradient_context& c) {
  auto made = c.op("Gather", {c.output_gradient(0), c.input(1)}, {c.input_gradient(2)});
  if (!c.has_argument("axis")) made.argument("axis", std::int64_t{1});
}

// dx = dy (1 - y²) has the derivatives 1 - y² by dy and -2 y dy by y.
inline void tanh_gradient_gradient(gradient_context& c) {
  gradient_operand const y = c.input(0);
  gradient_operand const g = c.output_gradient(0);
  c.op("TanhGradient", {y, g}, {c.input_gradient(1)});
  gradient_operand const a = c.temporary(c.gradient_name(0));
  gradient_operand const b = c.temporary(c.gradient_name(0));
  c.op("Mul", {g, c.input(1)}, {a}).own_arguments();
  c.op("Mul", {a, y}, {b}).own_arguments();
  c.op("Scale", {b}, {c.input_gradient(0)}).own_arguments().argument("scale", -2.0f);
}

// dx = dy y (1 - y) has the derivatives y (1 - y) by dy and dy (1 - 2 y) by y.
inline void sigmoid_gradient_gradient(gradient_context& c) {
  gradient_operand const y = c.input(0);
  gradient_operand const g = c.output_gradient(0);
  c.op("SigmoidGradient", {y, g}, {c.input_gradient(1)});
  std::string const name = c.gradient_name(0);
  gradient_operand const product = c.temporary(name + "_product");
  gradient_operand const scaled = c.temporary(name);
  gradient_operand const twice = c.temporary(name);
  c.op("Mul", {g, c.input(1)}, {product}).own_arguments();
  c.op("Mul", {product, y}, {scaled}).own_arguments();
  c.op("Scale", {scaled}, {twice}).own_arguments().argument("scale", 2.0f);
  c.op("Sub", {product, twice}, {c.input_gradient(0)}).own_arguments();
}

inline gradient_operand product_of(gradient_context& c, gradient_operand a, gradient_operand b) {
  gradient_operand const made = c.temporary(c.gradient_name(0));
  c.op("Mul", {a, b}, {made}).own_arguments();
  return made;
}

// dx = dy cos x has the derivative -dy sin x by x, the gradient of Cos; that of Cos has the negated gradient of Sin.
inline void sine_gradient_gradient(gradient_context& c) {
  gradient_operand const g = c.output_gradient(0);
  c.op("SinGradient", {c.input(0), g}, {c.input_gradient(1)});
  c.op("CosGradient", {c.input(0), product_of(c, g, c.input(1))}, {c.input_gradient(0)});
}
inline void cosine_gradient_gradient(gradient_context& c) {
  gradient_operand const g = c.output_gradient(0);
  c.op("CosGradient", {c.input(0), g}, {c.input_gradient(1)});
  gradient_operand const opposite = c.temporary(c.gradient_name(0));
  c.op("SinGradient", {c.input(0), product_of(c, g, c.input(1))}, {opposite});
  c.op("Negative", {opposite}, {c.input_gradient(0)}).own_arguments();
}

// Elu and Selu: where y is negative, dx = dy (y + a).
inline void elu_gradient_gradient(gradient_context& c) {
  gradient_operand const g = c.output_gradient(0);
  c.op(c.type(), {c.input(0), g}, {c.input_gradient(1)});
  gradient_operand const opposite = c.temporary(c.gradient_name(0));
  c.op("Negative", {c.input(0)}, {opposite}).own_arguments();
  c.op("ReluGradient", {opposite, product_of(c, g, c.input(1))}, {c.input_gradient(0)}).own_arguments();
}

// dx = dy (1 - e⁻ʸ) has the derivative dy e⁻ʸ by y.
inline void softplus_gradient_gradient(gradient_context& c) {
  gradient_operand const g = c.output_gradient(0);
  c.op("SoftplusGradient", {c.input(0), g}, {c.input_gradient(1)});
  gradient_operand const opposite = c.temporary(c.gradient_name(0));
  gradient_operand const power = c.temporary(c.gradient_name(0));
  c.op("Negative", {c.input(0)}, {opposite}).own_arguments();
  c.op("Exp", {opposite}, {power}).own_arguments();
  c.op("Mul", {product_of(c, g, c.input(1)), power}, {c.input_gradient(0)}).own_arguments();
}

// A convolution is linear in X, in W and in b, and its gradient in X, W and dY: the transpose of each of the three
// products is one of a convolution and its two gradients.
inline void convolution_gradient_gradient(gradient_context& c) {
  gradient_operand const x = c.input(0);
  gradient_operand const w = c.input(1);
  gradient_operand const dy = c.input(2);
  bool const no_bias = c.argument<std::int64_t>("no_bias", 0) != 0;
  std::size_t const of_x = no_bias ? 1 : 2;
  bool const by_weights = c.has_gradient(0);
  bool const by_bias = !no_bias && c.output_count() > 1 && c.has_gradient(1);
  std::vector<gradient_operand> by_dy;
  if (by_weights || by_bias) {
    std::vector<gradient_operand> reads = {x, w};
    if (by_weights)
      reads[1] = c.output_gradient(0);
    else
      c.op("ConstantFill", {w}, {reads[1] = c.temporary(c.gradient_name(1) + "_zero")})
          .own_arguments()
          .argument("value", 0.0f);
    if (by_bias) reads.push_back(c.output_gradient(1));
    c.op("Conv", reads, std::vector{by_dy.emplace_back(c.temporary(c.gradient_name(2) + "_by_weights"))});
  }
  if (by_weights)
    c.op("ConvGradient", {x, c.output_gradient(0), dy}, {c.temporary(c.gradient_name(1)), c.input_gradient(0)})
        .argument("no_bias", std::int64_t{1});
  if (c.output_count() > of_x && c.has_gradient(of_x)) {
    gradient_operand const g = c.output_gradient(of_x);
    c.op("Conv", {g, w}, {by_dy.emplace_back(c.temporary(c.gradient_name(2) + "_by_input"))});
    c.op("ConvGradient", {g, w, dy}, {c.input_gradient(1)});
  }
  add_up(c, by_dy, 2);
}

// dW = dyᵀ x, or xᵀ dy where W is transposed; db = Σ dy; dx = dy W, or dy Wᵀ. Each of the three may have a gradient.
inline void fc_gradient_gradient(gradient_context& c, bool transposed_weights) {
  bool const t = transposed_weights;
  gradient_operand const x = c.input(0);
  gradient_operand const w = c.input(1);
  gradient_operand const dy = c.input(2);
  auto const axis = c.argument<std::int64_t>("axis", 1);
  auto const axis_w = c.argument<std::int64_t>("axis_w", 1);
  std::string const name = c.gradient_name(2);
  std::vector<gradient_operand> by_dy;
  struct factor {
    gradient_operand value;
    bool transposed;
    std::int64_t axis;
  };
  auto const product = [&](factor a, factor b, gradient_operand like, gradient_operand to) {
    transposed(c.op("MatMul", {a.value, b.value, like}, {to}), a.transposed, b.transposed)
        .argument("axis_a", a.axis)
        .argument("axis_b", b.axis);
  };
  if (c.has_gradient(0)) {
    gradient_operand const g = c.output_gradient(0);
    product({dy, false, axis}, {g, t, axis_w}, x, c.input_gradient(0));
    product({x, false, axis}, {g, !t, axis_w}, dy, by_dy.emplace_back(c.temporary(name + "_by_weights")));
  }
  if (c.output_count() > 2 && c.has_gradient(2)) {
    gradient_operand const g = c.output_gradient(2);
    product({t ? g : dy, true, axis}, {t ? dy : g, false, axis}, w, c.input_gradient(1));
    product({g, false, axis}, {w, !t, axis_w}, dy, by_dy.emplace_back(c.temporary(name + "_by_input")));
  }
  if (c.has_gradient(1)) {
    gradient_operand const zero = c.temporary(name + "_zero");
    c.op("ConstantFill", {dy}, {zero}).own_arguments().argument("value", 0.0f);
    c.op("Add", {zero, c.output_gradient(1)}, {by_dy.emplace_back(c.temporary(name + "_by_bias"))})
        .own_arguments()
        .argument("broadcast", std::int64_t{1});
  }
  add_up(c, by_dy, 2);
}

}  // namespace detail

/// Adds the rules of gradient operators.
inline void add_second_order_rules(gradient_rules& rules) {
  for (simple_rule const& entry : second_order_rules) add_simple_rule(rules, entry);
  rules.set("BatchGatherGradient", detail::gather_gradient_gradient);
  rules.set("TanhGradient", detail::tanh_gradient_gradient);
  rules.set("SigmoidGradient", detail::sigmoid_gradient_gradient);
  rules.set("FCGradient", [](gradient_context& c) { detail::fc_gradient_gradient(c, false); });
  rules.set("FCTransposedGradient", [](gradient_context& c) { detail::fc_gradient_gradient(c, true); });
  rules.set("SinGradient", detail::sine_gradient_gradient);
  rules.set("CosGradient", detail::cosine_gradient_gradient);
  rules.set("EluGradient", detail::elu_gradient_gradient);
  rules.set("SeluGradient", detail::elu_gradient_gradient);
  rules.set("SoftplusGradient", detail::softplus_gradient_gradient);
  rules.set("ConvGradient", detail::convolution_gradient_gradient);
  add_second_order_row_rules(rules);
}

}  // namespace plait
