// LSTMUnit and GRUUnit in cells: the fused element-wise ops of a step.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/built_op.hpp>
#include <plait/rnn/detail/cell_step.hpp>

namespace plait::detail {

/// Operands of a unit: states and gates, followed by the lengths, if any, and the index of the step.
struct unit_operands {
  std::vector<blob_handle> inputs;
  std::vector<net_argument> arguments;

  unit_operands(cell_step& s, std::vector<blob_handle> states_and_gates) : inputs(std::move(states_and_gates)) {
    if (auto const lengths = s.lengths())
      inputs.push_back(*lengths);
    else
      arguments.emplace_back("sequence_lengths", 0);
    inputs.push_back(s.timestep());
    if (s.drop_states()) arguments.emplace_back("drop_states", 1);
  }
};

/// Adds LSTMUnit for gates 1×N×4H (input, forget, output, cell); returns the new hidden_t and cell_t.
inline std::array<blob_handle, 2> lstm_unit(cell_step& s, blob_handle const& h, blob_handle const& c,
                                            blob_handle const& gates, float forget_bias) {
  unit_operands u(s, {h, c, gates});
  u.arguments.emplace_back("forget_bias", forget_bias);
  return s.net.op<2>("LSTMUnit", u.inputs, {"hidden_t", "cell_t"}, std::move(u.arguments));
}

/// Adds GRUUnit for gates 1×N×3H (reset, update, output); returns the new hidden_t.
inline blob_handle gru_unit(cell_step& s, blob_handle const& h, blob_handle const& gates) {
  unit_operands u(s, {h, gates});
  return s.net.op("GRUUnit", u.inputs, "hidden_t", std::move(u.arguments));
}

}  // namespace plait::detail
