// Boost.Graph model of the dependency graph of a net.
//
//   plait::dependency_graph const g = plait::dependencies(net, {.write_after_read = true, .write_after_write = true});
//   std::vector<plait::op_index> order;
//   boost::topological_sort(g, std::back_inserter(order));
//   g[vertex].op, g[edge].kind, g[edge].blob, g.values(edge)
//
// Models Boost's VertexListGraph, EdgeListGraph, AdjacencyGraph and BidirectionalGraph. The vertices are the ops; the
// entry that dependency_graph has as a flow graph of plait is not among them, since Boost's algorithms visit all
// vertices anyway, and it would appear in every order. Edges may be parallel (of different kinds). Vertex and edge
// bundles are read-only, as g[v] and as property maps, get(&plait::dependency::kind, g).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/property_map/property_map.hpp>

#include <plait/ssa/dependency_graph.hpp>

namespace plait {

/// Property map from vertices and edges to their indices: 0 … num_vertices(g) - 1, and 0 … num_edges(g) - 1.
template <class Descriptor>
struct dependency_index_map {
  using key_type = Descriptor;
  using value_type = std::size_t;  // not op_index: transitive_closure takes its vectors for vectors of size_t
  using reference = std::size_t;
  using category = boost::readable_property_map_tag;
};
constexpr std::size_t get(dependency_index_map<op_index>, op_index v) { return v; }
constexpr std::size_t get(dependency_index_map<dependency_id>, dependency_id e) { return e.index; }

/// Property map of one member of a vertex or edge bundle. Refers to the graph.
template <class Descriptor, class Bundle, class T>
struct dependency_member_map {
  using key_type = Descriptor;
  using value_type = T;
  using reference = T;
  using category = boost::readable_property_map_tag;
  dependency_graph const* graph = nullptr;
  T Bundle::*member = nullptr;
  friend T get(dependency_member_map const& map, Descriptor key) { return (*map.graph)[key].*map.member; }
};

}  // namespace plait

namespace boost {

template <>
struct graph_traits<plait::dependency_graph> {
  using vertex_descriptor = plait::op_index;
  using edge_descriptor = plait::dependency_id;
  using directed_category = bidirectional_tag;
  using edge_parallel_category = allow_parallel_edge_tag;
  struct traversal_category : vertex_list_graph_tag,
                              edge_list_graph_tag,
                              adjacency_graph_tag,
                              bidirectional_graph_tag {};
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  using vertex_iterator = counting_iterator<plait::op_index>;
  using edge_iterator = plait::dependency_id const*;
  using out_edge_iterator = plait::dependency_id const*;
  using in_edge_iterator = plait::dependency_id const*;
  using adjacency_iterator = plait::op_index const*;
  static constexpr vertex_descriptor null_vertex() { return plait::npos; }
};

template <>
struct vertex_bundle_type<plait::dependency_graph> {
  using type = plait::dependency_node;
};
template <>
struct edge_bundle_type<plait::dependency_graph> {
  using type = plait::dependency;
};
template <>
struct graph_bundle_type<plait::dependency_graph> {
  using type = no_property;
};

template <>
struct property_map<plait::dependency_graph, vertex_index_t> {
  using type = plait::dependency_index_map<plait::op_index>;
  using const_type = type;
};
template <>
struct property_map<plait::dependency_graph, edge_index_t> {
  using type = plait::dependency_index_map<plait::dependency_id>;
  using const_type = type;
};
template <class T>
struct property_map<plait::dependency_graph, T plait::dependency_node::*> {
  using type = plait::dependency_member_map<plait::op_index, plait::dependency_node, T>;
  using const_type = type;
};
template <class T>
struct property_map<plait::dependency_graph, T plait::dependency::*> {
  using type = plait::dependency_member_map<plait::dependency_id, plait::dependency, T>;
  using const_type = type;
};

}  // namespace boost

namespace plait {

// Functions that Boost's concepts require, found by argument-dependent lookup. All O(1).

namespace detail {
template <class T>
std::pair<T const*, T const*> ends(std::span<T const> items) {
  return {items.data(), items.data() + items.size()};
}
}  // namespace detail

inline std::size_t num_vertices(dependency_graph const& g) { return g.op_count(); }
inline auto vertices(dependency_graph const& g) {
  using iterator = boost::counting_iterator<op_index>;
  return std::pair(iterator(0), iterator(static_cast<op_index>(g.op_count())));
}
inline std::size_t num_edges(dependency_graph const& g) { return g.edge_count(); }
inline auto edges(dependency_graph const& g) { return detail::ends(g.edge_ids()); }
inline op_index source(dependency_id e, dependency_graph const& g) { return g[e].from; }
inline op_index target(dependency_id e, dependency_graph const& g) { return g[e].to; }

inline auto out_edges(op_index v, dependency_graph const& g) { return detail::ends(g.out_edges(v)); }
inline auto in_edges(op_index v, dependency_graph const& g) { return detail::ends(g.in_edges(v)); }
inline auto adjacent_vertices(op_index v, dependency_graph const& g) { return detail::ends(g.successors(v)); }
inline std::size_t out_degree(op_index v, dependency_graph const& g) { return g.out_edges(v).size(); }
inline std::size_t in_degree(op_index v, dependency_graph const& g) { return g.in_edges(v).size(); }
inline std::size_t degree(op_index v, dependency_graph const& g) { return in_degree(v, g) + out_degree(v, g); }
/// Returns the first edge from u to v, and whether there is one. O(out-degree of u).
inline std::pair<dependency_id, bool> edge(op_index u, op_index v, dependency_graph const& g) {
  for (dependency_id e : g.out_edges(u))
    if (g[e].to == v) return {e, true};
  return {dependency_id{}, false};
}

inline dependency_index_map<op_index> get(boost::vertex_index_t, dependency_graph const&) { return {}; }
inline dependency_index_map<dependency_id> get(boost::edge_index_t, dependency_graph const&) { return {}; }
inline std::size_t get(boost::vertex_index_t, dependency_graph const&, op_index v) { return v; }
inline std::size_t get(boost::edge_index_t, dependency_graph const&, dependency_id e) { return e.index; }
template <class T>
dependency_member_map<op_index, dependency_node, T> get(T dependency_node::*member, dependency_graph const& g) {
  return {&g, member};
}
template <class T>
dependency_member_map<dependency_id, dependency, T> get(T dependency::*member, dependency_graph const& g) {
  return {&g, member};
}
template <class T>
T get(T dependency_node::*member, dependency_graph const& g, op_index v) {
  return g[v].*member;
}
template <class T>
T get(T dependency::*member, dependency_graph const& g, dependency_id e) {
  return g[e].*member;
}

}  // namespace plait

template <>
struct std::hash<plait::dependency_id> {
  std::size_t operator()(plait::dependency_id e) const noexcept { return e.index; }
};
