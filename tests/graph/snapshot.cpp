#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <ranges>
#include <set>
#include <vector>

#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/static_graph.hpp>

#include <graph/random_graphs.hpp>
#include <graph/test_graphs.hpp>
#include <oracle/naive_dominators.hpp>

namespace {

static_assert(plait::bidirectional_flow_graph<plait::dense_graph>);
// A graph with index(g, n) must not be a temporary.
static_assert(!std::is_constructible_v<plait::flow_snapshot<cfg::Function>, cfg::Function&&>);
static_assert(std::is_constructible_v<plait::flow_snapshot<own::graph>, own::graph&&>);

constexpr plait::static_graph loop({{0, 3}, {3, 1}, {3, 2}, {1, 2}, {2, 3}, {2, 4}, {5, 4}});
static_assert([] {
  plait::flow_snapshot const s(loop);
  return s.size() == 5 && s.edge_count() == 6 && s.node(0) == 0 && s.node(1) == 3 && s.number(4) == 4 &&
         s.number(5) == plait::npos;
}());

// Checks every property of a snapshot of g, which was built from `from`.
template <class G>
void check(plait::flow_snapshot<G> const& s, G const& g, test::graph_description const& from) {
  std::vector<bool> const reachable = test::naive_reachable(from, {0});
  REQUIRE(s.size() == static_cast<std::size_t>(std::ranges::count(reachable, true)));
  REQUIRE(s.number(plait::entry(g)) == 0);
  REQUIRE(s.order().size() == s.size());
  for (std::size_t i = 0; i != from.nodes; ++i) {
    auto const node = test::node_of(g, static_cast<int>(i));
    std::uint32_t const n = s.number(node);
    REQUIRE((n == plait::npos) == !reachable[i]);
    if (n == plait::npos) continue;
    REQUIRE(s.node(n) == node);
    REQUIRE(s.order()[n] == node);
    std::vector<std::uint32_t> expected;
    for (auto&& to : plait::successors(g, node)) expected.push_back(s.number(to));
    REQUIRE(std::ranges::equal(s.successors(n), expected));
  }

  // Predecessors are the transposed successors.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> in;
  for (std::uint32_t n = 0; n != s.size(); ++n) {
    for (std::uint32_t const to : s.successors(n)) out.emplace_back(n, to);
    for (std::uint32_t const p : s.predecessors(n)) in.emplace_back(p, n);
    REQUIRE(std::ranges::is_sorted(s.predecessors(n)));
  }
  std::ranges::sort(out);
  std::ranges::sort(in);
  REQUIRE(out == in);
  REQUIRE(out.size() == s.edge_count());

  // The numbers are a reverse postorder: only edges to ancestors in the DFS tree lead to lower numbers.
  std::vector<std::uint32_t> parent(s.size(), plait::npos);
  for (std::uint32_t p = 0; p != s.size(); ++p) {
    std::uint32_t const n = s.preorder()[p];
    REQUIRE(s.preorder_number(n) == p);
    if (p == 0) {
      REQUIRE(n == 0);
      REQUIRE(s.preorder_parents()[0] == plait::npos);
      continue;
    }
    REQUIRE(s.preorder_parents()[p] < p);
    parent[n] = s.preorder()[s.preorder_parents()[p]];
    REQUIRE(std::ranges::count(s.successors(parent[n]), n) != 0);
  }
  // Every edge is a tree edge or parallel to one, a forward edge, or a back or cross edge.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> further;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> returning;
  for (auto [a, b] : out) {
    std::uint32_t const at = s.preorder_number(a);
    std::uint32_t const to = s.preorder_number(b);
    if (at >= to)
      returning.emplace_back(at, to);
    else if (s.preorder_parents()[to] != at)
      further.emplace_back(at, to);
  }
  auto const pairs = [](std::span<plait::dfs_edge const> edges) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (plait::dfs_edge const e : edges) found.emplace_back(e.from(), e.to());
    return found;
  };
  REQUIRE(std::ranges::is_sorted(s.preorder_back_and_cross_edges(), {}, &plait::dfs_edge::from));
  REQUIRE(std::ranges::is_permutation(pairs(s.preorder_back_and_cross_edges()), returning));
  REQUIRE(std::ranges::is_permutation(pairs(s.preorder_forward_edges()), further));
  auto const climbs_to = [&](std::uint32_t b, std::uint32_t a) {
    while (b != a && b != 0) b = parent[b];
    return b == a;
  };
  for (std::uint32_t a = 0; a != s.size(); ++a)
    for (std::uint32_t b = 0; b != s.size(); ++b) REQUIRE(s.is_dfs_ancestor(a, b) == climbs_to(b, a));
  for (auto [a, b] : out) REQUIRE((a < b || climbs_to(a, b)));
}

}  // namespace

