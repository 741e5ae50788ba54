// ONNX weight layout: converts the weights of ONNX's RNN, LSTM and GRU to and from those of plait's cells.
//
// ONNX stacks LSTM gates i, o, f, c, GRU gates z, r, h, and peepholes i, o, f. Set gru_cell::linear_before_reset as the
// operator's attribute of that name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/rnn/detail/gate_blocks.hpp>
#include <plait/rnn/detail/recurrent_weights.hpp>

namespace plait {

/// Weight inputs of an operator with D directions, G gates and H hidden units.
struct onnx_weights {
  tensor_value w;                      ///< D × G·H × inputs
  tensor_value r;                      ///< D × G·H × H
  std::optional<tensor_value> b = {};  ///< D × 2·G·H: biases of w, then of r; absent: zero
  std::optional<tensor_value> p = {};  ///< D × 3·H
};

namespace detail {
template <class Cell>
concept onnx_cell = std::same_as<Cell, basic_rnn_cell> || std::same_as<Cell, lstm_cell> ||
                    std::same_as<Cell, peephole_lstm_cell> || std::same_as<Cell, gru_cell>;

/// Returns the permutation from ONNX's gate order to plait's. It swaps two gates, so it is its own inverse.
template <onnx_cell Cell>
std::span<std::size_t const> onnx_gates(Cell const& cell) {
  static constexpr std::array<std::size_t, 4> order =
      std::same_as<Cell, gru_cell> ? std::array<std::size_t, 4>{1, 0, 2} : std::array<std::size_t, 4>{0, 2, 1, 3};
  return std::span(order).first(static_cast<std::size_t>(layout_of(cell).gates));
}
inline constexpr std::array<std::size_t, 3> onnx_peepholes = {0, 2, 1};

/// Returns the slice of one direction along the first axis. Throws net_error if there is no such direction.
inline tensor_value direction_slice(tensor_value const& t, std::size_t i, std::string const& name) {
  if (t.shape.empty() || i >= static_cast<std::size_t>(t.shape[0]) || !is_well_formed(t))
    throw net_error("plait: recurrent weights: '" + name + "' is " + extents_text(t.shape) + " with " +
                        std::to_string(t.size()) + " elements, and has no direction " + std::to_string(i),
                    {}, name);
  tensor_value made = block_of_rows(t, i, static_cast<std::size_t>(t.shape[0]));
  made.shape.erase(made.shape.begin());
  return made;
}
/// Stacks tensors of one shape along a new first axis.
inline tensor_value stacked(std::vector<tensor_value> parts) {
  for (tensor_value& part : parts) part.shape.insert(part.shape.begin(), 1);
  return concat_rows(parts);
}
}  // namespace detail

/// Converts the weights of one direction from ONNX's layout. Throws net_error if there is no such direction, the rows
/// are not a multiple of the number of gates, or the cell adds a forget_bias; to_parameters checks the rest.
template <detail::onnx_cell Cell>
recurrent_weights from_onnx(Cell const& cell, onnx_weights const& w, std::size_t direction = 0) {
  detail::require_no_forget_bias(cell);
  auto const gates = detail::onnx_gates(cell);
  recurrent_weights made{detail::reordered_rows(detail::direction_slice(w.w, direction, "W"), gates, "W"),
                         detail::reordered_rows(detail::direction_slice(w.r, direction, "R"), gates, "R")};
  if (w.b) {
    tensor_value const both = detail::direction_slice(*w.b, direction, "B");
    static constexpr std::array<std::size_t, 2> halves = {0, 1};
    (void)detail::reordered_rows(both, halves, "B");  // for its error
    made.input_bias = detail::reordered_rows(detail::block_of_rows(both, 0, 2), gates, "B");
    made.recurrent_bias = detail::reordered_rows(detail::block_of_rows(both, 1, 2), gates, "B");
  }
  if (w.p)
    made.peepholes = detail::reordered_rows(detail::direction_slice(*w.p, direction, "P"), detail::onnx_peepholes, "P");
  return made;
}

/// Converts weights to ONNX's layout, from those of each direction, at least one. Throws net_error where they do not
/// fit the cell.
template <detail::onnx_cell Cell>
onnx_weights to_onnx(Cell const& cell, std::span<recurrent_weights const> directions) {
  if (directions.empty()) throw net_error("plait: recurrent weights: there is no direction");
  detail::require_no_forget_bias(cell);
  auto const gates = detail::onnx_gates(cell);
  std::vector<tensor_value> w, r, b, p;
  for (recurrent_weights const& one : directions) {
    (void)to_parameters(cell, {}, one);  // for its errors
    w.push_back(detail::reordered_rows(one.input, gates, "input"));
    r.push_back(detail::reordered_rows(one.recurrent, gates, "recurrent"));
    std::int64_t const rows = one.input.shape[0];
    std::vector<tensor_value> biases;
    for (auto const* bias : {&one.input_bias, &one.recurrent_bias})
      biases.push_back(
          detail::reordered_rows(*bias ? **bias : detail::zero_weights({rows}, one.input.type()), gates, "bias"));
    b.push_back(detail::concat_rows(biases));
    if (one.peepholes) p.push_back(detail::reordered_rows(*one.peepholes, detail::onnx_peepholes, "peepholes"));
  }
  onnx_weights made{detail::stacked(std::move(w)), detail::stacked(std::move(r)), detail::stacked(std::move(b))};
  if (!p.empty()) made.p = detail::stacked(std::move(p));
  return made;
}

}  // namespace plait
