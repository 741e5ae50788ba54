#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <ranges>
#include <set>
#include <vector>

#include <plait/graph/frontiers.hpp>
#include <plait/graph/static_graph.hpp>

#include <graph/random_graphs.hpp>
#include <graph/test_graphs.hpp>
#include <oracle/naive_frontiers.hpp>
#include <support/random_cases.hpp>

namespace {

// A loop around a diamond, and an unreachable node.
constexpr plait::static_graph diamond({{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}, {6, 5}});
static_assert([] {
  plait::dominator_tree const tree(diamond);
  plait::dominance_frontiers const frontiers(tree);
  plait::iterated_frontier iterated(tree);
  return std::ranges::equal(frontiers[1], std::vector{1}) && std::ranges::equal(frontiers[2], std::vector{4}) &&
         frontiers[0].empty() && frontiers[6].empty() &&
         std::ranges::equal(iterated(std::vector{2}), std::vector{4, 1}) &&
         std::ranges::equal(iterated(std::vector{3, 6}, [](std::uint32_t n) { return n != 4; }), std::vector<int>{}) &&
         iterated(std::vector{5, 0, 6}).empty();
}());

using graph = std::vector<std::vector<int>>;

template <class G, class Nodes>
std::set<int> indices(G const& g, Nodes&& nodes) {
  std::set<int> made;
  for (auto&& n : nodes) {
    auto const [at, added] = made.insert(static_cast<int>(plait::index(g, n)));
    REQUIRE(added);
  }
  return made;
}

// Checks all frontiers, and iterated ones of random sets, with and without a filter.
template <class G>
void check(G const& g, plait::dominator_tree<G> const& tree, plait::dominance_frontiers<G> const& frontiers,
           plait::iterated_frontier<G>& iterated, test::graph_description const& from, std::mt19937& random) {
  test::naive_frontiers const oracle(from);
  std::vector<plait::node_t<G>> nodes;
  for (int n = 0; n != static_cast<int>(from.nodes); ++n) nodes.push_back(test::node_of(g, n));
  for (auto const& n : nodes) {
    REQUIRE(indices(g, frontiers[n]) == oracle.frontier(static_cast<int>(plait::index(g, n))));
    std::vector<std::uint32_t> order;
    for (auto&& m : frontiers[n]) order.push_back(tree.snapshot().number(m));
    REQUIRE(std::ranges::is_sorted(order));
  }
  for (int round = 0; round != 4; ++round) {
    std::vector<plait::node_t<G>> given;
    std::set<int> numbers;
    for (std::size_t count = random() % 4; count != 0; --count) {
      std::size_t const n = random() % from.nodes;
      given.push_back(nodes[n]);
      numbers.insert(static_cast<int>(n));
    }
    REQUIRE(indices(g, iterated(given)) == oracle.iterated(numbers));
    unsigned const mask = static_cast<unsigned>(random());
    auto const admits = [&](int n) { return (mask >> (n % 32) & 1) != 0; };
    auto const found =
        iterated(given, [&](plait::node_t<G> const& n) { return admits(static_cast<int>(plait::index(g, n))); });
    REQUIRE(indices(g, found) == oracle.iterated(numbers, admits));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("dominance frontiers: equal the definition, on every type of graph", G, PLAIT_ALL_GRAPHS) {
  std::mt19937 random(3);
  plait::dominator_tree<G> tree;  // reused: no state is left from the previous graph
  plait::dominance_frontiers<G> frontiers;
  plait::iterated_frontier<G> iterated;
  for (unsigned seed = 0; seed != 300; ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, 10);
    G const g = test::make_graph<G>(from);
    tree.compute(g);
    frontiers.compute(tree);
    iterated.compute(tree);
    check(g, tree, frontiers, iterated, from, random);
  }
}

TEST_CASE("dominance frontiers: equal the definition on random graphs") {
  std::mt19937 random(5);
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, 20);
    auto const g = test::make_graph<graph>(from);
    plait::dominator_tree const tree(g);
    plait::dominance_frontiers const frontiers(tree);
    plait::iterated_frontier iterated(tree);
    check(g, tree, frontiers, iterated, from, random);
  }
}

