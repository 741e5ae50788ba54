#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include <plait/graph/dominators.hpp>
#include <plait/graph/dynamic_dominators.hpp>

#include <adaptation/pointer_graph.hpp>
#include <adaptation/vector_graph.hpp>
#include <graph/archetype_graph.hpp>
#include <graph/random_graphs.hpp>
#include <support/random_cases.hpp>

namespace {

using graph = std::vector<std::vector<int>>;

graph make(test::graph_description const& from) {
  graph g(from.nodes);
  for (auto [a, b] : from.edges) g[static_cast<std::size_t>(a)].push_back(b);
  return g;
}

bool disconnect(graph& g, int from, int to) {
  auto& row = g[static_cast<std::size_t>(from)];
  auto const at = std::ranges::find(row, to);
  if (at == row.end()) return false;
  row.erase(at);
  return true;
}

// Compares every query with that of a newly computed tree.
void check(plait::dynamic_dominator_tree<graph> const& tree, graph const& g) {
  plait::dominator_tree const right(g);
  int const count = static_cast<int>(g.size());
  for (int n = 0; n != count; ++n) {
    REQUIRE(tree.contains(n) == right.contains(n));
    REQUIRE(tree.idom(n) == right.idom(n));
    if (!right.contains(n)) continue;
    REQUIRE(tree.depth(n) == right.depth(n));
  }
}

void check_everything(plait::dynamic_dominator_tree<graph> const& tree, graph const& g) {
  check(tree, g);
  plait::dominator_tree const right(g);
  int const count = static_cast<int>(g.size());
  REQUIRE(tree.root() == 0);
  for (int a = 0; a != count; ++a) {
    for (int b = 0; b != count; ++b) {
      REQUIRE(tree.dominates(a, b) == right.dominates(a, b));
      REQUIRE(tree.strictly_dominates(a, b) == right.strictly_dominates(a, b));
      REQUIRE(tree.nearest_common_dominator(a, b) == right.nearest_common_dominator(a, b));
    }
    if (!right.contains(a)) continue;
    std::vector<int> children(tree.children(a).begin(), tree.children(a).end());
    std::vector<int> expected(right.children(a).begin(), right.children(a).end());
    std::ranges::sort(children);
    std::ranges::sort(expected);
    REQUIRE(children == expected);
  }
}

// Inserts and deletes random edges; keeps about `degree` edges a node.
void edit(graph& g, plait::dynamic_dominator_tree<graph>& tree, std::mt19937& random, std::size_t edits, double degree,
          auto check_now) {
  std::size_t edges = 0;
  for (auto const& row : g) edges += row.size();
  auto const wanted = static_cast<std::size_t>(static_cast<double>(g.size()) * degree);
  auto const pick = [&] { return static_cast<int>(random() % g.size()); };
  for (std::size_t i = 0; i != edits;) {
    bool const add = edges == 0 || random() % (edges + wanted) >= edges;
    int const from = pick();
    if (add) {
      int const to = pick();
      g[static_cast<std::size_t>(from)].push_back(to);
      tree.insert_edge(from, to);
      ++edges;
    } else {
      auto const& row = g[static_cast<std::size_t>(from)];
      if (row.empty()) continue;
      int const to = row[random() % row.size()];
      disconnect(g, from, to);
      tree.delete_edge(from, to);
      --edges;
    }
    CAPTURE(i);
    check_now();
    ++i;
  }
}

}  // namespace

