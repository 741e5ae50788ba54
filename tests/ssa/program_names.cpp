#include <plait/ssa/detail/program_names.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>
#include <plait/ssa/program_rewrite.hpp>
#include <plait/ssa/verify.hpp>

#include <support/phi_programs.hpp>

namespace {

// Names without text, and no new_name: not a name_making_program.
struct nameless : test::numbered_program {
  unsigned new_name(unsigned) = delete;
};
// new_name returns another type than a name.
struct misnamed : test::numbered_program {
  static std::string new_name(unsigned) { return {}; }
};
// new_name returns an existing name: the same register, or a fixed one.
struct careless : test::numbered_program {
  using test::numbered_program::numbered_program;
  unsigned new_name(unsigned from) const { return fixed ? *fixed : from; }
  std::optional<unsigned> fixed;
};

PLAIT_CHECK_REWRITABLE_PROGRAM(test::phi_program);
PLAIT_CHECK_REWRITABLE_PROGRAM(mir::Function);
PLAIT_CHECK_REWRITABLE_PROGRAM(mir::Maker);
PLAIT_CHECK_REWRITABLE_PROGRAM(test::numbered_program);
static_assert(plait::name_making_program<test::numbered_program> && plait::name_making_program<test::phi_program>);
static_assert(!plait::name_making_program<nameless> && !plait::name_making_program<misnamed>);
static_assert(!plait::name_making_program<int> && !plait::name_making_program<std::vector<std::vector<int>>>);
static_assert(std::is_same_v<plait::detail::new_name_t<test::numbered_program>, unsigned>);
static_assert(std::is_same_v<plait::detail::new_name_t<mir::Function>, std::string>);

// Blocks that refer to their program, so that the net has new_name.
struct net_makes : test::numbered_program {
  struct net : test::numbered_program::net {
    std::vector<std::string>* origins = nullptr;
    unsigned new_name(unsigned from) {
      origins->push_back(std::string((*origins)[from]));
      return static_cast<unsigned>(origins->size() - 1);
    }
  };
  explicit net_makes(test::net_program const& from) : test::numbered_program(from) {
    for (auto const& block : test::numbered_program::blocks) own.push_back({block, &origins});
  }
  net_makes(net_makes const&) = delete;
  net const& block(int n) const { return own[static_cast<std::size_t>(n)]; }
  net& block(int n) { return own[static_cast<std::size_t>(n)]; }
  void new_name() = delete;
  std::vector<net> own;
};
static_assert(plait::naming_net<net_makes::net> && !plait::naming_net<test::numbered_program::net>);
static_assert(plait::detail::has_new_name<net_makes> && !plait::detail::has_own_new_name<net_makes>);

// x is an input, and overwritten in one arm of a diamond; the join is the result.
test::net_program diamond() {
  test::net_program n;
  n.targets = {{1, 2}, {3}, {3}, {}};
  n.blocks.resize(4);
  n.blocks[0].external_inputs = {"x", "c"};  // registers 0 and 1
  n.blocks[0].ops = {{"Branch", {"c"}, {}}};
  n.blocks[1].ops = {{"Add", {"x", "c"}, {"x"}}};
  n.blocks[3].external_outputs = {"x"};
  return n;
}

}  // namespace

