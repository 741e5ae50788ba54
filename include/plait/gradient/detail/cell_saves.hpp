// Values of the forward pass of a static cell that its backward pass reads instead of computing them again.
//
// An output that the backward pass needs, or that others of its values are computed from, is read: it is in memory
// anyway. Another value is kept if the ops that compute it again, and nothing else, cost more than a store and a load:
// a value of a row, a power; not a sigmoid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/net/detail/traced_net.hpp>
#include <plait/transform/detail/simplify_cell.hpp>

namespace plait {

/// Which values a backward pass may ask the forward pass to keep.
enum class cell_saves : std::uint8_t {
  by_cost,  ///< values that cost more to compute again than to store and load
  outputs,  ///< only its outputs
};

/// Code of a gradient, and the values that it reads besides inputs and gradients of outputs.
struct saving_code {
  traced_code code;
  std::vector<std::uint16_t> saved = {};  ///< values of the forward code, in the order of the inputs
  std::size_t problem = cell_op_count;    ///< the function of an op that has no gradient
};

namespace detail {

/// Cost of a store and a load of an element, which may not be in a cache by then, and of a value of a row; in
/// additions.
inline constexpr std::uint32_t cost_of_keeping = 40;
inline constexpr std::uint32_t cost_of_keeping_rows = 8;

/// Chooses what the ops behind those of the forward net read, and makes it inputs, between those of the forward net and
/// the gradients of its outputs. `both`: as cell_backward_pass returns it.
constexpr saving_code with_saved_values(traced_code const& forward, traced_code both, cell_saves which) {
  fold_constants(both);
  merge_equal_values(both);
  auto const inputs = static_cast<std::uint16_t>(forward.input_count);
  auto const outputs = static_cast<std::uint16_t>(forward.outputs.size());
  std::size_t const first_made = inputs + outputs;
  std::size_t const first_gradient = first_made + (forward.axes.size() - inputs);
  std::vector<char> const live = live_ops(both);

  std::vector<char> is_read(both.axes.size(), 0);  // by the backward pass
  std::vector<std::uint32_t> definition(both.axes.size(), npos);
  for (std::size_t i = 0; i != both.ops.size(); ++i) {
    traced_op const& op = both.ops[i];
    for (std::size_t k = 0; k != op.output_count; ++k) definition[op.output + k] = static_cast<std::uint32_t>(i);
    if (op.output < first_gradient || live[i] == 0) continue;
    for (std::size_t k = 0; k != op.input_count; ++k) is_read[op.inputs[k]] = 1;
  }
  for (std::uint16_t const v : both.outputs) is_read[v] = 1;

  std::vector<char> is_output(both.axes.size(), 0);
  for (std::uint16_t const v : forward.outputs)
    if (v >= inputs) is_output[v + outputs] = 1;
  std::vector<char> is_saved(both.axes.size(), 0);
  std::vector<char> is_known(both.ops.size(), 0);  // computed again anyway
  std::vector<std::uint32_t> waiting;
  std::vector<std::uint32_t> computed;
  for (std::size_t v = first_made; v != first_gradient; ++v) {
    if (is_read[v] == 0 || is_saved[v] != 0) continue;
    // The ops that would be computed again for this value alone.
    std::uint32_t cost = 0;
    computed.clear();
    waiting.assign(1, static_cast<std::uint32_t>(v));
    while (!waiting.empty()) {
      std::uint32_t const u = waiting.back();
      waiting.pop_back();
      if (is_output[u] != 0) is_saved[u] = 1;
      if (definition[u] == npos || is_saved[u] != 0 || is_known[definition[u]] != 0) continue;
      traced_op const& op = both.ops[definition[u]];
      is_known[definition[u]] = 1;
      computed.push_back(definition[u]);
      cost += op.info().cost;
      if (op.info().kind == cell_op_class::reduced) cost += cost_of_keeping;  // a loop over the row
      for (std::size_t k = 0; k != op.input_count; ++k) waiting.push_back(op.inputs[k]);
    }
    bool const is_of_elements = both.axes[v] == cell_elements;
    bool const is_of_row = both.axes[v] == cell_rows;
    if (which == cell_saves::outputs ||
        !(is_of_row ? cost > cost_of_keeping_rows : is_of_elements && cost > cost_of_keeping))
      continue;
    is_saved[v] = 1;
    for (std::uint32_t const op : computed) is_known[op] = 0;
  }

  saving_code made;
  std::vector<std::uint16_t> number(both.axes.size(), 0);
  for (std::size_t i = 0; i != inputs; ++i) number[i] = made.code.add_input(both.axes[i]);
  for (std::size_t v = first_made; v != first_gradient; ++v)
    if (is_saved[v] != 0) {
      number[v] = made.code.add_input(both.axes[v]);
      made.saved.push_back(static_cast<std::uint16_t>(v - outputs));
    }
  for (std::size_t o = inputs; o != first_made; ++o) number[o] = made.code.add_input(both.axes[o]);
  for (traced_op op : both.ops) {
    std::uint16_t const before = op.output;
    for (std::size_t k = 0; k != op.input_count; ++k) op.inputs[k] = number[op.inputs[k]];
    std::uint16_t const after = made.code.add(op);
    for (std::size_t k = 0; k != op.output_count; ++k)
      if (is_saved[before + k] == 0) number[before + k] = static_cast<std::uint16_t>(after + k);
  }
  for (std::size_t o = 0; o != both.outputs.size(); ++o)
    made.code.add_output(number[both.outputs[o]], both.output_axes[o]);
  made.code = live_code(made.code);
  return made;
}

}  // namespace detail

}  // namespace plait
