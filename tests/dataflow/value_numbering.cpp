#include <plait/dataflow/value_numbering.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/static_graph.hpp>
#include <plait/net/static_net.hpp>

#include <graph/own_graphs.hpp>
#include <net/test_nets.hpp>
#include <support/long_program.hpp>
#include <support/random_cases.hpp>
#include <support/random_program.hpp>
#include <support/ssa_interpreter.hpp>

namespace {

using plait::value_index;
using ops = std::vector<plait::op_index>;

constexpr auto pure = [](auto const& net, auto const& op) {
  std::string_view const type = plait::op_type(net, op);
  return type != "Input" && type != "Output" && type != "Branch";
};
constexpr auto copies = [](auto const& net, auto const& op, std::size_t output) -> std::optional<std::size_t> {
  std::string_view const type = plait::op_type(net, op);
  if (type == "Copy") return 0;
  if (type == "Swap") return 1 - output;
  return std::nullopt;
};

// Both branches compute a + b, so the phi behind them equals either.
constexpr plait::static_graph diamond({{0, 1}, {0, 2}, {1, 3}, {2, 3}});
using net = plait::static_net<std::string_view, 1, 2, 1>;
constexpr std::array nets = {net{plait::op("Sub", {"a", "b"}, {"d"})}, net{plait::op("Add", {"a", "b"}, {"c"})},
                             net{plait::op("Add", {"a", "b"}, {"c"})}, net{plait::op("Add", {"c", "c"}, {"e"})}};
constexpr plait::blocks_of program(diamond, nets);
static_assert([] {
  plait::program_ssa const ssa(program);
  plait::value_numbering const numbering(program, ssa, pure);
  plait::value const left = ssa.writes(ssa.op(1u, 0))[0];
  plait::value const right = ssa.writes(ssa.op(2u, 0))[0];
  plait::value const merged = ssa.reads(ssa.op(3u, 0))[0];
  return left != right && numbering.are_equal(left, right) && numbering.are_equal(left, merged) &&
         numbering.replacement(right) == right && numbering.redundant_ops().empty() &&
         numbering.dense().pass_count() == 2;
}());

// A temporary form is rejected: results refer to it.
using analysed = std::remove_const_t<decltype(program)>;
using from_form = plait::value_numbering<analysed>;
static_assert(std::is_constructible_v<from_form, analysed const&, plait::program_ssa<analysed> const&, decltype(pure)>);
static_assert(!std::is_constructible_v<from_form, analysed const&, plait::program_ssa<analysed>, decltype(pure)>);

// Checks that congruent values whose definitions dominate a point are equal there.
struct watch {
  plait::program_ssa<test::net_program> const& ssa;
  plait::dense_value_numbering const& numbering;
  std::vector<value_index> const replacements = numbering.replacements(ssa.form(), ssa.dominators());
  std::size_t equal = 0;

  void check(std::uint32_t block, test::value_states const& states) {
    std::map<value_index, value_index> seen;
    for (value_index v = 0; v != states.size(); ++v) {
      if (!states[v] || !ssa.dominators().dominates(ssa.form().block_of_value(v), block)) continue;
      auto const [at, added] = seen.try_emplace(numbering.leader(v), v);
      if (added) continue;
      REQUIRE(states[v] == states[at->second]);
      ++equal;
    }
    for (value_index v = 0; v != states.size(); ++v)
      if (states[v] && ssa.dominators().dominates(ssa.form().block_of_value(v), block))
        REQUIRE(states[replacements[v]] == states[v]);
  }
  // At the end of a block all its values are current.
  test::value_states now = {};
  void on_end(std::uint32_t block, test::value_states const& states) { check(block, states); }
  void on_op(plait::op_index, test::value_states const& states) { now = states; }
  void on_block(std::uint32_t, test::value_states const& states) { now = states; }
  void on_edge(std::uint32_t block, std::size_t) { check(block, now); }
};

TEST_CASE("value numbering: congruent values are equal in runs of random programs") {
  plait::value_numbering<test::net_program> with_copies, without;
  plait::program_ssa<test::net_program> ssa;
  std::size_t equal = 0, redundant = 0;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed, {.blobs = 4});
    ssa.compute(p);
    without.compute(p, ssa, pure);
    with_copies.compute(p, ssa, pure, copies);
    for (auto const* numbering : {&without, &with_copies})
      for (unsigned run = 0; run != 2; ++run) {
        watch see{ssa, numbering->dense()};
        test::run_ssa(p, ssa, seed + run, 30, see);
        equal += see.equal;
      }
    redundant += with_copies.redundant_ops().size();

