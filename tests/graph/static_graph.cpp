#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/graph/graph_traits.hpp>
#include <plait/graph/static_graph.hpp>

namespace {

constexpr plait::static_graph diamond({{0, 1}, {0, 2}, {1, 3}, {2, 3}});
static_assert(plait::bidirectional_flow_graph<decltype(diamond)> && plait::has_nodes<decltype(diamond)>);
static_assert(plait::check_flow_graph<decltype(diamond)>());
static_assert(plait::graph_size(diamond) == 4 && diamond.edge_count() == 4);
static_assert(plait::entry(diamond) == 0);
static_assert(std::ranges::equal(plait::successors(diamond, 0), std::vector{1, 2}));
static_assert(std::ranges::equal(plait::predecessors(diamond, 3), std::vector{1, 2}));
static_assert(plait::successors(diamond, 3).empty() && plait::predecessors(diamond, 0).empty());

constexpr plait::static_graph single({{2, 2}}, 1);
static_assert(single.entry() == 1);
static_assert(single.size() == 3);  // 0 is a node without edges
static_assert(single.successors(2)[0] == 2 && single.predecessors(2)[0] == 2);
static_assert(single.successors(0).empty() && single.successors(1).empty());

constexpr plait::static_graph alone;
static_assert(alone.size() == 1 && alone.edge_count() == 0 && alone.successors(0).empty());
static_assert(plait::flow_graph<decltype(alone)>);

// The capacity for nodes is a template parameter.
constexpr plait::static_graph<1, 9> sparse({{8, 0}});
static_assert(sparse.size() == 9 && sparse.predecessors(0)[0] == 8);

}  // namespace

TEST_CASE("static_graph: rows keep the order of the list, parallel edges and self-loops included") {
  plait::static_graph const g({{1, 0}, {0, 1}, {1, 1}, {1, 0}, {0, 1}, {2, 1}});
  CHECK(std::ranges::equal(g.successors(1), std::vector{0, 1, 0}));
  CHECK(std::ranges::equal(g.predecessors(1), std::vector{0, 1, 0, 2}));
  CHECK(std::ranges::equal(g.successors(0), std::vector{1, 1}));
  CHECK(std::ranges::equal(g.predecessors(0), std::vector{1, 1}));
}

TEST_CASE("static_graph: a node number at or above MaxNodes is a precondition_error") {
  CHECK_THROWS_AS((plait::static_graph({{0, 3}})), plait::precondition_error);
  CHECK_THROWS_AS((plait::static_graph({{0, 1}}, 7)), plait::precondition_error);
  CHECK_THROWS_AS((plait::static_graph<1, 9>({{9, 0}})), plait::precondition_error);
  CHECK_NOTHROW((plait::static_graph({{0, 2}})));
  CHECK_THROWS_AS((void)diamond.successors(4), plait::precondition_error);
}
