#include <plait/transform/dead_code_elimination.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>

#include <net/test_nets.hpp>
#include <oracle/symbolic_run.hpp>
#include <support/random_net.hpp>

namespace {

// The definition, without bookkeeping: an op is live if one of its values reaches an external output.
std::vector<plait::op_index> dead_by_definition(test::struct_net const& n) {
  std::set<std::size_t> alive;
  std::set<std::string> needed(n.external_outputs.begin(), n.external_outputs.end());
  for (std::size_t i = n.ops.size(); i-- != 0;) {
    bool lives = false;
    for (std::string const& out : n.ops[i].outputs) lives |= needed.contains(out);
    if (!lives) continue;
    alive.insert(i);
    for (std::string const& out : n.ops[i].outputs) needed.erase(out);
    needed.insert(n.ops[i].inputs.begin(), n.ops[i].inputs.end());
  }
  std::vector<plait::op_index> dead;
  for (std::size_t i = 0; i != n.ops.size(); ++i)
    if (!alive.contains(i)) dead.push_back(static_cast<plait::op_index>(i));
  return dead;
}

test::struct_net const two_readers{
    {{"Relu", {"x"}, {"a"}}, {"Tanh", {"a"}, {"dead"}}, {"Sigmoid", {"a"}, {"y"}}}, {"x"}, {"y"}};

}  // namespace

TEST_CASE_TEMPLATE("remove_dead_ops: an op is live if any reader is live", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(two_readers);
  auto const found = plait::remove_dead_ops(n);
  CHECK(found.ops == std::vector<plait::op_index>{1});
  test::struct_net const left = test::describe(n);
  REQUIRE(left.ops.size() == 2);
  CHECK(left.ops[0].type == "Relu");
  CHECK(left.ops[1].type == "Sigmoid");

  SUBCASE("not so in detectron2") {
    auto m = test::make_net<N>(two_readers);
    CHECK(plait::remove_dead_ops(m, {.dead_reader_kills = true}).ops == std::vector<plait::op_index>{0, 1});
  }
}

TEST_CASE_TEMPLATE("remove_dead_ops: keeps what the net computes, in one run", N, PLAIT_MUTABLE_NETS) {
  std::mt19937 random(20);
  for (int round = 0; round != 400; ++round) {
    test::struct_net const before = test::random_net(random);
    CAPTURE(round);
    auto n = test::make_net<N>(before);
    auto const found = plait::remove_dead_ops(n, {.prune_external_inputs = true});
    CHECK(found.ops == dead_by_definition(before));
    test::struct_net const after = test::describe(n);
    CHECK(after.external_outputs == before.external_outputs);
    CHECK(test::symbolic_outputs(after) == test::symbolic_outputs(before));
    CHECK(plait::remove_dead_ops(n, {.prune_external_inputs = true}).empty());

    // A pruned input is one whose value makes no difference.
    for (std::string const& name : found.external_input_names)
      for (plait::op_spec const& op : after.ops) {
        bool written = false;
        for (plait::op_spec const& other : after.ops) {
          if (&other == &op) break;
          for (std::string const& out : other.outputs) written |= out == name;
        }
        if (!written) CHECK(std::count(op.inputs.begin(), op.inputs.end(), name) == 0);
      }
  }
}

TEST_CASE("remove_dead_ops: detectron2's rule never keeps an op that the exact rule removes") {
  std::mt19937 random(21);
  int differ = 0;
  for (int round = 0; round != 400; ++round) {
    test::struct_net const net = test::random_net(random);
    auto const n = test::make_net<test::edit_net>(net);
    auto const ours = plait::find_dead_ops(n).ops;
    auto const theirs = plait::find_dead_ops(n, {.dead_reader_kills = true}).ops;
    CHECK(std::includes(theirs.begin(), theirs.end(), ours.begin(), ours.end()));
    differ += ours != theirs;
  }
  CHECK(differ > 10);
}