    auto const& form = ssa.form();
    auto const& dense = with_copies.dense();
    for (value_index v = 0; v != form.value_count(); ++v) {
      REQUIRE(dense.leader(dense.leader(v)) == dense.leader(v));
      // Interpreting copies finds more congruences, never fewer.
      REQUIRE(dense.are_equal(v, without.dense().leader(v)));
      value_index const r = with_copies.replacements()[v];
      REQUIRE(dense.are_equal(v, r));
      REQUIRE(with_copies.replacements()[r] == r);
      REQUIRE(ssa.dominators().dominates(form.block_of_value(r), form.block_of_value(v)));
    }
    // A fixed point: ops of one kind with equal inputs have equal outputs.
    for (plait::op_index a = 0; a != form.op_count(); ++a)
      for (plait::op_index b = 0; b != a; ++b) {
        auto const& op_a = p.block(ssa.snapshot().node(a)).ops[ssa.snapshot().place(a)];
        auto const& op_b = p.block(ssa.snapshot().node(b)).ops[ssa.snapshot().place(b)];
        if (op_a.type != op_b.type || op_a.type == "Input" || form.writes(a).empty()) continue;
        bool same = true;
        for (std::size_t i = 0; i != form.reads(a).size(); ++i)
          same = same && dense.are_equal(form.reads(a)[i], form.reads(b)[i]);
        if (same) REQUIRE(dense.are_equal(form.writes(a)[0], form.writes(b)[0]));
      }
  }
  CHECK(equal > 50'000);
  CHECK(redundant > 2'000);
}

TEST_CASE_TEMPLATE("value numbering: has the same results on every graph type", G, PLAIT_OWN_GRAPHS) {
  for (unsigned seed = 0; seed != 60; ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed, {.blobs = 4});
    test::graph_description shape{p.size(), {}};
    for (int from = 0; from != static_cast<int>(p.size()); ++from)
      for (int const to : p.successors(from)) shape.edges.emplace_back(from, to);
    auto const g = test::make_graph<G>(shape);
    plait::blocks_of const same(g, p.blocks);
    plait::program_ssa const ssa(same);
    plait::program_ssa const expected_ssa(p);
    plait::value_numbering const numbering(same, ssa, pure);
    plait::value_numbering const expected(p, expected_ssa, pure);
    REQUIRE(ssa.form().op_count() == expected_ssa.form().op_count());
    REQUIRE(numbering.redundant_ops().size() == expected.redundant_ops().size());
  }
}

TEST_CASE_TEMPLATE("value numbering: with and without copies, and ops with several outputs, in a net", N,
                   PLAIT_TEXT_NETS) {
  auto const net = test::make_net<N>({{{"Add", {"a", "b"}, {"c"}},
                                       {"Copy", {"a"}, {"d"}},
                                       {"Add", {"d", "b"}, {"e"}},
                                       {"Add", {"c", "b"}, {"f"}},
                                       {"Add", {"e", "b"}, {"g"}},
                                       {"Input", {}, {"h"}},
                                       {"Input", {}, {"i"}},
                                       {"Two", {"a"}, {"j", "k"}},
                                       {"Two", {"a"}, {"l", "m"}},
                                       {"Two", {"a"}, {"n", "n"}}},
                                      {"a", "b"},
                                      {}});
  plait::single_block const p(net);
  plait::program_ssa const ssa(p);
  plait::value_numbering<std::remove_cv_t<decltype(p)>> numbering(p, ssa, pure);
  auto const of = [&](char const* name) { return plait::value{ssa.find(test::key_of(net, name)), 1}; };
  CHECK(numbering.redundant_ops() == ops{8});
  numbering.compute(p, ssa, pure, copies);
  CHECK(numbering.redundant_ops() == ops{1, 2, 4, 8});
  CHECK(numbering.replacement(of("g")) == of("f"));
  CHECK(numbering.replacement(of("d")) == plait::value{ssa.find(test::key_of(net, "a")), 0});
  CHECK(numbering.are_equal(of("j"), of("l")));
  CHECK(numbering.are_equal(of("k"), of("m")));
  CHECK_FALSE(numbering.are_equal(of("j"), of("k")));
  CHECK_FALSE(numbering.are_equal(of("n"), of("j")));
  CHECK_FALSE(numbering.are_equal(of("n"), of("k")));
  CHECK_FALSE(numbering.are_equal(of("h"), of("i")));
}

TEST_CASE("value numbering: two equal induction variables are congruent") {
  test::net_program const p{{{{{"Const:0", {}, {"i"}}, {"Const:0", {}, {"j"}}, {"Const:1", {}, {"one"}}}},
                             {{{"Add", {"i", "one"}, {"i"}}, {"Add", {"j", "one"}, {"j"}}, {"Branch", {"j"}, {}}}},
                             {{{"Output", {"i"}, {}}, {"Output", {"j"}, {}}}}},
                            {{1}, {1, 2}, {}}};
  plait::program_ssa const ssa(p);
  plait::value_numbering const numbering(p, ssa, pure);
  CHECK(numbering.are_equal(ssa.reads(ssa.op(2, 0))[0], ssa.reads(ssa.op(2, 1))[0]));
  CHECK(numbering.redundant_ops() == ops{1, 4});
}

TEST_CASE("value numbering: handles 100,000 blocks with bypassing and back edges") {
  auto const p = test::long_program(100'000);
  plait::program_ssa const ssa(p);
  plait::value_numbering<test::net_program> numbering;
  numbering.compute(p, ssa, pure, copies);
  CHECK(numbering.dense().pass_count() <= 4);
  CHECK(numbering.replacement(ssa.writes(ssa.op(1, 0))[0]) == ssa.reads(ssa.op(1, 0))[0]);
  CHECK_FALSE(numbering.are_equal(ssa.writes(ssa.op(1, 1))[0], ssa.writes(ssa.op(2, 1))[0]));
}

}  // namespace
