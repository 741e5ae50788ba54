// Facts about the values of a static cell that its evaluation is compiled by.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <plait/net/detail/traced_net.hpp>

namespace plait::detail {

/// Facts about the values of a cell, for its evaluation.
template <class Cell>
struct cell_facts {
  static constexpr std::size_t values = Cell::net().value_count();
  static constexpr std::size_t ops = Cell::net().list().size();
  static constexpr traced_op op(std::size_t i) { return Cell::net().list()[i]; }

  /// Axes that each value varies along, as cell_axes.
  static constexpr auto axes = [] {
    std::array<std::uint8_t, values> made = {};
    traced_code const code = Cell::net().code();
    for (std::size_t v = 0; v != values; ++v) made[v] = code.axes[v];
    return made;
  }();
  static constexpr bool is_of_row(std::size_t v) { return (axes[v] & cell_columns) == 0; }
  /// By value: the op that defines it; ops for inputs.
  static constexpr auto definition = [] {
    std::array<std::uint16_t, values> made = {};
    made.fill(static_cast<std::uint16_t>(ops));
    for (std::size_t i = 0; i != ops; ++i)
      for (std::size_t k = 0; k != op(i).output_count; ++k) made[op(i).output + k] = static_cast<std::uint16_t>(i);
    return made;
  }();
  /// True if a cell cannot be applied to parts of a row: it has reductions, or results of rows.
  static constexpr bool has_whole_rows = [] {
    for (std::size_t i = 0; i != ops; ++i)
      if (op(i).info().kind == cell_op_class::reduced) return true;
    for (std::size_t o = 0; o != Cell::output_count; ++o)
      if (Cell::net().output_axes(o) != cell_elements) return true;
    return false;
  }();
  /// True if rows do not matter: the cell is a function of an element of each operand, and of scalars.
  static constexpr bool is_elementwise = [] {
    for (std::size_t i = 0; i != Cell::input_count; ++i)
      if (Cell::net().input_axes(i) == cell_rows || Cell::net().input_axes(i) == cell_columns) return false;
    return !has_whole_rows;
  }();
  /// By op: true for products that compilers could fuse with their consumers.
  static constexpr auto needs_rounding = [] {
    std::array<bool, ops> made = {};
    for (std::size_t i = 0; i != ops; ++i) {
      for (std::size_t k = 0; k != op(i).input_count; ++k) {
        std::size_t const from = definition[op(i).inputs[k]];
        if (from == ops || op(from).info().kind != cell_op_class::product) continue;
        bool const multiplies = op(i).function == cell_op_number("Mul") || op(i).function == cell_op_number("Div") ||
                                op(i).function == cell_op_number("Scale");
        if (!multiplies) made[from] = true;
      }
    }
    return made;
  }();
  /// By op: true for products of sigmoids and tanhs that nothing else reads.
  static constexpr auto is_product_of_fractions = [] {
    std::array<std::size_t, values> reads = {};
    for (std::size_t i = 0; i != ops; ++i)
      for (std::size_t k = 0; k != op(i).input_count; ++k) ++reads[op(i).inputs[k]];
    for (std::size_t const v : Cell::net().external_outputs()) ++reads[v];
    auto const is_fraction = [&](std::size_t v) {
      if (definition[v] == ops || reads[v] != 1) return false;
      cell_op const from = op(definition[v]).function;
      return from == cell_op_number("Sigmoid") || from == cell_op_number("Tanh");
    };
    std::array<bool, ops> made = {};
    for (std::size_t i = 0; i != ops; ++i)
      made[i] = op(i).function == cell_op_number("Mul") && is_fraction(op(i).inputs[0]) && is_fraction(op(i).inputs[1]);
    return made;
  }();
  static constexpr std::size_t cost = [] {
    std::size_t made = 0;
    for (std::size_t i = 0; i != ops; ++i) made += op(i).info().cost;
    return made / 8 + 1;  // in element copies
  }();

