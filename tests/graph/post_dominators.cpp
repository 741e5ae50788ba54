#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <type_traits>
#include <vector>

#include <plait/graph/post_dominators.hpp>
#include <plait/graph/static_graph.hpp>

#include <graph/random_graphs.hpp>
#include <graph/test_graphs.hpp>
#include <oracle/naive_dominators.hpp>
#include <support/random_cases.hpp>

namespace {

// A branch; one side returns and the other goes through a loop: in constant expressions.
constexpr plait::static_graph branch({{0, 1}, {0, 2}, {2, 3}, {3, 2}, {3, 4}});
static_assert([] {
  plait::post_dominator_tree const tree(branch);
  return !tree.idom(0) && !tree.idom(1) && tree.idom(2) == 3u && tree.idom(3) == 4u && tree.dominates(4, 2) &&
         !tree.dominates(4, 0) && tree.depth(2) == 2 && tree.depth(0) == 0 &&
         tree.nearest_common_dominator(2, 3) == 3u && !tree.nearest_common_dominator(1, 2) &&
         std::ranges::equal(tree.roots(), std::vector{1, 4}) && std::ranges::distance(tree.top()) == 3 &&
         std::ranges::distance(tree.preorder()) == 5;
}());

template <class G>
std::optional<int> id(G const& g, std::optional<plait::node_t<G>> const& n) {
  return n ? std::optional(static_cast<int>(plait::index(g, *n))) : std::nullopt;
}

template <class G>
std::vector<int> ids(G const& g, auto&& nodes) {
  std::vector<int> found;
  for (auto&& n : nodes) found.push_back(static_cast<int>(plait::index(g, n)));
  return found;
}

std::vector<int> roots_of(test::graph_description const& from) {
  auto const g = test::make_graph<std::vector<std::vector<int>>>(from);
  return ids(g, plait::post_dominator_tree(g).roots());
}

// Compares every query about every node with the definition on the reversed graph.
template <class G>
void check(plait::post_dominator_tree<G> const& tree, G const& g, test::graph_description const& from) {
  int const count = static_cast<int>(from.nodes);
  std::vector<bool> const reachable = test::naive_reachable(from, {0});
  auto const counts = [&](int n) { return plait::has_nodes<G> || reachable[static_cast<std::size_t>(n)]; };
  test::graph_description reversed{from.nodes, {}};
  for (auto [a, b] : from.edges)
    if (counts(a)) reversed.edges.emplace_back(b, a);
  test::naive_dominators const oracle(reversed, ids(g, tree.roots()));

  std::vector<plait::node_t<G>> nodes;
  for (int a = 0; a != count; ++a) nodes.push_back(test::node_of(g, a));
  auto const node = [&](int a) -> auto const& { return nodes[static_cast<std::size_t>(a)]; };

  // With several roots the definition has no single root: nodes without strict dominator are children of the virtual
  // exit.
  std::size_t contained = 0;
  for (int b = 0; b != count; ++b) {
    REQUIRE(tree.contains(node(b)) == counts(b));
    REQUIRE(oracle.reachable(b) == counts(b));  // that is, every node reaches a root
    REQUIRE(id<G>(g, tree.idom(node(b))) == oracle.idom(b));
    for (int a = 0; a != count; ++a) {
      REQUIRE(tree.dominates(node(a), node(b)) == oracle.dominates(a, b));
      REQUIRE(tree.strictly_dominates(node(a), node(b)) == (a != b && oracle.dominates(a, b)));
      REQUIRE(id<G>(g, tree.nearest_common_dominator(node(a), node(b))) == oracle.nearest_common(a, b));
    }
    std::vector<int> below = ids(g, tree.subtree(node(b)));
    std::ranges::sort(below);
    std::vector<int> expected;
    for (int a = 0; a != count; ++a)
      if (oracle.dominates(b, a)) expected.push_back(a);
    REQUIRE(below == expected);
    if (!counts(b)) continue;
    ++contained;
    REQUIRE(tree.depth(node(b)) == oracle.depth(b));
    std::vector<int> children = ids(g, tree.children(node(b)));
    std::ranges::sort(children);
    std::erase_if(expected, [&](int a) { return oracle.idom(a) != b; });
    REQUIRE(children == expected);
    REQUIRE(tree.node_of(tree.number(node(b))) == node(b));
  }
  for (int const n : ids(g, tree.top())) REQUIRE(!oracle.idom(n));

  std::vector<bool> seen(from.nodes);
  for (auto&& n : tree.preorder()) {
    auto const above = tree.idom(n);
    REQUIRE((!above || seen[plait::index(g, *above)]));
    seen[plait::index(g, n)] = true;
  }
  REQUIRE(static_cast<std::size_t>(std::ranges::count(seen, true)) == contained);
  for (auto&& n : tree.postorder()) {
    auto const above = tree.idom(n);
    REQUIRE((!above || seen[plait::index(g, *above)]));
    seen[plait::index(g, n)] = false;
  }
  REQUIRE(std::ranges::count(seen, true) == 0);
}

// Checks that every root is an exit or in an infinite loop and that none reaches another. (That each node reaches one
// is checked above.)
template <class G>
void check_roots(plait::post_dominator_tree<G> const& tree, G const& g, test::graph_description const& from) {
  std::vector<int> const roots = ids(g, tree.roots());
  std::vector<bool> leaves(from.nodes);
  for (auto [a, b] : from.edges) leaves[static_cast<std::size_t>(a)] = true;
  std::size_t exits = 0;
  for (std::size_t n = 0; n != from.nodes; ++n)
    if (!leaves[n] && tree.contains(test::node_of(g, static_cast<int>(n)))) {
      REQUIRE(roots[exits] == static_cast<int>(n));
      ++exits;
    }
  for (std::size_t i = 0; i != roots.size(); ++i) {
    REQUIRE(leaves[static_cast<std::size_t>(roots[i])] == (i >= exits));
    std::vector<bool> const reached = test::naive_reachable(from, {roots[i]});
    for (std::size_t k = 0; k != roots.size(); ++k) REQUIRE((k == i || !reached[static_cast<std::size_t>(roots[k])]));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("post-dominators: equal the definition, on every type of graph", G, PLAIT_ALL_GRAPHS) {
  plait::post_dominator_tree<G> tree;
  for (unsigned seed = 0; seed != 600; ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, 10);
    G const g = test::make_graph<G>(from);
    tree.compute(g);
    check_roots(tree, g, from);
    check(tree, g, from);
  }
}

TEST_CASE("post-dominators: equal the definition on random graphs") {
  plait::post_dominator_tree<std::vector<std::vector<int>>> tree;
  std::size_t endless = 0;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, 14);
    auto const g = test::make_graph<std::vector<std::vector<int>>>(from);
    tree.compute(g);
    check_roots(tree, g, from);
    test::graph_description reversed{from.nodes, {}};
    for (auto [a, b] : from.edges) reversed.edges.emplace_back(b, a);
    std::vector<int> const roots = ids(g, tree.roots());
    endless += std::ranges::count_if(roots, [&](int r) { return !g[static_cast<std::size_t>(r)].empty(); }) > 1 ? 1 : 0;
    test::naive_dominators const oracle(reversed, roots);
    for (int b = 0; b != static_cast<int>(from.nodes); ++b) {
      REQUIRE(tree.idom(b) == oracle.idom(b));
      for (int a = 0; a != static_cast<int>(from.nodes); ++a) REQUIRE(tree.dominates(a, b) == oracle.dominates(a, b));
    }
  }
  CHECK(endless > test::random_cases(200));  // with several infinite loops
}

