// Simplification of the code of a static cell: constant folding, value numbering, copy propagation and dead code
// elimination, by the analyses of programs (dataflow/) on its only block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/dataflow/detail/constant_problem.hpp>
#include <plait/dataflow/detail/dense_dead_code.hpp>
#include <plait/dataflow/detail/dense_value_numbering.hpp>
#include <plait/dataflow/sparse_solver.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/net/detail/traced_net.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>

namespace plait::detail {

/// Flow graph of straight-line code.
struct one_block {
  constexpr std::size_t size() const noexcept { return 1; }
  constexpr std::uint32_t entry() const noexcept { return 0; }
  constexpr std::span<std::uint32_t const> successors(std::uint32_t) const noexcept { return {}; }
};

constexpr dense_ssa form_of_code(traced_code const& code) {
  auto const ops = static_cast<op_index>(code.ops.size());
  dense_ssa form;
  form.first_phi = {0, 0};
  form.first_op = {0, ops};
  form.op_block.assign(ops, 0);
  form.definitions.resize(code.axes.size(), ssa_site());
  for (op_index i = 0; i != ops; ++i) {
    traced_op const& op = code.ops[i];
    for (std::size_t k = 0; k != op.input_count; ++k) form.op_reads.push(op.inputs[k]);
    form.op_reads.end_row();
    for (std::size_t k = 0; k != op.output_count; ++k) {
      form.op_writes.push(static_cast<value_index>(op.output + k));
      form.definitions[op.output + k] = ssa_site::of_op(i);
    }
    form.op_writes.end_row();
  }
  for (std::uint16_t const v : code.outputs) form.block_results.push(v);
  form.block_results.end_row();
  return form;
}

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
  auto evaluate = [&](op_index i, std::span<std::optional<double> const> in, std::span<std::optional<double>> out) {
    traced_op const& op = code.ops[i];
    if (op.info().kind == cell_op_class::fill)
      out[0] = op.number(0);
    else if (op.output_count == 1)
      out[0] = folded_constant(op.function, op.number(0), in);
  };
  auto decide = [](op_index, auto, auto) -> std::optional<std::size_t> { return std::nullopt; };
  dense_ssa form = form_of_code(code);
  form.index_uses();
  flow_snapshot<one_block> const graph(one_block{});
  constant_problem<double, decltype(evaluate), decltype(decide)> problem(graph, form, evaluate, decide);
  sparse_solver<constant_state<double>> constants;
  constants.compute(graph, form, problem);
  for (traced_op& op : code.ops)
    if (std::optional<double> const value = constants[op.output].constant; value && op.output_count == 1) {
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

/// Reads equal values from the op that computes them first.
constexpr void merge_equal_values(traced_code& code) {
  std::vector<std::optional<double>> constants(code.axes.size(), std::nullopt);
  std::vector<std::uint32_t> kinds;
  std::vector<traced_op const*> with_arguments;
  for (traced_op const& op : code.ops) {
    if (op.info().kind == cell_op_class::fill) constants[op.output] = op.number(0);
    std::uint32_t kind = op.function;
    if (!op.info().arguments[0].empty()) {
      std::size_t at = 0;
      while (at != with_arguments.size() &&
             (with_arguments[at]->function != op.function || with_arguments[at]->arguments != op.arguments))
        ++at;
      if (at == with_arguments.size()) with_arguments.push_back(&op);
      kind = static_cast<std::uint32_t>(cell_op_count + at);
    }
    kinds.push_back(kind);
  }
  dense_value_numbering numbers;
  numbers.compute(form_of_code(code), kinds,
                  [&](op_index op, std::size_t) { return copied_input(code.ops[op], constants); });
  auto const replace = [&](std::uint16_t& v) { v = static_cast<std::uint16_t>(numbers.leader(v)); };
  for (traced_op& op : code.ops)
    for (std::size_t i = 0; i != op.input_count; ++i) replace(op.inputs[i]);
  for (std::uint16_t& v : code.outputs) replace(v);
}

/// Returns, by op, whether an output depends on it.
constexpr std::vector<char> live_ops(traced_code const& code) {
  flow_snapshot<one_block> const graph(one_block{});
  dense_dead_code live;
  live.compute(graph, form_of_code(code), [](op_index) { return false; });
  std::vector<char> made;
  for (op_index i = 0; i != code.ops.size(); ++i) made.push_back(live.is_live_op(i) ? char{1} : char{0});
  return made;
}

/// Returns the code without ops that no output depends on.
constexpr traced_code live_code(traced_code const& code) {
  std::vector<char> const live = live_ops(code);
  traced_code made;
  std::vector<std::uint16_t> number(code.axes.size(), 0);
  for (std::size_t i = 0; i != code.input_count; ++i) number[i] = made.add_input(code.axes[i]);
  for (op_index i = 0; i != code.ops.size(); ++i) {
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
