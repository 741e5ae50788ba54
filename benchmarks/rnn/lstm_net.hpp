// The LSTM of lstm.cpp on a backend.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/operators/linear_algebra.hpp>
#include <plait/exec/operators/recurrence.hpp>
#include <plait/exec/static_cells.hpp>

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

struct lstm_formula {
  constexpr auto operator()(auto i, auto f, auto o, auto g, auto, auto c) const {
    auto const next = sigmoid(f) * c + sigmoid(i) * tanh(g);
    return plait::cell_results{sigmoid(o) * tanh(next), next};
  }
};
inline constexpr auto static_lstm = plait::static_cell(lstm_formula());

/// Times a layer without a net, on a host. Weights are packed again in each run that trains.
template <plait::backend B>
void time_static_lstm(char const* name, unsigned threads, sequence_case const& c, bool trains, int steps) {
  plait::rnn<B, static_lstm> layer({c.t, c.n, c.i, c.h});
  auto const count = [](std::int64_t extent) { return static_cast<std::size_t>(extent); };
  layer.load(spread_numbers(1, layer.parameters().size(), 1 / std::sqrt(static_cast<double>(c.h))));
  auto const x = spread_numbers(2, count(c.t * c.n * c.i), 1);
  auto const dy = spread_numbers(3, count(c.t * c.n * c.h), 1);
  time_runs(name, threads, c.text(trains), c.flops(trains, lstm_gates), steps, [&] {
    if (!trains) return layer.infer(x.data());
    layer.pack();
    layer.forward(x.data());
    layer.backward(dy.data());
  });
}

}  // namespace bench
