#include <plait/ssa/program_rewrite.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/phi_programs.hpp>
#include <support/random_cases.hpp>

namespace {

constexpr auto all_prunings = {plait::phi_pruning::pruned, plait::phi_pruning::semi_pruned,
                               plait::phi_pruning::minimal};

template <class P>
std::vector<plait::ssa_violation> violations(P const& p) {
  auto found = plait::verify_ssa(plait::existing_ssa<P>(p));
  std::erase_if(found, [](plait::ssa_violation const& v) { return v.fault == plait::ssa_fault::undefined_value; });
  return found;
}

// Propagates copies and removes them.
void propagate_copies(test::phi_program& p) {
  std::map<std::string, std::string> source;
  for (auto& net : p.blocks)
    std::erase_if(net.ops, [&](plait::op_spec const& op) {
      return op.type == "Copy" && source.emplace(op.outputs[0], op.inputs[0]).second;
    });
  auto const resolve = [&](std::string& name) {
    for (auto at = source.find(name); at != source.end(); at = source.find(name)) name = at->second;
  };
  for (auto& net : p.blocks) {
    for (auto& op : net.ops) std::ranges::for_each(op.inputs, resolve);
    std::ranges::for_each(net.external_outputs, resolve);
  }
  for (auto& phis : p.merges)
    for (auto& phi : phis)
      for (auto& a : phi.arguments) resolve(a.name);
}

}  // namespace