TEST_CASE("iterated frontier: is the closure of the frontiers on larger graphs") {
  std::mt19937 random(11);
  for (unsigned seed = 0; seed != 300; ++seed) {
    CAPTURE(seed);
    auto const g = test::make_graph<graph>(test::random_flow_graph(seed, 800));
    plait::dominator_tree const tree(g);
    plait::dominance_frontiers const frontiers(tree);
    plait::iterated_frontier iterated(tree);
    for (int round = 0; round != 5; ++round) {
      std::vector<int> open;
      for (std::size_t count = 1 + random() % 5; count != 0; --count)
        open.push_back(static_cast<int>(random() % g.size()));
      std::set<int> const found = indices(g, iterated(open));
      std::set<int> expected;
      while (!open.empty()) {
        int const n = open.back();
        open.pop_back();
        for (int m : frontiers[n])
          if (expected.insert(m).second) open.push_back(m);
      }
      REQUIRE(found == expected);
    }
  }
}

namespace {

// A nest of loops: headers 0 … loops - 1, then latches from the innermost to the outermost. The frontier of header and
// latch i is the headers 0 … i, so all frontiers together are quadratic.
graph nest(int loops) {
  graph g(static_cast<std::size_t>(2 * loops));
  for (int i = 1; i != 2 * loops; ++i) g[static_cast<std::size_t>(i - 1)].push_back(i);
  for (int i = 0; i != loops; ++i) g[static_cast<std::size_t>(2 * loops - 1 - i)].push_back(i);
  return g;
}

}  // namespace

TEST_CASE("iterated frontier: a nest of half a million loops takes linear time") {
  int const loops = 500'000;
  graph const g = nest(loops);
  plait::dominator_tree const tree(g);
  plait::iterated_frontier iterated(tree);
  CHECK(std::ranges::distance(iterated(std::vector{loops})) == loops);
  CHECK(std::ranges::equal(iterated(std::vector{2 * loops - 1}), std::vector{0}));
  auto const only_outer = iterated(std::vector{loops}, [](int n) { return n < 2; });
  CHECK(std::ranges::distance(only_outer) == 2);
}

TEST_CASE("iterated frontier: subtrees that no edge leaves are not searched") {
  int const count = 1'000'000;
  graph g(static_cast<std::size_t>(count));
  for (int i = 1; i != count; ++i) g[static_cast<std::size_t>(i - 1)].push_back(i);
  for (int i = 10; i < count - 2; i += 2) g[static_cast<std::size_t>(i)].push_back(i + 2);
  g.back().push_back(1);
  plait::dominator_tree const tree(g);
  plait::iterated_frontier iterated(tree);
  std::size_t found = 0;
  for (int i = 0; i != 100'000; ++i) found += static_cast<std::size_t>(std::ranges::distance(iterated(std::vector{0})));
  CHECK(found == 0);
  CHECK(std::ranges::equal(iterated(std::vector{1}), std::vector{1}));
}

TEST_CASE("dominance frontiers: the entry is in its own frontier if an edge leads back to it") {
  graph const g = {{1}, {0, 0}};
  plait::dominator_tree const tree(g);
  plait::dominance_frontiers const frontiers(tree);
  plait::iterated_frontier iterated(tree);
  CHECK(std::ranges::equal(frontiers[0], std::vector{0}));
  CHECK(std::ranges::equal(frontiers[1], std::vector{0}));
  CHECK(std::ranges::equal(iterated(std::vector{1}), std::vector{0}));
}

TEST_CASE("dominance frontiers: before compute() they are empty, and iterated ones a precondition_error") {
  plait::dominance_frontiers<graph> const frontiers;
  CHECK(frontiers[0].empty());
  plait::iterated_frontier<graph> iterated;
  CHECK_THROWS_AS((void)iterated(std::vector{0}), plait::precondition_error);
}