TEST_CASE("program names: new_name numbers registers in the order of values") {
  SUBCASE("every version") {
    test::numbered_program p(diamond());
    CHECK(plait::rewrite_into_ssa(p) == 1);
    CHECK(plait::verify_ssa(plait::existing_ssa(p)).empty());
    CHECK(p.origins.size() == 6);  // four new ones: x and c on entry, x after the Add, and the phi's result
    std::vector<unsigned> const given = p.blocks[0].external_inputs;
    CHECK(given[0] >= 2);
    CHECK(given[1] >= 2);
    CHECK(p.origins[given[0]] == "x");
    CHECK(p.origins[given[1]] == "c");
    test::numbered_program::op const& add = p.blocks[1].ops[0];
    CHECK(add.inputs == given);
    CHECK(add.outputs[0] != given[0]);
    REQUIRE(p.merges[3].size() == 1);
    CHECK(p.blocks[3].external_outputs[0] == p.merges[3][0].result);
  }
  SUBCASE("several versions: external inputs keep their registers") {
    test::numbered_program p(diamond());
    std::vector<unsigned> const given = p.blocks[0].external_inputs;
    plait::rewrite_into_ssa(p, {.naming = plait::ssa_naming::several_versions});
    CHECK(plait::verify_ssa(plait::existing_ssa(p)).empty());
    CHECK(p.blocks[0].external_inputs == given);
    CHECK(p.origins.size() == 4);
    CHECK(p.blocks[1].ops[0].outputs[0] >= 2);
    // Out of SSA form: one register for all of x, and no copy.
    CHECK(plait::rewrite_out_of_ssa(p) == 0);
    CHECK(p.blocks == test::numbered_program(diamond()).blocks);
  }
}

TEST_CASE("program names: the entry net's new_name is the fallback for the program's") {
  net_makes p(diamond());
  test::numbered_program same(diamond());
  CHECK(plait::rewrite_into_ssa(p) == plait::rewrite_into_ssa(same));
  for (std::size_t b = 0; b != same.blocks.size(); ++b)
    CHECK(static_cast<test::numbered_program::net const&>(p.own[b]) == same.blocks[b]);
  CHECK(p.origins == same.origins);
}

TEST_CASE("program names: only cycles of copies need a new register") {
  // A loop that swaps a and b.
  test::net_program n;
  n.targets = {{1}, {1, 2}, {}};
  n.blocks.resize(3);
  n.blocks[0].external_inputs = {"a", "b", "c"};
  n.blocks[1].ops = {{"Copy", {"a"}, {"t"}}, {"Copy", {"b"}, {"a"}}, {"Copy", {"t"}, {"b"}}, {"Branch", {"c"}, {}}};
  n.blocks[2].external_outputs = {"a", "b"};
  test::numbered_program p(n);
  plait::rewrite_into_ssa(p);
  REQUIRE(p.merges[1].size() == 2);
  // Propagates the copies.
  std::map<unsigned, unsigned> source;
  for (auto const& op : p.blocks[1].ops)
    if (op.type == "Copy") source[op.outputs[0]] = op.inputs[0];
  std::erase_if(p.blocks[1].ops, [](auto const& op) { return op.type == "Copy"; });
  auto const resolve = [&](unsigned& name) {
    for (auto at = source.find(name); at != source.end(); at = source.find(name)) name = at->second;
  };
  for (auto& phi : p.merges[1])
    for (auto& a : phi.arguments) resolve(a.name);
  for (unsigned& name : p.blocks[2].external_outputs) resolve(name);
  REQUIRE(plait::verify_ssa(plait::existing_ssa(p)).empty());
  auto const expected = test::interpret_phis(p, 5);
  std::size_t const registers = p.origins.size();
  CHECK(plait::rewrite_out_of_ssa(p) >= 3);
  CHECK(p.origins.size() == registers + 1);
  CHECK(test::interpret_phis(p, 5) == expected);
}

TEST_CASE("program names: an existing name from new_name is refused, and nothing is changed") {
  for (std::optional<unsigned> const fixed : {std::optional<unsigned>(), std::optional(1u), std::optional(7u)}) {
    CAPTURE(fixed.value_or(99));
    careless p(diamond());
    p.fixed = fixed;
    careless const before = p;
    try {
      plait::rewrite_into_ssa(p);
      FAIL("the same name twice");
    } catch (plait::net_error const& problem) {
      std::string const text = problem.what();
      CHECK(text.find("plait: new_name(p, name) returned '") == 0);
      CHECK(text.find("but the program has that name already") != std::string::npos);
      CHECK((problem.blob == "0" || problem.blob == "1"));
    }
    CHECK(p.blocks == before.blocks);
    CHECK(p.merges == before.merges);
  }
}
