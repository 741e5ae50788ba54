#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <boost/graph/undirected_graph.hpp>

#include <plait/core/assert.hpp>
#include <plait/graph/graph_traits.hpp>
#include <plait/graph/static_graph.hpp>
#include <plait/interop/boost_graph.hpp>
#include <plait/interop/detail/boost_dependency_graph.hpp>

#include <adaptation/boost_graph.hpp>
#include <graph/test_graphs.hpp>

// graph/graph_traits.cpp tests that each of the common graphs has the nodes and edges it was built from.

namespace {

template <class OutEdges, class Vertices, class Directed>
using numbered = boost::adjacency_list<OutEdges, Vertices, Directed, boost::property<boost::vertex_index_t, int>>;
using plain_list = boost::adjacency_list<boost::listS, boost::listS, boost::bidirectionalS>;
using vec = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

// Every graph of Boost.Graph with vertex indices is a flow graph.
#define PLAIT_BOOST_MODELS                                                                                            \
  vec, numbered<boost::setS, boost::listS, boost::directedS>, numbered<boost::vecS, boost::setS, boost::undirectedS>, \
      numbered<boost::hash_setS, boost::listS, boost::bidirectionalS>, boost::adjacency_matrix<boost::directedS>,     \
      boost::adjacency_matrix<boost::undirectedS>, boost::compressed_sparse_row_graph<boost::directedS>,              \
      boost::compressed_sparse_row_graph<boost::bidirectionalS>, boost::directed_graph<>, boost::undirected_graph<>,  \
      boost::grid_graph<2>, boost::reverse_graph<numbered<boost::vecS, boost::listS, boost::bidirectionalS>>,         \
      boost::filtered_graph<vec, boost::keep_all>,                                                                    \
      boost::subgraph<boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,           \
                                            boost::property<boost::edge_index_t, int>>>

TEST_CASE_TEMPLATE("boost graph: models of Boost.Graph are flow graphs", G, PLAIT_BOOST_MODELS) {
  CHECK(plait::check_flow_graph<G>());
  CHECK((plait::boost_graph<G> && plait::flow_graph<G const&> && plait::has_nodes<G>));
}

// Predecessors exist exactly where Boost has in_edges.
static_assert(plait::has_predecessors<boost::grid_graph<2>> && plait::has_predecessors<boost::directed_graph<>>);
static_assert(plait::has_predecessors<boost::compressed_sparse_row_graph<boost::bidirectionalS>>);
static_assert(!plait::has_predecessors<boost::compressed_sparse_row_graph<boost::directedS>>);
static_assert(!plait::has_predecessors<vec> && !plait::has_predecessors<boost::filtered_graph<vec, boost::keep_all>>);

// The concepts are false, not an error, for graphs without vertex indices and for types that are not graphs.
static_assert(!plait::flow_graph<plain_list> && !plait::boost_graph<plain_list>);
static_assert(!plait::flow_graph<boost::reverse_graph<plain_list>>);
static_assert(!plait::flow_graph<boost::filtered_graph<plain_list, boost::keep_all>>);
static_assert(!plait::boost_graph<int> && !plait::boost_graph<std::string> && !plait::boost_graph<void>);

// Graphs with the members of a flow graph are not adapted again.
static_assert(!plait::boost_graph<own::graph> && !plait::boost_graph<plait::dependency_graph>);
static_assert(!plait::boost_graph<plait::boost_flow_graph<vec>> && plait::flow_graph<plait::boost_flow_graph<vec>>);
struct both : vec {
  std::size_t size() const { return 1; }
  int entry() const { return 0; }
  std::vector<int> successors(int) const { return {}; }
};
static_assert(plait::flow_graph<both> && !plait::boost_graph<both>);
static_assert(std::is_same_v<plait::node_t<both>, int>);

template <class G>
std::vector<std::size_t> indices(G const& g, auto&& nodes) {
  std::vector<std::size_t> found;
  for (auto&& node : nodes) found.push_back(plait::index(g, node));
  return found;
}

}  // namespace

