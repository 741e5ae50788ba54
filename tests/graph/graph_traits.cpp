#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <random>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include <plait/graph/graph_traits.hpp>

#include <graph/test_graphs.hpp>

namespace {

std::vector<std::size_t> indices(auto const& g, auto&& nodes) {
  std::vector<std::size_t> found;
  for (auto&& node : nodes) found.push_back(plait::index(g, node));
  return found;
}

std::vector<std::size_t> sorted(std::vector<std::size_t> items) {
  std::ranges::sort(items);
  return items;
}

}  // namespace

TEST_CASE_TEMPLATE("graph_traits: every graph type has the nodes and edges of its description", G, PLAIT_ALL_GRAPHS) {
  static_assert(plait::check_flow_graph<G>());
  std::mt19937 random(3);
  for (int round = 0; round != 50; ++round) {
    test::graph_description from = test::random_graph(random, 12);
    if (std::is_same_v<G, test::boost_matrix>) {
      std::ranges::sort(from.edges);
      from.edges.erase(std::ranges::unique(from.edges).begin(), from.edges.end());
    }
    G const g = test::make_graph<G>(from);
    REQUIRE(plait::graph_size(g) >= from.nodes);
    REQUIRE(plait::index(g, plait::entry(g)) == 0);
    for (std::size_t n = 0; n != from.nodes; ++n) {
      auto const node = test::node_of(g, static_cast<int>(n));
      REQUIRE(plait::index(g, node) == n);
      std::vector<std::size_t> expected;
      std::vector<std::size_t> reverse;
      for (auto [a, b] : from.edges) {
        if (a == static_cast<int>(n)) expected.push_back(static_cast<std::size_t>(b));
        if (b == static_cast<int>(n)) reverse.push_back(static_cast<std::size_t>(a));
      }
      auto const seen = indices(g, plait::successors(g, node));
      REQUIRE(sorted(seen) == sorted(expected));
      REQUIRE(indices(g, plait::successors(g, node)) == seen);  // multi-pass
      if constexpr (plait::has_predecessors<G>)
        REQUIRE(sorted(indices(g, plait::predecessors(g, node))) == sorted(reverse));
    }
    if constexpr (plait::has_nodes<G>) {
      auto const all = indices(g, plait::nodes(g));
      REQUIRE(all.size() == from.nodes);
      REQUIRE(std::ranges::is_sorted(all));
    }
  }
}

TEST_CASE_TEMPLATE("graph_traits: graph types with predecessors are bidirectional", G, PLAIT_BIDIRECTIONAL_GRAPHS) {
  CHECK(plait::bidirectional_flow_graph<G>);
}

// ---- types that the concepts accept and reject
// --------------------------------------------------------------------------

