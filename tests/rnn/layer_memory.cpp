// What layers take in training: what was said before, and less where steps are made again.
#include <plait/rnn/recurrent_layer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/memory_pool.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan_forecast.hpp>
#include <plait/rnn/cells.hpp>
#include <support/named_numbers.hpp>
#include <support/trained_layer.hpp>

namespace {

constexpr std::int64_t steps = 320, batch = 32, x_width = 12, h_width = 16;

struct measured {
  std::size_t said = 0;  ///< before the run
  std::size_t peak = 0;  ///< of a run, and of what is fed for it
};

measured train(plait::any_cell const& cell, bool recompute) {
  test::trained_layer const layer(cell, {.recompute = recompute});
  auto& pool = plait::memory_pool<plait::serial>::shared();
  std::size_t const before = pool.statistics().bytes_in_use;
  plait::workspace<plait::serial> blobs;
  auto const feed = [&](std::string const& name, plait::shape const& dims) {
    test::numbers const made = test::values(name, dims.size());
    blobs.feed(name, plait::tensor<plait::serial>::from(std::vector<float>(made.begin(), made.end()), dims));
  };
  feed("x", {steps, batch, x_width});
  feed("dy", {steps, batch, cell.output_width()});
  for (auto const& [name, dims] : layer.parameters) feed(name, dims);
  auto plan = plait::compile(layer.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = layer.fetch});
  measured made;
  made.said = plait::forecast_memory(plan).peak();
  for (int run = 0; run != 2; ++run) {
    pool.reset_peak();
    plan.run();
    made.peak = std::max(made.peak, pool.statistics().peak_bytes_in_use - before);
  }
  return made;
}

}  // namespace

// What ops take for themselves while they run is not said: packed weights, and parts of sums.
TEST_CASE("What a layer takes in training is said before; with recompute it is less") {
  using namespace plait;
  std::vector<std::pair<std::string, any_cell>> const cells{
      {"basic", basic_rnn_cell{x_width, h_width}},
      {"LSTM", lstm_cell{x_width, h_width}},
      {"LSTM with peepholes", peephole_lstm_cell{x_width, h_width}},
      {"LSTM with a projection", projected_lstm_cell{x_width, h_width, h_width / 2}},
      {"GRU", gru_cell{x_width, h_width}},
      {"layer norm LSTM", layer_norm_lstm_cell{x_width, h_width}},
      {"MI LSTM", mi_lstm_cell{x_width, h_width}},
      {"layer norm MI LSTM", mi_lstm_cell{x_width, h_width, 0, true}},
      {"several", multi_cell{{lstm_cell{x_width, h_width}, lstm_cell{h_width, h_width}}, {1}}}};
  for (auto const& [name, cell] : cells) {
    CAPTURE(name);
    measured const stored = train(cell, false), again = train(cell, true);
    for (measured const& one : {stored, again}) {
      CAPTURE(one.said);
      CAPTURE(one.peak);
      CHECK(std::abs(static_cast<double>(one.peak) / static_cast<double>(one.said) - 1) < 0.02);
    }
    if (name != "basic") CHECK(again.peak < stored.peak);
  }
}
