// Steps whose ops each thread runs for its rows: the same bits as on one thread.
#include <plait/exec/operators/recurrent_network.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/any_cell.hpp>
#include <plait/rnn/cells/basic_rnn.hpp>
#include <plait/rnn/cells/gru.hpp>
#include <plait/rnn/cells/layer_norm_lstm.hpp>
#include <plait/rnn/cells/lstm.hpp>
#include <plait/rnn/recurrent_layer.hpp>
#include <support/recurrent_nets.hpp>
#include <support/some_threads.hpp>

namespace {

constexpr std::int64_t steps = 6, batch = 33, inputs = 5, hidden = 64;

struct layer {
  plait::netdef net;
  std::vector<std::string> fetch = {};
  std::vector<std::pair<std::string, plait::shape>> fed = {};

  layer(plait::any_cell const& cell, plait::recurrent_layer_options o) {
    plait::trained_model model("net");
    o.sequence = model.net.external_input("x");
    if (o.lengths) model.net.external_input(*o.lengths);
    o.learn_initial = true;
    auto const made = plait::add_recurrent_layer(model, "r", cell, o);
    net = model.net.net();
    fed = {{"x", {steps, batch, inputs}}, {"dy", {steps, batch, hidden}}};
    for (std::string const& p : model.parameters()) fed.emplace_back(p, plait::shape(model.parameter_shape(p)));
    fetch = {made.output.name()};
    for (auto const& last : made.last) fetch.push_back(last.name());
    std::vector<std::string> moved;
    for (auto const& [name, dims] : fed)
      if (name != "dy") moved.push_back(name);
    std::vector<plait::gradient_seed> const seeded{{made.output.name(), "dy"}};
    auto const gradients = plait::add_gradient_ops(net, seeded, plait::gradient_rules::standard(), {.only = moved});
    for (auto const& [name, g] : gradients) fetch.push_back(g.values);
    for (plait::op_def& op : net.op)  // one step after the other
      if (net.text(op.type).starts_with("RecurrentNetwork"))
        plait::net_traits<plait::netdef>::set_argument(net, op, {"enable_rnn_executor", std::int64_t{0}});
  }

  template <class B>
  std::vector<std::vector<float>> run() const {
    plait::workspace<B> blobs;
    for (std::size_t i = 0; i != fed.size(); ++i) test::feed_some<float>(blobs, fed[i].first, fed[i].second, i + 1);
    std::vector<std::int32_t> lengths;
    for (std::int32_t row = 0; row != batch; ++row) lengths.push_back(row % 7);
    blobs.template feed<std::int32_t>("lengths", lengths, {batch});
    auto plan = plait::compile(net, test::table<B>(), blobs, plait::compile_options{fetch});
    std::vector<std::vector<float>> made;
    for (int run = 0; run != 2; ++run) {
      plan.run();
      for (std::string const& name : fetch) made.push_back(blobs.template fetch<float>(name));
    }
    return made;
  }
};

TEST_CASE("Recurrences by rows make the bits that one thread makes") {
  using namespace plait;
  test::some_threads threads;
  for (any_cell const& cell :
       {any_cell(lstm_cell{inputs, hidden}), any_cell(gru_cell{inputs, hidden}),
        any_cell(basic_rnn_cell{inputs, hidden}), any_cell(layer_norm_lstm_cell{inputs, hidden})})
    for (recurrent_layer_options const& how :
         {recurrent_layer_options{}, {.lengths = "lengths"}, {.recompute = true}}) {
      layer const made(cell, how);
      CHECK(threads.execute([&] { return made.run<plait::tbb>(); }) == made.run<plait::serial>());
    }
}

}  // namespace
