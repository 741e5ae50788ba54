// A recurrent layer over a sequence with its gradients, for tests that compare execution schedules.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/any_cell.hpp>
#include <plait/rnn/recurrent_layers.hpp>

namespace test {

/// Input x; dy is the gradient of the output. Reads "lengths" if the options say so.
struct trained_layer {
  plait::netdef net;
  std::vector<std::string> fetch = {};  ///< the output, the last states, and all gradients
  std::vector<std::pair<std::string, plait::shape>> parameters = {};
  std::vector<std::string> seeds = {};  ///< dy; empty without gradients

  trained_layer(plait::any_cell const& cell, plait::recurrent_layer_options o) {
    plait::trained_model model("net");
    o.sequence = model.net.external_input("x");
    if (o.lengths) model.net.external_input(*o.lengths);
    o.learn_initial = true;
    auto const layer = plait::add_recurrent_layer(model, "r", cell, o);
    net = model.net.net();
    for (std::string const& p : model.parameters()) parameters.emplace_back(p, plait::shape(model.parameter_shape(p)));
    fetch = {layer.output.name()};
    for (auto const& last : layer.last) fetch.push_back(last.name());
    if (o.forward_only) return;
    std::vector<std::string> moved{"x"};
    for (auto const& [name, dims] : parameters) moved.push_back(name);
    seeds = {"dy"};
    std::vector<plait::gradient_seed> const seeded{{layer.output.name(), "dy"}};
    auto const gradients = plait::add_gradient_ops(net, seeded, plait::gradient_rules::standard(), {.only = moved});
    for (auto const& [name, g] : gradients) fetch.push_back(g.values);
  }
};

}  // namespace test
