// A net of ten ops on 16 floats: by hand, as a static plan, and as a plan made at run time.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/static_cells.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/net/static_net.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>

namespace {

constexpr std::size_t width = 16;

constexpr plait::static_net arithmetic{
    plait::externals({"x", "w", "b"}, {"y"}), plait::op("Mul", {"x", "w"}, {"a"}), plait::op("Add", {"a", "b"}, {"a"}),
    plait::op("Relu", {"a"}, {"a"}),          plait::op("Mul", {"a", "x"}, {"a"}), plait::op("Sub", {"a", "w"}, {"a"}),
    plait::op("Sqr", {"a"}, {"a"}),           plait::op("Add", {"a", "b"}, {"a"}), plait::op("Mul", {"a", "w"}, {"a"}),
    plait::op("Max", {"a", "x"}, {"a"}),      plait::op("Sub", {"a", "b"}, {"y"})};

// The loop that a programmer writes for these ops.
struct by_hand {
  alignas(64) float x[width] = {};
  alignas(64) float w[width] = {};
  alignas(64) float b[width] = {};
  alignas(64) float y[width] = {};

  [[gnu::noinline]] void run() {
    for (std::size_t i = 0; i != width; ++i) {
      float a = x[i] * w[i] + b[i];
      a = (a > 0 ? a : 0) * x[i] - w[i];
      a = (a * a + b[i]) * w[i];
      y[i] = (a > x[i] ? a : x[i]) - b[i];
    }
  }
};

float value(std::size_t i, std::size_t seed) {
  return static_cast<float>((i * 7919 + seed * 104729) % 4001) / 1000 - 2;
}

void hand(benchmark::State& state) {
  by_hand cell;
  for (std::size_t i = 0; i != width; ++i) {
    cell.x[i] = value(i, 0);
    cell.w[i] = value(i, 1);
    cell.b[i] = value(i, 2);
  }
  for (auto _ : state) {
    cell.run();
    benchmark::DoNotOptimize(cell.y[0]);
    benchmark::ClobberMemory();
  }
}

void static_plan(benchmark::State& state) {
  auto plan = plait::compile<arithmetic, plait::dims{width}, plait::dims{width}, plait::dims{width}>(plait::serial());
  for (std::size_t i = 0; i != width; ++i) {
    plan.input<"x">()[i] = value(i, 0);
    plan.input<"w">()[i] = value(i, 1);
    plan.input<"b">()[i] = value(i, 2);
  }
  for (auto _ : state) {
    plan.run();
    benchmark::DoNotOptimize(plan.fetch<"y">()[0]);
    benchmark::ClobberMemory();
  }
}

void run_time_plan(benchmark::State& state) {
  plait::workspace<plait::serial> blobs;
  std::size_t seed = 0;
  std::string text = "external_output: \"y\" ";
  for (char const* const name : {"x", "w", "b"}) {
    std::vector<float> numbers;
    for (std::size_t i = 0; i != width; ++i) numbers.push_back(value(i, seed));
    ++seed;
    blobs.feed(name, numbers, {static_cast<std::int64_t>(width)});
  }
  for (auto const op : arithmetic.ops()) {
    text += "op { type: \"" + std::string(arithmetic.type(op)) + "\" ";
    for (auto const name : arithmetic.inputs(op)) text += "input: \"" + std::string(name) + "\" ";
    text += "output: \"" + std::string(arithmetic.outputs(op)[0]) + "\" }";
  }
  auto plan = plait::compile(plait::read_netdef_text(text), plait::standard_operators<plait::serial>(), blobs);
  for (auto _ : state) plan.run();
}

BENCHMARK(hand)->Name("static_plan/ten_ops/by_hand");
BENCHMARK(static_plan)->Name("static_plan/ten_ops/static_plan");
BENCHMARK(run_time_plan)->Name("static_plan/ten_ops/run_time_plan");

}  // namespace
