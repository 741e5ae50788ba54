#include <doctest/doctest.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include <plait/graph/dominators.hpp>
#include <plait/graph/static_graph.hpp>
#include <plait/graph/traversal.hpp>
#include <plait/graph/views.hpp>

#include <graph/random_graphs.hpp>
#include <graph/test_graphs.hpp>

namespace {

constexpr plait::static_graph diamond({{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}});
static_assert(plait::preorder(plait::reversed(diamond, 3u)) == std::vector{3u, 1u, 0u, 2u});
static_assert(plait::preorder(plait::filtered(diamond, [](auto a, auto b) { return a != 0 || b != 1; })) ==
              std::vector{0u, 2u, 3u, 4u});
static_assert(plait::preorder(plait::induced(diamond, [](auto n) { return n != 1 && n != 4; })) ==
              std::vector{0u, 2u, 3u});
static_assert(plait::preorder(plait::induced(diamond, 2u, [](auto n) { return n >= 2; })) == std::vector{2u, 3u, 4u});

// Views compose, also with temporary views; graphs that are not views must outlive them.
static_assert([] {
  auto const backward = plait::reversed(plait::filtered(diamond, [](auto, auto b) { return b != 2; }), 4u);
  return plait::dominator_tree(backward).dominates(1, 0) && plait::preorder(plait::reversed(backward, 0u)).size() == 4;
}());
template <class G>
concept reversible = requires(G&& g) { plait::reversed(std::forward<G>(g), 0); };
static_assert(reversible<own::graph const&> && !reversible<own::graph>);
static_assert(!reversible<std::vector<std::vector<int>> const&>);  // no predecessors

template <class G>
using keep_all = bool (*)(plait::node_t<G> const&);
static_assert(!plait::has_nodes<plait::induced_graph<cfg::Function, keep_all<cfg::Function>>>);
static_assert(!plait::has_predecessors<plait::induced_graph<cfg::Function, keep_all<cfg::Function>>>);
static_assert(plait::has_nodes<plait::induced_graph<own::graph, keep_all<own::graph>>>);
static_assert(plait::bidirectional_flow_graph<plait::induced_graph<own::graph, keep_all<own::graph>>>);

template <class G>
std::vector<std::vector<std::size_t>> edges(G const& g, test::graph_description const& from, auto const& of) {
  std::vector<std::vector<std::size_t>> rows(from.nodes);
  for (std::size_t n = 0; n != from.nodes; ++n)
    for (auto&& next : of(test::node_of(g, static_cast<int>(n)))) rows[n].push_back(plait::index(g, next));
  for (auto& row : rows) std::ranges::sort(row);
  return rows;
}

}  // namespace

TEST_CASE_TEMPLATE("graph views: have exactly the kept nodes and edges", G, PLAIT_ALL_GRAPHS) {
  for (unsigned seed = 0; seed != 120; ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, 12);
    G const g = test::make_graph<G>(from);
    auto const id = [&](auto const& n) { return plait::index(g, n); };
    auto const all = edges(g, from, [&](auto const& n) -> decltype(auto) { return plait::successors(g, n); });

    auto const keep_edge = [&](auto const& a, auto const& b) { return (id(a) + 2 * id(b)) % 3 != 0; };
    auto const thin = plait::filtered(g, keep_edge);
    static_assert(plait::check_flow_graph<decltype(thin)>());
    static_assert(plait::has_predecessors<decltype(thin)> == plait::has_predecessors<G>);
    static_assert(plait::has_nodes<decltype(thin)> == plait::has_nodes<G>);
    auto expected = all;
    for (std::size_t a = 0; a != from.nodes; ++a)
      std::erase_if(expected[a], [&](std::size_t b) { return (a + 2 * b) % 3 == 0; });
    REQUIRE(edges(g, from, [&](auto const& n) { return plait::successors(thin, n); }) == expected);

    auto const keep_node = [&](auto const& n) { return id(n) % 4 != 3; };
    auto const part = plait::induced(g, keep_node);
    expected = all;
    for (auto& row : expected) std::erase_if(row, [](std::size_t b) { return b % 4 == 3; });
    REQUIRE(edges(g, from, [&](auto const& n) { return plait::successors(part, n); }) == expected);
    for (auto const& n : plait::preorder(part)) REQUIRE(keep_node(n));
    if constexpr (plait::has_nodes<G>) {
      std::size_t count = 0;
      for (auto&& n : plait::nodes(part)) {
        REQUIRE(keep_node(n));
        ++count;
      }
      REQUIRE(count == from.nodes - from.nodes / 4);
    }

    if constexpr (plait::has_predecessors<G>) {
      auto const in = edges(g, from, [&](auto const& n) -> decltype(auto) { return plait::predecessors(g, n); });
      auto const back = plait::reversed(g, test::node_of(g, static_cast<int>(from.nodes - 1)));
      REQUIRE(id(plait::entry(back)) == from.nodes - 1);
      REQUIRE(edges(g, from, [&](auto const& n) -> decltype(auto) { return plait::successors(back, n); }) == in);
      REQUIRE(edges(g, from, [&](auto const& n) -> decltype(auto) { return plait::predecessors(back, n); }) == all);
      expected = in;
      for (std::size_t b = 0; b != from.nodes; ++b)
        std::erase_if(expected[b], [&](std::size_t a) { return (a + 2 * b) % 3 == 0; });
      REQUIRE(edges(g, from, [&](auto const& n) { return plait::predecessors(thin, n); }) == expected);
    }

    // An algorithm that keeps the view it ran on.
    plait::dominator_tree const tree(part);
    for (auto&& n : tree.preorder()) REQUIRE(tree.dominates(plait::entry(g), n));
  }
}

TEST_CASE("graph views: the entry of an induced graph must be kept") {
  own::graph const g(2);
  CHECK_THROWS_AS((void)plait::induced(g, 1, [](int n) { return n == 0; }), plait::precondition_error);
}