// ---- the roots of infinite loops: as in LLVM 14's post-dominator tree -----------------------------------------------

TEST_CASE("post-dominators: the root of an infinite loop is the node that the search visits last") {
  CHECK(roots_of({1, {{0, 0}}}) == std::vector{0});
  CHECK(roots_of({3, {{0, 1}, {1, 2}, {2, 1}}}) == std::vector{2});
  CHECK(roots_of({3, {{0, 2}, {2, 1}, {1, 2}}}) == std::vector{1});
  // Of two successors the one with the higher number is visited first, whatever their order.
  CHECK(roots_of({4, {{0, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 1}}}) == std::vector{2});
  CHECK(roots_of({4, {{0, 1}, {1, 3}, {1, 2}, {2, 1}, {3, 1}}}) == std::vector{2});
}

TEST_CASE("post-dominators: a loop has a root only if no path leaves it") {
  CHECK(roots_of({3, {{0, 1}, {1, 1}, {0, 2}}}) == std::vector{2, 1});
  CHECK(roots_of({3, {{0, 1}, {1, 1}, {1, 2}}}) == std::vector{2});
  CHECK(roots_of({4, {{0, 0}, {0, 1}, {2, 2}, {3, 0}}}) == std::vector{1, 2});
}

TEST_CASE("post-dominators: an infinite loop that leads into another has no root") {
  // From 0 the search goes to 3 and 2 and ends in 1; from 2 in 3, which does not lead to 1, but 1 leads to it.
  test::graph_description const two{4, {{0, 1}, {1, 0}, {0, 3}, {3, 2}, {2, 3}}};
  CHECK(roots_of(two) == std::vector{3});
}

TEST_CASE("post-dominators: large infinite loops take one search") {
  int const count = 1'000'000;
  own::graph chain(static_cast<std::size_t>(count));
  for (int i = 1; i != count; ++i) chain.connect(i - 1, i);
  chain.connect(count - 1, 0);
  plait::post_dominator_tree const tree(chain);
  CHECK(ids(chain, tree.roots()) == std::vector{count - 1});
  CHECK(tree.idom(0) == 1);
  CHECK(tree.depth(0) == static_cast<std::size_t>(count - 1));

  own::graph loops(static_cast<std::size_t>(count));  // half a million infinite loops of two nodes
  for (int i = 0; i + 1 < count; i += 2) {
    loops.connect(i, i + 1);
    loops.connect(i + 1, i);
  }
  plait::post_dominator_tree const many(loops);
  CHECK(std::ranges::distance(many.roots()) == count / 2);
  CHECK(many.idom(4) == 5);
}

TEST_CASE("post-dominators: recomputation reuses the memory; the tree is empty before compute()") {
  plait::post_dominator_tree<own::graph> tree;
  CHECK(!tree.contains(0));
  CHECK(std::ranges::empty(tree.roots()));
  own::graph big(300);
  for (int i = 1; i != 300; ++i) big.connect(i - 1, i);
  tree.compute(big);
  auto const* const before = tree.dense().idoms().data();
  tree.compute(own::graph(1));  // nodes are their own indices: a temporary is allowed
  CHECK(!tree.contains(1));
  CHECK(ids(own::graph(1), tree.roots()) == std::vector{0});
  tree.compute(big);
  CHECK(tree.dense().idoms().data() == before);
}

TEST_CASE("post-dominators: a moved tree remains usable") {
  own::graph g(3);
  g.connect(0, 1);
  g.connect(1, 2);
  auto first = std::make_unique<plait::post_dominator_tree<own::graph>>(g);
  plait::post_dominator_tree const second = std::move(*first);
  first.reset();
  CHECK(second.idom(0) == 1);
  CHECK(second.contains(2));
}
