#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <ranges>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/graph/transitive_closure.hpp>

#include <plait/interop/detail/boost_dependency_graph.hpp>

#include <net/random_nets.hpp>
#include <net/test_nets.hpp>

namespace {

using graph = plait::dependency_graph;
using plait::dependency;
using plait::dependency_id;
using plait::dependency_node;
using plait::op_index;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<graph>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<graph>));
BOOST_CONCEPT_ASSERT((boost::VertexAndEdgeListGraphConcept<graph>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<graph>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<graph>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<graph>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<graph, op_index, boost::vertex_index_t>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<graph, dependency_id, boost::edge_index_t>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<graph, op_index, op_index dependency_node::*>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<graph, dependency_id, plait::dependency_kind dependency::*>));
static_assert(boost::is_directed_graph<graph>::value && !boost::is_undirected_graph<graph>::value);
static_assert(std::is_same_v<boost::edge_bundle_type<graph>::type, dependency>);

constexpr plait::dependency_options everything{.write_after_read = true, .write_after_write = true};

// Copies the graph to a container of Boost, with Boost's functions only.
using copy_t = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
copy_t copy_of(graph const& g) {
  copy_t copy(num_vertices(g));
  for (auto [e, end] = edges(g); e != end; ++e) add_edge(source(*e, g), target(*e, g), copy);
  return copy;
}

}  // namespace

TEST_CASE("boost dependency graph: one vertex for each op, and all edges in both directions") {
  std::mt19937 random(13);
  for (int round = 0; round != 200; ++round) {
    graph const g = plait::dependencies(test::random_small_net(random, 20), everything);
    REQUIRE(num_vertices(g) == g.op_count());
    REQUIRE(std::distance(vertices(g).first, vertices(g).second) == static_cast<std::ptrdiff_t>(g.op_count()));
    REQUIRE(num_edges(g) == g.edge_count());
    REQUIRE(std::distance(edges(g).first, edges(g).second) == static_cast<std::ptrdiff_t>(g.edge_count()));
    std::size_t in = 0;
    std::size_t out = 0;
    for (auto [v, end] = vertices(g); v != end; ++v) {
      REQUIRE(g[*v].op == *v);
      REQUIRE(get(&dependency_node::op, g, *v) == *v);
      REQUIRE(get(boost::vertex_index, g, *v) == *v);
      REQUIRE(degree(*v, g) == in_degree(*v, g) + out_degree(*v, g));
      in += in_degree(*v, g);
      out += out_degree(*v, g);
      for (auto [e, last] = in_edges(*v, g); e != last; ++e) REQUIRE(target(*e, g) == *v);
      std::vector<op_index> next;
      for (auto [e, last] = out_edges(*v, g); e != last; ++e) {
        REQUIRE(source(*e, g) == *v);
        REQUIRE(get(&dependency::kind, g, *e) == g[*e].kind);
        REQUIRE(get(get(&dependency::blob, g), *e) == g[*e].blob);
        next.push_back(target(*e, g));
        auto const [found, exists] = edge(*v, target(*e, g), g);
        REQUIRE(exists);
        REQUIRE(target(found, g) == target(*e, g));
      }
      REQUIRE(std::ranges::equal(
          next, std::ranges::subrange(adjacent_vertices(*v, g).first, adjacent_vertices(*v, g).second)));
      REQUIRE_FALSE(edge(*v, *v, g).second);
    }
    REQUIRE(in == num_edges(g));
    REQUIRE(out == num_edges(g));
    std::unordered_set<dependency_id> ids(edges(g).first, edges(g).second);
    REQUIRE(ids.size() == num_edges(g));
  }
}

TEST_CASE("boost dependency graph: topological_sort puts every op after those it depends on") {
  std::mt19937 random(14);
  for (int round = 0; round != 200; ++round) {
    graph const g = plait::dependencies(test::random_small_net(random, 30), everything);
    std::vector<op_index> order;
    boost::topological_sort(g, std::back_inserter(order));
    REQUIRE(order.size() == num_vertices(g));
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i != order.size(); ++i) place[order[i]] = i;
    for (dependency const& e : g.edges()) REQUIRE(place[e.from] > place[e.to]);  // the output is reversed
  }
}

