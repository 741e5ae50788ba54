// The recurrent cells of plait, for tests of all of them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/rnn/cells.hpp>
#include <plait/rnn/detail/any_cell.hpp>

namespace test {

/// Returns the cells by name, except attention, which needs a sequence to attend to.
inline std::vector<std::pair<std::string, plait::any_cell>> usual_cells(std::int64_t inputs, std::int64_t hidden) {
  return {{"basic", plait::basic_rnn_cell{inputs, hidden}},
          {"LSTM", plait::lstm_cell{inputs, hidden}},
          {"LSTM with peepholes", plait::peephole_lstm_cell{inputs, hidden}},
          {"LSTM with a projection", plait::projected_lstm_cell{inputs, hidden, hidden / 2}},
          {"GRU", plait::gru_cell{inputs, hidden}},
          {"layer norm LSTM", plait::layer_norm_lstm_cell{inputs, hidden}},
          {"MI LSTM", plait::mi_lstm_cell{inputs, hidden}},
          {"layer norm MI LSTM", plait::mi_lstm_cell{inputs, hidden, 0, true}},
          {"several", plait::multi_cell{{plait::lstm_cell{inputs, hidden}, plait::gru_cell{hidden, hidden}}, {1}}}};
}

}  // namespace test
