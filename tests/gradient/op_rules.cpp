#include <plait/gradient/detail/op_rules.hpp>

#include <doctest/doctest.h>

#include <net/test_nets.hpp>
#include <support/op_lines.hpp>

#include <plait/gradient/detail/gradient_tape.hpp>

TEST_CASE("op_rules: finds the rule of each op's type") {
  plait::gradient_rules rules;
  rules.set_none({"Shape"});
  rules.refuse("Argmax", "no");
  auto const n = test::net_of<test::edit_net>({"Shape: x -> s", "New: x -> y", "Argmax: y -> z", "Shape: z -> s2"});
  plait::gradient_tape tape;
  plait::forward_net<test::edit_net> net(n);
  net.compute(tape, true);
  plait::op_rules<test::edit_net> found(net, rules);
  found.find_all();
  CHECK(net.type_count() == 3);
  for (plait::op_index op = 0; op != n.ops.size(); ++op) {
    CHECK(net.type(op) == n.ops[op].type);
    CHECK(found[op] == rules.find(n.ops[op].type));
  }
  CHECK(found[0] == found[3]);
  CHECK(found[1] == nullptr);
}
