// PyTorch weight layout: converts the weights of nn.RNN, nn.LSTM and nn.GRU to and from those of plait's cells.
//
//   plait::lstm_cell cell{8, 16};
//   auto weights = plait::torch_weights_of(state_dict, 0);                          // weight_ih_l0, …
//   for (auto const& p : plait::to_parameters(cell, "lstm", plait::from_torch(cell, weights))) model.set(p);
//
// PyTorch stacks LSTM gates i, f, g, o and GRU gates r, z, n; nn.GRU needs gru_cell::linear_before_reset.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/rnn/detail/gate_blocks.hpp>
#include <plait/rnn/detail/recurrent_weights.hpp>

namespace plait {

/// Weights of one layer and direction, with G gates and H hidden units.
struct torch_weights {
  tensor_value weight_ih;  ///< G·H × inputs
  tensor_value weight_hh;  ///< G·H × H, or × proj_size
  std::optional<tensor_value> bias_ih = {};
  std::optional<tensor_value> bias_hh = {};
  std::optional<tensor_value> weight_hr = {};  ///< proj_size × H
};

namespace detail {
template <class Cell>
concept torch_cell = std::same_as<Cell, basic_rnn_cell> || std::same_as<Cell, lstm_cell> ||
                     std::same_as<Cell, projected_lstm_cell> || std::same_as<Cell, gru_cell>;

inline std::string torch_suffix(std::size_t layer, bool reverse) {
  return "_l" + std::to_string(layer) + (reverse ? "_reverse" : "");
}

/// Returns the permutation from PyTorch's gate order to plait's. It swaps at most two neighbours, so it is its own
/// inverse.
template <torch_cell Cell>
std::span<std::size_t const> torch_gates(Cell const& cell) {
  require_no_forget_bias(cell);
  static constexpr std::array<std::size_t, 4> order =
      std::same_as<Cell, gru_cell> ? std::array<std::size_t, 4>{0, 1, 2} : std::array<std::size_t, 4>{0, 1, 3, 2};
  return std::span(order).first(static_cast<std::size_t>(layout_of(cell).gates));
}
}  // namespace detail

/// Finds the weights of a layer by PyTorch's names: <prefix>weight_ih_l<layer> and so on, with _reverse for the
/// backward direction. Throws net_error if a weight matrix is missing.
inline torch_weights torch_weights_of(std::span<parameter const> parameters, std::size_t layer, bool reverse = false,
                                      std::string_view prefix = {}) {
  auto const full = [&](char const* name) { return std::string(prefix) + name + detail::torch_suffix(layer, reverse); };
  auto const maybe = [&](char const* name) -> std::optional<tensor_value> {
    for (parameter const& p : parameters)
      if (p.name == full(name)) return p.value;
    return {};
  };
  return {detail::find_weight(parameters, full("weight_ih")), detail::find_weight(parameters, full("weight_hh")),
          maybe("bias_ih"), maybe("bias_hh"), maybe("weight_hr")};
}

/// Returns the weights that are present as parameters with PyTorch's names.
inline std::vector<parameter> named_weights(torch_weights const& w, std::size_t layer, bool reverse = false,
                                            std::string_view prefix = {}) {
  std::vector<parameter> made;
  auto const add = [&](char const* name, tensor_value const& value) {
    made.push_back({std::string(prefix) + name + detail::torch_suffix(layer, reverse), value});
  };
  add("weight_ih", w.weight_ih);
  add("weight_hh", w.weight_hh);
  if (w.bias_ih) add("bias_ih", *w.bias_ih);
  if (w.bias_hh) add("bias_hh", *w.bias_hh);
  if (w.weight_hr) add("weight_hr", *w.weight_hr);
  return made;
}

/// Converts weights from PyTorch's layout. Throws net_error if the rows are not a multiple of the number of gates, for
/// a GRU that is not linear before its reset gate, and for an LSTM that adds a forget_bias; to_parameters checks the
/// rest.
template <detail::torch_cell Cell>
recurrent_weights from_torch(Cell const& cell, torch_weights const& w) {
  if constexpr (std::same_as<Cell, gru_cell>)
    if (!cell.linear_before_reset)
      throw net_error("plait: recurrent weights: PyTorch's GRU is linear before its reset gate, and the cell is not");
  auto const gates = detail::torch_gates(cell);
  recurrent_weights made{detail::reordered_rows(w.weight_ih, gates, "weight_ih"),
                         detail::reordered_rows(w.weight_hh, gates, "weight_hh")};
  if (w.bias_ih) made.input_bias = detail::reordered_rows(*w.bias_ih, gates, "bias_ih");
  if (w.bias_hh) made.recurrent_bias = detail::reordered_rows(*w.bias_hh, gates, "bias_hh");
  made.projection = w.weight_hr;
  return made;
}

/// Converts weights to PyTorch's layout. Throws as from_torch does.
template <detail::torch_cell Cell>
torch_weights to_torch(Cell const& cell, recurrent_weights const& w) {
  recurrent_weights const made = from_torch(cell, {w.input, w.recurrent, w.input_bias, w.recurrent_bias, w.projection});
  return {made.input, made.recurrent, made.input_bias, made.recurrent_bias, made.projection};
}

}  // namespace plait
