// Adaptation overhead: the same algorithms on an adapted compiler IR, whose blocks point at each other, and on plait's
// own CSR rows, from the graph to the result, copies of the graph included. Dominators alone are in dominators.cpp.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>

#include <plait/graph/dominators.hpp>
#include <plait/graph/frontiers.hpp>
#include <plait/graph/loops.hpp>
#include <plait/graph/post_dominators.hpp>

#include "rivals.hpp"

namespace {

template <class Graph>
struct loops_over {
  Graph graph;
  plait::dominator_tree<Graph> tree;
  plait::loop_forest<Graph> loops;
  explicit loops_over(bench::edges const& from) : graph(from) {}
  void run() {
    tree.compute(graph);
    loops.compute(tree);
  }
  std::size_t result() const { return loops.size(); }
};

template <class Graph>
struct frontiers_over {
  Graph graph;
  plait::dominator_tree<Graph> tree;
  plait::dominance_frontiers<Graph> frontiers;
  explicit frontiers_over(bench::edges const& from) : graph(from) {}
  void run() {
    tree.compute(graph);
    frontiers.compute(tree);
  }
  std::size_t result() const {
    std::size_t sum = 0;
    for (auto const n : tree.preorder()) sum += frontiers[n].size();
    return sum;
  }
};

template <class Graph>
struct post_dominators_over {
  Graph graph;
  plait::post_dominator_tree<Graph> tree;
  explicit post_dominators_over(bench::edges const& from) : graph(from) {}
  void run() { tree.compute(graph); }
  std::size_t result() const {
    std::size_t sum = 0;
    for (auto const n : tree.preorder()) sum += tree.depth(n);
    return sum;
  }
};

template <template <class> class Algorithm>
void add(std::string const& name) {
  bench::shape const shapes[] = {{"random", bench::random_edges},
                                 {"layered", bench::layered_edges},
                                 {"chain", bench::chain_edges},
                                 {"joined functions", bench::joined_functions}};
  using rows = Algorithm<bench::csr_graph>;
  using blocks = Algorithm<foreign::function>;
  bench::add_rival<rows, rows>("adapted, " + name, "plait, rows", shapes);
  bench::add_rival<rows, blocks>("adapted, " + name, "plait, blocks", shapes);
}

[[maybe_unused]] bool const added = [] {
  add<loops_over>("loops");
  add<frontiers_over>("frontiers");
  add<post_dominators_over>("post-dominators");
  return true;
}();

}  // namespace
