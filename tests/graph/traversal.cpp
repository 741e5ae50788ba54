#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <ranges>
#include <vector>

#include <plait/graph/static_graph.hpp>
#include <plait/graph/traversal.hpp>

#include <graph/random_graphs.hpp>
#include <graph/test_graphs.hpp>

namespace {

constexpr plait::static_graph loop({{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 0}, {4, 3}});
static_assert(plait::preorder(loop) == std::vector{0u, 1u, 3u, 2u});
static_assert(plait::postorder(loop) == std::vector{3u, 1u, 2u, 0u});
static_assert(plait::reverse_postorder(loop) == std::vector{0u, 2u, 1u, 3u});

}  // namespace

TEST_CASE_TEMPLATE("traversal: orders equal those of the recursive search", G, PLAIT_ALL_GRAPHS) {
  for (unsigned seed = 0; seed != 300; ++seed) {
    CAPTURE(seed);
    G const g = test::make_graph<G>(test::random_flow_graph(seed, 14));
    std::vector<plait::node_t<G>> pre;
    std::vector<plait::node_t<G>> post;
    std::vector<bool> seen(plait::graph_size(g));
    std::function<void(plait::node_t<G> const&)> const visit = [&](plait::node_t<G> const& n) {
      if (seen[plait::index(g, n)]) return;
      seen[plait::index(g, n)] = true;
      pre.push_back(n);
      for (auto&& next : plait::successors(g, n)) visit(next);
      post.push_back(n);
    };
    visit(plait::entry(g));
    REQUIRE(plait::preorder(g) == pre);
    REQUIRE(plait::postorder(g) == post);
    std::ranges::reverse(post);
    REQUIRE(plait::reverse_postorder(g) == post);
  }
}

TEST_CASE("traversal: a chain of a million nodes") {
  int const count = 1'000'000;
  own::graph g(static_cast<std::size_t>(count));
  for (int i = 1; i != count; ++i) g.connect(i - 1, i);
  CHECK(std::ranges::equal(plait::preorder(g), std::views::iota(0, count)));
  CHECK(std::ranges::equal(plait::postorder(g) | std::views::reverse, std::views::iota(0, count)));
}