TEST_CASE_TEMPLATE("flow_snapshot: contains the reachable nodes and their edges", G, PLAIT_ALL_GRAPHS) {
  plait::flow_snapshot<G> reused;
  for (unsigned seed = 0; seed != 600; ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, 12);
    G const g = test::make_graph<G>(from);
    reused.compute(g);
    check(reused, g, from);
  }
}

TEST_CASE("flow_snapshot: the search follows successors in their order") {
  plait::static_graph const g({{0, 2}, {0, 1}, {2, 3}, {1, 3}});
  plait::flow_snapshot const s(g);
  // Preorder 0 2 3 1, postorder 3 2 1 0.
  CHECK(std::ranges::equal(s.order(), std::vector{0, 1, 2, 3}));
  CHECK(std::ranges::equal(s.preorder(), std::vector{0, 2, 3, 1}));
}

TEST_CASE("flow_snapshot: is empty before compute(); a single node has no edges") {
  plait::flow_snapshot<own::graph> s;
  CHECK(s.size() == 0);
  CHECK(s.number(0) == plait::npos);
  own::graph const g(1);
  s.compute(g);
  CHECK(s.size() == 1);
  CHECK(s.edge_count() == 0);
  CHECK(s.successors(0).empty());
  CHECK(s.predecessors(0).empty());
}

namespace {

// Counts calls of successors().
struct counting {
  plait::static_graph<5> graph{{{0, 1}, {1, 0}, {1, 1}, {0, 2}, {2, 1}}};
  mutable std::vector<int> asked = std::vector<int>(3);
  std::size_t size() const { return graph.size(); }
  std::uint32_t entry() const { return 0; }
  auto successors(std::uint32_t n) const {
    ++asked[n];
    return graph.successors(n);
  }
};

}  // namespace

TEST_CASE("flow_snapshot: reads the successors of a node once") {
  counting const g;
  plait::flow_snapshot const s(g);
  CHECK(s.size() == 3);
  CHECK(g.asked == std::vector{1, 1, 1});
}

TEST_CASE("flow_snapshot: recomputation reuses the memory") {
  own::graph big(500);
  for (int i = 1; i != 500; ++i) big.connect(i - 1, i);
  own::graph const small(2);
  plait::flow_snapshot s(big);
  auto const* const order = s.order().data();
  auto const* const preorder = s.preorder().data();
  auto const* const row = s.successors(0).data();
  s.compute(small);
  CHECK(s.size() == 1);
  s.compute(big);
  CHECK(s.size() == 500);
  CHECK(s.order().data() == order);
  CHECK(s.preorder().data() == preorder);
  CHECK(s.successors(0).data() == row);
}

TEST_CASE("flow_snapshot: an index out of range is a precondition_error") {
  std::vector<std::vector<int>> const g{{1}, {7}};
  CHECK_THROWS_AS(plait::flow_snapshot{g}, plait::precondition_error);
}