TEST_CASE_TEMPLATE("remove_dead_ops: an external output without producer is refused, changing nothing", N,
                   PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}, {"Tanh", {"y"}, {"z"}}}, {"x"}, {"y", "nobody"}});
  test::struct_net const before = test::describe(n);
  try {
    plait::remove_dead_ops(n);
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.blob == "nobody");
    CHECK_FALSE(problem.op.has_value());
  }
  CHECK(test::describe(n) == before);
}

TEST_CASE_TEMPLATE("remove_dead_ops: an external input may be the output", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}, {"w", "x"}, {"x"}});
  auto const found = plait::remove_dead_ops(n, {.prune_external_inputs = true});
  CHECK(found.ops.size() == 1);
  CHECK(found.external_inputs == std::vector<std::uint32_t>{0});
  CHECK(found.external_input_names == std::vector<std::string>{"w"});
  CHECK(test::describe(n).external_inputs == std::vector<std::string>{"x"});
}

TEST_CASE_TEMPLATE("remove_dead_ops: ops with side effects stay on request", N, PLAIT_MUTABLE_NETS) {
  test::struct_net const net{
      {{"Relu", {"x"}, {"a"}}, {"Print", {"a"}, {}}, {"Save", {"x"}, {"unused"}}, {"Relu", {"x"}, {"y"}}},
      {"x"},
      {"y"}};
  auto n = test::make_net<N>(net);
  CHECK(plait::find_dead_ops(n).ops == std::vector<plait::op_index>{0, 1, 2});
  CHECK(plait::find_dead_ops(n, {.keep_ops_without_outputs = true}).ops == std::vector<plait::op_index>{2});
  auto const saves = [&](auto const& op) { return plait::op_type(n, op) == "Save"; };
  CHECK(plait::find_dead_ops(n, {}, saves).ops == std::vector<plait::op_index>{0, 1});
  CHECK(plait::find_dead_ops(n, {.keep_ops_without_outputs = true}, saves).ops.empty());
}

TEST_CASE("remove_dead_ops: nested nets and control inputs keep their operands live") {
  plait::netdef const net = plait::read_netdef_text(R"(
    op { type: "Relu" input: "x" output: "inner_only" }
    op { type: "Relu" input: "x" output: "old" }
    op { type: "Relu" input: "x" output: "waited_for" }
    op { type: "Relu" input: "x" output: "nobody" }
    op { type: "If" input: "c" output: "old"
         arg { name: "then_net" n { op { type: "Tanh" input: "inner_only" output: "old" } } } }
    op { type: "Copy" input: "old" output: "y" control_input: "waited_for" }
    external_input: "x" external_input: "c" external_output: "y")");
  CHECK(plait::find_dead_ops(net).ops == std::vector<plait::op_index>{3});
  // Without subnets, the value that the If keeps when its branch is not taken is lost.
  CHECK(plait::find_dead_ops(net, {.subnets = false}).ops == std::vector<plait::op_index>{0, 1, 3});
}

TEST_CASE("remove_dead_ops: a control input of a nested op is live") {
  plait::netdef const net = plait::read_netdef_text(R"(
    op { type: "Relu" input: "x" output: "waited_for" }
    op { type: "If" input: "c" output: "y"
         arg { name: "then_net" n { op { type: "Tanh" input: "x" output: "y" control_input: "waited_for" } } } }
    external_input: "x" external_input: "c" external_output: "y")");
  CHECK(plait::find_dead_ops(net).ops.empty());
}

TEST_CASE("remove_dead_ops: an op is live by the writes of its nested net") {
  plait::netdef const net = plait::read_netdef_text(R"(
    op { type: "If" input: "c" arg { name: "else_net" n { op { type: "Tanh" input: "x" output: "y" } } } }
    external_input: "x" external_input: "c" external_input: "y" external_output: "y")");
  CHECK(plait::find_dead_ops(net).ops.empty());
}

TEST_CASE("remove_dead_ops: a million ops") {
  auto n = test::make_net<plait::netdef>(test::long_net(1'000'000));
  auto const found = plait::remove_dead_ops(n);
  CHECK(found.ops.size() + n.op.size() == 1'000'000);
  CHECK(found.ops.size() > 100'000);
  CHECK(plait::find_dead_ops(n).empty());
}
