#include <plait/transform/detail/clone_net.hpp>

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>

#include <net/test_nets.hpp>
#include <support/random_net.hpp>

namespace {

using names = std::vector<std::string>;
test::struct_net const branch{
    {{"Relu", {"x"}, {"a"}}, {"Tanh", {"a"}, {"b"}}, {"Sigmoid", {"a"}, {"c"}}, {"Sum", {"b", "c"}, {"d"}}},
    {"x"},
    {"d"}};

}  // namespace

TEST_CASE_TEMPLATE("clone: copies a net under another name", N, plait::netdef, test::edit_net) {
  auto const n = test::make_net<N>(branch);
  auto const copy = plait::clone(n, "copy", {.blob_remap = {{"a", "A"}, {"d", "D"}, {"nobody", "q"}}});
  CHECK(copy.name == "copy");
  CHECK(plait::net_traits<N>::net_name(copy.net) == "copy");
  CHECK(copy.names == plait::name_map{{"a", "A"}, {"d", "D"}});
  test::struct_net const made = test::describe(copy.net);
  CHECK(made.ops[0].outputs == names{"A"});
  CHECK(made.ops[3].outputs == names{"D"});
  CHECK(made.external_outputs == names{"D"});
  CHECK(test::describe(n) == branch);
}

TEST_CASE_TEMPLATE("clone: copies some of the ops, in any order, repeated or not", N, plait::netdef, test::edit_net) {
  auto const n = test::make_net<N>(branch);
  auto const types = [&](std::vector<plait::op_index> ops) {
    names found;
    for (plait::op_spec const& op : test::describe(plait::clone(n, "part", {.ops = std::move(ops)}).net).ops)
      found.push_back(op.type);
    return found;
  };
  CHECK(types({0, 3}) == names{"Relu", "Sum"});
  CHECK(types({3, 0, 0}) == names{"Sum", "Relu", "Relu"});
  CHECK(types({}) == names{});
  CHECK(test::describe(plait::clone(n, "part", {.ops = std::vector<plait::op_index>{1}}).net).external_outputs ==
        names{"d"});
  try {
    (void)plait::clone(n, "part", {.ops = std::vector<plait::op_index>{1, 4}});
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.op == 4);
  }
}

TEST_CASE_TEMPLATE("clone: names are checked unless merge is set", N, plait::netdef, test::edit_net) {
  auto const n = test::make_net<N>(branch);
  CHECK_THROWS_AS((void)plait::clone(n, "copy", {.blob_remap = {{"b", "c"}}}), plait::net_error);
  auto const merged = plait::clone(n, "copy", {.blob_remap = {{"b", "c"}}, .capture = plait::name_capture::merge});
  CHECK(test::describe(merged.net).ops[3].inputs == names{"c", "c"});
}

TEST_CASE("clone: a clone of a clone with the inverse names is the original") {
  std::mt19937 random(4);
  for (int round = 0; round != 100; ++round) {
    test::struct_net const before = test::random_net(random, {.declared = false});
    auto const n = test::make_net<test::edit_net>(before);
    plait::name_map there;
    plait::name_map back;
    for (int b = 0; b != 7; ++b) {
      std::string const name = "b" + std::to_string(b);
      there.set(name, "c/" + name);
      back.set("c/" + name, name);
    }
    auto const copy = plait::clone(n, "c", {.blob_remap = there});
    CHECK(test::describe(plait::clone(copy.net, "", {.blob_remap = back}).net) == before);
  }
}

TEST_CASE("clone: nested nets are cloned") {
  auto const n = plait::read_netdef_text(R"(
    name: "outer"
    op { type: "If" input: "c" output: "y" control_input: "x"
         arg { name: "then_net" n { name: "then" op { type: "Tanh" input: "x" output: "y" } } }
         arg { name: "else_net" n { name: "else" op { type: "Relu" input: "x" output: "y" } } } }
    op { type: "RecurrentNetwork" input: "y" output: "z"
         arg { name: "link_external" strings: "y" } arg { name: "link_internal" strings: "y_t" } arg { name: "timestep" s: "t" }
         arg { name: "step_net" n { name: "step" op { type: "Sum" input: "y_t" input: "x" output: "o" } } }
         arg { name: "backward_step_net" s: "name: \"back\" op { type: \"SumGradient\" input: \"x\" output: \"p\" }" } })");
  auto const copy = plait::clone(n, "copy", {.blob_remap = {{"x", "X"}, {"y", "Y"}, {"t", "T"}}}).net;
  CHECK(copy.text(copy.op[0].extras().control_input[0]) == "X");
  plait::netdef const& then_net = *copy.op[0].arg[0].n;
  CHECK(then_net.text(then_net.name) == "then_remapped");
  CHECK(then_net.text(then_net.op[0].output[0]) == "Y");
  plait::netdef const& else_net = *copy.op[0].arg[1].n;
  CHECK(else_net.text(else_net.name) == "else_remapped");
  plait::op_def const& rnn = copy.op[1];
  CHECK(rnn.arg[0].strings == names{"Y"});
  CHECK(rnn.arg[1].strings == names{"y_t"});
  CHECK(rnn.arg[2].s == "T");
  plait::netdef const& step = *rnn.arg[3].n;
  CHECK(step.text(step.name) == "cloned_sub_net");
  CHECK(step.text(step.op[0].input[1]) == "X");
  auto const back = plait::read_netdef_text(*rnn.arg[4].s);
  CHECK(back.text(back.name) == "cloned_sub_net_1");
  CHECK(back.text(back.op[0].input[0]) == "X");
  // The original is untouched, also where it holds messages.
  CHECK(n.op[0].arg[0].n->text(n.op[0].arg[0].n->op[0].input[0]) == "x");
}

TEST_CASE("clone: a million ops") {
  auto const n = test::make_net<plait::netdef>(test::long_net(1'000'000));
  auto const copy = plait::clone(n, "copy", {.blob_remap = {{"x", "X"}}});
  CHECK(copy.net.op.size() == 1'000'000);
  CHECK(copy.net.text(copy.net.op[0].input[0]) == "X");
}
