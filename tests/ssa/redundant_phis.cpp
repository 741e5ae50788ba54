#include <plait/ssa/detail/redundant_phis.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/ssa/construction.hpp>
#include <plait/ssa/existing_ssa.hpp>

#include <support/phi_programs.hpp>
#include <support/random_cases.hpp>

namespace {

// 0 → {1, 2}, 1 ↔ 2, 2 → 3: an irreducible loop with two entries.
test::phi_program two_entries(std::vector<test::phi_program::phi> at_1, std::vector<test::phi_program::phi> at_2) {
  test::net_program n;
  n.targets = {{1, 2}, {2}, {1, 3}, {}};
  n.blocks.resize(4);
  n.blocks[0].external_inputs = {"a", "b"};
  n.blocks[0].ops = {{"Branch", {"a"}, {}}};
  n.blocks[2].ops = {{"Output", {"y"}, {}}, {"Branch", {"a"}, {}}};
  n.blocks[3].external_outputs = {"y"};
  test::phi_program p(std::move(n));
  p.merges[1] = std::move(at_1);
  p.merges[2] = std::move(at_2);
  return p;
}

}  // namespace

TEST_CASE("redundant phis: a set of phis with a single outer argument is that value") {
  auto const p = two_entries({{"x", {{0, "a"}, {2, "y"}}}}, {{"y", {{0, "a"}, {1, "x"}}}});
  plait::existing_ssa const ssa(p);
  plait::dense_ssa form = ssa.form();
  auto const v = [&](char const* name) { return ssa.find(std::string(name)); };
  std::vector<plait::value_index> now;
  CHECK(plait::remove_redundant_phis(form, &now) == 2);
  CHECK(form.phi_count() == 0);
  CHECK(now[v("x")] == v("a"));
  CHECK(now[v("y")] == v("a"));
  CHECK(now[v("b")] == v("b"));
  CHECK(form.reads(ssa.op(2, 0))[0] == v("a"));
  CHECK(form.results(ssa.graph().number(3))[0] == v("a"));
  CHECK(plait::verify_ssa(ssa.graph(), ssa.dominators(), form).empty());
  CHECK(plait::remove_redundant_phis(form) == 0);
}

TEST_CASE("redundant phis: phis of two values stay, and nested redundant ones are removed") {
  SUBCASE("two values") {
    auto const p = two_entries({{"x", {{0, "a"}, {2, "y"}}}}, {{"y", {{0, "b"}, {1, "x"}}}});
    plait::existing_ssa const ssa(p);
    plait::dense_ssa form = ssa.form();
    CHECK(plait::remove_redundant_phis(form) == 0);
    CHECK(std::ranges::equal(form.phi_arguments.items(), ssa.form().phi_arguments.items()));
  }
  SUBCASE("an inner irreducible loop: only the outer phi stays") {
    // 0 → 1 → {2, 3}, 2 ↔ 3, 3 → {1, 4}
    test::net_program n;
    n.targets = {{1}, {2, 3}, {3}, {2, 1, 4}, {}};
    n.blocks.resize(5);
    n.blocks[0].external_inputs = {"a", "b"};
    n.blocks[1].ops = {{"Branch", {"h"}, {}}};
    n.blocks[3].ops = {{"Add", {"y", "b"}, {"z"}}, {"Branch", {"z"}, {}}};
    n.blocks[4].external_outputs = {"y"};
    test::phi_program p(std::move(n));
    p.merges[1] = {{"h", {{0, "a"}, {3, "z"}}}, {"k", {{0, "b"}, {3, "y"}}}};
    p.merges[2] = {{"x", {{1, "k"}, {3, "y"}}}};
    p.merges[3] = {{"y", {{1, "k"}, {2, "x"}}}};
    plait::existing_ssa const ssa(p);
    REQUIRE(plait::verify_ssa(ssa).empty());
    plait::dense_ssa form = ssa.form();
    std::vector<plait::value_index> now;
    CHECK(plait::remove_redundant_phis(form, &now) == 3);  // k, x and y equal b
    CHECK(form.phi_count() == 1);
    CHECK(now[ssa.find(std::string("y"))] == ssa.find(std::string("b")));
    CHECK(form.definition(ssa.find(std::string("h"))) == plait::ssa_site::of_phi(0));
    CHECK(plait::verify_ssa(ssa.graph(), ssa.dominators(), form).empty());
  }
}

TEST_CASE("redundant phis: construction creates none, with any pruning") {
  plait::program_ssa<test::net_program> ssa;
  for (unsigned seed = 0; seed != test::random_cases(3'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    for (auto const pruning :
         {plait::phi_pruning::pruned, plait::phi_pruning::semi_pruned, plait::phi_pruning::minimal}) {
      ssa.compute(p, {.pruning = pruning});
      plait::dense_ssa form = ssa.form();
      REQUIRE(plait::remove_redundant_phis(form) == 0);
    }
  }
}
