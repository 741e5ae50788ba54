#include <plait/transform/subgraph.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/ssa/rewrite.hpp>

#include <net/test_nets.hpp>
#include <oracle/symbolic_run.hpp>
#include <support/random_net.hpp>

namespace {

using ops = std::vector<plait::op_index>;
using pairs = std::vector<std::pair<std::string, std::uint32_t>>;

test::struct_net const branch{{{"Relu", {"x"}, {"a"}},
                               {"Tanh", {"a"}, {"b"}},
                               {"Sigmoid", {"a"}, {"c"}},
                               {"Sum", {"b", "c"}, {"d"}},
                               {"FC", {"d", "w", "bias"}, {"e"}}},
                              {"x", "w", "bias"},
                              {"e", "b"}};

template <class N>
pairs shown(plait::ssa_form<N> const& ssa, N const& n, std::vector<plait::value> const& values) {
  pairs found;
  for (plait::value v : values) found.emplace_back(test::text_of(n, ssa.name(v)), v.version);
  return found;
}

}  // namespace

TEST_CASE_TEMPLATE("find_subgraph_boundary: live-in and live-out values", N, PLAIT_ALL_NETS) {
  auto const n = test::make_net<N>(branch);
  auto const ssa = plait::get_ssa(n);
  auto const middle = plait::find_subgraph_boundary(ssa, ops{1, 2});
  CHECK(shown(ssa, n, middle.inputs) == pairs{{"a", 1}});
  CHECK(shown(ssa, n, middle.outputs) == pairs{{"b", 1}, {"c", 1}});

  auto const all = plait::find_subgraph_boundary(ssa, ops{0, 1, 2, 3, 4});
  CHECK(shown(ssa, n, all.inputs) == pairs{{"x", 0}, {"w", 0}, {"bias", 0}});
  CHECK(shown(ssa, n, all.outputs) == pairs{{"b", 1}, {"e", 1}});

  auto const turned = plait::find_subgraph_boundary(ssa, ops{3, 1, 3});
  CHECK(shown(ssa, n, turned.inputs) == pairs{{"c", 1}, {"a", 1}});
  CHECK(shown(ssa, n, turned.outputs) == pairs{{"d", 1}, {"b", 1}});

  CHECK(plait::find_subgraph_boundary(ssa, ops{}) == plait::subgraph_boundary{});
  try {
    (void)plait::find_subgraph_boundary(ssa, ops{1, 5});
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.op == 5);
  }
}

TEST_CASE("find_subgraph_boundary: an operand listed twice") {
  test::struct_net const n{{{"Mul", {"x", "x"}, {"y"}}, {"Mul", {"x", "y"}, {"z", "z"}}}, {"x"}, {"z"}};
  auto const ssa = plait::get_ssa(n);
  CHECK(shown(ssa, n, plait::find_subgraph_boundary(ssa, ops{0, 1}).inputs) == pairs{{"x", 0}});
  auto const repeated = plait::find_subgraph_boundary(ssa, ops{0, 1}, {.repeat_within_op = true});
  CHECK(shown(ssa, n, repeated.inputs) == pairs{{"x", 0}, {"x", 0}});  // within the first op, not again by the second
  CHECK(shown(ssa, n, repeated.outputs) == pairs{{"z", 2}, {"z", 2}});
}

TEST_CASE("find_subgraph_boundary: repeat_within_op refuses an external output without producer") {
  test::struct_net const n{{{"Relu", {"x"}, {"y"}}}, {"x"}, {"y", "elsewhere"}};
  auto const ssa = plait::get_ssa(n);
  CHECK(plait::find_subgraph_boundary(ssa, ops{0}).outputs.size() == 1);
  CHECK_THROWS_AS(static_cast<void>(plait::find_subgraph_boundary(ssa, ops{0}, {.repeat_within_op = true})),
                  plait::net_error);
}

TEST_CASE_TEMPLATE("extract_subgraph: a set of ops as a net", N, plait::netdef, test::edit_net) {
  auto const n = test::make_net<N>(branch);
  auto const part = plait::extract_subgraph(n, ops{3, 1, 2});
  CHECK(part.ops == ops{1, 2, 3});
  test::struct_net const found = test::describe(part.net);
  CHECK(found.external_inputs == std::vector<std::string>{"a"});
  CHECK(found.external_outputs == std::vector<std::string>{"d", "b"});
  REQUIRE(found.ops.size() == 3);
  CHECK(found.ops[2].type == "Sum");
  CHECK(test::describe(n) == branch);
}

