// Linearity of static cells: how a result depends on some of the inputs, derived from the ops between them.
//
// A gradient op is linear in the gradient that it reads, whose place its rule says (rules/elementwise_rules.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/gradient/detail/rules/elementwise_rules.hpp>
#include <plait/net/detail/traced_net.hpp>

namespace plait {

/// How a value depends on inputs together, for fixed values of the other inputs. Each case includes those before it.
enum class cell_dependence : std::uint8_t { none, linear, affine, nonlinear };

namespace detail {

/// Returns the input of a gradient op that is a gradient, npos for other ops.
constexpr std::size_t gradient_input(cell_op function) {
  std::size_t found = npos;
  auto const look_in = [&](auto const& rules) {
    for (simple_rule const& rule : rules) {
      if (rule.gradient != cell_ops[function].name || !rule.gradient.ends_with("Gradient")) continue;
      std::size_t at = 0;
      each_word(rule.reads, [&](std::string_view word) {
        if (word.front() == 'g') found = at;
        ++at;
      });
    }
  };
  look_in(elementwise_rules);
  look_in(row_reduction_rules);
  return found;
}

/// Returns the dependence of an op's results, from those of its inputs. `is_zero`: by value, whether it is the
/// constant.
constexpr cell_dependence dependence_of(traced_op const& op, std::vector<cell_dependence> const& values,
                                        std::vector<char> const& is_zero) {
  auto const input = [&](std::size_t i) { return values[op.inputs[i]]; };
  // A sum of two inputs, or a choice between them: a constant other than zero makes it affine.
  auto const join = [&](std::size_t i, std::size_t k) {
    cell_dependence const a = input(i);
    cell_dependence const b = input(k);
    bool const shifts = (a == cell_dependence::none && is_zero[op.inputs[i]] == 0 && b != cell_dependence::none) ||
                        (b == cell_dependence::none && is_zero[op.inputs[k]] == 0 && a != cell_dependence::none);
    return shifts ? std::max({a, b, cell_dependence::affine}) : std::max(a, b);
  };
  cell_dependence all = cell_dependence::none;
  for (std::size_t i = 0; i != op.input_count; ++i) all = std::max(all, input(i));
  // Linear in input i, as long as no other input varies.
  auto const linear_in = [&](std::size_t i) {
    for (std::size_t k = 0; k != op.input_count; ++k)
      if (k != i && input(k) != cell_dependence::none) return cell_dependence::nonlinear;
    return input(i);
  };
  if (all == cell_dependence::none) return all;
  switch (op.function) {
    case cell_op_number("Add"):
    case cell_op_number("Sub"):
      return join(0, 1);
    case cell_op_number("Mul"):
      return linear_in(input(0) == cell_dependence::none ? 1 : 0);
    case cell_op_number("Div"):
    case cell_op_number("Copy"):
    case cell_op_number("Negative"):
    case cell_op_number("ReduceBackMean"):
    case cell_op_number("ReduceBackSum"):
    case cell_op_number("Scale"):
      return linear_in(0);
    case cell_op_number("ReduceBackMeanGradient"):  // the second input gives the width
    case cell_op_number("ReduceBackSumGradient"):
      return input(0);
    case cell_op_number("DivGradient"):  // rules that are functions name no place of the gradient
      return linear_in(2);
    case cell_op_number("EluGradient"):
    case cell_op_number("LeakyReluGradient"):
    case cell_op_number("MaxGradient"):
    case cell_op_number("MinGradient"):
      return linear_in(1);
    case cell_op_number("Where"):
      return input(0) == cell_dependence::none ? join(1, 2) : cell_dependence::nonlinear;
    default:
      break;
  }
  std::size_t const gradient = gradient_input(op.function);
  return gradient == npos ? cell_dependence::nonlinear : linear_in(gradient);
}

}  // namespace detail

/// Returns how a result of a cell depends on inputs, all together: affine in {1, 2} is a(x0) x1 + b(x0) x2 + c(x0).
[[nodiscard]] constexpr cell_dependence dependence(traced_net const& net, std::size_t output,
                                                   std::initializer_list<std::size_t> inputs) {
  std::vector<cell_dependence> values(net.value_count(), cell_dependence::none);
  for (std::size_t const i : inputs) values[i] = cell_dependence::linear;
  std::vector<char> is_zero(net.value_count(), 0);
  for (traced_op const& op : net.list()) {
    if (op.info().kind == cell_op_class::fill && op.number(0) == 0) is_zero[op.output] = 1;
    cell_dependence const made = detail::dependence_of(op, values, is_zero);
    for (std::size_t o = 0; o != op.output_count; ++o) values[op.output + o] = made;
  }
  return values[net.external_outputs()[output]];
}

}  // namespace plait
