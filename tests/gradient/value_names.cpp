#include <plait/gradient/detail/value_names.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <plait/gradient/detail/gradient_tape.hpp>

using plait::gradient_operand;
using plait::gradient_tape;

namespace {

using operands = std::vector<gradient_operand>;

std::uint32_t add(gradient_tape& tape, operands const& in, operands const& out) {
  return tape.add("Op", plait::npos, in, out, {});
}
std::vector<std::uint32_t> all(gradient_tape const& tape) {
  std::vector<std::uint32_t> order(tape.ops().size());
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

}  // namespace

TEST_CASE("value_names: a name is free after the last read of its value") {
  gradient_tape tape(1);
  gradient_operand const x{0};
  gradient_operand const a = tape.make_value("g");
  gradient_operand const b = tape.make_value("g");
  gradient_operand const c = tape.make_value("g");
  add(tape, {x}, {a});
  add(tape, {a}, {b});     // cannot overwrite a, which is read once more
  add(tape, {a, b}, {c});  // overwrites b or a
  auto const order = all(tape);
  plait::value_names names(tape, order);
  names.hold(tape.texts.intern("x"), x);
  names.assign();
  CHECK(tape.texts[names[a]] == "g");
  CHECK(tape.texts[names[b]] == "g_1");
  CHECK(tape.texts[names[c]] == "g");
}

TEST_CASE("value_names: force_wishes overwrites live values") {
  gradient_tape tape(1);
  gradient_operand const x{0};
  gradient_operand const a = tape.make_value("x");
  gradient_operand const b = tape.make_value("x");
  add(tape, {x}, {a});
  add(tape, {x, a}, {b});
  auto const order = all(tape);
  plait::value_names names(tape, order);
  names.hold(tape.texts.intern("x"), x);
  names.keep(x);
  names.force_wishes();
  names.assign();
  CHECK(tape.texts[names[a]] == "x");
  CHECK(tape.texts[names[b]] == "x");
}

TEST_CASE("value_names: a kept value keeps its name; not_in_place forbids the name of an input") {
  gradient_tape tape(1);
  gradient_operand const x{0};
  gradient_operand const a = tape.make_value("x");
  gradient_operand const b = tape.make_value_like(a);
  gradient_operand const c = tape.make_value_like(b);
  add(tape, {x}, {a});
  add(tape, {a}, {b});
  tape[add(tape, {b}, {c})].not_in_place = true;
  auto const order = all(tape);
  plait::value_names names(tape, order);
  names.hold(tape.texts.intern("x"), x);
  names.keep(x);
  names.assign();
  CHECK(tape.texts[names[a]] == "x_1");
  CHECK(tape.texts[names[b]] == "x_1");  // in place
  CHECK(tape.texts[names[c]] != "x_1");
  CHECK(tape.texts[names[c]] != "x");
}

TEST_CASE("value_names: outputs of one op have distinct names, also without readers") {
  gradient_tape tape(0);
  gradient_operand const a = tape.make_value("g");
  gradient_operand const b = tape.make_value("g");
  add(tape, {}, {a, b});
  auto const order = all(tape);
  plait::value_names names(tape, order);
  names.assign();
  CHECK(tape.texts[names[a]] == "g");
  CHECK(tape.texts[names[b]] == "g_1");
}

TEST_CASE("value_names: a forced name overwrites a live value") {
  gradient_tape tape(1);
  gradient_operand const state{0};
  gradient_operand const after = tape.make_value_like(state);
  tape.made(after).forced = true;
  add(tape, {state}, {after});
  auto const order = all(tape);
  plait::value_names names(tape, order);
  names.hold(tape.texts.intern("state"), state);
  names.keep(state);
  names.assign();
  CHECK(tape.texts[names[after]] == "state");
}

TEST_CASE("value_names: numeric suffixes skip names in use") {
  gradient_tape tape(2);
  gradient_operand const g{0};
  gradient_operand const g1{1};
  gradient_operand const made = tape.make_value("g");
  add(tape, {g, g1}, {made});
  auto const order = all(tape);
  plait::value_names names(tape, order);
  names.hold(tape.texts.intern("g"), g);
  names.hold(tape.texts.intern("g_1"), g1);
  names.keep(g);
  names.keep(g1);
  names.assign();
  CHECK(tape.texts[names[made]] == "g_2");
}
