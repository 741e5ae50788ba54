// Peephole LSTM cell: F. Gers, N. Schraudolph and J. Schmidhuber, JMLR 3, 2002.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// LSTM cell with diagonal peepholes: the input and forget gates read the previous cell state, the output gate the new
/// one.
///
/// Parameters: those of lstm_cell, and peephole_i, peephole_f, peephole_o, H, initially zero. States: hidden_t, cell_t.
struct peephole_lstm_cell {
  std::int64_t inputs;
  std::int64_t hidden;
  float forget_bias = 0;

  std::vector<cell_state> states() const { return {{"hidden_t", hidden}, {"cell_t", hidden}}; }
  blob_handle prepare(cell_scope& s, blob_handle const& x) const { return s.fc(x, "i2h", inputs, 4 * hidden); }
  std::vector<blob_handle> step(cell_step& s) const {
    net_builder& net = s.net;
    auto const& c = s.states[1];
    auto const recurrent = s.state_fc(s.states[0], hidden, "gates_t", 4 * hidden);
    auto const gates = net.sum({recurrent, s.input}, recurrent);
    auto const [input, forget, output, candidate] =
        net.split<4>(gates, 2, {"input_t_gate", "forget_t_gate", "output_t_gate", "cell_t_gate"});
    auto const seen = [&](blob_handle const& gate, blob_handle const& cell, std::string const& name) {
      auto const weight = s.parameter("peephole_" + name, {hidden}, parameter_fill::constant(0));
      return net.add(gate, s.mul_vector(cell, weight, name + "_seen"), name + "_peephole");
    };
    auto kept = seen(forget, c, "f");
    if (forget_bias != 0) {
      std::vector<net_argument> arguments{{"value", forget_bias}};
      kept = net.add(kept, net.op("ConstantFill", {kept}, "forget_bias", std::move(arguments)), "f_biased");
    }
    auto const old = net.mul(net.sigmoid(kept, "f"), c, "cell_t_kept");
    auto const admitted = net.sigmoid(seen(input, c, "i"), "i");
    auto const fresh = net.mul(admitted, net.tanh(candidate, "g"), "cell_t_new");
    auto const cell = net.add(old, fresh, "cell_t");
    auto const open = net.sigmoid(seen(output, cell, "o"), "o");
    auto const bounded = net.tanh(cell, "cell_t_tanh");
    s.recomputable(bounded);
    return {net.mul(open, bounded, "hidden_t"), cell};
  }
};

PLAIT_CHECK_RECURRENT_CELL(peephole_lstm_cell);

}  // namespace plait
