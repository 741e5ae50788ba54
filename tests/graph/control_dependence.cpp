#include <doctest/doctest.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <vector>

#include <plait/graph/control_dependence.hpp>
#include <plait/graph/static_graph.hpp>

#include <graph/random_graphs.hpp>
#include <graph/test_graphs.hpp>
#include <oracle/naive_dominators.hpp>
#include <support/random_cases.hpp>

namespace {

// A branch with a loop on one side, and the join after both.
constexpr plait::static_graph branch({{0, 1}, {0, 2}, {2, 3}, {3, 2}, {3, 4}, {1, 4}});
static_assert([] {
  plait::post_dominator_tree const tree(branch);
  plait::control_dependence const dependence(tree);
  return std::ranges::equal(dependence.controllers(1), std::vector{0}) && dependence.controllers(0).empty() &&
         dependence.controllers(4).empty() && std::ranges::distance(dependence.controllers(2)) == 2 &&
         std::ranges::distance(dependence.dependents(0)) == 3 && std::ranges::distance(dependence.dependents(3)) == 2 &&
         dependence.dependents(1).empty();
}());

using graph = std::vector<std::vector<int>>;

template <class G>
std::set<int> indices(G const& g, auto&& nodes) {
  std::set<int> made;
  for (auto&& n : nodes) REQUIRE(made.insert(static_cast<int>(plait::index(g, n))).second);
  return made;
}

// Compares with the definition: n post-dominates a successor of b, but not strictly b. Computes post-dominance by node
// deletion, from the roots that the tree has chosen.
template <class G>
void check(G const& g, plait::post_dominator_tree<G> const& tree, plait::control_dependence<G> const& dependence,
           test::graph_description const& from) {
  int const count = static_cast<int>(from.nodes);
  std::vector<bool> const reachable = test::naive_reachable(from, {0});
  test::graph_description reversed{from.nodes, {}};
  for (auto [a, b] : from.edges)
    if (plait::has_nodes<G> || reachable[static_cast<std::size_t>(a)]) reversed.edges.emplace_back(b, a);
  auto const roots = indices(g, tree.roots());
  test::naive_dominators const oracle(reversed, {roots.begin(), roots.end()});
  std::vector<std::set<int>> dependents(from.nodes);
  for (int n = 0; n != count; ++n) {
    std::set<int> expected;
    for (auto [s, b] : reversed.edges)
      if (oracle.dominates(n, s) && !(n != b && oracle.dominates(n, b))) expected.insert(b);
    REQUIRE(indices(g, dependence.controllers(test::node_of(g, n))) == expected);
    for (int b : expected) dependents[static_cast<std::size_t>(b)].insert(n);
  }
  for (int b = 0; b != count; ++b)
    REQUIRE(indices(g, dependence.dependents(test::node_of(g, b))) == dependents[static_cast<std::size_t>(b)]);
}

}  // namespace

TEST_CASE_TEMPLATE("control dependence: equals the definition, on every type of graph", G, PLAIT_ALL_GRAPHS) {
  plait::post_dominator_tree<G> tree;  // reused: no state is left from the previous graph
  plait::control_dependence<G> dependence;
  for (unsigned seed = 0; seed != 300; ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, 10);
    G const g = test::make_graph<G>(from);
    tree.compute(g);
    dependence.compute(tree);
    check(g, tree, dependence, from);
  }
}

TEST_CASE("control dependence: equals the definition on random graphs") {
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, 16);
    auto const g = test::make_graph<graph>(from);
    plait::post_dominator_tree const tree(g);
    plait::control_dependence const dependence(tree);
    check(g, tree, dependence, from);
  }
}

TEST_CASE("control dependence: nodes of an infinite loop depend on the branch into it") {
  graph const g = {{1, 3}, {2}, {1}, {}};
  plait::post_dominator_tree const tree(g);
  plait::control_dependence const dependence(tree);
  CHECK(indices(g, dependence.dependents(0)) == std::set{1, 2, 3});
  CHECK(indices(g, dependence.controllers(3)) == std::set{0});
}

TEST_CASE("control dependence: a chain of a million nodes with a branch around each") {
  int const count = 500'000;
  graph g(static_cast<std::size_t>(2 * count));
  for (int i = 0; i + 1 != count; ++i) {
    g[static_cast<std::size_t>(2 * i)] = {2 * i + 1, 2 * i + 2};
    g[static_cast<std::size_t>(2 * i + 1)] = {2 * i + 2};
  }
  plait::post_dominator_tree const tree(g);
  plait::control_dependence const dependence(tree);
  CHECK(std::ranges::equal(dependence.controllers(2 * 1000 + 1), std::vector{2 * 1000}));
  CHECK(dependence.controllers(2 * 1000).empty());
  CHECK(dependence.dense().item_count() == static_cast<std::size_t>(count - 1));
}

TEST_CASE("control dependence: is empty before compute()") {
  plait::control_dependence<graph> const dependence;
  CHECK(dependence.controllers(0).empty());
  CHECK(dependence.dependents(0).empty());
}
