// Dominator trees: plait on its own CSR rows and on a compiler's blocks, LLVM 14 on the same blocks, Boost 1.81.
//
// All but Boost, which has none, compute into a result object that is reused. plait and LLVM defer the index for O(1)
// queries, plait the edge numbers, too: "plait, all" computes them at once. "searched, rows" and "searched, blocks"
// only mark the reachable nodes: the cost of reading blocks instead of rows. "read, rows" and "read, blocks" only read
// the successors of each node in memory order: the lower bound for any algorithm. Footnote: Boost's algorithm recurses
// and overflows an 8 MiB stack on a chain of 1,000,000 nodes with one back edge, so it is left out there. LLVM is
// quadratic on "far leaves", a minute and a half at 100,000 nodes, and runs it up to 10,000. Real functions have
// unreachable blocks; Boost's tree is wrong for their successors (see docs/migrating/differences.md), so Boost gets the
// graph without their edges.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/property_map/property_map.hpp>

#include <plait/graph/dominators.hpp>

#include "rivals.hpp"

#ifdef PLAIT_BENCH_LLVM
#include "llvm_graph.hpp"
#endif

namespace {

using boost_graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

std::size_t number_of(std::uint32_t n) { return n; }
std::size_t number_of(foreign::block const* b) { return b->number; }
template <class Tree>
std::size_t sum_of_immediates(Tree const& tree) {
  std::size_t sum = 0;
  for (auto const n : tree.preorder())
    if (auto const above = tree.idom(n)) sum += number_of(*above);
  return sum;
}

struct with_plait_rows {
  bench::csr_graph graph;
  plait::dominator_tree<bench::csr_graph> tree;
  explicit with_plait_rows(bench::edges const& from) : graph(from) {}
  void run() { tree.compute(graph); }
  std::size_t result() const { return sum_of_immediates(tree); }
};

struct with_all_of_plait : with_plait_rows {
  using with_plait_rows::with_plait_rows;
  void run() {
    tree.compute(graph);
    benchmark::DoNotOptimize(tree.dense().intervals().data());
    benchmark::DoNotOptimize(&tree.snapshot().predecessors());
  }
};

struct with_plait_blocks {
  foreign::function graph;
  plait::dominator_tree<foreign::function> tree;
  explicit with_plait_blocks(bench::edges const& from) : graph(from) {}
  void run() { tree.compute(graph); }
  std::size_t result() const { return sum_of_immediates(tree); }
};

template <class WithPlait>
struct only_searched : WithPlait {
  std::vector<bool> reached;
  std::vector<plait::node_t<decltype(WithPlait::graph)>> waiting;
  using WithPlait::WithPlait;
  void run() {
    auto const& g = this->graph;
    reached.assign(plait::graph_size(g), false);
    waiting.assign(1, plait::entry(g));
    reached[plait::index(g, waiting[0])] = true;
    while (!waiting.empty()) {
      auto const n = waiting.back();
      waiting.pop_back();
      for (auto const next : plait::successors(g, n)) {
        auto const is_new = !reached[plait::index(g, next)];
        reached[plait::index(g, next)] = true;
        if (is_new) waiting.push_back(next);
      }
    }
  }
  std::size_t result() {
    WithPlait::run();
    return WithPlait::result();
  }
};

template <class WithPlait>
struct only_read : WithPlait {
  std::size_t sum = 0;
  using WithPlait::WithPlait;
  void run() {
    auto const& g = this->graph;
    sum = 0;
    for (auto const n : plait::nodes(g))
      for (auto const next : plait::successors(g, n)) sum += number_of(next);
    benchmark::DoNotOptimize(sum);
  }
  std::size_t result() {
    WithPlait::run();
    return WithPlait::result();
  }
};

#ifdef PLAIT_BENCH_LLVM
struct with_llvm {
  foreign::function graph;
  llvm::DominatorTreeBase<foreign::block, false> tree;
  explicit with_llvm(bench::edges const& from) : graph(from) {}
  void run() { tree.recalculate(graph); }
  std::size_t result() const {
    std::size_t sum = 0;
    for (auto const& b : graph.blocks)
      if (auto const* node = tree.getNode(b.get()); node != nullptr && node->getIDom() != nullptr)
        sum += node->getIDom()->getBlock()->number;
    return sum;
  }
};
#endif

struct with_boost {
  boost_graph graph;
  std::vector<boost_graph::vertex_descriptor> immediates;
  explicit with_boost(bench::edges const& from) : graph(from.nodes), immediates(from.nodes) {
    plait::flow_snapshot const reached{bench::csr_graph(from)};
    for (auto [a, b] : from.list)
      if (reached.number(a) != plait::npos) add_edge(a, b, graph);
  }
  void run() {
    boost::lengauer_tarjan_dominator_tree(
        graph, boost_graph::vertex_descriptor{0},
        boost::make_iterator_property_map(immediates.begin(), get(boost::vertex_index, graph)));
  }
  std::size_t result() const {
    std::size_t sum = 0;
    for (auto const n : immediates)
      if (n != boost_graph::null_vertex()) sum += n;
    return sum;
  }
};

template <class Rival>
void add(char const* name, std::size_t chain_limit, std::size_t leaves_limit) {
  bench::shape const shapes[] = {{"random", bench::random_edges},
                                 {"layered", bench::layered_edges},
                                 {"chain", bench::chain_edges, chain_limit},
                                 {"far leaves", bench::far_leaves_edges, leaves_limit},
                                 {"joined functions", bench::joined_functions}};
  bench::add_rival<with_plait_rows, Rival>("dominators", name, shapes);
}

[[maybe_unused]] bool const added = [] {
  add<with_plait_rows>("plait, rows", 1'000'000, 1'000'000);
  add<with_all_of_plait>("plait, all", 1'000'000, 1'000'000);
  add<with_plait_blocks>("plait, blocks", 1'000'000, 1'000'000);
  add<only_searched<with_plait_rows>>("searched, rows", 1'000'000, 1'000'000);
  add<only_searched<with_plait_blocks>>("searched, blocks", 1'000'000, 1'000'000);
  add<only_read<with_plait_rows>>("read, rows", 1'000'000, 1'000'000);
  add<only_read<with_plait_blocks>>("read, blocks", 1'000'000, 1'000'000);
#ifdef PLAIT_BENCH_LLVM
  add<with_llvm>("LLVM, blocks", 1'000'000, 10'000);
#endif
  add<with_boost>("Boost", 100'000, 100'000);
  return true;
}();

}  // namespace
