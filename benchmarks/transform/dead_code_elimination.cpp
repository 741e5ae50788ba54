// Dead code elimination: finding dead ops, and removing them from a net (its copy is not timed).
#include <optional>

#include <benchmark/benchmark.h>

#include <plait/transform/dead_code_elimination.hpp>

#include "nets.hpp"

namespace {

// SSA form with nested nets, with which all transforms begin.
void ssa_with_nested_nets(benchmark::State& state) {
  auto const n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(plait::get_ssa(n, {.subnets = true, .control_inputs = true}));
  bench::per_op(state);
}

void find_dead_ops(benchmark::State& state) {
  auto const n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(plait::find_dead_ops(n));
  bench::per_op(state);
}

void remove_dead_ops(benchmark::State& state) {
  auto const n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  std::optional<plait::netdef> copy;
  for (auto _ : state) {
    state.PauseTiming();
    copy = n;
    state.ResumeTiming();
    benchmark::DoNotOptimize(plait::remove_dead_ops(*copy, {.prune_external_inputs = true}));
  }
  bench::per_op(state);
}

BENCHMARK(ssa_with_nested_nets) PLAIT_BENCH_SIZES;
BENCHMARK(find_dead_ops) PLAIT_BENCH_SIZES;
BENCHMARK(remove_dead_ops) PLAIT_BENCH_SIZES;

}  // namespace
