// LSTM weights gate by gate, as Caffe2's GetLSTMParamNames names and InitFromLSTMParams concatenates them.
//
//   plait::lstm_cell cell{8, 16};
//   auto parameters = plait::to_parameters(cell, "lstm", plait::from_lstm_gates(cell, input, recurrent));
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/net/detail/parameter.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <plait/rnn/detail/gate_blocks.hpp>
#include <plait/rnn/detail/recurrent_weights.hpp>

namespace plait {

/// Names of the gates, in the order of lstm_gates. Caffe2 appends _w for weights and _b for biases.
inline constexpr std::array<std::string_view, 4> lstm_gate_names = {"input_gate", "forget_gate", "output_gate", "cell"};

/// Weights and biases by gate, for the input or for the hidden state.
struct lstm_gates {
  std::array<tensor_value, 4> weights;  ///< H × inputs, or H × H
  std::array<tensor_value, 4> biases;   ///< H
};

/// Concatenates weights of gates. Shapes are ignored and elements taken in row-major order, since Caffe2 flattens them.
/// Throws net_error, naming the gate, if the number of elements is wrong; to_parameters checks the types.
inline recurrent_weights from_lstm_gates(lstm_cell const& cell, lstm_gates const& input, lstm_gates const& recurrent) {
  auto const join = [](std::array<tensor_value, 4> const& gates, std::vector<std::int64_t> const& shape,
                       char const* of) {
    std::vector<tensor_value> parts;
    for (std::size_t i = 0; i != gates.size(); ++i) {
      tensor_value part = gates[i];
      part.shape = shape;
      std::string const name = std::string(of) + ' ' + std::string(lstm_gate_names[i]);
      detail::expect_weight(part, name, shape, part.type());
      parts.push_back(std::move(part));
    }
    return detail::concat_rows(parts);
  };
  std::int64_t const h = cell.hidden;
  return {join(input.weights, {h, cell.inputs}, "weights of the input's"),
          join(recurrent.weights, {h, h}, "weights of the state's"), join(input.biases, {h}, "biases of the input's"),
          join(recurrent.biases, {h}, "biases of the state's")};
}

/// Splits weights into those of the gates, for the input and for the hidden state; missing biases become zero. Throws
/// net_error as to_parameters does.
inline std::array<lstm_gates, 2> to_lstm_gates(lstm_cell const& cell, recurrent_weights const& w) {
  std::vector<parameter> const of = to_parameters(cell, "lstm", w);
  std::array<lstm_gates, 2> made;
  for (std::size_t k = 0; k != 2; ++k)
    for (std::size_t i = 0; i != 4; ++i) {
      made[k].weights[i] = detail::block_of_rows(of[2 * k].value, i, 4);
      made[k].biases[i] = detail::block_of_rows(of[2 * k + 1].value, i, 4);
    }
  return made;
}

}  // namespace plait
