// Backward pass of large nets: a deep one, and two wide ones that accumulate many gradients.
#include <cstddef>
#include <string>

#include <benchmark/benchmark.h>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/traits.hpp>

namespace {

// Alternating FC and Tanh, each FC with distinct parameters.
plait::netdef chain(std::size_t count) {
  plait::netdef n;
  n.op.reserve(count);
  n.external_input.push_back(n.intern("data"));
  std::string last = "data";
  for (std::size_t i = 0; i != count; ++i) {
    std::string const number = std::to_string(i);
    std::string const out = "layer_" + number;
    if (i % 2 == 0) {
      std::string const weight = "layer_" + number + "_w";
      std::string const bias = "layer_" + number + "_b";
      n.external_input.push_back(n.intern(weight));
      n.external_input.push_back(n.intern(bias));
      n.add_op("FC", {last, weight, bias}, {out});
    } else {
      n.add_op("Tanh", {last}, {out});
    }
    last = out;
  }
  n.external_output.push_back(n.intern(last));
  return n;
}

// One blob that all ops but the last read; the last sums their outputs.
plait::netdef one_blob_read_by_all(std::size_t count) {
  plait::netdef n;
  n.op.reserve(count);
  n.external_input.push_back(n.intern("data"));
  for (std::size_t i = 0; i + 1 != count; ++i) n.add_op("Tanh", {"data"}, {"branch_" + std::to_string(i)});
  plait::op_def& sum = n.add_op("Sum", {}, {"y"});
  for (std::size_t i = 0; i + 1 != count; ++i) sum.input.push_back(n.op[i].output[0]);
  n.external_output.push_back(n.intern("y"));
  return n;
}

// Every blob is read by two ops: y = tanh(x) + sigmoid(x), repeated.
plait::netdef every_blob_read_twice(std::size_t count) {
  plait::netdef n;
  n.op.reserve(count);
  n.external_input.push_back(n.intern("data"));
  std::string last = "data";
  for (std::size_t i = 0; i < count; i += 3) {
    std::string const number = std::to_string(i / 3);
    std::string const out = "diamond_" + number;
    n.add_op("Tanh", {last}, {out + "_a"});
    n.add_op("Sigmoid", {last}, {out + "_b"});
    n.add_op("Add", {out + "_a", out + "_b"}, {out});
    last = out;
  }
  n.external_output.push_back(n.intern(last));
  return n;
}

// Reports the time per op of the net: constant if the pass is linear.
void per_op(benchmark::State& state, plait::netdef const& n) {
  state.counters["s_per_op"] = benchmark::Counter(
      static_cast<double>(n.op.size()), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <plait::netdef (*Make)(std::size_t)>
void backward_pass(benchmark::State& state) {
  plait::netdef const n = Make(static_cast<std::size_t>(state.range(0)));
  std::vector<plait::gradient_seed> const ys{std::string(n.text(n.external_output[0]))};
  auto const& rules = plait::gradient_rules::standard();
  for (auto _ : state) benchmark::DoNotOptimize(plait::backward_pass(n, ys, rules));
  per_op(state, n);
}

template <plait::netdef (*Make)(std::size_t)>
void add_gradient_ops(benchmark::State& state) {
  plait::netdef const n = Make(static_cast<std::size_t>(state.range(0)));
  std::vector<plait::gradient_seed> const ys{std::string(n.text(n.external_output[0]))};
  auto const& rules = plait::gradient_rules::standard();
  for (auto _ : state) {
    state.PauseTiming();
    plait::netdef copy = n;
    state.ResumeTiming();
    benchmark::DoNotOptimize(plait::add_gradient_ops(copy, ys, rules));
    state.PauseTiming();
    copy = plait::netdef();
    state.ResumeTiming();
  }
  per_op(state, n);
}

}  // namespace

#define PLAIT_BENCH_SIZES ->RangeMultiplier(10)->Range(1'000, 1'000'000)->Unit(benchmark::kMillisecond)

BENCHMARK(backward_pass<chain>)->Name("backward_pass/chain") PLAIT_BENCH_SIZES;
BENCHMARK(backward_pass<one_blob_read_by_all>)->Name("backward_pass/one_blob_read_by_all") PLAIT_BENCH_SIZES;
BENCHMARK(backward_pass<every_blob_read_twice>)->Name("backward_pass/every_blob_read_twice") PLAIT_BENCH_SIZES;
BENCHMARK(add_gradient_ops<chain>)->Name("add_gradient_ops/chain") PLAIT_BENCH_SIZES;
BENCHMARK(add_gradient_ops<one_blob_read_by_all>)->Name("add_gradient_ops/one_blob_read_by_all") PLAIT_BENCH_SIZES;
BENCHMARK(add_gradient_ops<every_blob_read_twice>)->Name("add_gradient_ops/every_blob_read_twice") PLAIT_BENCH_SIZES;
