#include <plait/dataflow/dead_code.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/static_graph.hpp>
#include <plait/net/static_net.hpp>

#include <graph/own_graphs.hpp>
#include <net/test_nets.hpp>
#include <oracle/naive_dataflow.hpp>
#include <support/interpreter.hpp>
#include <support/long_program.hpp>
#include <support/random_cases.hpp>
#include <support/random_program.hpp>

namespace {

using ops = std::vector<plait::op_index>;

constexpr auto shows = [](auto const& net, auto const& op) {
  std::string_view const type = plait::op_type(net, op);
  return type == "Output" || type == "Input";
};

// if (c) x = 1 else x = 2; y = 3; show y: x and the branch are dead.
constexpr plait::static_graph diamond({{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}});
using net = plait::static_net<std::string_view, 1, 1, 1>;
constexpr std::array nets = {net{plait::op("Copy", {"c"}, {"d"})}, net{plait::op("One", {"c"}, {"x"})},
                             net{plait::op("Two", {"c"}, {"x"})}, net{plait::op("Add", {"c"}, {"y"})},
                             net{plait::op("Output", {"y"}, {"shown"})}};
constexpr plait::blocks_of program(diamond, nets);
static_assert([] {
  plait::program_ssa const ssa(program);
  plait::dead_code const dead(program, ssa, shows);
  return dead.dead_ops() == ops{0, 1, 2} && !dead.is_live_branch(0u) && dead.jump(0u) == 3u && !dead.jump(3u) &&
         dead.is_live_op(ssa.op(3u, 0)) && !dead.is_live_block(1u) && dead.is_live_block(4u);
}());

// A temporary form is rejected: results refer to it.
using analysed = std::remove_const_t<decltype(program)>;
using from_form = plait::dead_code<analysed>;
static_assert(
    std::is_constructible_v<from_form, analysed const&, plait::program_ssa<analysed> const&, decltype(shows)>);
static_assert(!std::is_constructible_v<from_form, analysed const&, plait::program_ssa<analysed>, decltype(shows)>);

// Returns the program without dead ops, with jumps for dead branches.
test::net_program reduced(test::net_program const& p, plait::program_ssa<test::net_program> const& ssa,
                          plait::dead_code<test::net_program> const& dead) {
  test::net_program made = p;
  for (int const block : ssa.graph().order()) {
    auto& list = made.block(block).ops;
    list.clear();
    for (std::size_t place = 0; place != p.block(block).ops.size(); ++place)
      if (dead.is_live_op(ssa.op(block, place))) list.push_back(p.block(block).ops[place]);
    auto& targets = made.targets[static_cast<std::size_t>(block)];
    if (auto const to = dead.jump(block)) {
      targets = {*to};
    } else if (targets.size() > 1) {
      REQUIRE(dead.is_live_branch(block));
      REQUIRE(!list.empty());
      REQUIRE(list.back().type == "Branch");
    }
  }
  return made;
}

// Returns true if every reachable block reaches an exit.
bool can_end(test::net_program const& p) {
  auto const blocks = oracle::reachable(p);
  std::set<int> good;
  for (bool grown = true; grown;) {
    grown = false;
    for (int const b : blocks)
      if (p.successors(b).empty() || std::ranges::any_of(p.successors(b), [&](int to) { return good.contains(to); }))
        grown = good.insert(b).second || grown;
  }
  return good == blocks;
}

void check_kept(test::net_program const& p, test::net_program const& left, unsigned seed) {
  for (unsigned run = 0; run != 4; ++run) {
    auto const before = test::interpret(p, seed + run, 100);
    auto const after = test::interpret(left, seed + run, 100);
    REQUIRE(test::agree(before, after));
    if (before.finished) REQUIRE(after.finished);
  }
}

TEST_CASE("dead code: removal preserves behaviour and leaves no dead ops in random programs") {
  plait::dead_code<test::net_program> dead, again;
  plait::program_ssa<test::net_program> ssa, ssa_again;
  std::size_t ops_dead = 0, branches_dead = 0, loops_dead = 0;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    ssa.compute(p);
    for (bool const remove_loops : {false, true}) {
      CAPTURE(remove_loops);
      dead.compute(p, ssa, shows, {.remove_loops = remove_loops});
      auto const left = reduced(p, ssa, dead);
      check_kept(p, left, seed);
      ssa_again.compute(left);
      again.compute(left, ssa_again, shows, {.remove_loops = remove_loops});
      // Control dependences in an endless loop are a convention, which differs in the reduced program.
      if (can_end(p)) REQUIRE(again.dead_ops().empty());
      (remove_loops ? loops_dead : ops_dead) += dead.dead_ops().size();
      if (!remove_loops)
        for (int const block : ssa.graph().order()) branches_dead += dead.jump(block).has_value();

      // Operands of live ops and phis are live.
      auto const& form = ssa.form();
      auto const is_live = [&](plait::value_index v) {
        auto const made = form.definition(v);
        return made.is_op() ? dead.is_live_op(made.op()) : made.is_phi() ? dead.dense().is_live_phi(made.phi()) : true;
      };
      for (plait::op_index op = 0; op != form.op_count(); ++op)
        if (dead.is_live_op(op))
          for (auto const v : form.reads(op)) REQUIRE(is_live(v));
      for (plait::phi_index phi = 0; phi != form.phi_count(); ++phi)
        if (dead.dense().is_live_phi(phi))
          for (auto const v : form.arguments(phi)) REQUIRE(is_live(v));
    }
  }
  CHECK(ops_dead > test::random_cases(10'000));
  CHECK(branches_dead > test::random_cases(1'000));
  CHECK(loops_dead > ops_dead);
}

TEST_CASE("dead code: an empty loop is live without remove_loops, an endless one always") {
  test::net_program const p{
      {{{{"Const:0", {}, {"i"}}}},
       {{{"Const:1", {}, {"one"}}, {"Add", {"i", "one"}, {"i"}}, {"Less", {"i", "n"}, {"t"}}, {"Branch", {"t"}, {}}}},
       {{{"Branch", {"n"}, {}}}},
       {{}},
       {{{"Output", {"n"}, {}}}}},
      {{1}, {2, 1}, {3, 4}, {3}, {}}};
  plait::program_ssa const ssa(p);
  plait::dead_code dead(p, ssa, shows);
  CHECK(dead.dead_ops().empty());
  dead.compute(p, ssa, shows, {.remove_loops = true});
  CHECK(dead.dead_ops() == ops{0, 1, 2, 3, 4});
  CHECK(dead.jump(1) == 2);
  CHECK(dead.is_live_branch(2));
  CHECK(dead.is_live_block(3));
}

TEST_CASE_TEMPLATE("dead code: has the same results on every graph type", G, PLAIT_OWN_GRAPHS) {
  for (unsigned seed = 0; seed != 60; ++seed) {
    CAPTURE(seed);
    auto p = test::random_program(seed);
    for (auto& targets : p.targets) {  // some graphs have no parallel edges
      std::ranges::sort(targets);
      targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    }
    test::graph_description shape{p.size(), {}};
    for (int from = 0; from != static_cast<int>(p.size()); ++from)
      for (int const to : p.successors(from)) shape.edges.emplace_back(from, to);
    auto const g = test::make_graph<G>(shape);
    plait::blocks_of const same(g, p.blocks);
    plait::program_ssa const ssa(same);
    plait::dead_code const dead(same, ssa, shows, {.remove_loops = true});
    plait::program_ssa const expected_ssa(p);
    plait::dead_code const expected(p, expected_ssa, shows, {.remove_loops = true});
    for (int const block : expected_ssa.graph().order()) {
      auto const node = test::node_of(g, block);
      for (std::size_t place = 0; place != p.block(block).ops.size(); ++place)
        REQUIRE(dead.is_live_op(ssa.op(node, place)) == expected.is_live_op(expected_ssa.op(block, place)));
      auto const jump = dead.jump(node);
      auto const expected_jump = expected.jump(block);
      REQUIRE(jump.has_value() == expected_jump.has_value());
      if (jump) REQUIRE(plait::index(g, *jump) == static_cast<std::size_t>(*expected_jump));
    }
  }
}

TEST_CASE_TEMPLATE("dead code: finds dead ops in every net type", N, PLAIT_ALL_NETS) {
  auto const net = test::make_net<N>(
      {{{"A", {"a"}, {"b"}}, {"B", {"a"}, {"c"}}, {"C", {"b"}, {"d"}}, {"D", {"c"}, {}}}, {"a"}, {"d"}});
  plait::single_block const p(net);
  plait::program_ssa const ssa(p);
  CHECK(plait::dead_code(p, ssa, [](auto const&, auto&&) { return false; }).dead_ops() == ops{1, 3});
  int count = 0;
  CHECK(plait::dead_code(p, ssa, [&](auto const&, auto&&) { return ++count == 4; }).dead_ops().empty());
}

TEST_CASE("dead code: handles 100,000 blocks with bypassing and back edges") {
  auto const p = test::long_program(100'000);
  plait::program_ssa const ssa(p);
  plait::dead_code const dead(p, ssa, shows);
  CHECK(dead.dead_ops().size() == 100'000);  // the copies and their sources
  CHECK(dead.is_live_branch(4));
  CHECK(dead.is_live_branch(99'998));
}

}  // namespace
