// Steps whose ops each thread runs for its rows: the same bits as on one thread.
#include <plait/exec/operators/recurrent_network.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/traits.hpp>
#include <plait/rnn/cells/basic_rnn.hpp>
#include <plait/rnn/cells/gru.hpp>
#include <plait/rnn/cells/layer_norm_lstm.hpp>
#include <plait/rnn/cells/lstm.hpp>
#include <support/recurrent_nets.hpp>
#include <support/some_threads.hpp>
#include <support/trained_layer.hpp>

namespace {

constexpr std::int64_t steps = 6, batch = 33, inputs = 5, hidden = 64;

struct layer : test::trained_layer {
  layer(plait::any_cell const& cell, plait::recurrent_layer_options const& o) : trained_layer(cell, o) {
    for (plait::op_def& op : net.op)  // one step after the other
      if (net.text(op.type).starts_with("RecurrentNetwork"))
        plait::net_traits<plait::netdef>::set_argument(net, op, {"enable_rnn_executor", std::int64_t{0}});
  }

  template <class B>
  std::vector<std::vector<float>> run() const {
    plait::workspace<B> blobs;
    test::feed_some<float>(blobs, "x", {steps, batch, inputs}, 1);
    test::feed_some<float>(blobs, "dy", {steps, batch, hidden}, 2);
    for (std::size_t p = 0; p != parameters.size(); ++p)
      test::feed_some<float>(blobs, parameters[p].first, parameters[p].second, p + 3);
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
