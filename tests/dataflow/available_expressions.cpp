#include <plait/dataflow/available_expressions.hpp>

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

using ops = std::vector<plait::op_index>;

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
  plait::available_expressions const available(program, pure);
  return available.redundant_ops() == ops{available.op(3u, 0)} && available.available_in(3u).count() == 2 &&
         available.available_out(3u).empty() && available.expressions().size() == 2;
}());

TEST_CASE("available expressions: match the definition on random programs") {
  plait::available_expressions<test::net_program> available;
  std::size_t redundant = 0;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed, {.blobs = 3});
    available.compute(p, pure);
    auto const& snapshot = available.snapshot();
    auto const& all = available.expressions();

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

    std::vector<plait::op_index> expected;
    std::set<plait::op_index> visited;
    available.visit_ops([&](plait::op_index op, plait::bit_set const& now) {
      REQUIRE(visited.insert(op).second);
      for (auto const& [e, spec] : examples)
        REQUIRE(now.contains(e) == oracle::is_available(p, {snapshot.node(op), snapshot.place(op)}, spec));
      if (all.of(op) != plait::npos && now.contains(all.of(op))) expected.push_back(op);
    });
    REQUIRE(visited.size() == snapshot.code().op_count());
    REQUIRE(available.redundant_ops() == expected);
    redundant += expected.size();
    for (int const block : snapshot.graph().order())
      for (auto const& [e, spec] : examples) {
        REQUIRE(available.available_in(block).contains(e) == oracle::is_available(p, {block, 0}, spec));
        REQUIRE(available.available_out(block).contains(e) ==
                oracle::is_available(p, {block, p.block(block).ops.size()}, spec));
      }
  }
  CHECK(redundant > test::random_cases(2'000));
}

TEST_CASE_TEMPLATE("available expressions: have the same results on every graph type", G, PLAIT_OWN_GRAPHS) {
  for (unsigned seed = 0; seed != 60; ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed, {.blobs = 3});
    test::graph_description shape{p.size(), {}};
    for (int from = 0; from != static_cast<int>(p.size()); ++from)
      for (int const to : p.successors(from)) shape.edges.emplace_back(from, to);
    auto const g = test::make_graph<G>(shape);
    plait::blocks_of const same(g, p.blocks);
    plait::available_expressions const available(same, pure);
    plait::available_expressions const expected(p, pure);
    for (int const block : expected.snapshot().graph().order())
      REQUIRE(available.available_in(test::node_of(g, block)).count() == expected.available_in(block).count());
  }
}

TEST_CASE_TEMPLATE("available expressions: op types are the kinds of a net", N, PLAIT_TEXT_NETS) {
  auto const net = test::make_net<N>({{{"Add", {"a", "b"}, {"c"}},
                                       {"Add", {"b", "a"}, {"d"}},
                                       {"Add", {"a", "b"}, {"e"}},
                                       {"Input", {}, {"b"}},
                                       {"Add", {"a", "b"}, {"f"}},
                                       {"Input", {}, {"g"}}},
                                      {"a", "b"},
                                      {}});
  plait::single_block const p(net);
  CHECK(plait::available_expressions(p, pure).redundant_ops() == ops{2});
  CHECK(plait::available_expressions(p, [](auto const&, auto const&) { return false; }).redundant_ops().empty());
  CHECK(plait::available_expressions(p, [](auto const&, auto const&) { return true; }).redundant_ops() == ops{2, 5});
}

TEST_CASE_TEMPLATE("available expressions: kinds can have any type, also where ops have no types", N, PLAIT_ALL_NETS) {
  auto const net = test::make_net<N>({{{"X", {"a"}, {"b"}}, {"Y", {"a"}, {"c"}}, {"Z", {"a"}, {"d"}}}, {"a"}, {}});
  plait::single_block const p(net);
  int count = 0;
  auto const even_ones = [&](auto const&, auto&&) { return ++count % 2 == 1 ? std::optional(7L) : std::nullopt; };
  CHECK(plait::available_expressions(p, even_ones).redundant_ops() == ops{2});
}

}  // namespace
