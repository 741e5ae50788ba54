#include <plait/gradient/detail/forward_net.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <net/test_nets.hpp>
#include <support/op_lines.hpp>

#include <plait/netdef/traits.hpp>

namespace {

using net = test::edit_net;

static_assert(plait::symbol_named_net<plait::netdef> && !plait::symbol_named_net<net>);

// Checks for nets with text names and with symbols.
template <class N>
void check(N const& n) {
  plait::gradient_tape tape;
  plait::forward_net<N> forward(n);
  forward.compute(tape, true);
  std::size_t const types = forward.type_count();
  forward.compute(tape, true);  // a second call resets the state
  CHECK(forward.type_count() == types);
  auto const& form = forward.form();
  CHECK(tape.forward_count() == form.value_count());
  for (std::uint32_t v = 0; v != form.value_count(); ++v) {
    plait::value const at = forward.value_at(v);
    CHECK(form.index(at) == v);
    CHECK(forward.operand(at).id == v);
    CHECK(tape.texts[forward.name_of_value(v)] == forward.text(at.blob));
  }
  for (char const* name : {"x", "w", "y"}) {
    plait::blob_index const b = forward.find(name);
    REQUIRE(b != plait::npos);
    CHECK(forward.text(b) == name);
  }
  CHECK(forward.find("FC") == plait::npos);  // a type, not a blob
  CHECK(forward.find("nothing") == plait::npos);
  plait::blob_index const y = forward.find("y");
  CHECK(forward.writers(y) == std::vector<plait::op_index>{0, 1});
  CHECK(forward.last(y) == plait::value{y, 2});
  CHECK(forward.is_read(y));
  CHECK(!forward.is_read(forward.find("z")));
  CHECK(forward.type(0) == "FC");
  CHECK(forward.type(2) == "Tanh");
  CHECK(forward.type_number(1) == forward.type_number(2));
  CHECK(forward.type_count() == 2);
  CHECK(forward.input_count(0) == 2);
  CHECK(forward.label(1) == "op 1 (Tanh)");
}

}  // namespace

TEST_CASE("forward_net: values, blobs and ops are found by index") {
  check(test::net_of<net>({"FC: x w -> y", "Tanh: y -> y", "Tanh: y -> z"}));
  plait::netdef n;
  n.add_op("FC", {"x", "w"}, {"y"});
  n.add_op("Tanh", {"y"}, {"y"});
  n.add_op("Tanh", {"y"}, {"z"});
  check(n);
}

TEST_CASE("forward_net: the tape of a netdef starts with the net's symbols") {
  plait::netdef n;
  n.add_op("Tanh", {"x"}, {"y"});
  plait::gradient_tape tape;
  plait::forward_net<plait::netdef> forward(n);
  forward.compute(tape, true);
  for (char const* text : {"x", "y", "Tanh"}) CHECK(tape.texts.find(text) == n.find(text));
}