TEST_CASE("boost graph: a filtered graph lacks filtered edges, and its vertices keep their indices") {
  vec g(4);
  add_edge(0, 1, g);
  add_edge(0, 3, g);
  add_edge(3, 1, g);
  auto const edge_left = [&g](auto const& e) { return target(e, g) != 1; };
  auto const vertex_left = [](auto v) { return v != 2; };
  // Iterators of Boost need predicates that are default constructible, as a std::function is.
  using edges = std::function<bool(boost::graph_traits<vec>::edge_descriptor)>;
  using vertices = std::function<bool(std::size_t)>;
  boost::filtered_graph<vec, edges, vertices> const filtered(g, edges(edge_left), vertices(vertex_left));
  static_assert(plait::flow_graph<decltype(filtered)>);
  CHECK(plait::graph_size(filtered) == 4);  // above the index of vertex 3
  CHECK(indices(filtered, plait::successors(filtered, 0)) == std::vector<std::size_t>{3});
  CHECK(indices(filtered, plait::nodes(filtered)) == std::vector<std::size_t>{0, 1, 3});
}

TEST_CASE("boost graph: the successors of a reversed graph are predecessors") {
  auto const g = test::make_graph<test::boost_vec_both_ways>({3, {{0, 1}, {2, 1}}});
  auto const back = boost::make_reverse_graph(g);
  CHECK(indices(back, plait::successors(back, 1)) == std::vector<std::size_t>{0, 2});
  CHECK(indices(back, plait::predecessors(back, 0)) == std::vector<std::size_t>{1});
}

TEST_CASE("boost graph: the vertices of a grid are arrays") {
  boost::grid_graph<2> const grid(boost::array<std::size_t, 2>{{2, 3}});
  CHECK(plait::graph_size(grid) == 6);
  CHECK(plait::entry(grid) == boost::array<std::size_t, 2>{{0, 0}});
  CHECK(indices(grid, plait::successors(grid, plait::entry(grid))) == std::vector<std::size_t>{1, 2});
}

TEST_CASE("boost_flow_graph: a view may have another entry") {
  auto const g = test::make_graph<test::boost_vec>({3, {{2, 0}, {0, 1}}});
  plait::boost_flow_graph const from_two(g, 2);
  static_assert(plait::flow_graph<decltype(from_two)> && !plait::has_predecessors<decltype(from_two)>);
  CHECK(plait::entry(from_two) == 2);
  CHECK(plait::graph_size(from_two) == 3);
  CHECK(plait::index(from_two, 2) == 2);
  CHECK(indices(from_two, plait::successors(from_two, 2)) == std::vector<std::size_t>{0});
}

TEST_CASE("boost_flow_graph: a view numbers vertices without indices in their order") {
  plain_list g;
  std::array<plain_list::vertex_descriptor, 3> const v{add_vertex(g), add_vertex(g), add_vertex(g)};
  add_edge(v[1], v[2], g);
  add_edge(v[1], v[0], g);
  plait::boost_flow_graph const view(g, v[1]);
  static_assert(plait::bidirectional_flow_graph<decltype(view)>);
  CHECK(plait::index(view, plait::entry(view)) == 1);
  CHECK(indices(view, plait::nodes(view)) == std::vector<std::size_t>{0, 1, 2});
  CHECK(indices(view, plait::successors(view, v[1])) == std::vector<std::size_t>{2, 0});
  CHECK(indices(view, plait::predecessors(view, v[0])) == std::vector<std::size_t>{1});
  auto const copy = view;
  CHECK(plait::index(copy, v[2]) == 2);
  auto const late = add_vertex(g);
  CHECK_THROWS_AS((void)plait::index(view, late), plait::precondition_error);
}

TEST_CASE("boost graph: a graph without vertices has no entry") {
  vec const g;
  CHECK(plait::graph_size(g) == 0);
  CHECK_THROWS_AS((void)plait::entry(g), plait::precondition_error);
}
