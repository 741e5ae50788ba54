// The LSTM of lstm.cpp on a backend.
#pragma once

#include <cmath>
#include <vector>

#include <plait/exec/operators/matrix.hpp>
#include <plait/exec/operators/matrix_gradients.hpp>
#include <plait/exec/operators/recurrent_network.hpp>
#include <plait/exec/operators/recurrent_network_gradients.hpp>
#include <plait/exec/operators/sums.hpp>
#include <plait/exec/operators/units.hpp>
#include <plait/exec/operators/units_gradients.hpp>

#include "lstm.hpp"
#include "running_net.hpp"

namespace bench {

template <plait::backend B>
plait::operators<B> lstm_operators() {
  plait::operators<B> made;
  plait::add_matrix_operators(made);
  plait::add_matrix_gradient_operators(made);
  plait::add_recurrent_network_operators(made);
  plait::add_recurrent_network_gradient_operators(made);
  plait::add_sum_operators(made);
  plait::add_unit_operators(made);
  plait::add_unit_gradient_operators(made);
  return made;
}

template <plait::backend B>
running_net<B> make_running_lstm(sequence_case const& c, bool trains) {
  double const bound = 1 / std::sqrt(static_cast<double>(c.h));
  std::vector<fed_blob> feeds = {{"x", {c.t, c.n, c.i}, 1},      {"h0", {1, c.n, c.h}, 0},
                                 {"c0", {1, c.n, c.h}, 0},       {"i2h_w", {4 * c.h, c.i}, bound},
                                 {"i2h_b", {4 * c.h}, bound},    {"gates_t_w", {4 * c.h, c.h}, bound},
                                 {"gates_t_b", {4 * c.h}, bound}};
  if (trains) feeds.push_back({"dy", {c.t, c.n, c.h}, 1});
  // Parameters that nobody trains are packed once, as the others pack them when a model is loaded.
  plait::compile_options options;
  if (!trains) options.constants = {"i2h_w", "i2h_b", "gates_t_w", "gates_t_b"};
  return {make_lstm(trains), lstm_operators<B>(), feeds, options};
}

template <plait::backend B>
void time_lstm(char const* name, unsigned threads, sequence_case const& c, bool trains, int steps) {
  running_net<B> net = make_running_lstm<B>(c, trains);
  time_runs(name, threads, c.text(trains), c.flops(trains, lstm_gates), steps, [&] { net.run(); });
}

}  // namespace bench
