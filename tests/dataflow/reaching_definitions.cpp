#include <plait/dataflow/reaching_definitions.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/static_graph.hpp>
#include <plait/net/static_net.hpp>
#include <plait/ssa/construction.hpp>

#include <graph/own_graphs.hpp>
#include <net/test_nets.hpp>
#include <oracle/naive_dataflow.hpp>
#include <support/random_cases.hpp>
#include <support/random_program.hpp>

namespace {

using plait::npos;
using ops = std::vector<plait::op_index>;

constexpr plait::static_graph loop({{0, 1}, {1, 1}, {1, 2}});
using net = plait::static_net<std::string_view, 1, 1, 1>;
constexpr std::array nets = {net{plait::op("Copy", {"n"}, {"i"})}, net{plait::op("Next", {"i"}, {"i"})},
                             net{plait::op("Copy", {"i"}, {"n"})}};
constexpr plait::blocks_of program(loop, nets);
static_assert([] {
  plait::reaching_definitions const reaching(program);
  return reaching.of_input(reaching.op(1u, 0), 0) == ops{0, 1} && reaching.of_input(reaching.op(2u, 0), 0) == ops{1} &&
         reaching.of_input(reaching.op(0u, 0), 0) == ops{npos};
}());

TEST_CASE("reaching definitions: match a backward search on random programs") {
  plait::reaching_definitions<test::net_program> reaching;
  for (unsigned seed = 0; seed != test::random_cases(10'000); ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    reaching.compute(p);
    auto const& snapshot = reaching.snapshot();
    auto const points = [&](ops const& found) {
      std::set<oracle::point> made;
      for (auto const op : found)
        made.insert(op == npos ? oracle::point{-1, 0} : oracle::point{snapshot.node(op), snapshot.place(op)});
      REQUIRE(made.size() == found.size());
      REQUIRE((found.empty() || std::is_sorted(found.begin() + (found[0] == npos), found.end())));
      return made;
    };
    for (int const block : snapshot.graph().order()) {
      auto const& net = p.block(block);
      for (std::size_t place = 0; place != net.ops.size(); ++place)
        for (std::size_t slot = 0; slot != net.ops[place].inputs.size(); ++slot)
          REQUIRE(points(reaching.of_input(reaching.op(block, place), slot)) ==
                  oracle::reaching(p, {block, place}, net.ops[place].inputs[slot]));
      for (std::size_t slot = 0; slot != net.external_outputs.size(); ++slot)
        REQUIRE(points(reaching.of_result(block, slot)) ==
                oracle::reaching(p, {block, net.ops.size()}, net.external_outputs[slot]));
      for (plait::blob_index b = 0; b != snapshot.code().blob_count(); ++b) {
        if (!reaching.dense().is_exposed(b)) continue;
        ops found;
        reaching.dense().visit_in(snapshot.graph().number(block), b, [&](auto op) { found.push_back(op); });
        REQUIRE(points(found) == oracle::reaching(p, {block, 0}, std::string(snapshot.name(b))));
      }
    }
  }
}

TEST_CASE_TEMPLATE("reaching definitions: are the ops that phis merge, on every graph type", G, PLAIT_OWN_GRAPHS) {
  for (unsigned seed = 0; seed != 60; ++seed) {
    CAPTURE(seed);
    auto const p = test::random_program(seed);
    test::graph_description shape{p.size(), {}};
    for (int from = 0; from != static_cast<int>(p.size()); ++from)
      for (int const to : p.successors(from)) shape.edges.emplace_back(from, to);
    auto const g = test::make_graph<G>(shape);
    plait::blocks_of const same(g, p.blocks);
    plait::reaching_definitions const reaching(same);
    plait::program_ssa const ssa(same);
    auto const& form = ssa.form();
    for (plait::op_index op = 0; op != form.op_count(); ++op)
      for (std::size_t slot = 0; slot != form.reads(op).size(); ++slot) {
        std::set<plait::op_index> made;
        std::set<plait::value_index> seen = {form.reads(op)[slot]};
        ops waiting(seen.begin(), seen.end());
        while (!waiting.empty()) {
          auto const at = form.definition(waiting.back());
          waiting.pop_back();
          if (!at.is_phi()) {
            made.insert(at.is_op() ? at.op() : npos);
            continue;
          }
          for (auto const v : form.arguments(at.phi()))
            if (seen.insert(v).second) waiting.push_back(v);
        }
        auto const found = reaching.of_input(op, slot);
        REQUIRE(std::set(found.begin(), found.end()) == made);
      }
  }
}

TEST_CASE_TEMPLATE("reaching definitions: a net is a program of one node", N, PLAIT_ALL_NETS) {
  auto const net = test::make_net<N>({{{"Add", {"a", "b"}, {"a"}}, {"Copy", {"a"}, {"c"}}}, {"a", "b"}, {"a", "b"}});
  plait::single_block const p(net);
  plait::reaching_definitions const reaching(p);
  CHECK(reaching.of_input(0, 0) == ops{npos});
  CHECK(reaching.of_input(1, 0) == ops{0});
  CHECK(reaching.of_result(0, 0) == ops{0});
  CHECK(reaching.of_result(0, 1) == ops{npos});
  CHECK_THROWS_AS(static_cast<void>(reaching.of_input(1, 1)), plait::precondition_error);
  CHECK_THROWS_AS(static_cast<void>(reaching.of_result(0, 2)), plait::precondition_error);
}

}  // namespace
