#include <plait/ssa/program_mutation.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/static_graph.hpp>

#include <support/phi_programs.hpp>

namespace {

// Phis whose arguments have no predecessors.
struct broken_phis : test::net_program {
  struct phi {};
  std::vector<phi> phis(int) const { return {}; }
  static std::string phi_result(phi const&) { return {}; }
  static std::vector<std::string> phi_arguments(phi const&) { return {}; }
};

// A program that is not renamable: blocks are const.
struct read_only : test::net_program {
  test::struct_net const& block(int n) const { return blocks[static_cast<std::size_t>(n)]; }
  void insert_phi(int, std::string const&, std::span<plait::phi_argument<int, std::string> const>) {}
};

}  // namespace

TEST_CASE_TEMPLATE("program mutation: each concept requires its hooks only", P, PLAIT_PHI_PROGRAMS) {
  static_assert(plait::program_with_phis<P> && plait::program_with_phis<P const&>);
  PLAIT_CHECK_PROGRAM_WITH_PHIS(P);
  static_assert(plait::renamable_program<P>);
  static_assert(plait::phi_insertable_program<P> && plait::phi_erasable_program<P>);
  static_assert(plait::copy_insertable_program<P>);
  static_assert(plait::detail::has_copy_place<P>);
  CHECK(plait::phi_argument_t<P>{} == plait::phi_argument_t<P>{std::nullopt, plait::program_name_t<P>{}});
}

// A type without the hooks does not model the concepts, without a hard error.
static_assert(!plait::program_with_phis<test::net_program> && plait::renamable_program<test::net_program>);
static_assert(!plait::phi_insertable_program<test::net_program> && !plait::copy_insertable_program<test::net_program>);
static_assert(!plait::program_with_phis<broken_phis>);
static_assert(!plait::phi_insertable_program<read_only> && !plait::renamable_program<read_only>);
static_assert(plait::edge_splitting_program<test::phi_program> && !plait::edge_splitting_program<mir::Function>);
static_assert(!plait::program_with_phis<int> && !plait::renamable_program<std::vector<std::vector<int>>>);
static_assert(!plait::edge_splitting_program<int> && !plait::phi_erasable_program<int>);

TEST_CASE_TEMPLATE("program mutation: members of a user-defined program are hooks, as are those of a specialisation", P,
                   PLAIT_PHI_PROGRAMS) {
  using traits = plait::program_traits<P>;
  P p = test::make_program<P>(test::random_program(2));
  test::settle(p);
  auto const entry = plait::entry(p);
  auto const name = plait::make_name(traits::block(p, entry), "fresh");
  std::vector<plait::phi_argument_t<P>> const arguments = {{std::nullopt, name}, {entry, name}};
  traits::insert_phi(p, entry, name, std::span<plait::phi_argument_t<P> const>(arguments));
  P const& now = p;
  REQUIRE(std::ranges::distance(traits::phis(now, entry)) == 1);
  for (auto&& phi : traits::phis(now, entry)) {
    CHECK(traits::phi_result(now, phi) == name);
    CHECK(std::ranges::equal(traits::phi_arguments(now, phi), arguments));
  }
  traits::erase_phis(p, entry);
  CHECK(std::ranges::empty(traits::phis(now, entry)));
  auto const before = traits::copy_place(now, entry);
  traits::insert_copy(p, entry, before, name, name);
  CHECK(traits::copy_place(now, entry) == before + 1);
}
