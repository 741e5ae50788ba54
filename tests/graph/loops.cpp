#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <vector>

#include <plait/graph/loops.hpp>
#include <plait/graph/static_graph.hpp>

#include <graph/random_graphs.hpp>
#include <graph/test_graphs.hpp>
#include <oracle/naive_loops.hpp>
#include <support/random_cases.hpp>

namespace {

// A loop in a loop, and one with two entries.
constexpr plait::static_graph nested({{0, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 1}, {3, 4}, {4, 5}, {4, 6}, {5, 6}, {6, 5}});
static_assert([] {
  plait::dominator_tree const tree(nested);
  plait::loop_forest const loops(tree);
  if (loops.size() != 3 || std::ranges::distance(loops.top()) != 2) return false;
  auto const inner = loops.innermost(2).value();
  auto const odd = loops.innermost(6).value();
  auto const outer = loops.parent(inner).value();
  return loops.header(outer) == 1 && loops.depth(inner) == 2 && !loops.innermost(4) && loops.depth_of(2) == 2 &&
         loops.is_irreducible(odd) && !loops.is_irreducible(outer) && loops.preheader(outer) == 0u &&
         !loops.preheader(odd) && loops.contains(outer, 3) && !loops.contains(inner, 3) && loops.is_header(2) &&
         !loops.is_header(3) && loops.latches(outer).size() == 1 && loops.exits(outer) == std::vector{4u} &&
         loops.entries(odd).size() == 2 && loops.node_count(outer) == 3;
}());

using graph = std::vector<std::vector<int>>;

template <class G>
int id(G const& g, plait::node_t<G> const& n) {
  return static_cast<int>(plait::index(g, n));
}
template <class G>
std::set<int> indices(G const& g, auto&& nodes) {
  std::set<int> made;
  for (auto&& n : nodes) REQUIRE(made.insert(id(g, n)).second);
  return made;
}

// Compares every query with the definitions.
template <class G>
void check(G const& g, plait::dominator_tree<G> const& tree, plait::loop_forest<G> const& loops) {
  std::vector<std::vector<int>> successors(plait::graph_size(g));
  for (auto&& n : tree.snapshot().order())
    for (auto&& s : plait::successors(g, n)) successors[plait::index(g, n)].push_back(id(g, s));
  test::naive_loops const oracle(successors);

  std::vector<test::naive_loop> mine;
  for (auto const l : loops.all())
    mine.push_back({id(g, loops.header(l)), loops.is_irreducible(l), indices(g, loops.nodes(l))});
  REQUIRE(std::set(mine.begin(), mine.end()) == oracle.loops());
  REQUIRE(mine.size() == oracle.loops().size());

  std::vector<unsigned> tops;
  std::map<unsigned, std::vector<unsigned>> children;
  for (unsigned l = 0; l != mine.size(); ++l) {
    test::naive_loop const& loop = mine[l];
    auto const parent = loops.parent(l);
    REQUIRE((parent ? std::optional(mine[*parent]) : std::nullopt) == oracle.parent(loop));
    REQUIRE((!parent || *parent < l));
    REQUIRE(loops.depth(l) == (parent ? loops.depth(*parent) + 1 : 1));
    (parent ? children[*parent] : tops).push_back(l);
    REQUIRE(loops.node_count(l) == loop.nodes.size());

    std::set<int> latches, entering, exiting, exits, entries;
    std::size_t edges_in = 0;
    if (loop.nodes.contains(0)) entries.insert(0);
    for (auto [a, b] : oracle.edges()) {
      bool const from = loop.nodes.contains(a);
      bool const to = loop.nodes.contains(b);
      if (from && b == loop.header) latches.insert(a);
      if (!from && b == loop.header) entering.insert(a);
      if (!from && b == loop.header) ++edges_in;
      if (!from && to) entries.insert(b);
      if (from && !to) {
        exiting.insert(a);
        exits.insert(b);
      }
    }
    REQUIRE(indices(g, loops.latches(l)) == latches);
    REQUIRE(indices(g, loops.entering(l)) == entering);
    REQUIRE(indices(g, loops.exiting(l)) == exiting);
    REQUIRE(indices(g, loops.exits(l)) == exits);
    REQUIRE(indices(g, loops.entries(l)) == entries);
    // Only an irreducible loop has entries other than its header, and it always has.
    if (!loop.irreducible) REQUIRE(entries == std::set{loop.header});
    if (loop.irreducible) REQUIRE(entries != std::set{loop.header});
    auto const preheader = loops.preheader(l);
    bool const has =
        !loop.irreducible && edges_in == 1 && successors[static_cast<std::size_t>(*entering.begin())].size() == 1;
    REQUIRE(preheader.has_value() == has);
    if (has) REQUIRE(id(g, *preheader) == *entering.begin());
  }
  auto const same = [](auto&& range, std::vector<unsigned> const& expected) {
    std::vector<unsigned> found;
    for (auto const l : range) found.push_back(l);
    return found == expected;
  };
  REQUIRE(same(loops.top(), tops));
  for (unsigned l = 0; l != mine.size(); ++l) REQUIRE(same(loops.children(l), children[l]));

  for (int n = 0; n != static_cast<int>(successors.size()); ++n) {
    auto const node = test::node_of(g, n);
    auto const innermost = loops.innermost(node);
    REQUIRE((innermost ? std::optional(mine[*innermost]) : std::nullopt) == oracle.innermost(n));
    REQUIRE(loops.depth_of(node) == oracle.depth(n));
    bool const heads = std::ranges::any_of(mine, [&](test::naive_loop const& l) { return l.header == n; });
    REQUIRE(loops.is_header(node) == heads);
    for (unsigned l = 0; l != mine.size(); ++l) REQUIRE(loops.contains(l, node) == mine[l].nodes.contains(n));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("loop forest: equals the definition, on every type of graph", G, PLAIT_ALL_GRAPHS) {
  plait::dominator_tree<G> tree;  // reused: no state is left from the previous graph
  plait::loop_forest<G> loops;
  for (unsigned seed = 0; seed != 300; ++seed) {
    CAPTURE(seed);
    G const g = test::make_graph<G>(test::random_flow_graph(seed, 10));
    tree.compute(g);
    loops.compute(tree);
    check(g, tree, loops);
  }
}

TEST_CASE("loop forest: equals the definition on random graphs") {
  plait::dominator_tree<graph> tree;
  plait::loop_forest<graph> loops;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    graph const g = test::make_graph<graph>(test::random_flow_graph(seed, 20));
    tree.compute(g);
    loops.compute(tree);
    check(g, tree, loops);
  }
}

TEST_CASE("loop forest: a header with natural and other latches has two loops") {
  // 1 is entered from 0, its loop over 2 is natural; 4 is entered from 0, too, and has an edge back to 1.
  graph const g = {{1, 4}, {2, 4}, {1, 5}, {}, {1}, {}};
  plait::dominator_tree const tree(g);
  plait::loop_forest const loops(tree);
  REQUIRE(loops.size() == 2);
  CHECK(loops.header(0) == 1);
  CHECK(loops.is_irreducible(0));
  CHECK(indices(g, loops.nodes(0)) == std::set{1, 2, 4});
  CHECK(loops.header(1) == 1);
  CHECK_FALSE(loops.is_irreducible(1));
  CHECK(indices(g, loops.nodes(1)) == std::set{1, 2});
  CHECK(loops.innermost(1) == 1u);
  CHECK(loops.parent(1) == 0u);
}

// ---- shapes that break algorithms at scale: each takes milliseconds unless it is quadratic or recursive ------------

TEST_CASE("loop forest: a nest of half a million loops") {
  int const count = 500'000;  // headers 0 … count - 1, then latches from the innermost to the outermost
  graph g(static_cast<std::size_t>(2 * count));
  for (int i = 1; i != 2 * count; ++i) g[static_cast<std::size_t>(i - 1)].push_back(i);
  for (int i = 0; i != count; ++i) g[static_cast<std::size_t>(2 * count - 1 - i)].push_back(i);
  plait::dominator_tree const tree(g);
  plait::loop_forest const loops(tree);
  CHECK(loops.size() == static_cast<std::size_t>(count));
  CHECK(loops.depth_of(count - 1) == static_cast<std::size_t>(count));
  CHECK(loops.depth_of(2 * count - 1) == 1);
  CHECK(loops.node_count(0) == g.size());
  CHECK(loops.contains(1000, 1000));
  CHECK_FALSE(loops.contains(1001, 1000));
  CHECK(loops.latches(1000) == std::vector{2 * count - 1 - 1000});
}

TEST_CASE("loop forest: nested irreducible loops with all nodes as entries are not quadratic") {
  // A chain of nodes, each a successor of the entry, with edges from its second half back to each node of the first:
  // all of Havlak's loops have all their nodes as entries.
  int const count = 300'000;
  graph g(static_cast<std::size_t>(2 * count + 1));
  for (int i = 1; i <= 2 * count; ++i) {
    g[0].push_back(i);
    if (i != 2 * count) g[static_cast<std::size_t>(i)].push_back(i + 1);
  }
  for (int i = 0; i != count; ++i) g[static_cast<std::size_t>(2 * count - i)].push_back(i + 1);
  plait::dominator_tree const tree(g);
  plait::loop_forest const loops(tree);
  CHECK(loops.size() == static_cast<std::size_t>(count));
  CHECK(std::ranges::all_of(loops.all(), [&](unsigned l) { return loops.is_irreducible(l); }));
  CHECK(loops.depth_of(count) == static_cast<std::size_t>(count));
}

TEST_CASE("loop forest: a million sibling loops in a loop") {
  int const count = 1'000'000;
  graph g(static_cast<std::size_t>(count));
  for (int i = 0; i != count; ++i) {
    if (i != 0) g[static_cast<std::size_t>(i)].push_back(i);
    g[static_cast<std::size_t>(i)].push_back((i + 1) % count);
  }
  plait::dominator_tree const tree(g);
  plait::loop_forest const loops(tree);
  CHECK(loops.size() == static_cast<std::size_t>(count));
  CHECK(std::ranges::distance(loops.children(0)) == count - 1);
  CHECK(std::ranges::distance(loops.top()) == 1);
}

TEST_CASE("loop forest: is empty before compute()") {
  plait::loop_forest<graph> const loops;
  CHECK(loops.size() == 0);
  CHECK_FALSE(loops.innermost(0));
  CHECK(loops.depth_of(0) == 0);
  CHECK_THROWS_AS((void)loops.header(0), plait::precondition_error);
}
