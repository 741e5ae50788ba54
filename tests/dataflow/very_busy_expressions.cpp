#include <plait/dataflow/very_busy_expressions.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/static_graph.hpp>
#include <plait/net/static_net.hpp>

#include <graph/own_graphs.hpp>
#include <net/test_nets.hpp>
#include <oracle/naive_dataflow.hpp>
#include <support/random_cases.hpp>
#include <support/random_program.hpp>

namespace {

constexpr auto pure = [](auto const& net, auto const& op) {
  std::string_view const type = plait::op_type(net, op);
  return type != "Input" && type != "Output" && type != "Branch";
};

constexpr plait::static_graph diamond({{0, 1}, {0, 2}, {1, 3}, {2, 3}});
using net = plait::static_net<std::string_view, 1, 2, 1>;
constexpr std::array nets = {net{plait::op("Mul", {"a", "b"}, {"c"})}, net{plait::op("Add", {"a", "b"}, {"d"})},
                             net{plait::op("Add", {"a", "b"}, {"e"})}, net{plait::op("Add", {"a", "b"}, {"a"})}};
constexpr plait::blocks_of program(diamond, nets);
static_assert([] {
  plait::very_busy_expressions const busy(program, pure);
  return busy.busy_out(0u).count() == 1 && busy.busy_in(0u).count() == 2 && busy.busy_in(3u).count() == 1 &&
         busy.busy_out(1u).count() == 1 && busy.busy_out(3u).empty() && busy.expressions().size() == 2;
}());

TEST_CASE("very busy expressions: match the definition on random programs") {
  plait::very_busy_expressions<test::net_program> busy;
  std::size_t found = 0;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed, {.blobs = 3});
    busy.compute(p, pure);
    auto const& snapshot = busy.snapshot();
    auto const& all = busy.expressions();

    std::map<plait::expression_index, plait::op_spec> examples;
    for (plait::op_index op = 0; op != snapshot.code().op_count(); ++op) {
      auto const& spec = p.block(snapshot.node(op)).ops[snapshot.place(op)];
      REQUIRE((all.of(op) == plait::npos) == (spec.type == "Input" || spec.type == "Output" || spec.type == "Branch"));
      if (all.of(op) == plait::npos) continue;
      auto const& example = examples.try_emplace(all.of(op), spec).first->second;
      REQUIRE(oracle::computes(spec, example));
    }
    REQUIRE(examples.size() == all.size());
    for (auto const& [e, spec] : examples)
      for (auto const& [other, second] : examples) REQUIRE((e == other) == oracle::computes(spec, second));

    std::set<plait::op_index> visited;
    busy.visit_ops([&](plait::op_index op, plait::bit_set const& now) {
      REQUIRE(visited.insert(op).second);
      for (auto const& [e, spec] : examples)
        REQUIRE(now.contains(e) == oracle::is_very_busy(p, {snapshot.node(op), snapshot.place(op) + 1}, spec));
    });
    REQUIRE(visited.size() == snapshot.code().op_count());
    for (int const block : snapshot.graph().order())
      for (auto const& [e, spec] : examples) {
        found += busy.busy_out(block).contains(e);
        REQUIRE(busy.busy_in(block).contains(e) == oracle::is_very_busy(p, {block, 0}, spec));
        REQUIRE(busy.busy_out(block).contains(e) == oracle::is_very_busy(p, {block, p.block(block).ops.size()}, spec));
      }
  }
  CHECK(found > 2'000);
}

TEST_CASE_TEMPLATE("very busy expressions: have the same results on every graph type", G, PLAIT_OWN_GRAPHS) {
  for (unsigned seed = 0; seed != 60; ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed, {.blobs = 3});
    test::graph_description shape{p.size(), {}};
    for (int from = 0; from != static_cast<int>(p.size()); ++from)
      for (int const to : p.successors(from)) shape.edges.emplace_back(from, to);
    auto const g = test::make_graph<G>(shape);
    plait::blocks_of const same(g, p.blocks);
    plait::very_busy_expressions const busy(same, pure);
    plait::very_busy_expressions const expected(p, pure);
    for (int const block : expected.snapshot().graph().order())
      REQUIRE(busy.busy_in(test::node_of(g, block)).count() == expected.busy_in(block).count());
  }
}

TEST_CASE_TEMPLATE("very busy expressions: op types are the kinds of a net", N, PLAIT_TEXT_NETS) {
  auto const net = test::make_net<N>(
      {{{"Copy", {"a"}, {"c"}}, {"Add", {"a", "b"}, {"d"}}, {"Input", {}, {"b"}}, {"Mul", {"a", "b"}, {"e"}}},
       {"a", "b"},
       {}});
  plait::single_block const p(net);
  plait::very_busy_expressions const busy(p, pure);
  CHECK(std::ranges::equal(busy.busy_in(0), std::vector{0u, 1u}));
  CHECK(busy.busy_out(0).empty());
}

TEST_CASE("very busy expressions: paths into an endless loop do not count") {
  std::vector<std::vector<int>> const graph = {{1, 2}, {1}, {}};
  std::vector<test::struct_net> const blocks = {
      {{}}, {{{"Input", {}, {"x"}}}}, {{{"Add", {"a", "b"}, {"c"}}, {"Add", {"x", "b"}, {"d"}}}}};
  plait::blocks_of const p(graph, blocks);
  plait::very_busy_expressions const busy(p, pure);
  CHECK(std::ranges::equal(busy.busy_out(0), std::vector{0u}));
  CHECK(busy.busy_in(1).contains(0));
  CHECK_FALSE(busy.busy_in(1).contains(1));
}

}  // namespace
