#include <plait/ssa/existing_ssa.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/phi_programs.hpp>

namespace {

using plait::ssa_fault;
using plait::ssa_site;

static_assert(plait::program_with_phis<test::phi_program> && plait::program_with_phis<mir::Function>);
static_assert(!plait::program_with_phis<test::net_program>);
static_assert(plait::phi_insertable_program<test::phi_program> && plait::phi_insertable_program<mir::Function>);
static_assert(plait::phi_erasable_program<test::phi_program> && plait::copy_insertable_program<mir::Function>);
static_assert(plait::edge_splitting_program<test::phi_program> && !plait::edge_splitting_program<mir::Function>);

// i = phi(0: i0, 1: j) in a loop of one block; node 3 is unreachable and leads to 1.
test::phi_program loop() {
  test::net_program p;
  p.targets = {{1}, {1, 2}, {}, {1}};
  p.blocks.resize(4);
  p.blocks[0].external_inputs = {"i0"};
  p.blocks[1].ops = {{"Add", {"i", "i0"}, {"j"}}, {"Branch", {"j"}, {}}};
  p.blocks[2].external_outputs = {"j"};
  test::phi_program made(std::move(p));
  made.merges[1] = {{"i", {{0, "i0"}, {1, "j"}, {3, "nowhere"}}}};
  return made;
}

std::vector<plait::ssa_violation> violations(test::phi_program const& p) {
  return plait::verify_ssa(plait::existing_ssa(p));
}

}  // namespace

TEST_CASE("existing ssa: reads a program in SSA form unchanged") {
  test::phi_program const p = loop();
  plait::existing_ssa const ssa(p);
  CHECK(plait::verify_ssa(ssa).empty());
  auto const& form = ssa.form();
  auto const v = [&](char const* name) { return ssa.find(std::string(name)); };
  REQUIRE(form.phi_count() == 1);
  CHECK(form.result(0) == v("i"));
  CHECK(ssa.name(v("i")) == "i");
  CHECK(std::ranges::equal(form.arguments(0), std::array{v("i0"), v("j")}));
  CHECK(form.definition(v("j")) == ssa_site::of_op(ssa.op(1, 0)));
  CHECK(ssa.place(ssa.op(1, 1)) == 1);
  CHECK(std::ranges::equal(ssa.external_inputs(), std::array{v("i0")}));
  CHECK(std::ranges::equal(form.uses(v("j")),
                           std::vector<plait::ssa_use>{{ssa_site::of_phi(0), 1}, {ssa_site::of_op(ssa.op(1, 1)), 0}}));
  CHECK(std::ranges::equal(form.results(ssa.graph().number(2)), std::array{v("j")}));
  CHECK(ssa.find(std::string("none")) == plait::npos);
}

TEST_CASE("existing ssa: verify_ssa reports every violation of a program with phis") {
  test::phi_program p = loop();
  plait::existing_ssa const good(p);
  auto const v = [&](char const* name) { return good.find(std::string(name)); };
  auto& phi = p.merges[1][0];
  SUBCASE("an argument of no predecessor, one too many, one too few") {
    phi.arguments = {{0, "i0"}, {2, "j"}, {0, "i0"}, {std::nullopt, "i0"}};
    auto const found = violations(p);
    plait::existing_ssa const now(p);
    auto const name = [&](char const* text) { return now.find(std::string(text)); };
    CHECK(found ==
          std::vector<plait::ssa_violation>{{ssa_fault::argument_mismatch, 1, ssa_site::of_phi(0), 1, name("j")},
                                            {ssa_fault::argument_mismatch, 1, ssa_site::of_phi(0), 2, name("i0")},
                                            {ssa_fault::argument_mismatch, 1, ssa_site::of_phi(0), 3, name("i0")},
                                            {ssa_fault::argument_count, 1, ssa_site::of_phi(0), 1, name("i")}});
  }
  SUBCASE("no definition, two definitions, a use before the definition") {
    p.blocks[0].ops = {{"Copy", {"i"}, {"k"}}, {"Const:1", {}, {"k"}}, {"Output", {"nobody"}, {}}};
    plait::existing_ssa const now(p);
    auto const name = [&](char const* text) { return now.find(std::string(text)); };
    CHECK(plait::verify_ssa(now) ==
          std::vector<plait::ssa_violation>{{ssa_fault::defined_twice, 0, ssa_site::of_op(1), 0, name("k")},
                                            {ssa_fault::use_not_dominated, 0, ssa_site::of_op(0), 0, name("i")},
                                            {ssa_fault::undefined_value, 0, ssa_site::of_op(2), 0, name("nobody")}});
  }
  SUBCASE("a phi result that an op defines, too") {
    p.blocks[1].ops[0].outputs = {"i"};
    CHECK(std::ranges::count(violations(p), ssa_fault::defined_twice, &plait::ssa_violation::fault) == 1);
  }
  static_cast<void>(v);
}

TEST_CASE("existing ssa: parallel edges have one argument for all, or one for each") {
  test::phi_program p = loop();
  p.targets[1] = {1, 2, 1};
  CHECK(violations(p).empty());
  p.merges[1][0].arguments = {{0, "i0"}, {1, "j"}, {1, "i0"}};
  CHECK(violations(p).empty());
  plait::existing_ssa const ssa(p);
  CHECK(std::ranges::equal(ssa.form().arguments(0), std::array{ssa.find(std::string("i0")), ssa.find(std::string("j")),
                                                               ssa.find(std::string("i0"))}));
  p.targets[1] = {1, 1, 1};
  auto const found = violations(p);
  REQUIRE(found.size() == 1);
  CHECK(found[0].fault == ssa_fault::argument_count);
  CHECK(found[0].slot == 3);
}

TEST_CASE("existing ssa: a phi of the entry has an argument for the value on entry") {
  test::net_program n;
  n.targets = {{0, 1}, {}};
  n.blocks.resize(2);
  n.blocks[0].external_inputs = {"i0"};
  n.blocks[0].ops = {{"Add", {"i", "i0"}, {"j"}}, {"Branch", {"j"}, {}}};
  test::phi_program p(std::move(n));
  p.merges[0] = {{"i", {{0, "j"}, {std::nullopt, "i0"}}}};
  plait::existing_ssa const ssa(p);
  CHECK(plait::verify_ssa(ssa).empty());
  CHECK(
      std::ranges::equal(ssa.form().arguments(0), std::array{ssa.find(std::string("j")), ssa.find(std::string("i0"))}));
  p.merges[0][0].arguments.pop_back();
  CHECK(violations(p).size() == 1);
}
