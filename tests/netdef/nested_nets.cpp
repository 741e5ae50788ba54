#include <plait/netdef/detail/nested_nets.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/net/detail/implicit_operands.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/transform/dead_code_elimination.hpp>

namespace {

using strings = std::vector<std::string>;

// Returns a net that fills y, and then writes it by an op inside a Do that calls it `inner`.
plait::netdef written_by(std::string const& op) {
  return plait::read_netdef_text(R"(
    op { type: "ConstantFill" output: "y" }
    op { type: "Do" input: "c" input: "ws" output: "y" output: "ws"
         arg { name: "net" n { )" +
                                 op + R"( external_input: "cond" } }
         arg { name: "inner_blobs" strings: "cond" strings: "inner" }
         arg { name: "outer_blobs_idx" ints: 0 ints: 1 } }
    external_input: "c" external_input: "ws" external_output: "y")");
}

strings passes(plait::netdef const& n) {
  plait::implicit_operands<plait::netdef> inside;
  inside.compute(n, n.op[1]);
  CHECK(inside.reads().empty());
  CHECK(inside.writes().empty());
  return inside.weak_updates();
}

std::size_t dead(plait::netdef const& n) { return plait::find_dead_ops(n).ops.size(); }

TEST_CASE("nested nets: a blob that a Do may leave unwritten is live before it, by its outer name") {
  std::string const fill = R"(op { type: "ConstantFill" output: "inner" } )";
  auto const always = written_by(fill);
  CHECK(passes(always) == strings{});
  CHECK(dead(always) == 1);

  std::string const branch =
      R"(op { type: "If" input: "cond" output: "inner" arg { name: "then_net" n { )" + fill + "} } } ";
  auto const perhaps = written_by(branch);
  CHECK(passes(perhaps) == strings{"y"});
  CHECK(dead(perhaps) == 0);

  auto const first = written_by(fill + branch);
  CHECK(passes(first) == strings{});
  CHECK(dead(first) == 1);
}

TEST_CASE("nested nets: a Do writes an input that its net writes, by its outer name") {
  auto n = written_by(R"(op { type: "ConstantFill" output: "inner" } )");
  plait::op_def& binds = n.op[1];
  binds.input = {binds.input[0], binds.output[0], binds.input[1]};
  binds.output.erase(binds.output.begin());
  plait::implicit_operands<plait::netdef> inside;
  inside.compute(n, binds);
  CHECK(inside.writes() == strings{"y"});
  CHECK(inside.weak_updates().empty());
}

TEST_CASE("nested nets: inconsistent bindings of a Do are ignored") {
  auto n = written_by(R"(op { type: "If" input: "cond" output: "inner" arg { name: "then_net" n {
                               op { type: "ConstantFill" output: "inner" } } } })");
  for (std::int64_t const place : {2, 3, 7}) {  // the workspaces are not counted
    n.op[1].arg[2].ints = {0, place};
    CHECK(passes(n) == strings{});
  }
  n.op[1].arg[2].ints = {0, -1};
  CHECK(passes(n) == strings{});
  n.op[1].arg[2].ints = {0};
  CHECK(passes(n) == strings{});
}

TEST_CASE("nested nets: the error for an unreadable step net names argument, op and net") {
  auto const n = plait::read_netdef_text(R"(name: "outer"
    op { type: "Relu" input: "x" output: "y" }
    op { type: "RecurrentNetwork" arg { name: "step_net" s: "op { type: }" } })");
  try {
    (void)plait::nested_nets(n, n.op[1]);
    FAIL("read");
  } catch (plait::net_error const& problem) {
    CHECK(problem.op == 1);
    std::string const what = problem.what();
    CHECK(what.starts_with(
        "plait: argument 'step_net' of op 1 (RecurrentNetwork) of net 'outer' is not a net in text form: "
        "1:12: "));
  }
  // An op outside the net has no index.
  plait::op_def const loose = n.op[1];
  try {
    (void)plait::nested_nets(n, loose);
    FAIL("read");
  } catch (plait::net_error const& problem) {
    CHECK_FALSE(problem.op.has_value());
  }
}

}  // namespace