TEST_CASE_TEMPLATE("extract_subgraph: refuses two versions of one blob on the boundary", N, plait::netdef,
                   test::edit_net) {
  auto const n = test::make_net<N>(
      {{{"A", {"x"}, {"t"}}, {"B", {"t"}, {"u"}}, {"C", {"x"}, {"t"}}, {"D", {"t", "u"}, {"t"}}}, {"x"}, {"t"}});
  auto const refused = [&](ops const& part, std::optional<std::size_t> op, std::string const& blob) {
    try {
      (void)plait::extract_subgraph(n, part);
      FAIL("accepted");
    } catch (plait::net_error const& problem) {
      CHECK(problem.op == op);
      CHECK(problem.blob == blob);
    }
  };
  refused({1, 3}, 3, "t");  // t@1 and t@2 are live-in
  refused({0, 3}, 3, "t");  // t@2 is live-in after the subgraph writes t@1
  refused({0, 2}, 0, "t");  // t@1 is live-out, but t@2 is written after it
  CHECK_NOTHROW((void)plait::extract_subgraph(n, ops{0, 1, 2, 3}));

  auto rewritten = n;
  plait::ssa_rewrite(rewritten);
  for (ops const& part : {ops{1, 3}, ops{0, 3}, ops{0, 2}})
    CHECK_NOTHROW((void)plait::extract_subgraph(rewritten, part));
}

TEST_CASE("extract_subgraph: a random subgraph computes the same as inside the net") {
  std::mt19937 random(9);
  int extracted = 0;
  for (int round = 0; round != 500; ++round) {
    CAPTURE(round);
    test::struct_net const whole = test::random_net(random);
    auto n = test::make_net<test::edit_net>(whole);
    plait::ssa_rewrite(n);
    test::struct_net const named = test::describe(n);
    auto const blobs = test::symbolic_run(named);
    ops chosen;
    for (plait::op_index op = 0; op != named.ops.size(); ++op)
      if (random() % 2 == 0) chosen.push_back(op);
    std::shuffle(chosen.begin(), chosen.end(), random);
    test::struct_net const part = test::describe(plait::extract_subgraph(n, chosen).net);
    CHECK(part.ops.size() == chosen.size());
    // Feeds the subgraph with the values of the whole net.
    std::map<std::string, test::symbolic_value> fed;
    for (std::string const& name : part.external_inputs) fed[name] = blobs.at(name);
    for (plait::op_spec const& op : part.ops) {
      test::symbolic_value result = test::mix(3, op.type);
      for (std::string const& name : op.inputs) result = test::mix(result, fed.at(name));
      for (std::size_t slot = 0; slot != op.outputs.size(); ++slot) fed[op.outputs[slot]] = test::mix(result, slot + 1);
    }
    for (std::string const& name : part.external_outputs) CHECK(fed.at(name) == blobs.at(name));
    extracted += !part.ops.empty();
  }
  CHECK(extracted > 300);
}

TEST_CASE("extract_subgraph: reads of nested nets cross the boundary") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { type: "Relu" input: "x" output: "h" }
    op { type: "If" input: "c" output: "y"
         arg { name: "then_net" n { op { type: "Tanh" input: "h" output: "y" } } } }
    external_input: "x" external_input: "c" external_output: "y")");
  auto const part = plait::extract_subgraph(n, ops{1});
  CHECK(test::describe(part.net).external_inputs == std::vector<std::string>{"c", "h"});
}

TEST_CASE("find_subgraph_boundary: half of a million ops") {
  auto const n = test::make_net<plait::netdef>(test::long_net(1'000'000));
  auto const ssa = plait::get_ssa(n);
  ops half;
  for (plait::op_index op = 0; op < 1'000'000; op += 2) half.push_back(op);
  auto const found = plait::find_subgraph_boundary(ssa, half);
  CHECK(found.inputs.size() > 100'000);
  CHECK(found.outputs.size() > 100'000);
}
