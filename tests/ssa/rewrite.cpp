#include <plait/ssa/rewrite.hpp>

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

using names = std::vector<std::string>;

test::struct_net const chain{{{"FC", {"x", "w", "b"}, {"h"}}, {"Relu", {"h"}, {"h"}}, {"FC", {"h", "w2", "b2"}, {"y"}}},
                             {"x", "w", "b", "w2", "b2"},
                             {"y", "h"}};

template <class N, class F>
plait::net_error refusal(N const& n, F f) {
  test::struct_net const before = test::describe(n);
  try {
    f();
  } catch (plait::net_error const& problem) {
    CHECK(test::describe(n) == before);
    return problem;
  }
  FAIL("accepted");
  return plait::net_error("");
}

}  // namespace

TEST_CASE_TEMPLATE("ssa rewrite: every_version renames every value", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(chain);
  auto const result = plait::ssa_rewrite(n, {.value_info = {"x", "other"}});
  test::struct_net const after = test::describe(n);
  CHECK(after.external_inputs == names{"x_0", "w_0", "b_0", "w2_0", "b2_0"});
  CHECK(after.external_outputs == names{"y_1", "h_2"});
  CHECK(after.ops[1].inputs == names{"h_1"});
  CHECK(after.ops[1].outputs == names{"h_2"});
  CHECK(after.ops[2].inputs == names{"h_2", "w2_0", "b2_0"});
  CHECK(result.inputs["w2"] == "w2_0");
  CHECK(result.outputs["h"] == "h_2");
  CHECK(result.value_info == names{"x_0", "other_0"});
}

TEST_CASE_TEMPLATE("ssa rewrite: several_versions renames only blobs with several versions", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(chain);
  auto const result = plait::ssa_rewrite(n, {.naming = plait::ssa_naming::several_versions, .value_info = {"x"}});
  test::struct_net const after = test::describe(n);
  CHECK(after.external_inputs == chain.external_inputs);
  CHECK(after.external_outputs == names{"y", "h_2"});
  CHECK(after.ops[0].outputs == names{"h_1"});
  CHECK(after.ops[2].outputs == names{"y"});
  CHECK(result.value_info == names{"x"});

  // An overwritten input has two versions, whether read or not.
  auto m = test::make_net<N>({{{"Fill", {}, {"x"}}, {"Relu", {"x"}, {"y"}}}, {"x"}, {"y"}});
  plait::ssa_rewrite(m, {.naming = plait::ssa_naming::several_versions});
  CHECK(test::describe(m).ops[0].outputs == names{"x_1"});
  CHECK(test::describe(m).external_inputs == names{"x"});
}

TEST_CASE_TEMPLATE("ssa rewrite: writes each name once and preserves what the net computes", N, PLAIT_MUTABLE_NETS) {
  std::mt19937 random(77);
  for (int round = 0; round != 300; ++round) {
    CAPTURE(round);
    test::struct_net const before = test::random_net(random, {.declared = round % 2 == 0});
    for (auto naming : {plait::ssa_naming::every_version, plait::ssa_naming::several_versions}) {
      if (naming == plait::ssa_naming::every_version && round % 2 != 0)
        continue;  // undeclared reads change their names
      auto n = test::make_net<N>(before);
      plait::ssa_rewrite(n, {.naming = naming});
      test::struct_net const after = test::describe(n);
      CHECK(test::symbolic_outputs(after, test::given_by::slot) ==
            test::symbolic_outputs(before, test::given_by::slot));
      std::set<std::string> written(after.external_inputs.begin(), after.external_inputs.end());
      for (plait::op_spec const& op : after.ops) {
        std::set<std::string> const here(op.outputs.begin(), op.outputs.end());
        for (std::string const& name : here) CHECK(written.insert(name).second);
      }
    }
  }
}

TEST_CASE_TEMPLATE("ssa rewrite: a name of another blob is refused, or numbered", N, PLAIT_MUTABLE_NETS) {
  test::struct_net const net{
      {{"A", {"h_2"}, {"h"}}, {"B", {"h"}, {"h"}}, {"C", {"h", "h_2"}, {"h_2_1"}}}, {"h_2"}, {"h_2_1"}};
  auto n = test::make_net<N>(net);
  auto const problem = refusal(n, [&] { plait::ssa_rewrite(n, {.naming = plait::ssa_naming::several_versions}); });
  CHECK(problem.op == 1);
  CHECK(problem.blob == "h_2");
  plait::ssa_rewrite(n, {.naming = plait::ssa_naming::several_versions, .collision = plait::name_collision::number});
  CHECK(test::describe(n).ops[1].outputs == names{"h_2_2"});  // h_2_1 exists, too
  CHECK(test::symbolic_outputs(test::describe(n)) == test::symbolic_outputs(net));

  auto m = test::make_net<N>(net);
  plait::ssa_rewrite(m);
  CHECK(test::describe(m).ops[2].inputs == names{"h_2", "h_2_0"});
}

