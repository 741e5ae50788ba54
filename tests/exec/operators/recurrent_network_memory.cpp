#include <plait/exec/operators/recurrent_network.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/exec/memory_pool.hpp>
#include <plait/exec/plan_forecast.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/rnn/cells.hpp>
#include <plait/rnn/recurrent_layer.hpp>

#include <support/recurrent_nets.hpp>

namespace {

using B = plait::serial;

struct measured {
  std::size_t said = 0;  ///< before the run
  std::size_t peak = 0;  ///< of a run, and of what is fed for it
};

/// Two LSTMs one above the other over T steps.
measured run_stack(std::int64_t steps, plait::recurrent_layer_options how) {
  constexpr std::int64_t batch = 32, width = 16;
  auto& pool = plait::memory_pool<B>::shared();
  std::size_t const before = pool.statistics().bytes_in_use;
  plait::trained_model model("net");
  how.sequence = model.net.external_input("x");
  how.learn_initial = true;
  plait::multi_cell const cell{{plait::lstm_cell{width, width}, plait::lstm_cell{width, width}}, {}};
  auto const layer = plait::add_recurrent_layer(model, "r", cell, how);
  plait::netdef net = model.net.net();
  std::vector<std::string> fetch{layer.output.name()};
  plait::workspace<B> blobs;
  test::feed_some<float>(blobs, "x", {steps, batch, width}, 1);
  for (std::string const& p : model.parameters())
    test::feed_some<float>(blobs, p, plait::shape(model.parameter_shape(p)), 2);
  if (!how.forward_only) {
    std::vector<plait::gradient_seed> const seeds{{layer.output.name(), "dy"}};
    auto const gradients =
        plait::add_gradient_ops(net, seeds, plait::gradient_rules::standard(), {.only = model.parameters()});
    for (auto const& [name, g] : gradients) fetch.push_back(g.values);
    test::feed_some<float>(blobs, "dy", {steps, batch, width}, 3);
  }
  measured made;
  auto plan = plait::compile(net, test::table<B>(), blobs, {.fetch = fetch});
  std::size_t const fed = pool.statistics().bytes_in_use;
  plait::memory_forecast const f = plait::forecast_memory(plan);
  CHECK(pool.statistics().bytes_in_use == fed);
  made.said = f.peak();
  for (int run = 0; run != 3; ++run) {
    pool.reset_peak();
    plan.run();
    made.peak = std::max(made.peak, pool.statistics().peak_bytes_in_use - before);
  }
  return made;
}

// What ops take for themselves while they run (packed weights, parts of matrices) is not said: it does not depend on T.
TEST_CASE("What a recurrence takes is said before it is run") {
  for (plait::recurrent_layer_options const& how :
       {plait::recurrent_layer_options{}, {.forward_only = true}, {.recompute = true}}) {
    CAPTURE(how.recompute);
    CAPTURE(how.forward_only);
    measured const few = run_stack(100, how);
    measured const many = run_stack(400, how);
    CAPTURE(few.said);
    CAPTURE(few.peak);
    CAPTURE(many.said);
    CAPTURE(many.peak);
    CHECK(std::abs(static_cast<double>(many.peak) / static_cast<double>(many.said) - 1) < 0.02);
    CHECK(many.peak - many.said == few.peak - few.said);
  }
}

}  // namespace
