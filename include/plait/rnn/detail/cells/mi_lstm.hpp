// Multiplicative-integration LSTM cell: Y. Wu, S. Zhang, Y. Zhang, Y. Bengio and R. Salakhutdinov, NIPS 2016.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/detail/cells/layer_norm_lstm.hpp>
#include <plait/rnn/detail/cells/lstm_gru_units.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// LSTM cell with the gates alpha p q + beta1 q + beta2 p + b, element-wise, for p = i2h(x) and q = prev_t(h); with
/// layer_norm they are normalised next, as in layer_norm_lstm_cell.
///
/// Parameters: i2h_w, 4H×inputs; prev_t_w, 4H×(H + extra inputs); each with a bias; alpha, beta1, beta2, b, 4H. States:
/// hidden_t, cell_t. Follows Caffe2's MILSTMCell and LayerNormMILSTMCell, except that lengths are optional.
struct mi_lstm_cell {
  std::int64_t inputs;
  std::int64_t hidden;
  float forget_bias = 0;
  bool layer_norm = false;

  static constexpr bool masks = true;

  std::vector<cell_state> states() const { return {{"hidden_t", hidden}, {"cell_t", hidden}}; }
  blob_handle prepare(cell_scope& s, blob_handle const& x) const { return s.fc(x, "i2h", inputs, 4 * hidden); }
  std::vector<blob_handle> step(cell_step& s) const {
    net_builder& net = s.net;
    std::int64_t const width = 4 * hidden;
    auto const one = parameter_fill::constant(1);
    auto const alpha = s.parameter("alpha", {width}, one);
    auto const beta1 = s.parameter("beta1", {width}, one);
    auto const beta2 = s.parameter("beta2", {width}, one);
    auto const b = s.parameter("b", {width}, parameter_fill::constant(0));
    auto const previous = s.state_fc(s.states[0], hidden, "prev_t", width);
    // (alpha p + beta1) q + (beta2 p + b) has two products fewer.
    auto const alpha_p = s.mul_vector(s.input, alpha, "alpha_input_t");
    auto const slope = s.add_vector(alpha_p, beta1, "slope_t");
    auto const beta2_p = s.mul_vector(s.input, beta2, "beta2_input_t");
    auto const offset = s.add_vector(beta2_p, b, "offset_t");
    auto const product = net.mul(slope, previous, "slope_prev_t");
    auto gates = net.add(product, offset, "gates_t");
    for (blob_handle const& blob : {alpha_p, slope, beta2_p, offset, product, gates}) s.recomputable(blob);
    if (layer_norm) gates = detail::normalised_gates(s, gates, width);
    auto const made = detail::lstm_unit(s, s.states[0], s.states[1], gates, forget_bias);
    return {made.begin(), made.end()};
  }
};

PLAIT_CHECK_RECURRENT_CELL(mi_lstm_cell);

}  // namespace plait
