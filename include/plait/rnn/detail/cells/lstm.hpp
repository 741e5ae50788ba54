// LSTM cell: S. Hochreiter and J. Schmidhuber, Neural Computation 9(8), 1997, with the forget gate of F. Gers,
// J. Schmidhuber and F. Cummins, ICANN 1999.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/detail/cells/lstm_gru_units.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// LSTM cell: gates = i2h(x) + gates_t(h), c' = sigmoid(f + forget_bias) c + sigmoid(i) tanh(g), h' = sigmoid(o)
/// tanh(c').
///
/// Parameters: i2h_w, 4H×inputs; gates_t_w, 4H×(H + extra inputs); each with a bias, gates in the order i, f, o, g.
/// States: hidden_t, cell_t. Follows Caffe2's LSTMCell.
struct lstm_cell {
  std::int64_t inputs;
  std::int64_t hidden;
  float forget_bias = 0;

  static constexpr bool masks = true;

  std::vector<cell_state> states() const { return {{"hidden_t", hidden}, {"cell_t", hidden}}; }
  blob_handle prepare(cell_scope& s, blob_handle const& x) const { return s.fc(x, "i2h", inputs, 4 * hidden); }
  std::vector<blob_handle> step(cell_step& s) const {
    auto const recurrent = s.state_fc(s.states[0], hidden, "gates_t", 4 * hidden);
    auto const gates = s.net.sum({recurrent, s.input}, recurrent);
    s.recomputable(gates);
    auto const made = detail::lstm_unit(s, s.states[0], s.states[1], gates, forget_bias);
    return {made.begin(), made.end()};
  }
};

PLAIT_CHECK_RECURRENT_CELL(lstm_cell);

}  // namespace plait
