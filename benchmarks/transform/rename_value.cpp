// Renaming: one value, one blob throughout, every value (SSA in names), and a clone.
#include <string>

#include <benchmark/benchmark.h>

#include <plait/ssa/rewrite.hpp>
#include <plait/transform/clone.hpp>
#include <plait/transform/rename.hpp>

#include "nets.hpp"

namespace {

void rename_value(benchmark::State& state) {
  auto n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  auto const op = static_cast<plait::op_index>(n.op.size() / 2);
  bool there = false;
  for (auto _ : state) {
    there = !there;
    benchmark::DoNotOptimize(plait::rename_output(n, {.op = op, .output = 0}, there ? "new_a" : "new_b"));
  }
  bench::per_op(state);
}

void rename_blob(benchmark::State& state) {
  auto n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  plait::name_map const there{{"data", "given"}};
  plait::name_map const back{{"given", "data"}};
  bool forth = false;
  for (auto _ : state) {
    forth = !forth;
    benchmark::DoNotOptimize(plait::rename_blobs(n, forth ? there : back));
  }
  bench::per_op(state);
}

void ssa_rewrite(benchmark::State& state) {
  auto const n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    auto copy = n;
    state.ResumeTiming();
    benchmark::DoNotOptimize(plait::ssa_rewrite(copy));
    state.PauseTiming();
    copy = plait::netdef();
    state.ResumeTiming();
  }
  bench::per_op(state);
}

void clone(benchmark::State& state) {
  auto const n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(plait::clone(n, "copy", {.blob_remap = {{"data", "given"}}}));
  bench::per_op(state);
}

BENCHMARK(rename_value) PLAIT_BENCH_SIZES;
BENCHMARK(rename_blob) PLAIT_BENCH_SIZES;
BENCHMARK(ssa_rewrite) PLAIT_BENCH_SIZES;
BENCHMARK(clone) PLAIT_BENCH_SIZES;

}  // namespace
