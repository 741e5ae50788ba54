// GRU cell: K. Cho et al., EMNLP 2014.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/detail/cells/lstm_gru_units.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// GRU cell: r = sigmoid(i2h_r(x) + reset_gate_t(h)), u = sigmoid(i2h_u(x) + update_gate_t(h)), o = i2h_o(x) +
/// output_gate_t(r h), h' = u h + (1 - u) tanh(o). With linear_before_reset the reset gate multiplies output_gate_t(h)
/// instead of h, as in cuDNN and PyTorch.
///
/// Parameters: i2h_w, 3H×inputs in the order reset, update, output; reset_gate_t_w, update_gate_t_w, output_gate_t_w,
/// each H×(H + extra inputs); all with a bias. State: hidden_t. Follows Caffe2's GRUCell.
struct gru_cell {
  std::int64_t inputs;
  std::int64_t hidden;
  bool linear_before_reset = false;

  static constexpr bool masks = true;

  std::vector<cell_state> states() const { return {{"hidden_t", hidden}}; }
  blob_handle prepare(cell_scope& s, blob_handle const& x) const { return s.fc(x, "i2h", inputs, 3 * hidden); }
  std::vector<blob_handle> step(cell_step& s) const {
    net_builder& net = s.net;
    auto const& h = s.states[0];
    auto const [x_reset, x_update, x_output] =
        net.split<3>(s.input, 2, {"input_t_reset", "input_t_update", "input_t_output"});
    auto const reset = s.state_fc(h, hidden, "reset_gate_t", hidden);
    net.sum({reset, x_reset}, reset);
    auto const update = s.state_fc(h, hidden, "update_gate_t", hidden);
    net.sum({update, x_update}, update);
    auto const open = net.sigmoid(reset, "reset_gate_t_sigmoid");
    blob_handle output;
    if (linear_before_reset) {
      output = net.mul(open, s.state_fc(h, hidden, "output_gate_t", hidden), "output_gate_t_mul");
    } else {
      auto const modified = net.mul(open, h, "modified_hidden_t_prev");
      s.recomputable(modified);
      output = s.state_fc(modified, hidden, "output_gate_t", hidden);
    }
    net.sum({output, x_output}, output);
    auto const gates = net.concat({reset, update, output}, 2, "gates_t");
    return {detail::gru_unit(s, h, gates)};
  }
};

PLAIT_CHECK_RECURRENT_CELL(gru_cell);

}  // namespace plait
