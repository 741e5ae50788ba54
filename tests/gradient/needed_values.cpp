#include <plait/gradient/detail/needed_values.hpp>
#include <plait/gradient/detail/scope_names.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <net/test_nets.hpp>
#include <support/op_lines.hpp>

using plait::gradient_operand;
using plait::overwritten_values;
using net = test::edit_net;

namespace {

// The gradient op of op 1 reads the output a of op 0, which op 1 overwrites.
struct reading {
  net const n = test::net_of<net>({"New: x -> a", "Tanh: a -> a"});
  plait::gradient_tape tape;
  plait::forward_net<net> forward{n};
  gradient_operand gone;
  gradient_operand present;
  std::vector<std::uint32_t> order;

  reading() {
    forward.compute(tape, true);
    plait::blob_index const a = forward.find("a");
    gone = forward.operand({a, 1});
    present = forward.operand({a, 2});
    order = {tape.add("Grad", 1, std::array{gone, present}, std::array{tape.make_value("g")}, {})};
  }
  plait::needed_values<net> provide(overwritten_values how, bool repeatable = true) {
    plait::needed_values<net> needed(tape, forward, [=](plait::op_index) { return repeatable; });
    needed.set_policy({.how = how});
    needed.provide(order);
    return needed;
  }
};

}  // namespace

TEST_CASE("needed_values: an overwritten value is missing, with its reader") {
  reading r;
  auto const needed = r.provide(overwritten_values::refuse);
  REQUIRE(needed.missing().size() == 1);
  CHECK(needed.missing()[0].what == plait::value{r.forward.find("a"), 1});
  CHECK(needed.missing()[0].reader == 1);
  CHECK(r.order.size() == 1);
  CHECK(r.tape.inputs(0)[0] == r.gone);
}

TEST_CASE("needed_values: a copy after the producer replaces the value") {
  reading r;
  auto needed = r.provide(overwritten_values::copy);
  CHECK(needed.missing().empty());
  CHECK(r.tape.is_made(r.tape.inputs(0)[0]));
  CHECK(r.tape.inputs(0)[1] == r.present);
  plait::value_names names(r.tape, r.order);
  needed.name_saved(names, plait::scope_names(r.tape.texts));
  REQUIRE(needed.saved().size() == 1);
  CHECK(needed.saved()[0].position == 1);
  CHECK(needed.saved()[0].blob == "a");
  CHECK(r.tape.texts[names[r.tape.inputs(0)[0]]] == needed.saved()[0].name);
}

TEST_CASE("needed_values: the producer is recomputed before the reader if it is deterministic") {
  reading r;
  auto const needed = r.provide(overwritten_values::recompute);
  CHECK(needed.missing().empty());
  REQUIRE(r.order.size() == 2);
  CHECK(r.order[1] == 0);
  CHECK(r.tape.texts[r.tape[r.order[0]].type] == "New");
  CHECK(r.tape.outputs(r.order[0])[0] == r.tape.inputs(0)[0]);

  reading other;
  CHECK(other.provide(overwritten_values::recompute, false).missing().size() == 1);
}

TEST_CASE("needed_values: in nested nets a value that cannot be recomputed is copied") {
  reading r;
  plait::needed_values<net> needed(r.tape, r.forward, [](plait::op_index) { return false; });
  needed.set_policy({.how = overwritten_values::recompute, .copy_the_rest = true});
  needed.provide(r.order);
  CHECK(needed.missing().empty());
  CHECK(r.order.size() == 1);
  CHECK(r.tape.is_made(r.tape.inputs(0)[0]));
}

TEST_CASE("needed_values: availability depends on the policy and on the enclosing net") {
  using plait::value_availability;
  reading r;
  plait::blob_index const x = r.forward.find("x");
  gradient_operand const given = r.forward.operand({x, 0});
  auto const available = [&](plait::value_policy policy, bool repeatable, value_availability outside,
                             gradient_operand v) {
    plait::needed_values<net> needed(r.tape, r.forward, [=](plait::op_index) { return repeatable; });
    needed.set_policy(policy);
    needed.share(x, {"x", outside, false});
    return needed.availability(v);
  };
  using how = overwritten_values;
  CHECK(available({.how = how::refuse}, true, value_availability::kept, r.gone) == value_availability::refused);
  CHECK(available({.how = how::copy}, true, value_availability::kept, r.gone) == value_availability::kept);
  CHECK(available({.how = how::recompute}, true, value_availability::kept, r.gone) == value_availability::kept);
  CHECK(available({.how = how::recompute}, false, value_availability::kept, r.gone) == value_availability::overwritten);
  CHECK(available({.how = how::refuse}, true, value_availability::kept, r.present) == value_availability::kept);
  CHECK(available({.how = how::copy}, true, value_availability::refused, given) == value_availability::refused);
  CHECK(available({.how = how::copy}, true, value_availability::overwritten, given) == value_availability::kept);
}

TEST_CASE("needed_values: operands read for their shape or device are replaced by other values") {
  net const n = test::net_of<net>({"FC: x w v -> a", "Tanh: a -> b", "FC: x w v -> a"});
  plait::gradient_tape tape;
  plait::forward_net<net> forward{n};
  forward.compute(tape, true);
  gradient_operand const gone = forward.operand({forward.find("a"), 1});
  for (bool const exact : {false, true}) {
    std::vector<std::uint32_t> order = {
        tape.add("ConstantFill", 1, std::array{gone}, std::array{tape.make_value("zeros")}, {}),
        tape.add("CopyOnDeviceLike", 1, std::array{gone, gone}, std::array{tape.make_value("copy")}, {})};
    plait::needed_values<net> needed(tape, forward, [](plait::op_index) { return false; });
    needed.set_policy({.exact_operands = exact});
    needed.provide(order);
    CHECK(needed.missing().size() == 1);  // the elements that are copied
    if (exact) continue;
    CHECK(tape.inputs(order[0])[0] == forward.operand({forward.find("b"), 1}));
    CHECK(tape.inputs(order[1])[0] == gone);
    CHECK(tape.inputs(order[1])[1] == forward.operand({forward.find("a"), 2}));
  }
}
