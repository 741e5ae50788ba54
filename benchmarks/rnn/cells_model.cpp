// The nets of cells.cpp.
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/trained_model.hpp>
#include <plait/rnn/cells.hpp>
#include <plait/rnn/recurrent_cell.hpp>
#include <plait/rnn/recurrent_layers.hpp>

#include "cells.hpp"

namespace {

// The reset gate is applied after the recurrent product (linear_before_reset), as in cuDNN and PyTorch.
struct plain_gru {
  std::int64_t inputs, hidden;

  std::vector<plait::cell_state> states() const { return {{"hidden_t", hidden}}; }
  plait::blob_handle prepare(plait::cell_scope& s, plait::blob_handle const& sequence) const {
    return s.fc(sequence, "i2h", inputs, 3 * hidden);
  }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const {
    auto& net = s.net;
    auto const& h = s.states[0];
    auto const [x_reset, x_update, x_new] = net.split<3>(s.input, 2);
    auto const [h_reset, h_update, h_new] = net.split<3>(s.fc(h, "h2h", hidden, 3 * hidden), 2);
    auto const reset = net.sigmoid(net.add(x_reset, h_reset));
    auto const update = net.sigmoid(net.add(x_update, h_update));
    auto const fresh = net.tanh(net.add(x_new, net.mul(reset, h_new)));
    return {net.add(fresh, net.mul(update, net.sub(h, fresh)), "hidden_t")};
  }
};
PLAIT_CHECK_RECURRENT_CELL(plain_gru);

template <class Cell>
bench::sequence_net over_sequence(Cell const& cell, int gates, bench::cell_run const& r) {
  plait::trained_model model("net");
  plait::recurrent_layer_options options{.sequence = model.net.external_input("x"), .forward_only = !r.trains};
  std::vector<bench::fed_blob> states;
  for (plait::cell_state const& state : cell.states()) {
    options.initial.push_back(model.net.external_input("initial_" + state.name).name());
    states.push_back({options.initial.back(), {1, r.c.n, state.width}, 0});
  }
  auto const layer = plait::add_recurrent_layer(model, "r", cell, options);
  bench::sequence_net made{model.net.net(), gates, {{"x", {r.c.t, r.c.n, r.c.i}, 1}}, {.fetch = {layer.output.name()}}};
  double const bound = 1 / std::sqrt(static_cast<double>(r.c.h));
  for (std::string const& p : model.parameters())
    made.feeds.push_back({p, plait::shape(model.parameter_shape(p)), bound});
  if (r.trains) made.feeds.push_back({"dy", {r.c.t, r.c.n, r.c.h}, 1});
  made.feeds.insert(made.feeds.end(), states.begin(), states.end());
  if (!r.trains) return made;
  auto const gradients = plait::add_gradient_ops(made.net, {{layer.output.name(), "dy"}},
                                                 plait::gradient_rules::standard(), {.only = model.parameters()});
  for (std::string const& p : model.parameters()) made.options.fetch.push_back(gradients.find(p)->second.values);
  return made;
}

}  // namespace

bench::sequence_net bench::make_cell_net(cell_run const& r) {
  if (r.cell == "gru") return over_sequence(plain_gru{r.c.i, r.c.h}, 3, r);
  if (r.cell == "layer_norm_lstm") return over_sequence(plait::layer_norm_lstm_cell{r.c.i, r.c.h}, 4, r);
  refuse_word(r.cell);
}
