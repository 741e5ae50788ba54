#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <plait/graph/detail/post_dominator_roots.hpp>

#include <graph/graph_description.hpp>
#include <graph/random_graphs.hpp>
#include <oracle/naive_post_dominator_roots.hpp>
#include <support/random_cases.hpp>

namespace {

struct rows {
  // By number, as post_dominator_roots requires.
  plait::csr<std::uint32_t> successors;
  plait::csr<std::uint32_t> predecessors;
  explicit rows(test::graph_description const& from) {
    for (int n = 0; n != static_cast<int>(from.nodes); ++n) {
      for (auto [a, b] : from.edges)
        if (a == n) successors.push(static_cast<std::uint32_t>(b));
      successors.end_row();
    }
    plait::transpose(successors, predecessors);
    plait::transpose(predecessors, successors);
  }
};

}  // namespace

TEST_CASE("post-dominator roots: exits come first, then infinite loops in order of discovery") {
  rows const g({6, {{0, 3}, {0, 1}, {1, 2}, {2, 1}, {3, 4}, {4, 3}}});
  plait::post_dominator_roots exits;
  exits.compute(g.successors, g.predecessors);
  CHECK(exits.exit_count() == 1);
  // From 0: 3, 4, 1, 2. Then from 3, which reaches no root yet: 4.
  CHECK(std::ranges::equal(exits.roots(), std::vector{5, 2, 4}));
  exits.compute(rows({1, {}}).successors, rows({1, {}}).predecessors);
  CHECK(std::ranges::equal(exits.roots(), std::vector{0}));
  CHECK(exits.exit_count() == 1);
}

TEST_CASE("post-dominator roots: roots that reach others are dropped, even transitively") {
  // The search from 0 ends in 1, that from 2 in 3, that from 4 in 5; 1 leads to 2 and 4, 3 to 4.
  rows const g({6, {{0, 1}, {1, 0}, {0, 2}, {2, 3}, {3, 2}, {2, 4}, {4, 5}, {5, 4}}});
  plait::post_dominator_roots exits;
  exits.compute(g.successors, g.predecessors);
  CHECK(exits.exit_count() == 0);
  CHECK(std::ranges::equal(exits.roots(), std::vector{5}));
}

TEST_CASE("post-dominator roots: equal those of LLVM's rule on random graphs") {
  plait::post_dominator_roots exits;
  std::size_t endless = 0;
  std::size_t several = 0;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, seed % 8 == 0 ? 40 : 12);
    rows const g(from);
    exits.compute(g.successors, g.predecessors);
    std::vector<int> const roots(exits.roots().begin(), exits.roots().end());
    REQUIRE(roots == test::naive_post_dominator_roots(from));
    endless += roots.size() > exits.exit_count() ? 1 : 0;
    several += roots.size() > exits.exit_count() + 1 ? 1 : 0;
  }
  CHECK(endless > test::random_cases(3'000));
  CHECK(several > test::random_cases(200));
}
