// Memory of layers in training: it matches the forecast, and recomputation needs less.
#include <plait/rnn/recurrent_layers.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <support/named_numbers.hpp>
#include <support/trained_layer.hpp>
#include <support/usual_cells.hpp>

namespace {

constexpr std::int64_t batch = 32, x_width = 12, h_width = 16;

struct measured {
  std::size_t said = 0;  ///< forecast before the run
  std::size_t peak = 0;  ///< measured, with the fed tensors
};

measured train(plait::any_cell const& cell, bool recompute, std::int64_t steps) {
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
  made.said = plan.forecast().peak();
  for (int run = 0; run != 2; ++run) {
    pool.reset_peak();
    plan.run();
    made.peak = std::max(made.peak, pool.statistics().peak_bytes_in_use - before);
  }
  return made;
}

}  // namespace

// The forecast excludes ops' scratch memory: packed weights, partial sums, and 200 KB for packing rows on processors
// without AVX-512. It hardly grows with the number of steps.
TEST_CASE("recurrent layer memory: training matches the forecast, and needs less with recompute") {
  for (auto const& [name, cell] : test::usual_cells(x_width, h_width)) {
    CAPTURE(name);
    measured const stored = train(cell, false, 480), again = train(cell, true, 480);
    for (measured const& one : {stored, again}) {
      CAPTURE(one.said);
      CAPTURE(one.peak);
      CHECK(std::abs(static_cast<double>(one.peak) / static_cast<double>(one.said) - 1) < 0.02);
    }
    measured const shorter = train(cell, false, 320);
    double const said = static_cast<double>(stored.said - shorter.said);
    CHECK(std::abs(static_cast<double>(stored.peak - shorter.peak) / said - 1) < 0.02);
    if (name != "basic") CHECK(again.peak < stored.peak);
  }
}
