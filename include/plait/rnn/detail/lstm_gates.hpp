// The weights of an LSTM gate by gate: what Caffe2's GetLSTMParamNames names, and InitFromLSTMParams puts together.
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

/// In the order of both members of lstm_gates. Caffe2's names are these with _w for the weights, _b for the biases.
inline constexpr std::array<std::string_view, 4> lstm_gate_names = {"input_gate", "forget_gate", "output_gate", "cell"};

/// What the gates make of the input, or of the hidden state.
struct lstm_gates {
  std::array<tensor_value, 4> weights;  ///< H × inputs, or H × H
  std::array<tensor_value, 4> biases;   ///< H
};

/// Elements count, row by row, shapes do not, as Caffe2 flattens what it is given. Throws net_error, naming the gate,
/// for another number of them than the cell's; to_parameters checks the types.
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

/// The gates of the input, and of the hidden state; biases that are not there are zero. Throws net_error as
/// to_parameters does.
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
