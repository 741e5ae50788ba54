// The LSTM of lstm.cpp on a backend.
#pragma once

#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/operators/linear_algebra.hpp>
#include <plait/exec/operators/recurrence.hpp>

#include "lstm.hpp"
#include "running_net.hpp"

namespace bench {

template <plait::backend B>
plait::operators<B> lstm_operators() {
  plait::operators<B> made;
  plait::add_fully_connected_operators(made);
  plait::add_matmul_operators(made);
  plait::add_fully_connected_gradient_operators(made);
  plait::add_recurrent_network_operators(made);
  plait::add_recurrent_network_gradient_operators(made);
  plait::add_sum_operators(made);
  plait::add_unit_operators(made);
  plait::add_unit_gradient_operators(made);
  return made;
}

template <plait::backend B>
void time_lstm(char const* name, unsigned threads, sequence_case const& c, bool trains, int steps) {
  running_net<B> net(make_lstm(c, trains), lstm_operators<B>());
  time_runs(name, threads, c.text(trains), c.flops(trains, lstm_gates), steps, [&] { net.run(); });
}

}  // namespace bench
