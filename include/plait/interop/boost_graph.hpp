// Boost.Graph adapter: graphs of Boost.Graph as flow graphs.
//
// With this header, every model of Boost's VertexListGraph and of IncidenceGraph or AdjacencyGraph with vertex indices
// is a flow_graph: adjacency_list of all kinds, adjacency_matrix, compressed_sparse_row_graph, directed_graph,
// grid_graph, subgraph, reverse_graph, filtered_graph, … The entry is the first vertex. The view boost_flow_graph is
// for another entry, and for graphs without vertex indices (adjacency_list with listS or setS and no vertex_index
// property).
//
// Types whose boost::graph_traits are specialised externally are not recognised: the primary template is a hard error
// on a type that is not a graph, so only types with a member vertex_descriptor can be tested. boost_flow_graph accepts
// such types, too, if the functions of the graph are in its namespace; std::vector through vector_as_graph.hpp is not
// among them and needs a user-defined adapter of five lines.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include <boost/container_hash/hash.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/assert.hpp>
#include <plait/graph/graph_traits.hpp>
#include <plait/interop/detail/boost_dependency_graph.hpp>

// Declared to match the adaptors and their vertex properties without including their headers.
namespace boost {
template <class, class, class, class, class, class, class>
class adjacency_list;
template <class, class>
class reverse_graph;
template <class, class, class>
class filtered_graph;
template <class>
class subgraph;
}  // namespace boost

namespace plait {

namespace detail::bgl {

template <class G>
using vertex_t = typename boost::graph_traits<G>::vertex_descriptor;

// The category is tested first: adaptors declare functions that do not compile if the adapted graph lacks them.
template <class G, class Tag>
concept has_category = std::convertible_to<typename boost::graph_traits<G>::traversal_category, Tag>;
template <class G>
concept incidence = has_category<G, boost::incidence_graph_tag> && requires(G const& g, vertex_t<G> v) {
  { target(*out_edges(v, g).first, g) } -> std::convertible_to<vertex_t<G>>;
};
template <class G>
concept adjacency = has_category<G, boost::adjacency_graph_tag> && requires(G const& g, vertex_t<G> v) {
  { *adjacent_vertices(v, g).first } -> std::convertible_to<vertex_t<G>>;
};
template <class G>
concept bidirectional = has_category<G, boost::bidirectional_graph_tag> && requires(G const& g, vertex_t<G> v) {
  { source(*in_edges(v, g).first, g) } -> std::convertible_to<vertex_t<G>>;
};
template <class G>
concept vertex_list = has_category<G, boost::vertex_list_graph_tag> && requires(G const& g) {
  { *vertices(g).first } -> std::convertible_to<vertex_t<G>>;
  { num_vertices(g) } -> std::convertible_to<std::size_t>;
};

// Graph that can be traversed. graph_traits<G> must exist.
template <class G>
concept walkable = vertex_list<G> && (incidence<G> || adjacency<G>);

// True if the vertices have indices. Asking an adjacency_list without indices for its property map is a hard error, so
// these are recognised by their template parameters, and adaptors by the adapted graph.
template <class G>
    struct has_vertex_index : std::bool_constant < requires(G const& g, vertex_t<G> v) {
  { get(get(boost::vertex_index, g), v) } -> std::convertible_to<std::size_t>;
} > {};
template <class OutEdges, class Vertices, class Directed, class Vertex, class Edge, class Graph, class Edges>
struct has_vertex_index<boost::adjacency_list<OutEdges, Vertices, Directed, Vertex, Edge, Graph, Edges>>
    : std::bool_constant<
          std::integral<vertex_t<boost::adjacency_list<OutEdges, Vertices, Directed, Vertex, Edge, Graph, Edges>>> ||
          boost::lookup_one_property<Vertex, boost::vertex_index_t>::found> {};
template <class G, class Ref>
struct has_vertex_index<boost::reverse_graph<G, Ref>> : has_vertex_index<G> {};
template <class G, class Edges, class Vertices>
struct has_vertex_index<boost::filtered_graph<G, Edges, Vertices>> : has_vertex_index<G> {};
template <class G>
struct has_vertex_index<boost::subgraph<G>> : has_vertex_index<G> {};

// Range of vertices from a pair of Boost's iterators, not all of which are C++20 iterators; Get maps an element to a
// vertex.
template <class Iterator, class Get>
class vertex_range {
 public:
  class iterator {
   public:
    using value_type = std::remove_cvref_t<decltype(std::declval<Get const&>()(*std::declval<Iterator const&>()))>;
    using difference_type = std::ptrdiff_t;
    using reference = value_type;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;

    iterator() = default;
    iterator(Iterator at, Get get) : at_(std::move(at)), get_(get) {}
    value_type operator*() const { return get_(*at_); }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    void operator++(int) { ++at_; }
    friend bool operator==(iterator const& a, iterator const& b) { return a.at_ == b.at_; }

   private:
    Iterator at_{};
    Get get_{};
  };

  vertex_range(std::pair<Iterator, Iterator> ends, Get get)
      : begin_(std::move(ends.first), get), end_(std::move(ends.second), get) {}
  iterator begin() const { return begin_; }
  iterator end() const { return end_; }

