#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <ranges>
#include <type_traits>
#include <vector>

#include <plait/graph/dominators.hpp>
#include <plait/graph/static_graph.hpp>

#include <graph/random_graphs.hpp>
#include <graph/test_graphs.hpp>
#include <oracle/naive_dominators.hpp>
#include <support/random_cases.hpp>

namespace {

// A loop around a diamond, and an unreachable node: in constant expressions.
constexpr plait::static_graph diamond({{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}, {6, 5}});
static_assert([] {
  plait::dominator_tree const tree(diamond);
  return tree.root() == 0 && tree.idom(4) == 1u && tree.idom(5) == 4u && !tree.idom(0) && !tree.idom(6) &&
         !tree.contains(6) && tree.depth(5) == 3 && tree.dominates(1, 5) && tree.dominates(5, 5) &&
         !tree.strictly_dominates(5, 5) && !tree.dominates(2, 4) && !tree.dominates(6, 6) && !tree.dominates(0, 6) &&
         tree.nearest_common_dominator(2, 5) == 1u && !tree.nearest_common_dominator(6, 1) &&
         std::ranges::distance(tree.children(1)) == 3 && std::ranges::distance(tree.subtree(4)) == 2 &&
         std::ranges::empty(tree.subtree(6)) && *tree.preorder().begin() == 0;
}());

template <class G>
int id(G const& g, plait::node_t<G> const& n) {
  return static_cast<int>(plait::index(g, n));
}

template <class G>
std::optional<int> id(G const& g, std::optional<plait::node_t<G>> const& n) {
  return n ? std::optional(id(g, *n)) : std::nullopt;
}

// Compares every query about every node with the definition.
template <class G>
void check(plait::dominator_tree<G> const& tree, G const& g, test::naive_dominators const& oracle) {
  int const count = static_cast<int>(oracle.size());
  std::vector<plait::node_t<G>> nodes;
  for (int a = 0; a != count; ++a) nodes.push_back(test::node_of(g, a));
  auto const node = [&](int a) -> auto const& { return nodes[static_cast<std::size_t>(a)]; };
  REQUIRE(id(g, tree.root()) == 0);

  std::size_t reachable = 0;
  for (int b = 0; b != count; ++b) {
    REQUIRE(tree.contains(node(b)) == oracle.reachable(b));
    REQUIRE(id<G>(g, tree.idom(node(b))) == oracle.idom(b));
    for (int a = 0; a != count; ++a) {
      REQUIRE(tree.dominates(node(a), node(b)) == oracle.dominates(a, b));
      REQUIRE(tree.strictly_dominates(node(a), node(b)) == (a != b && oracle.dominates(a, b)));
      REQUIRE(id<G>(g, tree.nearest_common_dominator(node(a), node(b))) == oracle.nearest_common(a, b));
    }
    std::size_t dominated = 0;
    for (auto&& below : tree.subtree(node(b))) {
      REQUIRE(oracle.dominates(b, id(g, below)));
      ++dominated;
    }
    for (int a = 0; a != count; ++a) dominated -= oracle.dominates(b, a) ? 1 : 0;
    REQUIRE(dominated == 0);
    if (!oracle.reachable(b)) continue;
    ++reachable;
    REQUIRE(tree.depth(node(b)) == oracle.depth(b));
    std::vector<int> children;
    for (auto&& child : tree.children(node(b))) children.push_back(id(g, child));
    std::vector<int> expected;
    for (auto&& n : tree.snapshot().order())
      if (oracle.idom(id(g, n)) == b) expected.push_back(id(g, n));
    REQUIRE(children == expected);
  }

  std::vector<bool> seen(oracle.size());
  std::size_t walked = 0;
  for (auto&& n : tree.preorder()) {
    auto const above = tree.idom(n);
    REQUIRE((!above || seen[plait::index(g, *above)]));
    seen[plait::index(g, n)] = true;
    ++walked;
  }
  REQUIRE(walked == reachable);
  for (auto&& n : tree.postorder()) {
    auto const above = tree.idom(n);
    REQUIRE((!above || seen[plait::index(g, *above)]));
    seen[plait::index(g, n)] = false;
    --walked;
  }
  REQUIRE(walked == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("dominators: equal the definition, on every type of graph", G, PLAIT_ALL_GRAPHS) {
  plait::dominator_tree<G> tree;  // reused: no state is left from the previous graph
  for (unsigned seed = 0; seed != 600; ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, 10);
    G const g = test::make_graph<G>(from);
    tree.compute(g);
    check(tree, g, test::naive_dominators(from));
  }
}

TEST_CASE("dominators: equal the definition on random graphs") {
  plait::dominator_tree<std::vector<std::vector<int>>> tree;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, 16);
    auto const g = test::make_graph<std::vector<std::vector<int>>>(from);
    tree.compute(g);
    test::naive_dominators const oracle(from);
    for (int b = 0; b != static_cast<int>(from.nodes); ++b) {
      REQUIRE(tree.idom(b) == oracle.idom(b));
      for (int a = 0; a != static_cast<int>(from.nodes); ++a) REQUIRE(tree.dominates(a, b) == oracle.dominates(a, b));
    }
  }
}