TEST_CASE_TEMPLATE("ssa rewrite: parameters of the init net are version 0", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(chain);
  auto init = test::make_net<N>({{{"GivenTensorFill", {}, {"w"}}, {"GivenTensorIntFill", {}, {"b"}}}, {}, {"w", "b"}});
  plait::ssa_rewrite(n, init);
  CHECK(test::describe(init).ops[1].outputs == names{"b_0"});
  CHECK(test::describe(init).external_outputs == names{"w_0", "b_0"});

  auto const refused = [&](test::struct_net const& bad, std::size_t op) {
    auto other = test::make_net<N>(bad);
    auto fresh = test::make_net<N>(chain);
    CHECK(refusal(fresh, [&] { plait::ssa_rewrite(fresh, other); }).op == op);
    CHECK(test::describe(other) == bad);
  };
  refused({{{"GivenTensorFill", {}, {"w"}}, {"ConstantFill", {}, {"b"}}}}, 1);
  refused({{{"GivenTensorFill", {}, {"w", "q"}}}}, 0);
  refused({{{"GivenTensorFill", {}, {}}}}, 0);
  refused({{{"GivenTensorFill", {}, {"w"}}, {"GivenTensorFill", {}, {"w"}}}}, 1);
}

TEST_CASE_TEMPLATE("ssa rewrite: unwritten external outputs are refused", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}, {"x"}, {"y", "nobody"}});
  CHECK(refusal(n, [&] { plait::ssa_rewrite(n); }).blob == "nobody");
  auto m = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}, {"x"}, {"y", "x"}});
  CHECK(refusal(m, [&] { plait::ssa_rewrite(m, {.require_written_outputs = true}); }).blob == "x");
  plait::ssa_rewrite(m);
  CHECK(test::describe(m).external_outputs == names{"y_1", "x_0"});
}

TEST_CASE("ssa rewrite: nested nets are renamed, or unchanged on request") {
  char const* const text = R"(
    op { type: "Relu" input: "x" output: "h" }
    op { type: "If" input: "c" output: "y"
         arg { name: "then_net" n { op { type: "Tanh" input: "h" output: "t" } op { type: "Exp" input: "t" output: "y" } } } }
    external_input: "x" external_input: "c" external_output: "y")";
  auto n = plait::read_netdef_text(text);
  plait::ssa_rewrite(n);
  plait::netdef const& inner = *n.op[1].arg[0].n;
  CHECK(inner.text(inner.op[0].input[0]) == "h_1");
  CHECK(inner.text(inner.op[0].output[0]) == "t_1");  // t is a blob of the outer net: the branch shares its workspace
  CHECK(inner.text(inner.op[1].output[0]) == "y_1");

  auto m = plait::read_netdef_text(text);
  plait::ssa_rewrite(m, {.nested_nets = false});
  plait::netdef const& left = *m.op[1].arg[0].n;
  CHECK(left.text(left.op[0].input[0]) == "h");
  CHECK(m.text(m.op[1].output[0]) == "y_1");
}

TEST_CASE("ssa rewrite: a nested net that updates an outer blob in place is refused") {
  auto n = plait::read_netdef_text(R"(
    op { type: "While" input: "c" input: "i" output: "i" arg { name: "loop_net" n { op { type: "Inc" input: "i" output: "i" } } } }
    external_input: "c" external_input: "i" external_output: "i")");
  auto const problem = refusal(n, [&] { plait::ssa_rewrite(n); });
  CHECK(problem.op == 0);
  CHECK(problem.blob == "i");
}

TEST_CASE("ssa rewrite: a Do that updates an outer blob is refused") {
  char const* const text = R"(
    op { type: "CreateScope" output: "ws" }
    op { type: "Do" input: "x" input: "ws" output: "x" output: "ws"
         arg { name: "inner_blobs" strings: "i" } arg { name: "outer_blobs_idx" ints: 0 }
         arg { name: "net" n { op { type: "Negative" input: "i" output: "i" } } } }
    external_input: "x" external_output: "x")";
  auto n = plait::read_netdef_text(text);
  auto const problem = refusal(n, [&] { plait::ssa_rewrite(n); });
  CHECK(problem.op == 1);
  CHECK(problem.blob == "x");
  plait::ssa_rewrite(n, {.nested_nets = false});
  CHECK(n.text(n.op[1].output[0]) == "x_1");
}

TEST_CASE("ssa rewrite: control inputs of nested ops are renamed") {
  auto n = plait::read_netdef_text(R"(
    op { type: "Relu" input: "a" output: "x" }
    op { type: "If" input: "c" output: "y"
         arg { name: "then_net" n { op { type: "Relu" input: "a" output: "y" control_input: "x" } } } }
    external_input: "a" external_input: "c" external_output: "y")");
  plait::ssa_rewrite(n);
  plait::netdef const& branch = *n.op[1].arg[0].n;
  CHECK(branch.text(branch.op[0].extras().control_input[0]) == "x_1");
}

TEST_CASE("ssa rewrite: handles a million ops") {
  auto n = test::make_net<plait::netdef>(test::long_net(1'000'000));
  plait::ssa_rewrite(n);
  CHECK(n.text(n.external_input[0]) == "x_0");
  auto const again = plait::get_ssa(n);
  for (plait::blob_index b : again.blobs()) REQUIRE(again.version(b) <= 1);
}
