#include <doctest/doctest.h>

#include <algorithm>
#include <ranges>
#include <vector>

#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/static_graph.hpp>

#include <adaptation/own_graph.hpp>
#include <graph/random_graphs.hpp>
#include <support/random_cases.hpp>

// dominators.cpp tests the dominators; this file tests the layout of the tree.

namespace {

static_assert(std::ranges::forward_range<plait::dense_dominators::child_range>);
static_assert(std::ranges::view<plait::dense_dominators::child_range>);

constexpr plait::static_graph diamond({{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}});
static_assert([] {
  plait::flow_snapshot const s(diamond);
  plait::dense_dominators const tree(s);
  return tree.size() == 5 && tree.idom(0) == plait::npos && tree.idom(3) == 0 && tree.idom(4) == 3 &&
         std::ranges::equal(tree.children(0), std::vector{1, 2, 3}) && tree.children(4).empty() &&
         std::ranges::equal(tree.depths(), std::vector{0, 1, 1, 1, 2});
}());

own::graph make(test::graph_description const& from) {
  own::graph g(from.nodes);
  for (auto [a, b] : from.edges) g.connect(a, b);
  return g;
}

}  // namespace

TEST_CASE("dense_dominators: the arrays are consistent") {
  plait::dense_dominators tree;
  for (unsigned seed = 0; seed != test::random_cases(2'000); ++seed) {
    CAPTURE(seed);
    own::graph const g = make(test::random_flow_graph(seed, 40));
    plait::flow_snapshot const s(g);
    tree.compute(s);
    REQUIRE(tree.size() == s.size());
    REQUIRE(tree.idoms().size() == s.size());
    REQUIRE(tree.preorder().size() == s.size());
    REQUIRE(tree.preorder()[0] == 0);
    for (std::uint32_t n = 0; n != tree.size(); ++n) {
      REQUIRE(tree.idoms()[n] == tree.idom(n));
      REQUIRE(tree.depths()[n] == tree.depth(n));
      REQUIRE(tree.preorder()[tree.place(n)] == n);
      REQUIRE(tree.subtree(n).front() == n);
      REQUIRE(tree.subtree(n).data() == tree.preorder().data() + tree.place(n));
      if (n != 0) {
        REQUIRE(tree.idom(n) < n);
        REQUIRE(tree.depth(n) == tree.depth(tree.idom(n)) + 1);
      }
      // The subtrees of the children tile that of their parent, in ascending order.
      std::size_t filled = 1;
      std::uint32_t last = n;
      for (std::uint32_t const child : tree.children(n)) {
        REQUIRE(tree.idom(child) == n);
        REQUIRE(child > last);
        REQUIRE(tree.place(child) == tree.place(n) + filled);
        filled += tree.subtree(child).size();
        last = child;
      }
      REQUIRE(filled == tree.subtree(n).size());
      for (std::uint32_t m = 0; m != tree.size(); ++m) {
        REQUIRE(tree.dominates(n, m) == (std::ranges::count(tree.subtree(n), m) != 0));
        std::uint32_t const common = tree.nearest_common(n, m);
        REQUIRE(common == tree.nearest_common(m, n));
        REQUIRE((tree.dominates(common, n) && tree.dominates(common, m)));
        for (std::uint32_t const child : tree.children(common))
          REQUIRE(!(tree.dominates(child, n) && tree.dominates(child, m)));
      }
    }
  }
}

TEST_CASE("dense_dominators: a smaller tree after a larger one has no stale nodes") {
  plait::flow_snapshot<own::graph> s;
  plait::dense_dominators tree;
  own::graph big(100);
  for (int i = 1; i != 100; ++i) big.connect(i - 1, i);
  s.compute(big);
  tree.compute(s);
  own::graph const one(1);
  s.compute(one);
  tree.compute(s);
  CHECK(tree.size() == 1);
  CHECK(tree.preorder().size() == 1);
  CHECK(tree.children(0).empty());
  CHECK(tree.subtree(0).size() == 1);
  CHECK_THROWS_AS((void)tree.idom(1), plait::precondition_error);
  CHECK_THROWS_AS((void)s.successors(1), plait::precondition_error);
  CHECK_THROWS_AS((void)s.predecessors(1), plait::precondition_error);
}
