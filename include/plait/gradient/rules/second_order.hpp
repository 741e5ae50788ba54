// Rules of gradient operators: gradients of gradients. Not in Caffe2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/gradient/gradient_context.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/gradient/rules/matrix.hpp>
#include <plait/gradient/rules/second_order_rows.hpp>
#include <plait/gradient/rules/simple_rules.hpp>

namespace plait {

/// Gradient operators that are linear in the incoming gradient and read nothing else, or a sign, of which the
/// derivative is zero: the same again.
inline constexpr simple_rule second_order_rules[] = {
    {"AbsGradient", "AbsGradient", "i0 g0", "1"},
    {"AveragedLossGradient", "AveragedLoss", "g0", "1"},
    {"LeakyReluGradient", "LeakyReluGradient", "i0 g0", "1"},
    {"ReluGradient", "ReluGradient", "i0 g0", "1"},
    {"SumElementsGradient", "SumElements", "g0", "1"},
};

namespace detail {

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

inline void add_second_order_rules(gradient_rules& rules) {
  for (simple_rule const& entry : second_order_rules) add_simple_rule(rules, entry);
  rules.set("TanhGradient", detail::tanh_gradient_gradient);
  rules.set("SigmoidGradient", detail::sigmoid_gradient_gradient);
  rules.set("FCGradient", [](gradient_context& c) { detail::fc_gradient_gradient(c, false); });
  rules.set("FCTransposedGradient", [](gradient_context& c) { detail::fc_gradient_gradient(c, true); });
  add_second_order_row_rules(rules);
}

}  // namespace plait
