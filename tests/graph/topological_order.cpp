#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include <plait/graph/static_graph.hpp>
#include <plait/graph/traversal.hpp>

#include <graph/random_graphs.hpp>
#include <graph/test_graphs.hpp>
#include <oracle/naive_dominators.hpp>

namespace {

constexpr plait::static_graph acyclic({{0, 2}, {0, 1}, {2, 1}, {4, 4}});  // the loop is unreachable
static_assert([] {
  plait::topological_order const order(acyclic);
  return order && std::ranges::equal(order.nodes(), std::vector{0, 2, 1}) && order.cycle().empty();
}());

constexpr plait::static_graph cyclic({{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}});
static_assert([] {
  plait::topological_order const order(cyclic);
  return !order && order.nodes().empty() && std::ranges::equal(order.cycle(), std::vector{1, 2, 3});
}());

}  // namespace

TEST_CASE_TEMPLATE("topological order: finds an order or a cycle, never both", G, PLAIT_ALL_GRAPHS) {
  plait::topological_order<G> order;
  int orders = 0;
  for (unsigned seed = 0; seed != 600; ++seed) {
    CAPTURE(seed);
    test::graph_description from = test::random_flow_graph(seed, 12);
    if (seed % 2 == 0)  // most random graphs have cycles: half of them without edges to lower numbers
      std::erase_if(from.edges, [](auto e) { return e.second <= e.first; });
    G const g = test::make_graph<G>(from);
    order.compute(g);
    std::vector<bool> const reachable = test::naive_reachable(from, {0});
    if (order) {
      ++orders;
      REQUIRE(order.cycle().empty());
      std::vector<std::size_t> place(from.nodes, from.nodes);
      for (std::size_t i = 0; i != order.nodes().size(); ++i) place[plait::index(g, order.nodes()[i])] = i;
      for (std::size_t n = 0; n != from.nodes; ++n) REQUIRE((place[n] != from.nodes) == reachable[n]);
      for (auto [a, b] : from.edges)
        if (reachable[static_cast<std::size_t>(a)])
          REQUIRE(place[static_cast<std::size_t>(a)] < place[static_cast<std::size_t>(b)]);
    } else {
      REQUIRE(order.nodes().empty());
      REQUIRE(!order.cycle().empty());
      std::vector<int> cycle;
      for (auto const& n : order.cycle()) cycle.push_back(static_cast<int>(plait::index(g, n)));
      REQUIRE(reachable[static_cast<std::size_t>(cycle.front())]);
      for (std::size_t i = 0; i != cycle.size(); ++i)
        REQUIRE(std::ranges::count(from.edges, std::pair(cycle[i], cycle[(i + 1) % cycle.size()])) != 0);
      std::ranges::sort(cycle);
      REQUIRE(std::ranges::unique(cycle).empty());
    }
  }
  CHECK(orders > 280);
  CHECK(orders < 500);
}

TEST_CASE("topological order: a self-loop is a cycle of one node") {
  std::vector<std::vector<int>> const g{{1}, {1}};
  plait::topological_order const order(g);
  CHECK(!order);
  CHECK(std::ranges::equal(order.cycle(), std::vector{1}));
}

TEST_CASE("topological order: a cycle of a million nodes") {
  int const count = 1'000'000;
  own::graph g(static_cast<std::size_t>(count));
  for (int i = 0; i != count; ++i) g.connect(i, (i + 1) % count);
  plait::topological_order const order(g);
  REQUIRE(order.cycle().size() == static_cast<std::size_t>(count));
  CHECK(order.cycle().front() == 0);
  CHECK(order.cycle().back() == count - 1);
}
