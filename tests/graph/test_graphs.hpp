// The flow graphs that typed tests run over, each built from one neutral description.
//
//   own::graph                        members, successors and predecessors
//   std::vector<std::vector<int>>     adapted in five lines
//   cfg::Function                     pointers in a foreign namespace
//   test::archetype_graph             nothing but what the concept asks for
//   boost::adjacency_list             vecS, listS and setS vertices, directed and bidirectional
//   boost::compressed_sparse_row_graph, boost::adjacency_matrix (which drops parallel edges)
//   test::unnumbered_graph            plait::boost_flow_graph on an adjacency_list without vertex numbers
//
//   TEST_CASE_TEMPLATE("…", G, PLAIT_ALL_GRAPHS) {
//     auto const g = test::make_graph<G>({4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}});
//     plait::index(g, test::node_of(g, 3));                  // number → node; the index of a node is its number
//   }
//
// Node 0 is the entry of all of them. plait::static_graph has its size in its type and is tested by itself.
#pragma once

#include <cstddef>
#include <memory>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/graph/graph_traits.hpp>
#include <plait/interop/boost_graph.hpp>

#include <adaptation/boost_graph.hpp>
#include <adaptation/own_graph.hpp>
#include <adaptation/pointer_graph.hpp>
#include <adaptation/vector_graph.hpp>
#include <graph/archetype_graph.hpp>
#include <graph/graph_description.hpp>

namespace test {

using boost_vec = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using boost_vec_both_ways = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using boost_list = boost::adjacency_list<boost::listS, boost::listS, boost::directedS,
                                         boost::property<boost::vertex_index_t, std::size_t>>;
using boost_set = boost::adjacency_list<boost::multisetS, boost::setS, boost::bidirectionalS,
                                        boost::property<boost::vertex_index_t, std::size_t>>;
using boost_csr = boost::compressed_sparse_row_graph<boost::directedS>;
using boost_matrix = boost::adjacency_matrix<boost::directedS>;

/// Owns a graph without vertex numbers and looks at it through plait's view.
class unnumbered_graph {
  using graph = boost::adjacency_list<boost::vecS, boost::listS, boost::bidirectionalS>;
  using view = plait::boost_flow_graph<graph>;
  using node = boost::graph_traits<graph>::vertex_descriptor;

 public:
  explicit unnumbered_graph(graph_description const& from) : graph_(std::make_unique<graph>(from.nodes)) {
    std::vector<node> const all(vertices(*graph_).first, vertices(*graph_).second);
    for (auto [a, b] : from.edges)
      add_edge(all[static_cast<std::size_t>(a)], all[static_cast<std::size_t>(b)], *graph_);
    view_ = std::make_unique<view>(*graph_, all.front());
  }
  std::size_t size() const { return view_->size(); }
  node entry() const { return view_->entry(); }
  auto successors(node n) const { return view_->successors(n); }
  auto predecessors(node n) const { return view_->predecessors(n); }
  auto nodes() const { return view_->nodes(); }
  std::size_t index(node n) const { return view_->index(n); }

 private:
  std::unique_ptr<graph> graph_;
  std::unique_ptr<view> view_;
};

}  // namespace test

#define PLAIT_OWN_GRAPHS ::own::graph, ::std::vector<::std::vector<int>>, ::cfg::Function, ::test::archetype_graph
#define PLAIT_BOOST_GRAPHS                                                                                  \
  ::test::boost_vec, ::test::boost_vec_both_ways, ::test::boost_list, ::test::boost_set, ::test::boost_csr, \
      ::test::boost_matrix, ::test::unnumbered_graph
#define PLAIT_ALL_GRAPHS PLAIT_OWN_GRAPHS, PLAIT_BOOST_GRAPHS
/// Those that know their predecessors.
#define PLAIT_BIDIRECTIONAL_GRAPHS \
  ::own::graph, ::test::boost_vec_both_ways, ::test::boost_set, ::test::unnumbered_graph

namespace test {
namespace detail {

template <class G>
struct graph_builder {
  // Boost's mutable graphs. Vertices are numbered in the order in which they are listed, which setS decides.
  static G run(graph_description const& from) {
    G g(from.nodes);
    auto const numbers = get(boost::vertex_index, g);
    std::vector<typename boost::graph_traits<G>::vertex_descriptor> all;
    for (auto [v, end] = vertices(g); v != end; ++v) all.push_back(*v);
    if constexpr (!std::is_integral_v<typename boost::graph_traits<G>::vertex_descriptor>)
      for (std::size_t i = 0; i != all.size(); ++i) put(numbers, all[i], i);
    for (auto [a, b] : from.edges) add_edge(all[static_cast<std::size_t>(a)], all[static_cast<std::size_t>(b)], g);
    return g;
  }
};
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
template <>
struct graph_builder<boost_csr> {
  static boost_csr run(graph_description const& from) {
    return {boost::edges_are_unsorted_multi_pass, from.edges.begin(), from.edges.end(), from.nodes};
  }
};
template <>
struct graph_builder<unnumbered_graph> {
  static unnumbered_graph run(graph_description const& from) { return unnumbered_graph(from); }
};

}  // namespace detail

template <class G>
[[nodiscard]] G make_graph(graph_description const& from) {
  return detail::graph_builder<G>::run(from);
}

/// The node whose index is `number`. O(nodes).
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

/// Up to `nodes` nodes (at least one) and about `degree` edges a node, self-loops and parallel edges included; some
/// nodes are out of reach.
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
