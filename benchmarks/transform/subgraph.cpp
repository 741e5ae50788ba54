// The boundary of every second op, and of half the net extracted.
#include <vector>

#include <benchmark/benchmark.h>

#include <plait/ssa/backward_slice.hpp>
#include <plait/transform/subgraph.hpp>

#include "nets.hpp"

namespace {

void find_subgraph_boundary(benchmark::State& state) {
  auto const n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  auto const ssa = plait::get_ssa(n);
  std::vector<plait::op_index> ops;
  for (plait::op_index op = 0; op < ssa.op_count(); op += 2) ops.push_back(op);
  for (auto _ : state) benchmark::DoNotOptimize(plait::find_subgraph_boundary(ssa, ops));
  bench::per_op(state);
}

void extract_subgraph(benchmark::State& state) {
  auto const n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  std::vector<plait::op_index> ops;
  for (plait::op_index op = 0; op < n.op.size() / 2; ++op) ops.push_back(op);
  for (auto _ : state) benchmark::DoNotOptimize(plait::extract_subgraph(n, ops));
  bench::per_op(state);
}

void backward_slice(benchmark::State& state) {
  auto const n = bench::layered_net(static_cast<std::size_t>(state.range(0)));
  auto const ssa = plait::get_ssa(n);
  std::vector<plait::value> const to(ssa.external_outputs().begin(), ssa.external_outputs().end());
  for (auto _ : state)
    benchmark::DoNotOptimize(
        plait::backward_slice(ssa, std::span<plait::value const>(), std::span<plait::value const>(to)));
  bench::per_op(state);
}

BENCHMARK(find_subgraph_boundary) PLAIT_BENCH_SIZES;
BENCHMARK(extract_subgraph) PLAIT_BENCH_SIZES;
BENCHMARK(backward_slice) PLAIT_BENCH_SIZES;

}  // namespace