TEST_CASE("flow_snapshot: a chain of a million nodes, a node with a million successors") {
  int const count = 1'000'000;
  own::graph chain(static_cast<std::size_t>(count));
  for (int i = 1; i != count; ++i) chain.connect(i - 1, i);
  chain.connect(count - 1, 0);
  plait::flow_snapshot const s(chain);
  CHECK(s.size() == static_cast<std::size_t>(count));
  CHECK(s.number(count - 1) == static_cast<std::uint32_t>(count - 1));
  CHECK(s.is_dfs_ancestor(1, 999'999));

  own::graph fan(static_cast<std::size_t>(count));
  for (int i = 1; i != count; ++i) fan.connect(0, i);
  plait::flow_snapshot const f(fan);
  CHECK(f.successors(0).size() == static_cast<std::size_t>(count - 1));
  CHECK(f.number(1) == static_cast<std::uint32_t>(count - 1));
}

namespace {

struct listed_node {
  std::size_t index;
  std::vector<listed_node*> successors;
};

// Lists a subset of its nodes in any order.
struct listing {
  std::vector<listed_node> const& all;
  std::vector<listed_node const*> listed;
  std::size_t size() const { return all.size(); }
  listed_node const* entry() const { return all.data(); }
  std::vector<listed_node*> const& successors(listed_node const* n) const { return n->successors; }
  std::size_t index(listed_node const* n) const { return n->index; }
  std::vector<listed_node const*> const& nodes() const { return listed; }
};

}  // namespace

TEST_CASE("flow_snapshot: reading a large graph in the listed order gives the same result") {
  std::size_t const count = 70'000;
  test::graph_description from{count, {}};
  std::mt19937 random(1);
  for (std::size_t n = 1; n != count; ++n) {
    // Some nodes are unreachable.
    if (n % 10 != 0) from.edges.emplace_back(static_cast<int>(random() % n), static_cast<int>(n));
    from.edges.emplace_back(static_cast<int>(random() % count), static_cast<int>(random() % count));
  }
  std::vector<listed_node> all(count);
  for (std::size_t n = 0; n != count; ++n) all[n].index = n;
  for (auto [a, b] : from.edges)
    all[static_cast<std::size_t>(a)].successors.push_back(&all[static_cast<std::size_t>(b)]);
  own::graph const numbers = test::make_graph<own::graph>(from);
  plait::flow_snapshot const expected(numbers);
  CHECK(expected.size() < count);
  CHECK(expected.size() > count / 2);

  listing whole{all, {}};
  for (listed_node const& n : all) whole.listed.push_back(&n);
  listing shuffled = whole;
  std::ranges::shuffle(shuffled.listed, random);
  listing lacking = whole;
  lacking.listed.pop_back();
  listing twice = whole;
  twice.listed.push_back(whole.listed.front());
  plait::flow_snapshot<listing> s;
  for (listing const* const g : {&whole, &shuffled, &lacking, &whole, &twice}) {
    s.compute(*g);
    REQUIRE(s.size() == expected.size());
    REQUIRE(s.edge_count() == expected.edge_count());
    bool same = true;
    for (std::uint32_t n = 0; n != s.size(); ++n)
      same = same && s.node(n)->index == static_cast<std::size_t>(expected.node(n)) && s.number(s.node(n)) == n &&
             std::ranges::equal(s.successors(n), expected.successors(n)) &&
             std::ranges::equal(s.predecessors(n), expected.predecessors(n));
    CHECK(same);
  }
}

namespace {

// Implicit trees: the successors of a node are generated from it, by reference.
struct place {
  int level;
  int number;
  friend bool operator==(place const&, place const&) = default;
};
struct tree_of_places {
  static std::size_t size() { return 63; }
  static place entry() { return {0, 0}; }
  static std::size_t index(place const& n) {
    return (std::size_t{1} << n.level) - 1 + static_cast<std::size_t>(n.number);
  }
  static auto successors(place const& n) {
    return std::views::iota(0, n.level < 5 ? 2 : 0) | std::views::transform([&n](int i) {
             return place{n.level + 1, 2 * n.number + i};
           });
  }
};
struct tree_of_numbers {
  static std::size_t size() { return 63; }
  static int entry() { return 0; }
  static auto successors(int const& n) {
    return std::views::iota(1, n < 31 ? 3 : 1) | std::views::transform([&n](int i) { return 2 * n + i; });
  }
};

template <class G>
void check_tree() {
  G const g;
  plait::flow_snapshot const s(g);
  REQUIRE(s.size() == 63);
  for (std::uint32_t n = 0; n != 63; ++n) {
    std::size_t const at = plait::index(g, s.node(n));
    REQUIRE(s.successors(n).size() == (at < 31 ? 2 : 0));
    for (std::size_t i = 0; i != s.successors(n).size(); ++i)
      REQUIRE(plait::index(g, s.node(s.successors(n)[i])) == 2 * at + 1 + i);
  }
}

}  // namespace

TEST_CASE("flow_snapshot: a range of successors may refer to its node") {
  check_tree<tree_of_places>();
  check_tree<tree_of_numbers>();
}