  // By value: whether it depends on the value `on`.
  static constexpr auto depends(std::size_t on) {
    std::array<bool, values> made = {};
    made[on] = true;
    for (std::size_t i = 0; i != ops; ++i)
      for (std::size_t k = 0; k != op(i).input_count; ++k)
        if (made[op(i).inputs[k]])
          for (std::size_t o = 0; o != op(i).output_count; ++o) made[op(i).output + o] = true;
    return made;
  }
  // By value: whether v is computed from it, if the value `loaded` is not computed.
  static constexpr auto leads_to(std::size_t v, std::size_t loaded) {
    std::array<bool, values> made = {};
    made[v] = true;
    for (std::size_t i = ops; i-- != 0;)
      for (std::size_t o = 0; o != op(i).output_count; ++o)
        if (made[op(i).output + o] && op(i).output + o != loaded)
          for (std::size_t k = 0; k != op(i).input_count; ++k) made[op(i).inputs[k]] = true;
    return made;
  }
  // Returns true if a value is better computed from another, b, in a later loop: in one, waiting for b would keep the
  // processor from starting the next elements. A chain of a few ops does not, and values that both need are computed
  // twice.
  static constexpr bool belongs_later(std::size_t v, std::size_t b) {
    auto const after = depends(b);
    auto const needs = leads_to(v, b);
    auto const before = leads_to(b, values);
    std::size_t waiting = 0;
    std::size_t repeated = 8;  // a load
    for (std::size_t i = 0; i != ops; ++i)
      if (needs[op(i).output] && op(i).output != b) {
        if (after[op(i).output])
          waiting += op(i).info().cost;
        else if (before[op(i).output])
          repeated += op(i).info().cost;
      }
    return waiting > repeated;
  }
  /// The loop over elements that computes an output.
  static constexpr auto loop_of_output = [] {
    std::array<std::uint8_t, Cell::output_count> made = {};
    auto const outputs = Cell::net().external_outputs();
    for (std::size_t o = 0; o != outputs.size(); ++o) {
      if (is_of_row(outputs[o]) || definition[outputs[o]] == ops) continue;
      auto const later = depends(outputs[o]);
      for (std::size_t p = 0; p != outputs.size(); ++p)
        if (outputs[p] != outputs[o] && later[outputs[p]] && belongs_later(outputs[p], outputs[o]))
          made[p] = std::max<std::uint8_t>(made[p], made[o] + 1);
    }
    return made;
  }();
  static constexpr std::size_t loops = std::ranges::max(loop_of_output) + 1u;
  /// Returns the output to load a value from, in a loop: outputs if it is none of an earlier loop.
  static constexpr std::size_t loaded_output(std::size_t v, std::size_t loop) {
    auto const outputs = Cell::net().external_outputs();
    for (std::size_t o = 0; o != outputs.size(); ++o)
      if (outputs[o] == v && definition[v] != ops && !is_of_row(v) && loop_of_output[o] < loop) return o;
    return outputs.size();
  }

  /// Values that a target needs: the operand of a reduction by op number, or for ops + k the outputs of loop k. By
  /// value; those of rows, and those that are loaded, are not followed.
  template <std::size_t Target>
  static constexpr auto needed = [] {
    std::array<bool, values> made = {};
    constexpr std::size_t loop = Target < ops ? 0 : Target - ops;
    auto const outputs = Cell::net().external_outputs();
    if constexpr (Target < ops)
      made[op(Target).inputs[0]] = true;
    else
      for (std::size_t o = 0; o != outputs.size(); ++o)
        if (loop_of_output[o] == loop) made[outputs[o]] = true;
    for (std::size_t i = ops; i-- != 0;) {
      bool any = false;
      for (std::size_t k = 0; k != op(i).output_count; ++k)
        any = any || (made[op(i).output + k] && loaded_output(op(i).output + k, loop) == outputs.size());
      if (any && !is_of_row(op(i).output))
        for (std::size_t k = 0; k != op(i).input_count; ++k) made[op(i).inputs[k]] = true;
    }
    return made;
  }();
  /// Returns true if an output may be written before the last read of an input.
  static constexpr bool may_overwrite(std::size_t input, std::size_t output) {
    if (Cell::net().input_axes(input) != Cell::net().output_axes(output)) return false;
    return [&]<std::size_t... L>(std::index_sequence<L...>) {
      return (!(L > loop_of_output[output] && needed<ops + L>[input]) && ...);
    }(std::make_index_sequence<loops>());
  }
};

}  // namespace plait::detail
