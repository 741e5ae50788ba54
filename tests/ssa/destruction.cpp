#include <plait/ssa/destruction.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/interpret_form.hpp>
#include <support/phi_programs.hpp>

// A temporary form is rejected: the result refers to it.
using form_of_nets = plait::program_ssa<test::net_program>;
static_assert(std::is_constructible_v<plait::program_destruction<test::net_program>, test::net_program const&,
                                      form_of_nets const&>);
static_assert(
    !std::is_constructible_v<plait::program_destruction<test::net_program>, test::net_program const&, form_of_nets>);

TEST_CASE_TEMPLATE("ssa destruction: an unchanged form needs no copies, and each blob is a location", P,
                   test::net_program, PLAIT_PHI_PROGRAMS) {
  for (unsigned seed = 0; seed != 1'000; ++seed) {
    CAPTURE(seed);
    P p = test::make_program<P>(test::random_program(seed));
    if constexpr (!std::is_same_v<P, test::net_program>) test::settle(p);
    plait::program_ssa const ssa(p);
    plait::program_destruction const out(p, ssa);
    CHECK(out.copy_count() == 0);
    CHECK(out.temporary() == plait::npos);
    for (plait::value_index v = 0; v != ssa.form().value_count(); ++v) {
      plait::value const version = ssa.form().version(v);
      if (out.location(version) != plait::npos) REQUIRE(out.blob(out.location(version)) == version.blob);
    }
    for (auto const& n : ssa.graph().order()) {
      CHECK(out.copies_at_start(n).empty());
      CHECK(out.copies_at_end(n).empty());
    }
    CHECK(out.copies_outside().empty());
  }
}

TEST_CASE("ssa destruction: a version that interferes with the next one gets another location") {
  test::net_program p;
  p.targets = {{1}, {1, 2}, {}};
  p.blocks.resize(3);
  p.blocks[0].external_inputs = {"i", "old"};
  p.blocks[1].ops = {{"Copy", {"i"}, {"old"}}, {"Add", {"i", "i"}, {"i"}}, {"Branch", {"i"}, {}}};
  p.blocks[2].external_outputs = {"i", "old"};
  plait::program_ssa const ssa(p);
  plait::dense_ssa changed = ssa.form();
  auto const end = ssa.graph().number(2);
  auto const phi = ssa.phis(1)[0];
  REQUIRE(phi.result().blob == ssa.find(std::string("i")));
  // The result `old` is the phi of i, after copy propagation.
  plait::value_index const merged = ssa.form().index(phi.result());
  changed.block_results[end][1] = merged;
  plait::program_destruction<test::net_program> out;
  out.compute(p, ssa, changed);
  CHECK(out.copy_count() == 1);
  plait::value const next = ssa.form().version(ssa.form().results(end)[0]);
  CHECK(out.location(phi.result()) != out.location(next));
}