// Random walks from the entry, as in regalloc2's tests, on graphs too large for the definition. Checks dominators only;
// the tests above check non-dominators.
TEST_CASE("dominators: every path from the entry passes through the dominators of its end") {
  std::mt19937 random(7);
  for (unsigned seed = 0; seed != 60; ++seed) {
    CAPTURE(seed);
    auto const g = test::make_graph<own::graph>(test::random_flow_graph(seed, 3000));
    plait::dominator_tree const tree(g);
    std::vector<int> visited(g.size(), -1);
    for (int walk = 0; walk != 20; ++walk) {
      int at = 0;
      for (int step = 0; step != 300; ++step) {
        visited[static_cast<std::size_t>(at)] = walk;
        for (auto above = tree.idom(at); above; above = tree.idom(*above))
          REQUIRE(visited[static_cast<std::size_t>(*above)] == walk);
        auto const& next = g.successors(at);
        if (next.empty()) break;
        at = next[random() % next.size()];
      }
    }
  }
}

namespace {

// Computes the immediate dominators by repeated intersection over the reverse postorder, as in Cooper, Harvey and
// Kennedy.
std::vector<std::uint32_t> iterated(plait::dense_graph const& g) {
  std::vector<std::uint32_t> idom(g.size(), plait::npos);
  idom[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t n = 1; n != g.size(); ++n) {
      std::uint32_t found = plait::npos;
      for (std::uint32_t p : g.predecessors(n)) {
        if (idom[p] == plait::npos) continue;
        if (found == plait::npos) found = p;
        while (found != p) (found > p ? found : p) = idom[found > p ? found : p];
      }
      changed |= idom[n] != found;
      idom[n] = found;
    }
  }
  idom[0] = plait::npos;
  return idom;
}

}  // namespace

TEST_CASE("dominators: agree with Cooper-Harvey-Kennedy on graphs of thousands of nodes") {
  for (unsigned seed = 0; seed != 120; ++seed) {
    CAPTURE(seed);
    auto const g = test::make_graph<own::graph>(test::random_flow_graph(seed, 5000));
    plait::dominator_tree const tree(g);
    REQUIRE(std::ranges::equal(tree.dense().idoms(), iterated(tree.snapshot())));
  }
}

// ---- shapes that break algorithms at scale: each takes milliseconds unless it is quadratic or recursive ------------

