// The net of lstm.cpp.
#include <cmath>
#include <string>
#include <vector>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/recurrent_net.hpp>

#include "lstm.hpp"

namespace {

plait::netdef lstm(bool trains) {
  plait::net_builder net("lstm");
  auto const [x, h0, c0] = net.external_inputs("x", "h0", "c0");
  auto const [input_w, input_b] = net.external_inputs("i2h_w", "i2h_b");
  auto const [state_w, state_b] = net.external_inputs("gates_t_w", "gates_t_b");
  net.op("FC", {x, input_w, input_b}, "i2h", {{"axis", 2}});

  plait::net_builder cell("lstm_cell");
  auto const [input_t, h_prev, c_prev, timestep] = cell.external_inputs("input_t", "h_prev", "c_prev", "timestep");
  auto const [w, b] = cell.external_inputs("gates_t_w", "gates_t_b");
  auto const gates = cell.op("FC", {h_prev, w, b}, "gates_t", {{"axis", 2}});
  cell.op("Sum", {gates, input_t}, gates);
  auto const [h, c] = cell.op<2>("LSTMUnit", {h_prev, c_prev, gates, timestep}, {"h", "c"}, {{"sequence_lengths", 0}});
  cell.external_outputs(h, c);
  auto const out = plait::recurrent_net(net, {.cell = cell,
                                              .inputs = {{"input_t", "i2h"}},
                                              .states = {{"h_prev", "h", "h0"}, {"c_prev", "c", "c0"}},
                                              .timestep = "timestep",
                                              .forward_only = !trains});
  net.external_outputs(out.all("h").name(), out.last("h").name(), out.last("c").name());
  plait::netdef made = net.take();
  if (trains)
    plait::add_gradient_ops(made, {{"h_all", "dy"}}, plait::gradient_rules::standard(),
                            {.only = {"i2h_w", "i2h_b", "gates_t_w", "gates_t_b"}});
  return made;
}

}  // namespace

bench::sequence_net bench::make_lstm(sequence_case const& c, bool trains) {
  double const bound = 1 / std::sqrt(static_cast<double>(c.h));
  sequence_net made{lstm(trains), lstm_gates, {}, {}};
  made.feeds = {{"x", {c.t, c.n, c.i}, 1},        {"h0", {1, c.n, c.h}, 0},    {"c0", {1, c.n, c.h}, 0},
                {"i2h_w", {4 * c.h, c.i}, bound}, {"i2h_b", {4 * c.h}, bound}, {"gates_t_w", {4 * c.h, c.h}, bound},
                {"gates_t_b", {4 * c.h}, bound}};
  if (trains) made.feeds.push_back({"dy", {c.t, c.n, c.h}, 1});
  // Constant parameters are pre-packed, as the rivals pre-pack weights when a model is loaded.
  if (!trains) made.options.constants = {"i2h_w", "i2h_b", "gates_t_w", "gates_t_b"};
  return made;
}
