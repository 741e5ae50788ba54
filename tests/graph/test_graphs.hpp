// Flow graph types for typed tests, each built from the same graph_description.
//
//   the types of own_graphs.hpp
//   boost::adjacency_list             vecS, listS and setS vertices, directed and bidirectional
//   boost::compressed_sparse_row_graph, boost::adjacency_matrix (which drops parallel edges)
//   test::unnumbered_graph            plait::boost_flow_graph on an adjacency_list without vertex numbers
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include <plait/graph/graph_traits.hpp>
#include <plait/interop/boost_graph.hpp>

#include <adaptation/boost_graph.hpp>
#include <graph/own_graphs.hpp>

namespace test {

using boost_vec = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using boost_vec_both_ways = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using boost_list = boost::adjacency_list<boost::listS, boost::listS, boost::directedS,
                                         boost::property<boost::vertex_index_t, std::size_t>>;
using boost_set = boost::adjacency_list<boost::multisetS, boost::setS, boost::bidirectionalS,
                                        boost::property<boost::vertex_index_t, std::size_t>>;
using boost_csr = boost::compressed_sparse_row_graph<boost::directedS>;
using boost_matrix = boost::adjacency_matrix<boost::directedS>;

/// Owns a Boost graph without vertex numbers and adapts it through plait::boost_flow_graph.
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

#define PLAIT_BOOST_GRAPHS                                                                                  \
  ::test::boost_vec, ::test::boost_vec_both_ways, ::test::boost_list, ::test::boost_set, ::test::boost_csr, \
      ::test::boost_matrix, ::test::unnumbered_graph
#define PLAIT_ALL_GRAPHS PLAIT_OWN_GRAPHS, PLAIT_BOOST_GRAPHS
/// Graph types with predecessors.
#define PLAIT_BIDIRECTIONAL_GRAPHS \
  ::own::graph, ::test::boost_vec_both_ways, ::test::boost_set, ::test::unnumbered_graph

namespace test::detail {

// Boost's mutable graphs.
template <class G>
struct graph_builder {
  // Vertices are numbered in the order in which they are listed, which setS decides.
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
struct graph_builder<boost_csr> {
  static boost_csr run(graph_description const& from) {
    return {boost::edges_are_unsorted_multi_pass, from.edges.begin(), from.edges.end(), from.nodes};
  }
};
template <>
struct graph_builder<unnumbered_graph> {
  static unnumbered_graph run(graph_description const& from) { return unnumbered_graph(from); }
};

}  // namespace test::detail
