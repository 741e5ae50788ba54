#include <plait/ssa/detail/critical_edges.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/ssa/existing_ssa.hpp>
#include <plait/ssa/program_rewrite.hpp>

#include <adaptation/vector_graph.hpp>
#include <support/phi_programs.hpp>
#include <support/random_cases.hpp>

TEST_CASE("critical edges: have several successors at the source and several predecessors at the target") {
  // 0 → {0, 1, 2}, 1 → 2, 2 → 3: 0 → 1 is not critical
  std::vector<std::vector<int>> const g = {{0, 1, 2}, {2}, {3}, {}};
  plait::flow_snapshot const graph(g);
  CHECK(plait::critical_edges(graph) == std::vector<plait::critical_edge>{{0, 0}, {0, 2}});
  std::vector<std::vector<int>> const chain = {{1}, {2}, {}};
  CHECK(plait::critical_edges(plait::flow_snapshot(chain)).empty());
}

TEST_CASE("critical edges: splitting removes all and preserves behaviour in and out of SSA form") {
  std::size_t split = 0;
  for (unsigned seed = 0; seed != test::random_cases(3'000); ++seed) {
    CAPTURE(seed);
    test::phi_program p(test::random_program(seed));
    auto const expected = test::interpret_phis(p, seed, 100);
    plait::rewrite_into_ssa(p);
    split += plait::split_critical_edges(p);
    plait::flow_snapshot const graph(p);
    REQUIRE(plait::critical_edges(graph).empty());
    REQUIRE(plait::verify_ssa(plait::existing_ssa(p)).empty());
    REQUIRE(test::agree(test::interpret_phis(p, seed, 200), expected));
    plait::rewrite_out_of_ssa(p);
    REQUIRE(test::agree(test::interpret_phis(p, seed, 200), expected));
    CHECK(plait::split_critical_edges(p) == 0);
  }
  CHECK(split > 3 * test::random_cases(3'000));
}

TEST_CASE("critical edges: splitting separates parallel edges with different phi arguments") {
  test::net_program n;
  n.targets = {{1, 1}, {}};
  n.blocks.resize(2);
  n.blocks[0].external_inputs = {"a", "b"};
  n.blocks[0].ops = {{"Branch", {"a"}, {}}};
  n.blocks[1].external_outputs = {"x"};
  test::phi_program p(std::move(n));
  p.merges[1] = {{"x", {{0, "a"}, {0, "b"}}}};
  CHECK_THROWS_AS(plait::rewrite_out_of_ssa(p), plait::net_error);
  CHECK(plait::split_critical_edges(p) == 2);
  CHECK(plait::verify_ssa(plait::existing_ssa(p)).empty());
  plait::rewrite_out_of_ssa(p);
  for (unsigned seed = 0; seed != 16; ++seed) {
    int const a = test::interpret_phis(p, seed).results.at(0);
    int expected[2] = {0, 0};
    for (int i = 0; i != 2; ++i) {
      unsigned const mixed = (seed + static_cast<unsigned>("ab"[i])) * 2654435761u;
      expected[i] = static_cast<int>(mixed >> 28);
    }
    CHECK(a == expected[expected[0] % 2]);
  }
}