 private:
  iterator begin_;
  iterator end_;
};

template <class G>
struct target_of {
  G const* g = nullptr;
  vertex_t<G> operator()(auto const& e) const { return target(e, *g); }
};
template <class G>
struct source_of {
  G const* g = nullptr;
  vertex_t<G> operator()(auto const& e) const { return source(e, *g); }
};
template <class G>
struct itself {
  vertex_t<G> operator()(vertex_t<G> const& v) const { return v; }
};

template <class G>
auto successors(G const& g, vertex_t<G> const& v) {
  if constexpr (incidence<G>)
    return vertex_range(out_edges(v, g), target_of<G>{&g});
  else
    return vertex_range(adjacent_vertices(v, g), itself<G>{});
}
template <bidirectional G>
auto predecessors(G const& g, vertex_t<G> const& v) {
  return vertex_range(in_edges(v, g), source_of<G>{&g});
}
template <class G>
auto nodes(G const& g) {
  return vertex_range(vertices(g), itself<G>{});
}

// Types for which boost::graph_traits may be instantiated.
template <class G>
concept recognised = requires {
  typename G::vertex_descriptor;
  typename G::edge_descriptor;
  typename G::directed_category;
  typename G::edge_parallel_category;
  typename G::traversal_category;
};

}  // namespace detail::bgl

/// Graph of Boost.Graph with vertex indices, which this header adapts. False for types with the members of a flow
/// graph, which are adapted already.
template <class G>
concept boost_graph = detail::bgl::recognised<G> && detail::bgl::walkable<G> &&
                      detail::bgl::has_vertex_index<G>::value && !requires(G const& g) { g.successors(g.entry()); };

/// Flow graph traits of a Boost graph. Costs are those of its own functions; predecessors exist where in_edges does.
/// The user must fill in vertex indices that are kept in a property, as for Boost's own algorithms.
template <boost_graph G>
struct graph_traits<G> {
  using vertex = detail::bgl::vertex_t<G>;
  /// Returns a bound above every index, also in a filtered graph, whose num_vertices is that of the whole graph for
  /// this reason.
  static std::size_t size(G const& g) { return static_cast<std::size_t>(num_vertices(g)); }
  /// Returns the first vertex. Precondition: there is one.
  static vertex entry(G const& g) {
    auto const all = vertices(g);
    PLAIT_ASSERT(all.first != all.second, "plait: a flow graph has an entry; this graph has no vertices");
    return *all.first;
  }
  static auto successors(G const& g, vertex const& v) { return detail::bgl::successors(g, v); }
  static auto predecessors(G const& g, vertex const& v)
    requires detail::bgl::bidirectional<G>
  {
    return detail::bgl::predecessors(g, v);
  }
  static auto nodes(G const& g) { return detail::bgl::nodes(g); }
  static std::size_t index(G const& g, vertex const& v) {
    return static_cast<std::size_t>(get(get(boost::vertex_index, g), v));
  }
};

/// View of a Boost graph with another entry, or without vertex indices. Refers to the graph, which must outlive it. If
/// the graph has no indices, the view numbers the vertices once, in the order of vertices(g), in O(vertices) time and
/// space: it must not be used after vertices were added, and copies copy the numbers.
template <class G>
  requires detail::bgl::walkable<G>
class boost_flow_graph {
  using vertex = detail::bgl::vertex_t<G>;
  static constexpr bool has_numbers = detail::bgl::has_vertex_index<G>::value;
  struct nothing {};

 public:
  boost_flow_graph(G const& g, vertex entry) : g_(&g), entry_(std::move(entry)) {
    if constexpr (!has_numbers) {
      numbers_.reserve(static_cast<std::size_t>(num_vertices(g)));
      for (vertex const& v : detail::bgl::nodes(g)) numbers_.emplace(v, static_cast<std::uint32_t>(numbers_.size()));
    }
  }

  std::size_t size() const {
    if constexpr (has_numbers)
      return static_cast<std::size_t>(num_vertices(*g_));
    else
      return numbers_.size();
  }
  vertex entry() const { return entry_; }
  auto successors(vertex const& v) const { return detail::bgl::successors(*g_, v); }
  auto predecessors(vertex const& v) const
    requires detail::bgl::bidirectional<G>
  {
    return detail::bgl::predecessors(*g_, v);
  }
  auto nodes() const { return detail::bgl::nodes(*g_); }
  std::size_t index(vertex const& v) const {
    if constexpr (has_numbers) {
      return static_cast<std::size_t>(get(get(boost::vertex_index, *g_), v));
    } else {
      auto const found = numbers_.find(v);
      PLAIT_ASSERT(found != numbers_.end(), "boost_flow_graph: the vertex was added after the view was constructed");
      return found->second;
    }
  }

 private:
  G const* g_;
  vertex entry_;
  using numbering = boost::unordered_flat_map<vertex, std::uint32_t, boost::hash<vertex>>;
  [[no_unique_address]] std::conditional_t<has_numbers, nothing, numbering> numbers_;
};

template <class G, class Vertex>
boost_flow_graph(G const&, Vertex) -> boost_flow_graph<G>;

}  // namespace plait
