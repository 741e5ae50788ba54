// Dependence graph of a net: from the net, and from its SSA form.
#include <benchmark/benchmark.h>

#include <plait/ssa/dependency_graph.hpp>

#include "nets.hpp"

namespace {

constexpr plait::dependency_options all{.write_after_read = true, .write_after_write = true};

void dependencies(benchmark::State& state) {
  auto const n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(plait::dependency_graph(n, plait::get_ssa(n), all));
  bench::per_op(state);
}

void dependencies_of_a_form(benchmark::State& state) {
  auto const n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  auto const form = plait::get_ssa(n);
  plait::dependency_graph graph;
  for (auto _ : state) {
    graph.compute(n, form, all);
    benchmark::DoNotOptimize(graph);
  }
  bench::per_op(state);
}

BENCHMARK(dependencies) PLAIT_BENCH_SIZES;
BENCHMARK(dependencies_of_a_form) PLAIT_BENCH_SIZES;

}  // namespace
