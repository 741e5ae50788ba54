#include <doctest/doctest.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include <plait/graph/static_graph.hpp>
#include <plait/graph/strong_components.hpp>

#include <graph/random_graphs.hpp>
#include <graph/test_graphs.hpp>
#include <oracle/naive_dominators.hpp>

namespace {

constexpr plait::static_graph loop({{0, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 3}, {4, 0}});
static_assert([] {
  plait::strong_components const components(loop);
  return components.size() == 3 && components.component(1) == 1 && components.component(2) == 1 &&
         components.component(3) == 2 && components.component(4) == plait::npos && !components.is_cyclic(0) &&
         components.is_cyclic(1) && components.is_cyclic(2) &&
         std::ranges::equal(components.members(1), std::vector{1, 2});
}());
static_assert(!std::is_constructible_v<plait::strong_components<cfg::Function>, cfg::Function&&>);

}  // namespace

TEST_CASE_TEMPLATE("strong components: nodes that reach each other, in topological order", G, PLAIT_ALL_GRAPHS) {
  plait::strong_components<G> components;
  for (unsigned seed = 0; seed != 600; ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, 12);
    G const g = test::make_graph<G>(from);
    components.compute(g);
    int const count = static_cast<int>(from.nodes);
    std::vector<std::vector<bool>> reaches;
    std::vector<std::uint32_t> component;
    for (int n = 0; n != count; ++n) {
      reaches.push_back(test::naive_reachable(from, {n}));
      component.push_back(components.component(test::node_of(g, n)));
    }
    for (std::size_t a = 0; a != from.nodes; ++a) {
      REQUIRE((component[a] != plait::npos) == reaches[0][a]);
      if (!reaches[0][a]) continue;
      for (std::size_t b = 0; b != from.nodes; ++b)
        if (reaches[0][b]) REQUIRE((component[a] == component[b]) == (reaches[a][b] && reaches[b][a]));
    }
    std::vector<bool> cyclic(components.size());
    for (auto [a, b] : from.edges) {
      auto const x = component[static_cast<std::size_t>(a)];
      auto const y = component[static_cast<std::size_t>(b)];
      if (x == plait::npos) continue;
      REQUIRE(x <= y);
      if (x == y) cyclic[x] = true;
    }
    std::size_t members = 0;
    for (std::uint32_t c = 0; c != components.size(); ++c) {
      REQUIRE(components.is_cyclic(c) == cyclic[c]);
      REQUIRE(!std::ranges::empty(components.members(c)));
      std::uint32_t last = 0;
      for (auto&& n : components.members(c)) {
        REQUIRE(components.component(n) == c);
        REQUIRE(components.snapshot().number(n) >= last);
        last = components.snapshot().number(n);
        ++members;
      }
    }
    REQUIRE(members == components.snapshot().size());
  }
}

TEST_CASE("strong components: a million components, and one of a million nodes") {
  int const count = 1'000'000;
  own::graph g(static_cast<std::size_t>(count));
  for (int i = 1; i != count; ++i) g.connect(i - 1, i);
  plait::strong_components components(g);
  CHECK(components.size() == static_cast<std::size_t>(count));
  CHECK(components.component(count - 1) == static_cast<std::uint32_t>(count - 1));
  g.connect(count - 1, 0);
  components.compute(g);
  CHECK(components.size() == 1);
  CHECK(components.is_cyclic(0));
}
