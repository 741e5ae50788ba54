// Projected LSTM cell (LSTMP): H. Sak, A. Senior and F. Beaufays, INTERSPEECH 2014.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// LSTM cell whose recurrent state and output is a projection of its hidden state: hidden_t = w h'.
///
/// Parameters: i2h_w, 4H×inputs; gates_t_w, 4H×(P + extra inputs); each with a bias, gates in the order i, f, o, g; and
/// projection_w, P×H, as PyTorch's proj_size. States: hidden_t, P; cell_t, H.
struct projected_lstm_cell {
  std::int64_t inputs;
  std::int64_t hidden;
  std::int64_t projected;
  float forget_bias = 0;

  std::vector<cell_state> states() const { return {{"hidden_t", projected}, {"cell_t", hidden}}; }
  blob_handle prepare(cell_scope& s, blob_handle const& x) const { return s.fc(x, "i2h", inputs, 4 * hidden); }
  std::vector<blob_handle> step(cell_step& s) const {
    auto const& c = s.states[1];
    auto const recurrent = s.state_fc(s.states[0], projected, "gates_t", 4 * hidden);
    auto const gates = s.net.sum({recurrent, s.input}, recurrent);
    s.recomputable(gates);
    // LSTMUnit reads the previous hidden state only if a sequence has ended, and masking is added later: any blob of
    // that shape can be its operand.
    auto const [h, cell] = s.net.op<2>("LSTMUnit", {c, c, gates, s.timestep()}, {"unprojected_t", "cell_t"},
                                       {{"sequence_lengths", 0}, {"forget_bias", forget_bias}});
    auto const w = s.parameter("projection_w", {projected, hidden});
    auto const rows = s.net.op("Squeeze", {h}, {}, {{"dims", {0}}});  // MatMul needs matrices
    auto const made = s.net.op("MatMul", {rows, w}, {}, {{"trans_b", 1}});
    return {s.net.op("ExpandDims", {made}, "hidden_t", {{"dims", {0}}}), cell};
  }
};

PLAIT_CHECK_RECURRENT_CELL(projected_lstm_cell);

}  // namespace plait
