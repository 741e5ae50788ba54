// Buffer sharing of blobs: the assignment, for ops in order and in any order, and a schedule with a lower peak.
#include <cstddef>

#include <benchmark/benchmark.h>

#include <plait/transform/memory_plan.hpp>

#include "nets.hpp"

namespace {

template <class Find>
void find(benchmark::State& state, Find const& how) {
  auto const n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(how(n));
  bench::per_op(state);
}

void find_sharing(benchmark::State& state) {
  find(state, [](plait::netdef const& n) { return plait::find_sharing(n); });
}
void find_sharing_in_any_order(benchmark::State& state) {
  find(state, [](plait::netdef const& n) { return plait::find_sharing(n, {.any_order = true}); });
}
void find_memory_schedule(benchmark::State& state) {
  find(state, [](plait::netdef const& n) { return plait::find_memory_schedule(n); });
}
void find_released_blobs(benchmark::State& state) {
  find(state, [](plait::netdef const& n) { return plait::find_released_blobs(n); });
}

BENCHMARK(find_sharing) PLAIT_BENCH_SIZES;
BENCHMARK(find_sharing_in_any_order) PLAIT_BENCH_SIZES;
BENCHMARK(find_memory_schedule) PLAIT_BENCH_SIZES;
BENCHMARK(find_released_blobs) PLAIT_BENCH_SIZES;

}  // namespace
