#include <plait/gradient/detail/append_tape.hpp>

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <net/test_nets.hpp>
#include <support/op_lines.hpp>

#include <plait/netdef/traits.hpp>

using plait::gradient_operand;
using plait::tape_names;
using test::lines;

namespace {

// Appends "Grad: x -> x_grad" and "Grad: x_grad -> made", derived from the net's first op, to a net.
template <class N>
void append(N& target, N const& made_for, tape_names whose) {
  plait::gradient_tape tape;
  plait::forward_net<N> forward(made_for);
  forward.compute(tape, true);
  gradient_operand const x = forward.operand(forward.last(forward.find("x")));
  gradient_operand const first = tape.make_value("x_grad");
  gradient_operand const second = tape.make_value("made");
  std::uint32_t const op = tape.add("Grad", 0, std::array{x}, std::array{first}, {true, true, false});
  tape.edit_details(op).arguments.push_back({"own", std::int64_t{7}});
  tape.add("Grad", plait::npos, std::array{first}, std::array{second}, {});
  std::vector<std::uint32_t> order(tape.ops().size());
  std::iota(order.begin(), order.end(), 0u);
  plait::value_names names(tape, order);
  for (plait::blob_index const b : forward.form().blobs())
    names.hold(forward.name(b), forward.operand(forward.last(b)));
  names.assign();
  plait::append_tape(target, forward, tape, order, names, whose);
}

plait::netdef forward_netdef() {
  plait::netdef n;
  plait::op_def& op = n.add_op("Scale", {"x"}, {"y"});
  plait::arg_def& argument = op.arg.emplace_back();
  argument.name = n.intern("scale");
  argument.f = 0.5f;
  return n;
}

}  // namespace

TEST_CASE("append_tape: appends to the forward net or to a new one, with or without the names") {
  for (tape_names const whose : {tape_names::keep, tape_names::move}) {
    plait::netdef const n = forward_netdef();
    plait::netdef whole = n;
    append(whole, whole, whose);
    plait::netdef apart;
    append(apart, n, whose);
    lines const made = {"Grad: x -> x_grad", "Grad: x_grad -> made"};
    CHECK(test::lines_of(apart) == made);
    CHECK(test::lines_of(whole) == lines{"Scale: x -> y", made[0], made[1]});
    for (plait::netdef const* const net : {&apart, &whole}) {
      plait::op_def const& first = net->op[net->op.size() - 2];
      REQUIRE(first.arg.size() == 2);  // the one added, then the inherited one
      CHECK(net->text(first.arg[0].name) == "own");
      CHECK(net->text(first.arg[1].name) == "scale");
      CHECK(net->op.back().arg.empty());
    }
  }
}

TEST_CASE("append_tape: a net with other names keeps them") {
  plait::netdef other;
  other.add_op("Tanh", {"made"}, {"x"});
  append(other, forward_netdef(), tape_names::move);
  CHECK(test::lines_of(other) == lines{"Tanh: made -> x", "Grad: x -> x_grad", "Grad: x_grad -> made"});
}

TEST_CASE("append_tape: takes nets whose names are strings") {
  auto n = test::net_of<test::edit_net>({"Scale: x -> y"});
  n.ops[0].arguments.push_back({"scale", 0.5f});
  auto whole = n;
  append(whole, whole, tape_names::move);
  CHECK(test::lines_of(whole) == lines{"Scale: x -> y", "Grad: x -> x_grad", "Grad: x_grad -> made"});
  CHECK(whole.ops[1].arguments.size() == 2);
}
