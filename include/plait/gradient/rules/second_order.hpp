// Rules of gradient operators: gradients of gradients. Not in Caffe2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/gradient/gradient_context.hpp>
#include <plait/gradient/gradient_rules.hpp>
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

// dW = dyᵀ x, db = Σ dy, dx = dy W; each of the three may have a gradient.
inline void fc_gradient_gradient(gradient_context& c) {
  c.refuse_unless(c.argument<std::int64_t>("axis", 1) == 1 && c.argument<std::int64_t>("axis_w", 1) == 1,
                  "gradients of gradients of FC are there for axis 1 only");
  gradient_operand const x = c.input(0);
  gradient_operand const w = c.input(1);
  gradient_operand const dy = c.input(2);
  std::string const name = c.gradient_name(2);
  std::vector<gradient_operand> by_dy;
  auto const product = [&](gradient_operand a, gradient_operand b, bool transpose_a, bool transpose_b,
                           gradient_operand to) {
    made_op op = c.op("MatMul", {a, b}, {to}).own_arguments();
    if (transpose_a) op.argument("trans_a", std::int64_t{1});
    if (transpose_b) op.argument("trans_b", std::int64_t{1});
  };
  if (c.has_gradient(0)) {
    gradient_operand const g = c.output_gradient(0);
    product(dy, g, false, false, c.input_gradient(0));
    product(x, g, false, true, by_dy.emplace_back(c.temporary(name + "_by_weights")));
  }
  if (c.output_count() > 2 && c.has_gradient(2)) {
    gradient_operand const g = c.output_gradient(2);
    product(dy, g, true, false, c.input_gradient(1));
    product(g, w, false, true, by_dy.emplace_back(c.temporary(name + "_by_input")));
  }
  if (c.has_gradient(1)) {
    gradient_operand const zero = c.temporary(name + "_zero");
    c.op("ConstantFill", {dy}, {zero}).own_arguments().argument("value", 0.0f);
    c.op("Add", {zero, c.output_gradient(1)}, {by_dy.emplace_back(c.temporary(name + "_by_bias"))})
        .own_arguments()
        .argument("broadcast", std::int64_t{1});
  }
  if (by_dy.size() == 1)
    c.pass(2, by_dy.front());
  else if (!by_dy.empty())
    c.op("Sum", by_dy, std::vector{c.input_gradient(2)}).own_arguments();
}

}  // namespace detail

inline void add_second_order_rules(gradient_rules& rules) {
  for (simple_rule const& entry : second_order_rules) add_simple_rule(rules, entry);
  rules.set("TanhGradient", detail::tanh_gradient_gradient);
  rules.set("SigmoidGradient", detail::sigmoid_gradient_gradient);
  rules.set("FCGradient", detail::fc_gradient_gradient);
}

}  // namespace plait
