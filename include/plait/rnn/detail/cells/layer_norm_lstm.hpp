// Layer-normalised LSTM cell: J. L. Ba, J. R. Kiros and G. E. Hinton, "Layer Normalization", 2016.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/detail/cells/lstm_gru_units.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

namespace detail {
/// Adds layer normalisation of gates, gates_t_norm: mean 0 and variance 1 in each row, times gates_t_norm_scale, plus
/// gates_t_norm_bias.
inline blob_handle normalised_gates(cell_step& s, blob_handle const& gates, std::int64_t width) {
  auto const scale = s.parameter("gates_t_norm_scale", {width}, parameter_fill::constant(1));
  auto const bias = s.parameter("gates_t_norm_bias", {width}, parameter_fill::constant(0));
  auto const [norm, mean, deviation] =
      s.net.op<3>("LayerNorm", {gates, scale, bias}, {"gates_t_norm", "gates_t_norm_mean", "gates_t_norm_std"},
                  {{"axis", -1}, {"epsilon", 1e-4f}, {"elementwise_affine", 1}});
  for (blob_handle const& blob : {norm, mean, deviation}) s.recomputable(blob);
  return norm;
}
}  // namespace detail

/// LSTM cell whose gates, i2h(x) + gates_t(h), are layer-normalised together before the nonlinearities.
///
/// Parameters: those of lstm_cell, and gates_t_norm_scale and gates_t_norm_bias, 4H. States: hidden_t, cell_t. Follows
/// Caffe2's LayerNormLSTMCell, except that lengths are optional.
struct layer_norm_lstm_cell {
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
    auto const made =
        detail::lstm_unit(s, s.states[0], s.states[1], detail::normalised_gates(s, gates, 4 * hidden), forget_bias);
    return {made.begin(), made.end()};
  }
};

PLAIT_CHECK_RECURRENT_CELL(layer_norm_lstm_cell);

}  // namespace plait