TEST_CASE_TEMPLATE("program rewrite: random programs run the same in SSA form and out of it", P, PLAIT_PHI_PROGRAMS,
                   PLAIT_NAMING_PROGRAMS) {
  std::size_t copies = 0, refused = 0;
  for (unsigned seed = 0; seed != test::random_cases(plait::detail::has_new_name<P> ? 2'000u : 10'000u); ++seed) {
    CAPTURE(seed);
    auto original = test::random_program(seed, {.declared = seed % 2 == 0});
    auto const expected = test::interpret(original, seed);
    for (plait::phi_pruning const pruning : all_prunings) {
      CAPTURE(static_cast<int>(pruning));
      P p = test::make_program<P>(original);
      test::settle(p);
      bool const short_names = seed % 3 == 0;
      plait::rewrite_into_ssa(
          p, {.pruning = pruning,
              .naming = short_names ? plait::ssa_naming::several_versions : plait::ssa_naming::every_version});
      REQUIRE(violations(p).empty());
      REQUIRE(test::interpret_phis(p, seed) == expected);
      if constexpr (std::is_same_v<P, test::phi_program>) {
        // Names in unreachable blocks are no values.
        if (seed % 5 != 0 && plait::flow_snapshot<P>(p).size() == p.size()) {
          propagate_copies(p);
          REQUIRE(violations(p).empty());
          REQUIRE(test::interpret_phis(p, seed) == expected);
        }
      }
      try {
        copies += plait::rewrite_out_of_ssa(p);
      } catch (plait::net_error const&) {  // copies before the entry
        ++refused;
        REQUIRE(!plait::flow_snapshot<P>(p).predecessors(0).empty());
        REQUIRE(test::interpret_phis(p, seed) == expected);
        continue;
      }
      plait::flow_snapshot<P> const graph(p);
      for (auto const& n : graph.order()) REQUIRE(std::ranges::empty(plait::program_traits<P>::phis(p, n)));
      REQUIRE(test::interpret_phis(p, seed) == expected);
    }
  }
  CHECK(refused < 300);
  if (std::is_same_v<P, test::phi_program>) CHECK(copies > 1'000);
}

TEST_CASE("program rewrite: names values as ssa_rewrite does") {
  test::net_program n;
  n.targets = {{1, 2}, {3}, {3}, {}};
  n.blocks.resize(4);
  n.blocks[0].external_inputs = {"x", "c"};
  n.blocks[0].ops = {{"Branch", {"c"}, {}}};
  n.blocks[1].ops = {{"Add", {"x", "c"}, {"x"}}};
  n.blocks[3].external_outputs = {"x"};
  test::phi_program const original(std::move(n));
  SUBCASE("every version") {
    test::phi_program p = original;
    CHECK(plait::rewrite_into_ssa(p) == 1);
    CHECK(p.blocks[0].external_inputs == std::vector<std::string>{"x_0", "c_0"});
    bool const first = plait::flow_snapshot(p).number(1) < plait::flow_snapshot(p).number(3);
    REQUIRE(first);
    CHECK(p.blocks[1].ops[0].outputs[0] == "x_1");
    CHECK(p.merges[3][0].result == "x_2");
    CHECK(p.blocks[3].external_outputs[0] == "x_2");
    std::ranges::sort(p.merges[3][0].arguments, {}, &test::phi_program::argument::from);
    CHECK(p.merges[3][0].arguments == std::vector<test::phi_program::argument>{{1, "x_1"}, {2, "x_0"}});
    // Out of SSA form: all versions of x are coalesced into x_0, the external input.
    CHECK(plait::rewrite_out_of_ssa(p) == 0);
    CHECK(p.blocks[1].ops[0] == plait::op_spec{"Add", {"x_0", "c_0"}, {"x_0"}});
    CHECK(p.blocks[3].external_outputs[0] == "x_0");
  }
  SUBCASE("several versions") {
    test::phi_program p = original;
    plait::rewrite_into_ssa(p, {.naming = plait::ssa_naming::several_versions});
    CHECK(p.blocks[0].external_inputs == std::vector<std::string>{"x", "c"});
    CHECK(p.blocks[3].external_outputs[0] == "x_2");
  }
  SUBCASE("a collision: refused, or numbered") {
    test::phi_program p = original;
    p.blocks[0].external_inputs.push_back("x_2");
    test::phi_program const before = p;
    CHECK_THROWS_AS(plait::rewrite_into_ssa(p, {.naming = plait::ssa_naming::several_versions}), plait::net_error);
    CHECK(p.blocks == before.blocks);
    CHECK(p.merges == before.merges);
    plait::rewrite_into_ssa(
        p, {.naming = plait::ssa_naming::several_versions, .collision = plait::name_collision::number});
    CHECK(p.blocks[3].external_outputs[0] == "x_2_1");
  }
}

TEST_CASE("program rewrite: a program that is not in SSA form is refused, and unchanged") {
  test::phi_program p(test::random_program(3));
  p.blocks[0].ops = {{"Const:1", {}, {"a"}}, {"Const:2", {}, {"a"}}};
  p.targets[0] = {};
  test::phi_program const before = p;
  try {
    plait::rewrite_out_of_ssa(p);
    FAIL("two definitions");
  } catch (plait::net_error const& problem) {
    CHECK(problem.op == 1);
    CHECK(problem.blob == "a");
  }
  CHECK(p.blocks == before.blocks);
}

TEST_CASE_TEMPLATE("program rewrite: a program that has phis already is refused, and unchanged", P, PLAIT_PHI_PROGRAMS,
                   PLAIT_NAMING_PROGRAMS) {
  test::net_program n;
  n.targets = {{1, 2}, {2}, {}};
  n.blocks.resize(3);
  n.blocks[0].external_inputs = {"x"};
  n.blocks[0].ops = {{"Branch", {"x"}, {}}};
  n.blocks[1].ops = {{"Copy", {"x"}, {"y"}}, {"Add", {"x", "y"}, {"x"}}};
  n.blocks[2].external_outputs = {"x"};
  P p = test::make_program<P>(n);
  test::settle(p);
  CHECK(plait::rewrite_into_ssa(p) == 1);
  auto const before = test::interpret_phis(p, 1);
  try {
    plait::rewrite_into_ssa(p);
    FAIL("it has a phi");
  } catch (plait::net_error const& problem) {
    if constexpr (plait::detail::has_new_name<P>)
      CHECK(!problem.blob.empty());
    else
      CHECK(problem.blob == "x_2");
    CHECK(std::string(problem.what()) ==
          "plait: the program has a phi that defines '" + problem.blob + "': take it out of SSA form first");
  }
  CHECK(violations(p).empty());
  CHECK(test::interpret_phis(p, 1) == before);
  plait::rewrite_out_of_ssa(p);
  CHECK(plait::rewrite_into_ssa(p) == 1);
}
