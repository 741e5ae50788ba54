// Interface of plait's LSTM and its rivals in the same program.
#pragma once

#include "running_net.hpp"
#include "sequences.hpp"

namespace bench {

inline constexpr int lstm_gates = 4;

/// Inputs x, h0, c0 and parameters, and dy, the gradient of all hidden states, to train.
sequence_net make_lstm(sequence_case const& c, bool trains);

void time_serial(unsigned threads, sequence_case const& c, bool trains, int steps);
void time_omp(unsigned threads, sequence_case const& c, bool trains, int steps);
void time_tbb(unsigned threads, sequence_case const& c, bool trains, int steps);
/// The layer of a static cell, without a net.
void time_static(unsigned threads, sequence_case const& c, bool trains, int steps);
void profile_lstm(sequence_case const& c, bool trains, int steps);

/// oneDNN's LSTM, forward, and backward to train.
void time_onednn(unsigned threads, sequence_case const& c, bool trains, int steps);

}  // namespace bench