namespace {

// Concepts ignore references and const.
static_assert(plait::flow_graph<own::graph> && plait::flow_graph<own::graph&> && plait::flow_graph<own::graph const&>);
static_assert(plait::flow_graph<own::graph const> && plait::flow_graph<own::graph&&>);
static_assert(std::is_same_v<plait::node_t<own::graph const&>, int>);
static_assert(plait::has_predecessors<own::graph&> && plait::has_nodes<own::graph const&>);
static_assert(!plait::has_predecessors<std::vector<std::vector<int>>> && !plait::has_nodes<cfg::Function>);
static_assert(std::is_same_v<plait::node_t<cfg::Function>, cfg::Block*>);

// False, not an error, on types that are not graphs.
static_assert(!plait::flow_graph<int> && !plait::flow_graph<int&> && !plait::flow_graph<void>);
static_assert(!plait::flow_graph<std::string> && !plait::flow_graph<void (*)()> && !plait::flow_graph<void()>);
static_assert(!plait::flow_graph<int[3]> && !plait::flow_graph<std::nullptr_t> && !plait::flow_graph<own::graph*>);
static_assert(!plait::has_predecessors<int> && !plait::has_nodes<int> && !plait::has_index<int>);

// A correct graph; the wrong ones below differ from it in one member.
struct right {
  std::size_t size() const { return 0; }
  int entry() const { return 0; }
  std::vector<int> successors(int) const { return {}; }
};
static_assert(plait::flow_graph<right>);

struct void_size : right {
  void size() const {}
};
struct text_size : right {
  std::string size() const { return {}; }
};
struct mutable_size : right {
  std::size_t size() { return 0; }
};
static_assert(!plait::has_size<void_size> && !plait::has_size<text_size> && !plait::has_size<mutable_size>);
static_assert(!plait::flow_graph<void_size> && !plait::flow_graph<text_size> && !plait::flow_graph<mutable_size>);

struct void_entry : right {
  void entry() const {}
};
struct move_only_entry : right {
  std::unique_ptr<int> entry() const { return {}; }
};
struct incomparable_entry : right {
  struct node {};
  node entry() const { return {}; }
};
static_assert(!plait::has_entry<void_entry> && !plait::has_entry<move_only_entry>);
static_assert(!plait::has_entry<incomparable_entry> && !plait::flow_graph<incomparable_entry>);

struct void_successors : right {
  void successors(int) const {}
};
struct text_successors : right {  // a range, but not of nodes
  std::vector<std::string> successors(int) const { return {}; }
};
struct single_successor : right {
  int successors(int) const { return 0; }
};
static_assert(!plait::has_successors<void_successors> && !plait::has_successors<text_successors>);
static_assert(!plait::has_successors<single_successor> && !plait::flow_graph<text_successors>);

struct private_successors : right {
 private:
  std::vector<int> successors(int) const { return {}; }
};
static_assert(!plait::has_successors<private_successors>);

// Wrong optional members are not treated as absent.
struct text_index : right {
  std::string index(int) const { return {}; }
};
struct void_nodes : right {
  void nodes() const {}
};
struct text_predecessors : right {
  std::vector<std::string> predecessors(int) const { return {}; }
};
static_assert(plait::has_index<right> && !plait::has_index<text_index> && !plait::flow_graph<text_index>);
static_assert(plait::has_nodes<right> && !plait::has_nodes<void_nodes>);
static_assert(!plait::has_predecessors<text_predecessors>);

// Nodes that are not integers need an index.
struct pointer_nodes {
  std::size_t size() const { return 0; }
  int* entry() const { return nullptr; }
  std::list<int*> successors(int*) const { return {}; }
};
static_assert(plait::has_successors<pointer_nodes> && !plait::has_index<pointer_nodes>);
static_assert(!plait::has_nodes<pointer_nodes> && !plait::flow_graph<pointer_nodes>);

// Traits may return references.
struct outside {
  std::vector<int> next;
  int first = 0;
};

}  // namespace

template <>
struct plait::graph_traits<outside> {
  static std::size_t size(outside const&) { return 1; }
  static int const& entry(outside const& g) { return g.first; }
  static std::vector<int> const& successors(outside const& g, int) { return g.next; }
};

TEST_CASE("graph_traits: nodes are values, even if the traits return references") {
  static_assert(plait::flow_graph<outside>);
  static_assert(std::is_same_v<plait::node_t<outside>, int>);
  outside const g{{0, 0}, 0};
  static_assert(std::is_same_v<decltype(plait::successors(g, 0)), std::vector<int> const&>);
  CHECK(&plait::successors(g, 0) == &g.next);
  CHECK(plait::index(g, 0) == 0);
  CHECK(plait::nodes(g).size() == 1);
}

namespace {

// As many nodes as their type has values.
struct bytes {
  static std::size_t size() { return 256; }
  static std::uint8_t entry() { return 0; }
  static std::vector<std::uint8_t> successors(std::uint8_t n) {
    return n == 255 ? std::vector<std::uint8_t>() : std::vector<std::uint8_t>{static_cast<std::uint8_t>(n + 1)};
  }
};

}  // namespace

TEST_CASE("graph_traits: all values of an integer type may be nodes") {
  auto const all = plait::nodes(bytes());
  CHECK(all.size() == 256);
  CHECK(all[255] == 255);
  static_assert(std::is_same_v<std::ranges::range_value_t<decltype(all)>, std::uint8_t>);
}