TEST_CASE("boost dependency graph: strong_components are single ops") {
  std::mt19937 random(15);
  for (int round = 0; round != 100; ++round) {
    graph const g = plait::dependencies(test::random_small_net(random, 30), everything);
    std::vector<int> component(num_vertices(g));
    auto const count =
        boost::strong_components(g, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, g)));
    REQUIRE(static_cast<std::size_t>(count) == num_vertices(g));
  }
}

TEST_CASE("boost dependency graph: transitive_closure is that of a copy in an adjacency_list") {
  std::mt19937 random(16);
  for (int round = 0; round != 100; ++round) {
    graph const g = plait::dependencies(test::random_small_net(random, 15), everything);
    using closure = boost::adjacency_list<boost::setS, boost::vecS, boost::directedS>;
    closure ours;
    closure theirs;
    boost::transitive_closure(g, ours);
    boost::transitive_closure(copy_of(g), theirs);
    auto const list = [](closure const& c) {
      std::vector<std::pair<std::size_t, std::size_t>> made;
      for (auto [e, end] = edges(c); e != end; ++e) made.emplace_back(source(*e, c), target(*e, c));
      return made;
    };
    REQUIRE(list(ours) == list(theirs));
    for (dependency const& e : g.edges()) REQUIRE(boost::edge(e.from, e.to, ours).second);
  }
}

TEST_CASE("boost dependency graph: depth_first_search visits every op once, without back edges") {
  struct visitor : boost::default_dfs_visitor {
    std::vector<op_index>* finished;
    bool* back;
    void finish_vertex(op_index v, graph const&) { finished->push_back(v); }
    void back_edge(dependency_id, graph const&) { *back = true; }
  };
  std::mt19937 random(17);
  graph const g = plait::dependencies(test::random_small_net(random, 200), everything);
  std::vector<op_index> finished;
  bool back = false;
  visitor v;
  v.finished = &finished;
  v.back = &back;
  boost::depth_first_search(g, boost::visitor(v));
  std::ranges::sort(finished);
  CHECK(std::ranges::equal(finished, std::ranges::subrange(vertices(g).first, vertices(g).second)));
  CHECK_FALSE(back);
}

TEST_CASE("boost dependency graph: write_graphviz takes labels from the bundles") {
  test::struct_net const n{{{"Mul", {"x", "w"}, {"y"}}, {"Add", {"y", "b"}, {"y"}}, {"Fill", {}, {"x"}}}};
  auto const ssa = plait::get_ssa(n);
  graph const g(n, ssa, everything);
  std::ostringstream out;
  boost::write_graphviz(
      out, g, [&](std::ostream& to, op_index v) { to << "[label=\"" << n.ops[g[v].op].type << "\"]"; },
      [&](std::ostream& to, dependency_id e) {
        constexpr char const* kinds[] = {"raw", "war", "waw", "control"};
        to << "[label=\"" << kinds[static_cast<int>(g[e].kind)] << ' ' << ssa.name(g[e].blob) << "\"]";
      });
  CHECK(out.str() ==
        "digraph G {\n0[label=\"Mul\"];\n1[label=\"Add\"];\n2[label=\"Fill\"];\n"
        "0->1 [label=\"raw y\"];\n0->1 [label=\"waw y\"];\n0->2 [label=\"war x\"];\n}\n");

  std::ostringstream plain;
  boost::write_graphviz(plain, g, boost::make_label_writer(get(&dependency_node::op, g)));
  CHECK(plain.str().find("2[label=2];") != std::string::npos);
}

TEST_CASE("boost dependency graph: works for the dependency graph of any net") {
  plait::netdef n;
  n.add_op("A", {}, {"x"});
  n.add_op("B", {"x"}, {"y"});
  graph const g = plait::dependencies(n);
  std::vector<op_index> order;
  boost::topological_sort(g, std::back_inserter(order));
  CHECK(order == std::vector<op_index>{1, 0});
}
