// Lowering of nets to the code of static cells: op types by name become functions by number.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/net/detail/traced_net.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait::detail {

/// Returns the default of an argument of an op type, nothing if ops must list it.
constexpr std::optional<double> default_argument(std::string_view type, std::string_view key) {
  bool const is_slope = type.starts_with("LeakyRelu");
  if (key == "alpha") return is_slope ? double{0.01f} : type.starts_with("HardSigmoid") ? double{0.2f} : 1.0;
  if (key == "beta") return 0.5;
  if (key == "scale") return 1;
  if (key == "value") return 0;
  return std::nullopt;
}

/// Returns an op of a net as one of a cell, without operands; nothing if no function of cells computes it.
template <typed_net N>
constexpr std::optional<traced_op> lowered_op(N const& n, op_ref_t<N> op) {
  std::string_view type = op_type(n, op);
  auto const count = [](auto&& names) { return static_cast<std::size_t>(std::ranges::distance(names)); };
  std::size_t const inputs = count(plait::inputs(n, op));
  if (type == "Sum" && inputs == 2) type = "Add";
  std::size_t const function = find_cell_op(type);
  if (function == cell_op_count) return std::nullopt;
  cell_op_info const& info = cell_ops[function];
  bool const is_fill = info.kind == cell_op_class::fill;  // the inputs give the shape
  if ((!is_fill && inputs != info.inputs) || count(plait::outputs(n, op)) != info.outputs) return std::nullopt;
  traced_op made{.function = static_cast<cell_op>(function), .output_count = info.outputs};
  for (std::size_t i = 0; i != 2; ++i) {
    std::string_view const key = info.arguments[i];
    if (key.empty()) continue;
    std::optional<double> value = default_argument(type, key);
    if constexpr (requires { n.argument_or(op, key, 0.0); }) {
      constexpr double unset = -1.25e300;  // no float
      if (double const given = n.argument_or(op, key, unset); given != unset) value = given;
    }
    if (!value) return std::nullopt;
    made.arguments[i] = std::bit_cast<std::uint64_t>(*value);
  }
  return made;
}

/// Returns true if an operand of a function is a flag, the result of a comparison.
constexpr bool reads_flag(traced_op const& op, std::size_t operand) {
  bool const is_logical = op.function == cell_op_number("And") || op.function == cell_op_number("Or") ||
                          op.function == cell_op_number("Not");
  return is_logical || (op.function == cell_op_number("Where") && operand == 0);
}

/// Returns the code of a net whose blobs have the same shape, but those of reductions of rows. Its inputs and outputs
/// are the external ones. `problem` is set if an op is no function of cells, or a blob is read that nothing sets.
template <typed_net N>
constexpr traced_code code_of_net(N const& n) {
  traced_code made;
  auto const ssa = get_ssa(n);
  std::vector<std::uint32_t> number(ssa.value_count(), npos);
  std::vector<char> is_flag;  // by value of the code
  for (value v : ssa.external_inputs()) number[ssa.index(v)] = made.add_input(cell_elements);
  op_index at = 0;
  for (auto&& op : plait::ops(n)) {
    std::optional<traced_op> lowered = lowered_op(n, op);
    if (!lowered) {
      made.problem = cell_problem::other;
      return made;
    }
    is_flag.resize(made.axes.size(), 0);
    if (lowered->info().kind != cell_op_class::fill)
      for (value v : ssa.reads(at)) {
        std::uint32_t const operand = number[ssa.index(v)];
        if (operand == npos) {
          made.problem = cell_problem::other;
          return made;
        }
        bool const wants_flag = reads_flag(*lowered, lowered->input_count);
        if ((is_flag[operand] != 0) != wants_flag)
          made.report(wants_flag ? cell_problem::number_as_flag : cell_problem::flag_as_number);
        lowered->inputs[lowered->input_count++] = static_cast<std::uint16_t>(operand);
      }
    std::uint16_t next = made.add(*lowered);
    is_flag.resize(made.axes.size(), lowered->info().kind == cell_op_class::flag ? char{1} : char{0});
    for (value v : ssa.writes(at)) number[ssa.index(v)] = next++;
    ++at;
  }
  is_flag.resize(made.axes.size(), 0);
  for (value v : ssa.external_outputs()) {
    std::uint32_t const result = number[ssa.index(v)];
    if (result == npos) {
      made.problem = cell_problem::other;
      return made;
    }
    if (is_flag[result] != 0) made.report(cell_problem::flag_as_number);
    bool const is_of_row = (made.axes[result] & cell_columns) == 0 && made.axes[result] != cell_constant;
    made.add_output(static_cast<std::uint16_t>(result), is_of_row ? cell_rows : cell_elements);
  }
  return made;
}

}  // namespace plait::detail
