// Canonical recurrent weights: matrices and biases with stacked gates, as other frameworks store them.
//
//   auto parameters = plait::to_parameters(cell, "lstm", plait::from_torch(cell, weights));
//   for (auto const& p : parameters) model.set(p);                     // or feed them to a workspace
//
// torch_weights.hpp and onnx_weights.hpp convert from and to the layouts of PyTorch and ONNX.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/rnn/detail/cells/basic_rnn.hpp>
#include <plait/rnn/detail/cells/gru.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <plait/rnn/detail/cells/peephole_lstm.hpp>
#include <plait/rnn/detail/cells/projected_lstm.hpp>
#include <plait/rnn/detail/gate_blocks.hpp>

namespace plait {

/// Weights of a cell with G gates of H units each, in plait's order: LSTM input, forget, output, cell; GRU reset,
/// update, output; a basic cell has one gate. All have one type, float32 or float64.
struct recurrent_weights {
  tensor_value input;                           ///< G·H × inputs
  tensor_value recurrent;                       ///< G·H × H, or × P with a projection
  std::optional<tensor_value> input_bias = {};  ///< G·H; absent: zero
  std::optional<tensor_value> recurrent_bias = {};
  std::optional<tensor_value> peepholes = {};   ///< 3·H: input, forget, output
  std::optional<tensor_value> projection = {};  ///< P × H
};

namespace detail {
/// Throws net_error for a cell with a forget_bias: other frameworks have no forget bias besides their bias parameters.
template <class Cell>
void require_no_forget_bias(Cell const& cell) {
  if constexpr (requires { cell.forget_bias; })
    if (cell.forget_bias != 0)
      throw net_error(
          "plait: recurrent weights: the cell adds a forget bias, which no other layout has: it would have "
          "to be in the bias of the forget gate");
}

/// Layout of a cell's weights: shapes, and names of the parameters.
struct weights_layout {
  std::int64_t gates;
  std::int64_t inputs;
  std::int64_t hidden;
  std::int64_t output_width;           ///< width of hidden_t
  std::vector<std::string> recurrent;  ///< names of the FCs of the state, each with an equal share of the gates
  bool peepholes = false;
  bool projection = false;
};
inline weights_layout layout_of(basic_rnn_cell const& c) { return {1, c.inputs, c.hidden, c.hidden, {"gates_t"}}; }
inline weights_layout layout_of(lstm_cell const& c) { return {4, c.inputs, c.hidden, c.hidden, {"gates_t"}}; }
inline weights_layout layout_of(peephole_lstm_cell const& c) {
  return {4, c.inputs, c.hidden, c.hidden, {"gates_t"}, true};
}
inline weights_layout layout_of(projected_lstm_cell const& c) {
  return {4, c.inputs, c.hidden, c.projected, {"gates_t"}, false, true};
}
inline weights_layout layout_of(gru_cell const& c) {
  return {3, c.inputs, c.hidden, c.hidden, {"reset_gate_t", "update_gate_t", "output_gate_t"}};
}

template <class Cell>
concept weighted_cell = requires(Cell const& c) { layout_of(c); };

constexpr std::array peephole_names = {"peephole_i", "peephole_f", "peephole_o"};

/// Returns the value of a parameter. Throws net_error if it is missing.
inline tensor_value const& find_weight(std::span<parameter const> from, std::string const& name) {
  for (parameter const& p : from)
    if (p.name == name) return p.value;
  throw net_error("plait: recurrent weights: there is no '" + name + '\'', {}, name);
}

}  // namespace detail

/// Converts weights to the parameters of a cell, called <scope>/…, in the cell's order. Throws net_error naming weights
/// of a wrong shape, of another type than the rest, missing ones, and ones that the cell does not have.
template <detail::weighted_cell Cell>
std::vector<parameter> to_parameters(Cell const& cell, std::string_view scope, recurrent_weights const& w) {
  detail::weights_layout const l = detail::layout_of(cell);
  std::int64_t const rows = l.gates * l.hidden;
  element_type const type = w.input.type();
  detail::expect_weight(w.input, "input", {rows, l.inputs}, type);
  detail::expect_weight(w.recurrent, "recurrent", {rows, l.output_width}, type);
  auto const vector_of = [&](std::optional<tensor_value> const& given, char const* name) {
    if (given) detail::expect_weight(*given, name, {rows}, type);
    return given ? *given : detail::zero_weights({rows}, type);
  };
  tensor_value const input_bias = vector_of(w.input_bias, "input bias");
  tensor_value const recurrent_bias = vector_of(w.recurrent_bias, "recurrent bias");
  auto const expect_there = [](bool there, bool wanted, char const* name) {
    if (there != wanted)
      throw net_error(std::string("plait: recurrent weights: ") + name +
                      (there ? " are set for a cell without any" : " are missing"));
  };
  expect_there(w.peepholes.has_value(), l.peepholes, "peepholes");
  expect_there(w.projection.has_value(), l.projection, "weights of the projection");
  if (l.peepholes) detail::expect_weight(*w.peepholes, "peepholes", {3 * l.hidden}, type);
  if (l.projection) detail::expect_weight(*w.projection, "projection", {l.output_width, l.hidden}, type);

  std::vector<parameter> made;
  auto const add = [&](std::string const& name, tensor_value value) {
    made.push_back({std::string(scope) + '/' + name, std::move(value)});
  };
  add("i2h_w", w.input);
  add("i2h_b", input_bias);
  for (std::size_t i = 0; i != l.recurrent.size(); ++i) {
    add(l.recurrent[i] + "_w", detail::block_of_rows(w.recurrent, i, l.recurrent.size()));
    add(l.recurrent[i] + "_b", detail::block_of_rows(recurrent_bias, i, l.recurrent.size()));
  }
  for (std::size_t i = 0; l.peepholes && i != 3; ++i)
    add(detail::peephole_names[i], detail::block_of_rows(*w.peepholes, i, 3));
  if (l.projection) add("projection_w", *w.projection);
  return made;
}

/// Extracts the weights of a cell from parameters, by their scope. Throws net_error if one is missing or has a wrong
/// shape or type.
template <detail::weighted_cell Cell>
recurrent_weights from_parameters(Cell const& cell, std::string_view scope, std::span<parameter const> parameters) {
  detail::weights_layout const l = detail::layout_of(cell);
  auto const get = [&](std::string const& name) -> tensor_value const& {
    return detail::find_weight(parameters, std::string(scope) + '/' + name);
  };
  std::vector<tensor_value> matrices, biases, peepholes;
  for (std::string const& name : l.recurrent) {
    matrices.push_back(get(name + "_w"));
    biases.push_back(get(name + "_b"));
  }
  recurrent_weights made{get("i2h_w"), detail::concat_rows(matrices), get("i2h_b"), detail::concat_rows(biases)};
  if (l.peepholes) {
    for (char const* name : detail::peephole_names) peepholes.push_back(get(name));
    made.peepholes = detail::concat_rows(peepholes);
  }
  if (l.projection) made.projection = get("projection_w");
  (void)to_parameters(cell, scope, made);  // for its errors
  return made;
}

}  // namespace plait
