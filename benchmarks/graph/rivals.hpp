// Registration of benchmarks: one for each rival, shape of graphs and size.
//
// A rival is constructed from edges outside the measurement; run() is measured, and result() is a checksum on which all
// rivals must agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "graphs.hpp"

namespace bench {

struct shape {
  char const* name;
  edges (*make)(std::size_t);
  std::size_t largest = 1'000'000;
};

/// The first rival determines the expected result.
template <class First, class Rival>
void run_rival(benchmark::State& state, std::vector<edges> const& graphs) {
  std::vector<std::unique_ptr<Rival>> rivals;
  std::size_t nodes = 0;
  for (edges const& graph : graphs) {
    rivals.push_back(std::make_unique<Rival>(graph));
    nodes += graph.nodes;
  }
  if (nodes <= 1) return state.SkipWithError("no real functions here");
  for (auto _ : state)
    for (auto const& rival : rivals) {
      rival->run();
      benchmark::ClobberMemory();
    }
  for (std::size_t i = 0; i != graphs.size(); ++i) {
    First first(graphs[i]);
    first.run();
    if (first.result() != rivals[i]->result()) return state.SkipWithError("another result");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(nodes));
}

/// Registers the benchmarks subject/shape/rival/nodes for each of the shapes and for the real functions.
template <class First, class Rival>
void add_rival(std::string const& subject, std::string const& rival, std::span<shape const> shapes) {
  for (shape const& s : shapes)
    for (std::size_t nodes : {100u, 1'000u, 10'000u, 100'000u, 1'000'000u})
      if (nodes <= s.largest)
        benchmark::RegisterBenchmark((subject + "/" + s.name + "/" + rival).c_str(),
                                     [make = s.make](benchmark::State& state) {
                                       run_rival<First, Rival>(state, {make(static_cast<std::size_t>(state.range(0)))});
                                     })
            ->Arg(static_cast<std::int64_t>(nodes))
            ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark((subject + "/real functions/" + rival + "/all").c_str(), [](benchmark::State& state) {
    run_rival<First, Rival>(state, real_functions());
  })->Unit(benchmark::kMicrosecond);
}

}  // namespace bench
