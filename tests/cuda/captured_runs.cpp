// CUDA graph capture and replay on a real device: a training step of an LSTM, as on the device that the host emulates
// (tests/exec/captured_runs.cpp).
#include <plait/exec/detail/captured_runs.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/cuda/cublas.hpp>
#include <plait/exec/backends/cuda/cuda_graph.hpp>
#include <plait/exec/operators.hpp>
#include <plait/rnn/detail/cells/lstm.hpp>
#include <support/trained_layer.hpp>

namespace {

using plait::cuda;
using floats = std::vector<float>;

floats some(std::size_t count, std::uint32_t seed) {
  floats made(count);
  for (float& each : made) {
    seed = seed * 1664525u + 1013904223u;
    each = static_cast<float>(seed >> 8) / static_cast<float>(1u << 24) - 0.5f;
  }
  return made;
}

TEST_CASE("captured_runs: a CUDA graph of an LSTM's training step does what the plan does") {
  test::trained_layer const layer(plait::any_cell(plait::lstm_cell{5, 8}), {});
  plait::workspace<cuda> blobs;
  auto const feed = [&](std::string const& name, plait::shape const& dims, std::uint32_t seed) {
    blobs.feed(name, some(static_cast<std::size_t>(dims.size()), seed), dims);
  };
  std::uint32_t seed = 3;
  for (auto const& [name, dims] : layer.parameters) feed(name, dims, seed++);
  auto const results = [&] {
    std::vector<floats> made;
    for (std::string const& name : layer.fetch) made.push_back(blobs.fetch<float>(name));
    return made;
  };
  feed("x", {4, 3, 5}, 1);
  feed("dy", {4, 3, 8}, 2);
  auto plan = plait::compile(layer.net, plait::standard_operators<cuda>(), blobs, plait::compile_options{layer.fetch});
  plait::captured_runs<cuda> runs(plan);
  for (std::int64_t const steps : {4, 7, 4}) {
    feed("x", {steps, 3, 5}, 1);
    feed("dy", {steps, 3, 8}, 2);
    plan.run();
    auto const wanted = results();
    for (int i = 0; i != 4; ++i) {
      runs.run();
      CHECK(results() == wanted);
    }
    CHECK(runs.is_captured());
    blobs.refill("x", some(static_cast<std::size_t>(steps * 15), 99));
    runs.run();
    CHECK(runs.is_captured());
    auto const got = results();
    CHECK(got != wanted);
    plan.run();
    CHECK(got == results());
  }
}

}  // namespace
