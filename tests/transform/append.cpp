#include <plait/transform/detail/append.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/core/assert.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/ssa/versioning.hpp>

#include <net/test_nets.hpp>
#include <oracle/symbolic_run.hpp>

namespace {
using names = std::vector<std::string>;
test::struct_net const first{{{"Relu", {"x"}, {"a"}}, {"Relu", {"a"}, {"a"}}}, {"x"}, {"a"}};
test::struct_net const second{
    {{"Sum", {"a", "x", "w", "w"}, {"y"}}, {"Tanh", {"y"}, {"a"}}}, {"w", "a", "x", "w"}, {"y", "a", "y"}};
}  // namespace

TEST_CASE_TEMPLATE("append_net: ops and externals of one net follow those of the other", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(first);
  auto const m = test::make_net<N>(second);
  auto const added = plait::append_net(n, m);
  CHECK(added.first_op == 2);
  CHECK(added.external_inputs == names{"w"});
  CHECK(added.external_outputs == names{"y"});
  test::struct_net const both = test::describe(n);
  CHECK(both.external_inputs == names{"x", "w"});
  CHECK(both.external_outputs == names{"a", "y"});
  REQUIRE(both.ops.size() == 4);
  CHECK(both.ops[2].inputs == second.ops[0].inputs);
  CHECK(test::describe(m) == second);
  // Versions equal those of the second net run after the first.
  auto const before = plait::get_ssa(first);
  auto const after = plait::get_ssa(second, before);
  auto const whole = plait::get_ssa(both);
  for (plait::op_index op = 0; op != 2; ++op)
    for (std::size_t i = 0; i != after.writes(op).size(); ++i)
      CHECK(whole.writes(op + 2)[i].version == after.writes(op)[i].version);
}

TEST_CASE_TEMPLATE("append_net: sets the device of the appended ops", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(first);
  plait::append_net(n, test::make_net<N>(second), {.device = plait::device_spec{plait::device_kind::cuda, 1}});
  test::struct_net const both = test::describe(n);
  CHECK_FALSE(both.ops[1].device.has_value());
  CHECK(both.ops[2].device == plait::device_spec{plait::device_kind::cuda, 1});
}

TEST_CASE("append_net: sets the device of nested ops") {
  plait::netdef n;
  plait::append_net(n, plait::read_netdef_text(R"(
    op { type: "RecurrentNetwork" arg { name: "step_net" s: "op { type: \"Relu\" }" }
         arg { name: "backward_step_net" n { op { type: "If" arg { name: "then_net" n { op { type: "Exp" } } } } } } })"),
                    {.device = plait::device_spec{plait::device_kind::cuda, 0}});
  auto const step = plait::read_netdef_text(*n.op[0].arg[0].s);
  REQUIRE(step.op[0].device_option);
  CHECK(step.op[0].device_option->device_type == 1);
  plait::netdef const& inside = *n.op[0].arg[1].n->op[0].arg[0].n;
  REQUIRE(inside.op[0].device_option);
  CHECK(inside.op[0].device_option->device_id == 0);

  plait::netdef const bad =
      plait::read_netdef_text(R"(op { type: "RecurrentNetwork" arg { name: "step_net" s: "op {" } })");
  CHECK_THROWS_AS(plait::append_net(n, bad, {.device = plait::device_spec{}}), plait::net_error);
  CHECK(n.op.size() == 1);
}

TEST_CASE("append_net: refuses to append a net to itself") {
  auto n = test::make_net<test::edit_net>(first);
  CHECK_THROWS_AS(plait::append_net(n, n), plait::precondition_error);
}
