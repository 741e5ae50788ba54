// Basic RNN cell (Elman network): J. L. Elman, Cognitive Science 14(2), 1990.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

enum class rnn_activation : std::uint8_t { tanh, relu };

/// Basic RNN cell: h' = activation(i2h(x) + gates_t(h)). Parameters: i2h_w, H×inputs; gates_t_w, H×(H + extra inputs);
/// each with a bias. State: hidden_t. Follows Caffe2's BasicRNNCell.
struct basic_rnn_cell {
  std::int64_t inputs;
  std::int64_t hidden;
  rnn_activation activation = rnn_activation::tanh;

  std::vector<cell_state> states() const { return {{"hidden_t", hidden}}; }
  blob_handle prepare(cell_scope& s, blob_handle const& x) const { return s.fc(x, "i2h", inputs, hidden); }
  std::vector<blob_handle> step(cell_step& s) const {
    auto const recurrent = s.state_fc(s.states[0], hidden, "gates_t", hidden);
    auto const gates = s.net.sum({recurrent, s.input}, recurrent);
    return {activation == rnn_activation::relu ? s.net.relu(gates, "hidden_t") : s.net.tanh(gates, "hidden_t")};
  }
};

PLAIT_CHECK_RECURRENT_CELL(basic_rnn_cell);

}  // namespace plait
