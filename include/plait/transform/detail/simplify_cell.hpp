// Simplification of the code of a static cell: constant folding, value numbering, copy propagation and dead code
// elimination. The code is one block, so that each is one pass over the ops: the solvers of dataflow/, which iterate
// over flow graphs, take ten times the steps of a constant expression.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/net/detail/traced_net.hpp>

namespace plait::detail {

/// Returns the result of an arithmetic op on constants; nothing unless it is the same in float and in double.
constexpr std::optional<double> folded_constant(cell_op function, double argument,
                                                std::span<std::optional<double> const> in) {
  auto const fits = [](double x) {
    double const size = x < 0 ? -x : x;
    return size <= static_cast<double>(std::numeric_limits<float>::max()) &&
           static_cast<double>(static_cast<float>(x)) == x;
  };
  for (auto const& x : in)
    if (!x || !fits(*x)) return std::nullopt;
  std::optional<double> made;
  switch (function) {
    case cell_op_number("Add"):
      made = *in[0] + *in[1];
      break;
    case cell_op_number("Sub"):
      made = *in[0] - *in[1];
      break;
    case cell_op_number("Mul"):
      made = *in[0] * *in[1];
      break;
    case cell_op_number("Div"):
      if (*in[1] != 0) made = *in[0] / *in[1];
      break;
    case cell_op_number("Negative"):
      made = -*in[0];
      break;
    case cell_op_number("Scale"):
      if (fits(argument)) made = argument * *in[0];
      break;
    case cell_op_number("Sqr"):
      made = *in[0] * *in[0];
      break;
    default:
      break;
  }
  return made && fits(*made) ? made : std::nullopt;
}

/// Replaces ops with constant results by fills.
constexpr void fold_constants(traced_code& code) {
  std::vector<std::optional<double>> constants(code.axes.size(), std::nullopt);
  for (traced_op& op : code.ops) {
    if (op.info().kind == cell_op_class::fill) {
      constants[op.output] = op.number(0);
      continue;
    }
    if (op.input_count == 0 || op.output_count != 1) continue;
    std::optional<double> in[4];
    bool all = true;
    for (std::size_t i = 0; i != op.input_count; ++i) {
      in[i] = constants[op.inputs[i]];
      all = all && in[i].has_value();
    }
    if (!all) continue;
    std::optional<double> const value = folded_constant(op.function, op.number(0), {in, op.input_count});
    if (!value) continue;
    constants[op.output] = value;
    op.function = cell_op_number("ConstantFill");
    op.input_count = 0;
    op.arguments = {std::bit_cast<std::uint64_t>(*value), 0};
  }
}

/// Returns the input that an op copies, npos if it copies none: x · 1, x / 1 and x - 0 are x, whatever x.
constexpr std::size_t copied_input(traced_op const& op, std::span<std::optional<double> const> constants) {
  auto const is = [&](std::size_t i, double value) { return constants[op.inputs[i]] == value; };
  switch (op.function) {
    case cell_op_number("Copy"):
    case cell_op_number("ReduceBackSumGradient"):  // repeats the number of each row
      return 0;
    case cell_op_number("Mul"):
      return is(1, 1) ? 0 : is(0, 1) ? 1 : std::size_t{npos};
    case cell_op_number("Div"):
      return is(1, 1) ? 0 : std::size_t{npos};
    case cell_op_number("Sub"):
      return is(1, 0) ? 0 : std::size_t{npos};
    case cell_op_number("Scale"):
      return op.number(0) == 1 ? 0 : std::size_t{npos};
    default:
      return npos;
  }
}

/// Reads equal values from the op that computes them first: local value numbering.
constexpr void merge_equal_values(traced_code& code) {
  std::vector<std::optional<double>> constants(code.axes.size(), std::nullopt);
  std::vector<std::uint16_t> leader(code.axes.size(), 0);
  for (std::size_t v = 0; v != leader.size(); ++v) leader[v] = static_cast<std::uint16_t>(v);
  // Ops by their first operand, fills behind all values: the last so far, and for each op the one before.
  std::vector<std::uint32_t> last(code.axes.size() + 1, npos);
  std::vector<std::uint32_t> before(code.ops.size(), npos);
  for (std::uint32_t i = 0; i != code.ops.size(); ++i) {
    traced_op& op = code.ops[i];
    for (std::size_t k = 0; k != op.input_count; ++k) op.inputs[k] = leader[op.inputs[k]];
    if (op.info().kind == cell_op_class::fill) constants[op.output] = op.number(0);
    if (std::size_t const copied = copied_input(op, constants); copied != npos) {
      leader[op.output] = op.inputs[copied];
      continue;
    }
    bool const has_arguments = !op.info().arguments[0].empty();
    std::uint32_t& bucket = last[op.input_count == 0 ? code.axes.size() : op.inputs[0]];
    std::uint32_t same = bucket;
    for (; same != npos; same = before[same]) {
      traced_op const& other = code.ops[same];
      bool equal =
          other.function == op.function && other.input_count == op.input_count && other.output_count == op.output_count;
      for (std::size_t k = 0; equal && k != op.input_count; ++k) equal = other.inputs[k] == op.inputs[k];
      if (equal && (!has_arguments || other.arguments == op.arguments)) break;
    }
    if (same == npos) {
      before[i] = bucket;
      bucket = i;
      continue;
    }
    for (std::size_t k = 0; k != op.output_count; ++k)
      leader[op.output + k] = static_cast<std::uint16_t>(code.ops[same].output + k);
  }
  for (std::uint16_t& v : code.outputs) v = leader[v];
}

/// Returns, by op, whether an output depends on it.
constexpr std::vector<char> live_ops(traced_code const& code) {
  std::vector<char> is_needed(code.axes.size(), 0);
  std::vector<char> live(code.ops.size(), 0);
  for (std::uint16_t const v : code.outputs) is_needed[v] = 1;
  for (std::size_t i = code.ops.size(); i-- != 0;) {
    traced_op const& op = code.ops[i];
    for (std::size_t k = 0; k != op.output_count; ++k)
      if (is_needed[op.output + k] != 0) live[i] = 1;
    if (live[i] == 0) continue;
    for (std::size_t k = 0; k != op.input_count; ++k) is_needed[op.inputs[k]] = 1;
  }
  return live;
}

/// Returns the code without ops that no output depends on.
constexpr traced_code live_code(traced_code const& code) {
  std::vector<char> const live = live_ops(code);
  traced_code made;
  std::vector<std::uint16_t> number(code.axes.size(), 0);
  for (std::size_t i = 0; i != code.input_count; ++i) number[i] = made.add_input(code.axes[i]);
  for (std::size_t i = 0; i != code.ops.size(); ++i) {
    if (live[i] == 0) continue;
    traced_op op = code.ops[i];
    for (std::size_t k = 0; k != op.input_count; ++k) op.inputs[k] = number[op.inputs[k]];
    std::uint16_t const first = made.add(op);
    for (std::size_t k = 0; k != op.output_count; ++k)
      number[code.ops[i].output + k] = static_cast<std::uint16_t>(first + k);
  }
  for (std::size_t o = 0; o != code.outputs.size(); ++o) made.add_output(number[code.outputs[o]], code.output_axes[o]);
  return made;
}

constexpr traced_code simplified_code(traced_code code) {
  fold_constants(code);
  merge_equal_values(code);
  return live_code(code);
}

}  // namespace plait::detail