TEST_CASE("dominators: a chain of a million nodes with back edges") {
  int const count = 1'000'000;
  own::graph g(static_cast<std::size_t>(count));
  for (int i = 1; i != count; ++i) g.connect(i - 1, i);
  g.connect(count - 1, 0);
  g.connect(count - 1, 1);
  plait::dominator_tree const tree(g);
  CHECK(tree.depth(count - 1) == static_cast<std::size_t>(count - 1));
  CHECK(tree.idom(500'000) == 499'999);
  CHECK(tree.dominates(1, count - 1));
  CHECK(tree.nearest_common_dominator(count - 1, 17) == 17);
}

TEST_CASE("dominators: a ladder of two chains with rungs both ways") {
  int const rungs = 500'000;
  own::graph g(static_cast<std::size_t>(2 * rungs + 1));
  g.connect(0, 1);
  g.connect(0, 2);
  for (int i = 0; i != rungs; ++i) {
    g.connect(2 * i + 1, 2 * i + 2);
    g.connect(2 * i + 2, 2 * i + 1);
    if (i + 1 != rungs) {
      g.connect(2 * i + 1, 2 * i + 3);
      g.connect(2 * i + 2, 2 * i + 4);
    }
  }
  plait::dominator_tree const tree(g);
  CHECK(std::ranges::all_of(tree.dense().depths() | std::views::drop(1), [](std::uint32_t d) { return d == 1; }));
}

TEST_CASE("dominators: a nest of half a million loops") {
  int const loops = 500'000;  // headers 0 … loops - 1, then latches from the innermost to the outermost
  own::graph g(static_cast<std::size_t>(2 * loops));
  for (int i = 1; i != 2 * loops; ++i) g.connect(i - 1, i);
  for (int i = 0; i != loops; ++i) g.connect(2 * loops - 1 - i, i);
  plait::dominator_tree const tree(g);
  CHECK(tree.depth(2 * loops - 1) == static_cast<std::size_t>(2 * loops - 1));
}

namespace {

// A chain, and leaves that are reached from its end and from its start, or from nodes reduction_backward over it. In
// the DFS tree they are children of the chain's end, but their dominators are far up: climbing step by step takes
// leaves · chain steps.
own::graph far_leaves(int chain, int leaves, int hops) {
  own::graph g(static_cast<std::size_t>(chain + leaves));
  for (int i = 1; i != chain; ++i) g.connect(i - 1, i);
  for (int i = 0; i != leaves; ++i) {
    g.connect(chain - 1, chain + i);
    g.connect(hops == 0 ? 0 : i * hops % chain, chain + i);
  }
  return g;
}

}  // namespace

TEST_CASE("dominators: jump pointers give the same result where climbs are long") {
  for (int hops : {0, 1, 7})
    for (int chain : {1, 2, 3, 10, 33, 500}) {
      CAPTURE(hops);
      CAPTURE(chain);
      own::graph const g = far_leaves(chain, 700, hops);
      plait::dominator_tree const tree(g);
      REQUIRE(std::ranges::equal(tree.dense().idoms(), iterated(tree.snapshot())));
    }
}

TEST_CASE("dominators: half a million long climbs are not quadratic") {
  own::graph const g = far_leaves(500'000, 500'000, 0);
  plait::dominator_tree const tree(g);
  CHECK(tree.depth(499'999) == 499'999);
  for (int n : {500'000, 700'000, 999'999}) CHECK(tree.idom(n) == 0);
}

TEST_CASE("dominators: recomputation reuses the memory") {
  own::graph const big = far_leaves(300, 300, 0);
  own::graph const small(2);
  plait::dominator_tree tree(big);
  auto const* const before = tree.dense().idoms().data();
  tree.compute(small);
  CHECK(tree.dense().size() == 1);
  CHECK(!tree.contains(1));
  tree.compute(big);
  CHECK(tree.dense().idoms().data() == before);
}

TEST_CASE("dominators: the tree is empty before compute()") {
  plait::dominator_tree<own::graph> const tree;
  CHECK(!tree.contains(0));
  CHECK(!tree.dominates(0, 0));
  CHECK(!tree.idom(0));
  CHECK_THROWS_AS((void)tree.depth(0), plait::precondition_error);
}
