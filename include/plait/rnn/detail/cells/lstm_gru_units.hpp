// How cells use the ops that are the pointwise part of a step.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/built_op.hpp>
#include <plait/rnn/detail/cell_step.hpp>

namespace plait::detail {

/// What a unit has behind states and gates: lengths, if there are any, and the number of the step.
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

/// The new hidden_t and cell_t: LSTMUnit of gates 1×N×4H (input, forget, output, cell).
inline std::array<blob_handle, 2> lstm_unit(cell_step& s, blob_handle const& h, blob_handle const& c,
                                            blob_handle const& gates, float forget_bias) {
  unit_operands u(s, {h, c, gates});
  u.arguments.emplace_back("forget_bias", forget_bias);
  return s.net.op<2>("LSTMUnit", u.inputs, {"hidden_t", "cell_t"}, std::move(u.arguments));
}

/// The new hidden_t: GRUUnit of gates 1×N×3H (reset, update, output).
inline blob_handle gru_unit(cell_step& s, blob_handle const& h, blob_handle const& gates) {
  unit_operands u(s, {h, gates});
  return s.net.op("GRUUnit", u.inputs, "hidden_t", std::move(u.arguments));
}

}  // namespace plait::detail
