// Gradient rules of element-wise functions and arithmetic, in the table of the run-time backward pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/detail/rules/elementwise_rules.hpp>
#include <plait/gradient/detail/rules/simple_rules.hpp>
#include <plait/gradient/gradient_rules.hpp>

namespace plait {

namespace detail {

// y = x0 w0 + x1 w1 + …, each w of one element.
inline void weighted_sum_gradient(gradient_context& c) {
  gradient_operand const dy = c.output_gradient(0);
  for (std::size_t i = 0; i + 1 < c.listed_input_count(); i += 2) {
    c.op("Mul", {dy, c.input(i + 1)}, {c.input_gradient(i)}).own_arguments().argument("broadcast", std::int64_t{1});
    std::string const name = c.gradient_name(i + 1) + "_autogen_pre_red";
    gradient_operand const product = c.temporary(name);
    c.op("Mul", {dy, c.input(i)}, {product}).own_arguments();
    c.op("SumReduceLike", {product, c.input(i + 1)}, {c.input_gradient(i + 1)}).own_arguments();
  }
}

// Caffe2's version: one op, which computes gradients of the weights only with the argument grad_on_w.
inline void caffe2_weighted_sum_gradient(gradient_context& c) {
  std::vector<gradient_operand> reads = {c.output_gradient(0)};
  std::vector<gradient_operand> writes;
  for (std::size_t i = 0; i != c.listed_input_count(); ++i) reads.push_back(c.input(i));
  for (std::size_t i = 0; i < c.listed_input_count(); i += 2) writes.push_back(c.input_gradient(i));
  if (c.argument<std::int64_t>("grad_on_w", 0) != 0)
    for (std::size_t i = 1; i < c.listed_input_count(); i += 2) writes.push_back(c.input_gradient(i));
  c.op("WeightedSumGradient", reads, writes);
}

}  // namespace detail

/// Adds the rules of element-wise functions and arithmetic.
inline void add_elementwise_rules(gradient_rules& rules) {
  for (simple_rule const& entry : elementwise_rules) add_simple_rule(rules, entry);
  for (auto const& [type, make] : composed_elementwise_rules<gradient_context>) rules.set(type, make);
  rules.set("WeightedSum", detail::weighted_sum_gradient);
  rules.set("NanCheck", [](gradient_context& c) { c.op("NanCheck", {c.output_gradient(0)}, {c.input_gradient(0)}); });
}

}  // namespace plait
