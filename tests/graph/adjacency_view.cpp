#include <plait/graph/views.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/dominators.hpp>
#include <plait/graph/frontiers.hpp>
#include <plait/graph/loops.hpp>
#include <plait/graph/post_dominators.hpp>
#include <plait/graph/strong_components.hpp>
#include <plait/graph/traversal.hpp>

#include <adaptation/own_graph.hpp>
#include <graph/own_graphs.hpp>
#include <graph/random_graphs.hpp>
#include <support/input_only.hpp>

namespace {

// ---- types of rows

struct of_ints {
  explicit of_ints(test::graph_description const& from) : rows(from.nodes) {
    for (auto [a, b] : from.edges) rows[static_cast<std::size_t>(a)].push_back(b);
  }
  auto view(int entry) const { return plait::adjacency_view(rows, entry); }
  std::vector<std::vector<int>> rows;
};
struct of_unsigned {
  explicit of_unsigned(test::graph_description const& from) : rows(from.nodes) {
    for (auto [a, b] : from.edges) rows[static_cast<std::size_t>(a)].push_back(static_cast<unsigned>(b));
  }
  auto view(int entry) const { return plait::adjacency_view(rows, static_cast<unsigned>(entry)); }
  std::vector<std::vector<unsigned>> rows;
};
// A narrow integer type, and containers other than vectors.
struct of_bytes {
  explicit of_bytes(test::graph_description const& from) : rows(from.nodes) {
    for (auto [a, b] : from.edges) rows[static_cast<std::size_t>(a)].push_back(static_cast<std::uint8_t>(b));
  }
  auto view(int entry) const { return plait::adjacency_view(rows, static_cast<std::uint8_t>(entry)); }
  std::deque<std::list<std::uint8_t>> rows;
};
// Spans of one list of edges: a span of spans is a view, which may be a temporary.
struct of_spans {
  explicit of_spans(test::graph_description const& from) : rows(from.nodes) {
    of_ints const all(from);
    for (auto const& row : all.rows)
      for (int to : row) items.push_back(to);
    std::size_t at = 0;
    for (std::size_t i = 0; i != from.nodes; at += all.rows[i++].size())
      rows[i] = std::span<std::int64_t const>(items).subspan(at, all.rows[i].size());
  }
  auto view(int entry) const {
    return plait::adjacency_view(std::span<std::span<std::int64_t const> const>(rows), entry);
  }
  std::vector<std::int64_t> items;
  std::vector<std::span<std::int64_t const>> rows;
};
// Targets of weighted edges; rows are generated on access.
struct of_pairs {
  explicit of_pairs(test::graph_description const& from) : rows(from.nodes) {
    for (auto [a, b] : from.edges) rows[static_cast<std::size_t>(a)].emplace_back(b, 0.5);
  }
  auto view(int entry) const {
    return plait::adjacency_view(rows | std::views::transform([](auto const& row) { return row | std::views::keys; }),
                                 entry);
  }
  std::vector<std::vector<std::pair<int, double>>> rows;
};
// The minimum that the concept requires: single-pass rows, by value.
struct of_input_ranges {
  struct item {
    std::vector<int> const* row;
    int operator()(std::size_t i) const { return (*row)[i]; }
  };
  explicit of_input_ranges(test::graph_description const& from) : all(from) {}
  auto view(int entry) const {
    return plait::adjacency_view(all.rows | std::views::transform([](auto const& row) {
                                   return test::input_only<item>(row.size(), item{&row});
                                 }),
                                 entry);
  }
  of_ints all;
};

#define PLAIT_ROWS of_ints, of_unsigned, of_bytes, of_spans, of_pairs, of_input_ranges

// ---- types that are not adjacency rows

using ints = std::vector<std::vector<int>>;
template <class... Args>
concept viewable = requires(Args&&... args) { plait::adjacency_view(std::forward<Args>(args)...); };
static_assert(viewable<ints&> && viewable<ints const&> && viewable<ints const&, int>);
static_assert(!viewable<ints> && !viewable<ints, int>);  // destroyed before the view is used
static_assert(viewable<std::span<std::vector<int> const>>);
static_assert(!viewable<int> && !viewable<std::vector<int>&> && !viewable<std::vector<std::string>&>);
static_assert(!viewable<std::vector<std::vector<bool>>&> && !viewable<std::vector<std::vector<double>>&>);
static_assert(!viewable<std::list<std::vector<int>>&>);  // no random access
static_assert(!plait::flow_graph<int> && !plait::adjacency_rows<int>);

// ---- in constant expressions: std::array and C arrays of arrays

constexpr std::array<std::array<int, 2>, 4> diamond = {{{1, 2}, {3, 3}, {3, 3}, {0, 3}}};
static_assert([] {
  plait::adjacency_view const g(diamond);
  plait::dominator_tree const tree(g);
  return plait::check_flow_graph<decltype(g)>() && tree.idom(3) == 0 && plait::preorder(g).size() == 4 &&
         plait::preorder(plait::adjacency_view(diamond, 1)) == std::vector{1, 3, 0, 2};
}());
constexpr unsigned short chain[3][1] = {{1}, {2}, {2}};
static_assert(plait::preorder(plait::adjacency_view(chain)).size() == 3);
static_assert(std::same_as<plait::node_t<decltype(plait::adjacency_view(chain))>, unsigned short>);

template <class Nodes>
std::vector<std::size_t> numbers(auto const& g, Nodes&& nodes) {
  std::vector<std::size_t> made;
  for (auto&& n : nodes) made.push_back(plait::index(g, n));
  return made;
}

}  // namespace

