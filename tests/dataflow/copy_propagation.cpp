#include <plait/dataflow/copy_propagation.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>
#include <plait/dataflow/value_numbering.hpp>
#include <plait/graph/static_graph.hpp>
#include <plait/net/static_net.hpp>

#include <graph/own_graphs.hpp>
#include <net/test_nets.hpp>
#include <support/random_cases.hpp>
#include <support/random_program.hpp>
#include <support/ssa_interpreter.hpp>

namespace {

using plait::value_index;

constexpr auto copies = [](auto const& net, auto const& op, std::size_t output) -> std::optional<std::size_t> {
  std::string_view const type = plait::op_type(net, op);
  if (type == "Copy") return 0;
  if (type == "Swap") return 1 - output;
  return std::nullopt;
};

// A loop that copies x to y and back does not change x.
constexpr plait::static_graph loop({{0, 1}, {1, 2}, {2, 1}, {1, 3}});
using net = plait::static_net<std::string_view, 1, 1, 1>;
constexpr std::array nets = {net{plait::op("Make", {"in"}, {"x"})}, net{plait::op("Copy", {"x"}, {"y"})},
                             net{plait::op("Copy", {"y"}, {"x"})}, net{plait::op("Use", {"x"}, {"z"})}};
constexpr plait::blocks_of program(loop, nets);
static_assert([] {
  plait::program_ssa const ssa(program);
  plait::copy_propagation const copied(program, ssa, copies);
  plait::value const made = ssa.writes(ssa.op(0u, 0))[0];
  plait::value const used = ssa.reads(ssa.op(3u, 0))[0];
  return used != made && copied.origin(used) == made && copied.is_copy(used) && !copied.is_copy(made) &&
         !copied.is_copy(ssa.writes(ssa.op(3u, 0))[0]);
}());

// A temporary form is rejected: results refer to it.
using analysed = std::remove_const_t<decltype(program)>;
using from_form = plait::copy_propagation<analysed>;
static_assert(
    std::is_constructible_v<from_form, analysed const&, plait::program_ssa<analysed> const&, decltype(copies)>);
static_assert(!std::is_constructible_v<from_form, analysed const&, plait::program_ssa<analysed>, decltype(copies)>);

struct watch {
  plait::program_ssa<test::net_program> const& ssa;
  plait::copy_propagation<test::net_program> const& copied;
  std::size_t found = 0;
  void on_block(std::uint32_t block, test::value_states const& states) {
    for (auto const phi : ssa.form().phis(block)) check(ssa.form().result(phi), states);
  }
  void on_op(plait::op_index op, test::value_states const& states) {
    for (auto const v : ssa.form().writes(op)) check(v, states);
    for (auto const v : ssa.form().reads(op)) check(v, states);
  }
  void on_edge(std::uint32_t, std::size_t) {}
  void on_end(std::uint32_t block, test::value_states const& states) {
    for (auto const v : ssa.form().results(block)) check(v, states);
  }
  void check(value_index v, test::value_states const& states) {
    REQUIRE(states[copied.origins()[v]] == states[v]);
    found += copied.origins()[v] != v;
  }
};

TEST_CASE("copy propagation: a copy equals its origin in runs of random programs") {
  plait::copy_propagation<test::net_program> copied;
  plait::value_numbering<test::net_program> numbering;
  plait::program_ssa<test::net_program> ssa;
  std::size_t found = 0;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed, {.blobs = 4});
    ssa.compute(p);
    copied.compute(p, ssa, copies);
    watch see{ssa, copied};
    test::run_ssa(p, ssa, seed, 40, see);
    found += see.found;

    auto const& form = ssa.form();
    auto const origins = copied.origins();
    numbering.compute(
        p, ssa, [](auto const&, auto const&) { return false; }, copies);
    for (value_index v = 0; v != form.value_count(); ++v) {
      REQUIRE(origins[origins[v]] == origins[v]);
      REQUIRE(numbering.replacements()[v] == origins[v]);
      REQUIRE(ssa.dominators().dominates(form.block_of_value(origins[v]), form.block_of_value(v)));
    }
    for (plait::op_index op = 0; op != form.op_count(); ++op) {
      auto const& spec = p.block(ssa.snapshot().node(op)).ops[ssa.snapshot().place(op)];
      if (spec.type == "Copy") REQUIRE(origins[form.writes(op)[0]] == origins[form.reads(op)[0]]);
    }
    // A phi is a copy if all its arguments but itself have one origin.
    for (plait::phi_index phi = 0; phi != form.phi_count(); ++phi) {
      value_index const v = form.result(phi);
      std::optional<value_index> one;
      bool same = true;
      for (auto const argument : form.arguments(phi)) {
        if (origins[argument] == origins[v] || argument == v) continue;
        same = same && (!one || one == origins[argument]);
        one = origins[argument];
      }
      if (origins[v] != v && form.definition(origins[v]).is_op()) REQUIRE((same && !one));
      if (origins[v] == v && one)
        REQUIRE_FALSE((same && ssa.dominators().dominates(form.block_of_value(*one), form.block_of_phi(phi))));
    }
  }
  CHECK(found > 20 * test::random_cases(10'000));
}

TEST_CASE_TEMPLATE("copy propagation: finds origins in every net type", N, PLAIT_ALL_NETS) {
  auto const net =
      test::make_net<N>({{{"Copy", {"a"}, {"b"}}, {"Make", {"b"}, {"a"}}, {"Copy", {"b"}, {"c"}}}, {"a"}, {"c"}});
  plait::single_block const p(net);
  plait::program_ssa const ssa(p);
  int calls = 0;
  plait::copy_propagation const copied(
      p, ssa, [&](auto const&, auto&&, std::size_t) { return ++calls % 3 == 2 ? std::nullopt : std::optional(0); });
  plait::value const c = ssa.results(0)[0];
  CHECK(copied.origin(c) == plait::value{ssa.find(test::key_of(net, "a")), 0});
  CHECK_FALSE(copied.is_copy(ssa.writes(1)[0]));
}

TEST_CASE_TEMPLATE("copy propagation: finds origins on every graph type", G, PLAIT_OWN_GRAPHS) {
  auto const g = test::make_graph<G>({4, {{0, 1}, {1, 2}, {2, 1}, {1, 3}}});
  std::vector<test::struct_net> const blocks = {
      {{{"Make", {}, {"x"}}}}, {{{"Copy", {"x"}, {"y"}}}}, {{{"Copy", {"y"}, {"x"}}}}, {{{"Use", {"x"}, {}}}}};
  plait::blocks_of const p(g, blocks);
  plait::program_ssa const ssa(p);
  plait::copy_propagation const copied(p, ssa, copies);
  CHECK(copied.origin(ssa.reads(ssa.op(test::node_of(g, 3), 0))[0]) == ssa.writes(ssa.op(test::node_of(g, 0), 0))[0]);
}

}  // namespace
