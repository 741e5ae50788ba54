// Heap allocations of recurrent layers: none after the first run.
#include <plait/rnn/recurrent_layers.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <support/counted_new.hpp>
#include <support/named_numbers.hpp>
#include <support/trained_layer.hpp>
#include <support/usual_cells.hpp>

namespace {

using backend = plait::serial;
constexpr std::int64_t steps = 7, batch = 3, x_width = 4, h_width = 6;

// Returns the number of allocations in runs after the first ones.
std::size_t news_of_run(plait::any_cell const& cell, plait::recurrent_layer_options const& options) {
  test::trained_layer const layer(cell, options);
  plait::workspace<backend> blobs;
  auto const feed = [&](std::string const& name, plait::shape const& dims) {
    test::numbers const made = test::values(name, dims.size());
    blobs.feed(name, plait::tensor<backend>::from(std::vector<float>(made.begin(), made.end()), dims));
  };
  feed("x", {steps, batch, x_width});
  if (!layer.seeds.empty()) feed("dy", {steps, batch, cell.output_width()});
  if (options.lengths) blobs.feed<std::int32_t>("lengths", {7, 2, 5}, {batch});
  for (auto const& [name, dims] : layer.parameters) feed(name, dims);
  auto plan = plait::compile(layer.net, plait::standard_operators<backend>(), blobs, {.fetch = layer.fetch});
  for (int run = 0; run != 3; ++run) plan.run();
  return test::count_news([&] {
    for (int run = 0; run != 3; ++run) plan.run();
  });
}

}  // namespace

TEST_CASE("recurrent layer allocations: runs after the first allocate nothing, in inference and training") {
  auto cells = test::usual_cells(x_width, h_width);
  cells.emplace_back("GRU, linear before reset", plait::gru_cell{x_width, h_width, true});
  cells.emplace_back("dropout", plait::dropout_cell{plait::lstm_cell{x_width, h_width}, 0.5f, false});
  for (auto const& [name, cell] : cells) {
    CAPTURE(name);
    for (bool const forward_only : {true, false})
      for (bool const with_lengths : {false, true}) {
        CAPTURE(forward_only);
        CAPTURE(with_lengths);
        plait::recurrent_layer_options options{.forward_only = forward_only};
        if (with_lengths) options.lengths = "lengths";
        CHECK(news_of_run(cell, options) == 0);
        options.recompute = true;
        if (!forward_only) CHECK(news_of_run(cell, options) == 0);
      }
  }
}