TEST_CASE_TEMPLATE("adjacency_view: results equal those of a graph with the same edges", Rows, PLAIT_ROWS) {
  for (unsigned seed = 0; seed != 60; ++seed) {
    CAPTURE(seed);
    test::graph_description from = test::random_flow_graph(seed, 12);
    Rows const rows(from);
    auto const g = rows.view(0);
    static_assert(plait::check_flow_graph<std::remove_const_t<decltype(g)>>());
    auto const other = test::make_graph<own::graph>(from);
    REQUIRE(plait::graph_size(g) == from.nodes);
    for (std::size_t n = 0; n != from.nodes; ++n)
      REQUIRE(numbers(g, plait::successors(g, static_cast<plait::node_t<decltype(g)>>(n))) ==
              numbers(other, plait::successors(other, static_cast<int>(n))));
    REQUIRE(numbers(g, plait::preorder(g)) == numbers(other, plait::preorder(other)));
    REQUIRE(numbers(g, plait::nodes(g)) == numbers(other, plait::nodes(other)));

    plait::dominator_tree const tree(g);
    plait::dominator_tree const other_tree(other);
    plait::post_dominator_tree const ends(g);
    plait::post_dominator_tree const other_ends(other);
    plait::dominance_frontiers const frontiers(tree);
    plait::dominance_frontiers const other_frontiers(other_tree);
    plait::loop_forest const loops(tree);
    plait::loop_forest const other_loops(other_tree);
    plait::strong_components const components(g);
    plait::strong_components const other_components(other);
    for (std::size_t n = 0; n != from.nodes; ++n) {
      auto const node = static_cast<plait::node_t<decltype(g)>>(n);
      auto const twin = static_cast<int>(n);
      REQUIRE(tree.contains(node) == other_tree.contains(twin));
      if (!tree.contains(node)) continue;
      REQUIRE(tree.depth(node) == other_tree.depth(twin));
      REQUIRE(tree.idom(node).has_value() == other_tree.idom(twin).has_value());
      if (tree.idom(node)) REQUIRE(plait::index(g, *tree.idom(node)) == plait::index(other, *other_tree.idom(twin)));
      REQUIRE(numbers(g, frontiers[node]) == numbers(other, other_frontiers[twin]));
      REQUIRE(ends.depth(node) == other_ends.depth(twin));
    }
    REQUIRE(loops.size() == other_loops.size());
    REQUIRE(components.size() == other_components.size());
    plait::topological_order const order(g);
    plait::topological_order const other_order(other);
    REQUIRE(numbers(g, order.cycle()) == numbers(other, other_order.cycle()));
  }
}

TEST_CASE_TEMPLATE("adjacency_view: the entry can be any row", Rows, PLAIT_ROWS) {
  Rows const rows({4, {{0, 1}, {1, 2}, {2, 1}, {3, 0}}});
  CHECK(numbers(rows.view(2), plait::preorder(rows.view(2))) == std::vector<std::size_t>{2, 1});
  CHECK(numbers(rows.view(3), plait::preorder(rows.view(3))) == std::vector<std::size_t>{3, 0, 1, 2});
  CHECK_THROWS_AS((void)rows.view(4), plait::precondition_error);
  CHECK_THROWS_AS((void)rows.view(-1), plait::precondition_error);
}

TEST_CASE("adjacency_view: item and entry numbers without a row are a precondition_error") {
  ints const beyond = {{1}, {2}};
  ints const negative = {{1}, {-1}};
  CHECK_THROWS_AS((void)plait::preorder(plait::adjacency_view(beyond)), plait::precondition_error);
  CHECK_THROWS_AS((void)plait::preorder(plait::adjacency_view(negative)), plait::precondition_error);
  ints const none;
  CHECK_THROWS_AS((void)plait::adjacency_view(none), plait::precondition_error);
  std::vector<std::vector<std::int8_t>> const many(128);
  CHECK_THROWS_AS((void)plait::adjacency_view(many), plait::precondition_error);
}

TEST_CASE("adjacency_view: views compose with it, also if it is a temporary") {
  ints const rows = {{1, 2}, {3}, {3}, {}};
  auto const thin = plait::filtered(plait::adjacency_view(rows), [](int, int to) { return to != 1; });
  CHECK(plait::preorder(thin) == std::vector{0, 2, 3});
}

TEST_CASE("adjacency_view: refers to the rows, does not copy them") {
  ints rows = {{1}, {}, {}};
  plait::adjacency_view const g(rows);
  CHECK(std::addressof(g.successors(0)) == std::addressof(rows[0]));
  rows[1].push_back(2);
  CHECK(plait::preorder(g) == std::vector{0, 1, 2});
}
