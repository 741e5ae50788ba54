// Compilation of nets to plans: random element-wise ops of earlier blobs, and replanning for another shape, including
// the run that triggers it.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators/elementwise.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/text.hpp>
#include <plait/netdef/traits.hpp>

namespace {

using plait::serial;

struct random_net {
  plait::operators<serial> table;
  plait::workspace<serial> blobs;
  plait::netdef net;

  explicit random_net(std::int64_t ops) {
    plait::add_activation_operators(table);
    plait::add_arithmetic_operators(table);
    std::mt19937 random(1);
    // Operands are among the last hundred blobs, as in real nets: otherwise nearly all blobs are live until the end.
    auto const earlier = [&](std::int64_t op) {
      return "'x" + std::to_string(std::uniform_int_distribution(std::max<std::int64_t>(0, op - 100), op)(random)) +
             "'";
    };
    std::string text = "external_input: 'x0' external_output: 'x" + std::to_string(ops) + "'";
    for (std::int64_t op = 0; op != ops; ++op) {
      static constexpr char const* types[] = {"Tanh", "Sigmoid", "Add", "Mul"};
      auto const type = random() % 4;
      text += std::string(" op { type: '") + types[type] + "' input: " + earlier(op);
      if (type >= 2) text += " input: " + earlier(op);
      text += " output: 'x" + std::to_string(op + 1) + "' }";
    }
    net = plait::read_netdef_text(text);
    feed(8);
  }
  void feed(std::int64_t columns) {
    blobs.feed("x0", std::vector<float>(static_cast<std::size_t>(4 * columns), 0.5f), {4, columns});
  }
};

void compile(benchmark::State& state) {
  random_net x(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(plait::compile(x.net, x.table, x.blobs));
}

void plan_again(benchmark::State& state) {
  random_net x(state.range(0));
  auto plan = plait::compile(x.net, x.table, x.blobs);
  for (std::int64_t columns = 8; auto _ : state) {
    x.feed(columns ^= 24);
    plan.run();
  }
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Arg(100)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
}

}  // namespace

BENCHMARK(compile)->Apply(sizes);
BENCHMARK(plan_again)->Apply(sizes);