TEST_CASE("dynamic dominators: equal recomputation after 100,000 random edits of small graphs") {
  for (unsigned seed = 0; seed != test::random_cases(2'000); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    graph g = make(test::random_flow_graph(seed, 16));
    plait::dynamic_dominator_tree tree(g);
    edit(g, tree, random, 50, 0.8 + 0.2 * static_cast<double>(seed % 7), [&] { check(tree, g); });
    check_everything(tree, g);
  }
}

TEST_CASE("dynamic dominators: equal recomputation after 20,000 edits of graphs of 100 to 300 nodes") {
  for (unsigned seed = 0; seed != 40; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::size_t const size = 100 + random() % 200;
    graph g(size);
    plait::dynamic_dominator_tree tree(g);  // all but the entry are unreachable
    edit(g, tree, random, 500, 0.9 + 0.3 * static_cast<double>(seed % 5), [&] { check(tree, g); });
    check_everything(tree, g);
  }
}

TEST_CASE("dynamic dominators: verify() holds after edits of graphs of thousands of nodes") {
  for (unsigned seed = 0; seed != 6; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    graph g = make(test::random_flow_graph(seed, 6000));
    plait::dynamic_dominator_tree tree(g);
    for (int round = 0; round != 20; ++round) {
      edit(g, tree, random, 50, 1.5, [] {});
      REQUIRE(!tree.verify());
    }
  }
}

TEST_CASE("dynamic dominators: an insertion moves affected nodes up") {
  graph g{{1}, {2}, {3}, {4}, {}};
  plait::dynamic_dominator_tree tree(g);
  CHECK(tree.idom(3) == 2);
  g[0].push_back(3);
  tree.insert_edge(0, 3);
  CHECK(tree.idom(3) == 0);
  CHECK(tree.depth(4) == 2);
  CHECK(tree.idom(2) == 1);
}

TEST_CASE("dynamic dominators: of parallel edges only the first insertion and the last deletion count") {
  graph g{{1, 1}, {2}, {}};
  plait::dynamic_dominator_tree tree(g);
  disconnect(g, 0, 1);
  tree.delete_edge(0, 1);
  CHECK(tree.contains(2));
  disconnect(g, 0, 1);
  tree.delete_edge(0, 1);
  CHECK(!tree.contains(1));
  CHECK(!tree.contains(2));
  CHECK(!tree.idom(2));
}

TEST_CASE("dynamic dominators: new nodes and their descendants join when an edge reaches them") {
  graph g{{1}, {}};
  plait::dynamic_dominator_tree tree(g);
  g.emplace_back();  // 2
  g.emplace_back();  // 3
  CHECK(!tree.contains(3));
  g[2].push_back(3);
  tree.insert_edge(2, 3);
  CHECK(!tree.contains(3));
  g[3].push_back(1);
  tree.insert_edge(3, 1);
  g[0].push_back(2);
  tree.insert_edge(0, 2);
  CHECK(tree.idom(3) == 2);
  CHECK(tree.idom(1) == 0);
  CHECK(!tree.verify());
}

TEST_CASE("dynamic dominators: verify() returns a wrong node") {
  graph g{{1}, {2}, {}, {}};
  plait::dynamic_dominator_tree tree(g);
  CHECK(!tree.verify());
  g[0].push_back(2);
  CHECK(tree.verify() == 2);  // not reported by insert_edge
  disconnect(g, 0, 2);
  g[2].push_back(3);
  CHECK(tree.verify() == 3);
  g[2].clear();
  g[1].clear();
  CHECK(tree.verify() == 2);
  tree.compute(g);
  CHECK(!tree.verify());
}

TEST_CASE("dynamic dominators: work on pointer graphs and the archetype") {
  cfg::Function f;
  for (std::size_t i = 0; i != 4; ++i) f.blocks.push_back(std::make_unique<cfg::Block>(cfg::Block{i, {}}));
  auto const block = [&](std::size_t i) { return f.blocks[i].get(); };
  plait::dynamic_dominator_tree tree(f);
  for (auto [a, b] : {std::pair{0u, 1u}, {1u, 2u}, {0u, 3u}, {3u, 2u}}) {
    block(a)->targets.push_back(block(b));
    tree.insert_edge(block(a), block(b));
    REQUIRE(!tree.verify());
  }
  CHECK(tree.idom(block(2)) == block(0));
  f.blocks.push_back(std::make_unique<cfg::Block>(cfg::Block{4, {}}));
  block(2)->targets.push_back(block(4));
  tree.insert_edge(block(2), block(4));
  block(3)->targets.clear();
  tree.delete_edge(block(3), block(2));
  CHECK(tree.idom(block(2)) == block(1));
  CHECK(tree.depth(block(4)) == 3);

  test::archetype_graph a(3);
  plait::dynamic_dominator_tree other(a);
  a.connect(0, 2);
  other.insert_edge(a.node_of(0), a.node_of(2));
  CHECK(other.idom(a.node_of(2)) == a.node_of(0));
  CHECK(!other.verify());
}

TEST_CASE("dynamic dominators: edits of a chain of a million nodes are local and not recursive") {
  int const count = 1'000'000;
  graph g(static_cast<std::size_t>(count));
  for (int i = 1; i != count; ++i) g[static_cast<std::size_t>(i - 1)].push_back(i);
  plait::dynamic_dominator_tree tree(g);
  for (int i = count - 100; i != count - 50; ++i) {
    g[static_cast<std::size_t>(i)].push_back(i + 2);
    tree.insert_edge(i, i + 2);
    disconnect(g, i, i + 1);
    tree.delete_edge(i, i + 1);
  }
  CHECK(!tree.verify());
  disconnect(g, 0, 1);
  tree.delete_edge(0, 1);
  CHECK(!tree.contains(count - 1));
  g[0].push_back(1);
  tree.insert_edge(0, 1);
  CHECK(!tree.verify());
  CHECK(tree.depth(count - 1) > 999'000);
}

static_assert([] {
  struct changing {
    std::vector<std::vector<int>> rows{{1}, {2}, {3}, {}};
    constexpr std::size_t size() const { return rows.size(); }
    constexpr int entry() const { return 0; }
    constexpr std::vector<int> const& successors(int n) const { return rows[static_cast<std::size_t>(n)]; }
  } g;
  plait::dynamic_dominator_tree tree(g);
  g.rows[0].push_back(3);
  tree.insert_edge(0, 3);
  bool const higher = tree.idom(3) == 0;
  g.rows[0].erase(g.rows[0].begin());
  tree.delete_edge(0, 1);
  return higher && !tree.contains(2) && tree.dominates(0, 3) && !tree.verify();
}());
