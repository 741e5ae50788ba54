// Analyses of programs with known results, without exceptions. Instantiates all layers.
#define DOCTEST_CONFIG_NO_EXCEPTIONS_BUT_WITH_ALL_ASSERTS
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <plait/plait.hpp>

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "compile with -fno-exceptions -fno-rtti"
#endif

namespace {

struct op {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
struct net {
  std::vector<op> ops;
  std::vector<std::string> external_inputs = {};
  std::vector<std::string> external_outputs = {};
};

// x = 1; if (c) y = 1 else y = 2; z = x. As blocks: 0 → 1, 2; both → 3.
constexpr plait::static_graph diamond({{0, 1}, {0, 2}, {1, 3}, {2, 3}});
std::vector<net> blocks_of_diamond() {
  return {{{{"One", {}, {"x"}}, {"One", {}, {"c"}}, {"Branch", {"c"}, {}}}},
          {{{"One", {}, {"y"}}}},
          {{{"Two", {}, {"y"}}}},
          {{{"Copy", {"y"}, {"z"}}, {"Two", {}, {"unused"}}}, {}, {"z"}}};
}

struct fixture {
  std::vector<net> const blocks = blocks_of_diamond();
  plait::blocks_of<std::remove_cv_t<decltype(diamond)>, std::vector<net>> const program{diamond, blocks};
};

}  // namespace

TEST_CASE("graphs: dominators, post-dominators, frontiers, loops, order") {
  plait::dominator_tree const tree(diamond);
  CHECK(tree.idom(3) == 0u);
  CHECK(tree.dominates(0, 2));
  plait::post_dominator_tree const post(diamond);
  CHECK(post.dominates(3, 1));
  plait::dominance_frontiers const frontiers(tree);
  CHECK(frontiers.dense()[tree.snapshot().number(1)].size() == 1);
  constexpr plait::static_graph loop({{0, 1}, {1, 2}, {2, 1}, {1, 3}});
  plait::dominator_tree const of_loop(loop);
  plait::loop_forest const loops(of_loop);
  CHECK(loops.is_header(1));
  CHECK_FALSE(loops.is_header(2));
  plait::dynamic_dominator_tree const dynamic(diamond);
  CHECK(dynamic.idom(3) == 0u);
}

TEST_CASE("programs: phis at joins, constants, liveness, dead code") {
  fixture const f;
  plait::program_ssa const ssa(f.program);
  CHECK(ssa.form().phi_count() == 1);

  plait::liveness const live(f.program);
  CHECK(live.is_live_in(3u, "y"));
  CHECK_FALSE(live.is_live_in(3u, "x"));

  plait::constant_propagation<int, std::remove_const_t<decltype(f.program)>> constants;
  constants.compute(
      f.program, ssa,
      [](net const&, op const& o, auto in, auto out) {
        if (o.type == "One") out[0] = 1;
        if (o.type == "Two") out[0] = 2;
        if (o.type == "Copy") out[0] = in[0];
      },
      [](net const&, op const&, auto in, auto) { return in[0] ? std::optional<std::size_t>(*in[0]) : std::nullopt; });
  CHECK_FALSE(constants.is_executable(1u));
  CHECK(constants.is_executable(2u));
  plait::value const z = *ssa.writes(ssa.op(3u, 0)).begin();
  CHECK(constants.constant(z) == 2);

  plait::dead_code const dead(f.program, ssa, [](net const&, op const&) { return false; });
  CHECK_FALSE(dead.is_live_op(ssa.op(3u, 1)));
  CHECK(dead.is_live_op(ssa.op(3u, 0)));
}

TEST_CASE("nets: versions, validation, and transforms that succeed or refuse") {
  net n{{{"A", {"in"}, {"x"}}, {"B", {"x"}, {"x"}}, {"C", {"x"}, {"out"}}, {"D", {"x"}, {"unread"}}}, {"in"}, {"out"}};
  auto const ssa = plait::get_ssa(n);
  CHECK(ssa.version(ssa.find("x")) == 2);
  CHECK(plait::validate(n, {.notes = false}).empty());

  CHECK(plait::remove_dead_ops(n).ops == std::vector<plait::op_index>{3});
  CHECK(n.ops.size() == 3);
  plait::rename_output(n, {.op = 0, .output = 0}, "first");
  CHECK(n.ops[0].outputs == std::vector<std::string>{"first"});
  CHECK(n.ops[1].inputs == std::vector<std::string>{"first"});
  CHECK(n.ops[1].outputs == std::vector<std::string>{"x"});
}
