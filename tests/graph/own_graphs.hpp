// Flow graph types without Boost, for typed tests of algorithms that run on a snapshot, whatever the graph type.
//
//   own::graph                        user-defined members, successors and predecessors
//   std::vector<std::vector<int>>     adapted in five lines
//   cfg::Function                     pointers in a foreign namespace
//   test::archetype_graph             only what the concept requires
//
//   TEST_CASE_TEMPLATE("…", G, PLAIT_OWN_GRAPHS) {
//     auto const g = test::make_graph<G>({4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}});
//     plait::index(g, test::node_of(g, 3));                  // number → node; the index of a node is its number
//   }
//
// Node 0 is the entry of all of them. plait::static_graph encodes its size in its type and has its own test.
#pragma once

#include <cstddef>
#include <memory>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/graph/graph_traits.hpp>

#include <adaptation/own_graph.hpp>
#include <adaptation/pointer_graph.hpp>
#include <adaptation/vector_graph.hpp>
#include <graph/archetype_graph.hpp>
#include <graph/graph_description.hpp>

#define PLAIT_OWN_GRAPHS ::own::graph, ::std::vector<::std::vector<int>>, ::cfg::Function, ::test::archetype_graph

namespace test {
namespace detail {

template <class G>
struct graph_builder;
template <>
struct graph_builder<own::graph> {
  static own::graph run(graph_description const& from) {
    own::graph g(from.nodes);
    for (auto [a, b] : from.edges) g.connect(a, b);
    return g;
  }
};
template <>
struct graph_builder<std::vector<std::vector<int>>> {
  static std::vector<std::vector<int>> run(graph_description const& from) {
    std::vector<std::vector<int>> g(from.nodes);
    for (auto [a, b] : from.edges) g[static_cast<std::size_t>(a)].push_back(b);
    return g;
  }
};
template <>
struct graph_builder<cfg::Function> {
  static cfg::Function run(graph_description const& from) {
    cfg::Function f;
    for (std::size_t i = 0; i != from.nodes; ++i) f.blocks.push_back(std::make_unique<cfg::Block>(cfg::Block{i, {}}));
    for (auto [a, b] : from.edges)
      f.blocks[static_cast<std::size_t>(a)]->targets.push_back(f.blocks[static_cast<std::size_t>(b)].get());
    return f;
  }
};
template <>
struct graph_builder<archetype_graph> {
  static archetype_graph run(graph_description const& from) {
    archetype_graph g(from.nodes);
    for (auto [a, b] : from.edges) g.connect(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
    return g;
  }
};

}  // namespace detail

template <class G>
[[nodiscard]] G make_graph(graph_description const& from) {
  return detail::graph_builder<G>::run(from);
}

/// Returns the node whose index is `number`. O(nodes).
template <plait::flow_graph G>
[[nodiscard]] plait::node_t<G> node_of(G const& g, int number) {
  auto const wanted = static_cast<std::size_t>(number);
  if constexpr (std::is_same_v<G, archetype_graph>) {
    return g.node_of(wanted);
  } else if constexpr (std::is_same_v<G, cfg::Function>) {
    return g.blocks[wanted].get();
  } else {
    for (auto&& node : plait::nodes(g))
      if (plait::index(g, node) == wanted) return node;
    throw std::out_of_range("test::node_of");
  }
}

/// Returns a random graph with 1 to `nodes` nodes and about `degree` edges a node, self-loops and parallel edges
/// included; some nodes are unreachable.
[[nodiscard]] inline graph_description random_graph(std::mt19937& random, std::size_t nodes, double degree = 1.6) {
  graph_description made;
  made.nodes = 1 + random() % nodes;
  auto const node = [&] { return static_cast<int>(random() % made.nodes); };
  auto const count = static_cast<std::size_t>(static_cast<double>(made.nodes) * degree);
  for (std::size_t i = 0; i != count; ++i) {
    int const from = node();
    made.edges.emplace_back(from, node());
  }
  return made;
}

}  // namespace test
