// Dominator trees: plait over its own rows and over a compiler's blocks, LLVM 14 over the same blocks, Boost 1.81.
//
// All compute into an object that has been used before, but for Boost, which has none; LLVM leaves the numbers that
// make its queries O(1) for later. Footnote: Boost's algorithm recurses, at 1,000,000 nodes in a chain with one back
// edge over the end of an 8 MiB stack, and is left out there. LLVM is quadratic on "far leaves", a minute and a half at
// 100,000 nodes, and has it up to 10,000.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/property_map/property_map.hpp>

#include <plait/graph/dominators.hpp>

#include "graphs.hpp"

#ifdef PLAIT_BENCH_LLVM
#include "llvm_graph.hpp"
#endif

namespace {

using shape = bench::edges (*)(std::size_t);
using boost_graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

// What does not count is made before the clock starts.
struct with_plait_rows {
  bench::csr_graph graph;
  plait::dominator_tree<bench::csr_graph> tree;
  explicit with_plait_rows(bench::edges const& from) : graph(from) {}
  void run() {
    tree.compute(graph);
    benchmark::DoNotOptimize(tree.dense().immediates().data());
  }
};

struct with_plait_blocks {
  foreign::function graph;
  plait::dominator_tree<foreign::function> tree;
  explicit with_plait_blocks(bench::edges const& from) : graph(from) {}
  void run() {
    tree.compute(graph);
    benchmark::DoNotOptimize(tree.dense().immediates().data());
  }
};

#ifdef PLAIT_BENCH_LLVM
struct with_llvm {
  foreign::function graph;
  llvm::DominatorTreeBase<foreign::block, false> tree;
  explicit with_llvm(bench::edges const& from) : graph(from) {}
  void run() {
    tree.recalculate(graph);
    benchmark::DoNotOptimize(tree.getRootNode());
  }
};
#endif

struct with_boost {
  boost_graph graph;
  std::vector<boost_graph::vertex_descriptor> immediates;
  explicit with_boost(bench::edges const& from) : graph(from.nodes), immediates(from.nodes) {
    for (auto [a, b] : from.list) add_edge(a, b, graph);
  }
  void run() {
    boost::lengauer_tarjan_dominator_tree(
        graph, boost_graph::vertex_descriptor{0},
        boost::make_iterator_property_map(immediates.begin(), get(boost::vertex_index, graph)));
    benchmark::DoNotOptimize(immediates.data());
  }
};

template <class Rival>
void one_graph(benchmark::State& state, shape make) {
  bench::edges const from = make(static_cast<std::size_t>(state.range(0)));
  if (from.nodes <= 1) return state.SkipWithError("no real functions here");
  Rival rival(from);
  for (auto _ : state) rival.run();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(from.nodes));
}

template <class Rival>
void real_functions(benchmark::State& state) {
  std::vector<bench::edges> const functions = bench::real_functions();
  if (functions.empty()) return state.SkipWithError("no real functions here");
  std::vector<std::unique_ptr<Rival>> rivals;
  std::size_t nodes = 0;
  for (bench::edges const& f : functions) {
    rivals.push_back(std::make_unique<Rival>(f));
    nodes += f.nodes;
  }
  for (auto _ : state)
    for (auto const& rival : rivals) rival->run();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(nodes));
}

template <class Rival>
void add(std::string const& name, std::size_t chain_limit, std::size_t leaves_limit) {
  struct {
    char const* name;
    shape make;
    std::size_t limit;
  } const shapes[] = {{"random", bench::random_edges, 1'000'000},
                      {"layered", bench::layered_edges, 1'000'000},
                      {"chain", bench::chain_edges, chain_limit},
                      {"far leaves", bench::far_leaves_edges, leaves_limit},
                      {"joined functions", bench::joined_functions, 1'000'000}};
  for (auto const& s : shapes)
    for (std::size_t nodes : {1'000u, 10'000u, 100'000u, 1'000'000u})
      if (nodes <= s.limit)
        benchmark::RegisterBenchmark(("dominators/" + std::string(s.name) + "/" + name).c_str(),
                                     [make = s.make](benchmark::State& state) { one_graph<Rival>(state, make); })
            ->Arg(static_cast<std::int64_t>(nodes))
            ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark(("dominators/real functions/" + name).c_str(), real_functions<Rival>)
      ->Unit(benchmark::kMicrosecond);
}

[[maybe_unused]] bool const added = [] {
  add<with_plait_rows>("plait, rows", 1'000'000, 1'000'000);
  add<with_plait_blocks>("plait, blocks", 1'000'000, 1'000'000);
#ifdef PLAIT_BENCH_LLVM
  add<with_llvm>("LLVM, blocks", 1'000'000, 10'000);
#endif
  add<with_boost>("Boost", 100'000, 100'000);
  return true;
}();

}  // namespace
