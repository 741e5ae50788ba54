// Net on which transforms are measured: layers of FC-like ops, one in eight in place, one in five dead, names of 8 to
// 24 characters, about 3 operands per op.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <plait/netdef/traits.hpp>

namespace bench {

inline plait::netdef layered_net(std::size_t count) {
  std::mt19937 random(1);
  plait::netdef n;
  n.external_input.push_back(n.intern("data"));
  n.op.reserve(count);
  std::string last = "data";
  std::vector<std::string> recent;
  for (std::size_t i = 0; i != count; ++i) {
    std::string const scope = "layer_" + std::to_string(i / 8) + "/";
    std::string const out = random() % 8 == 0 ? last : scope + "out_" + std::to_string(i % 8);
    if (out == last) {
      n.add_op("Relu", {last}, {last});
    } else {
      std::string const weight = scope + "w_" + std::to_string(i % 8);
      n.external_input.push_back(n.intern(weight));
      if (!recent.empty() && random() % 4 == 0)
        n.add_op("FC", {last, weight, recent[random() % recent.size()]}, {out});
      else
        n.add_op("FC", {last, weight}, {out});
    }
    if (random() % 5 != 0) {
      last = out;
      if (recent.size() < 16)
        recent.push_back(out);
      else
        recent[i % 16] = out;
    }
  }
  n.external_output.push_back(n.intern(last));
  return n;
}

/// Reports the time per op: constant if the transform is linear.
inline void per_op(benchmark::State& state) {
  state.counters["s_per_op"] = benchmark::Counter(
      static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace bench

#define PLAIT_BENCH_SIZES ->RangeMultiplier(10)->Range(10'000, 1'000'000)->Unit(benchmark::kMillisecond)
