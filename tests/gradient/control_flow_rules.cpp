// Structure of the gradients of control flow; check_gradient/control_flow.cpp tests their values.
#include <plait/gradient/detail/control_flow_rules.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <net/test_nets.hpp>
#include <support/op_lines.hpp>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/net_builder.hpp>

using plait::net_builder;
using plait::netdef;
using plait::op_def;
using test::lines;

namespace {

struct control_op {
  netdef const* around;
  op_def const* op;
  netdef const& net(std::string_view argument) const { return *plait::find_argument(*around, *op, argument)->n; }
  bool has(std::string_view argument) const { return plait::find_argument(*around, *op, argument) != nullptr; }
  lines inputs() const { return texts(op->input); }
  lines outputs() const { return texts(op->output); }
  template <class Names>
  lines texts(Names const& names) const {
    lines made;
    for (plait::symbol const name : names) made.emplace_back(around->text(name));
    return made;
  }
};

// Returns the first op of a type.
control_op find(netdef const& n, std::string_view type) {
  for (op_def const& op : n.op)
    if (n.text(op.type) == type) return {&n, &op};
  FAIL("no " << type);
  return {};
}
std::size_t count(lines const& all, std::string_view part) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [&](std::string const& line) { return line.find(part) != std::string::npos; }));
}

plait::backward_net<netdef> back(net_builder const& n, plait::gradient_options const& options = {}) {
  return plait::backward_pass(n.net(), {"y"}, plait::gradient_rules::standard(), options);
}

net_builder given(std::vector<char const*> const& names) {
  net_builder n("n");
  for (char const* name : names) n.external_input(name);
  return n;
}

std::string refusal(net_builder const& n) {
  try {
    (void)back(n);
  } catch (plait::gradient_error const& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("If gradient: branches of Sum and Add only have a gradient") {
  net_builder n = given({"cond", "a", "b", "y"});
  n.if_(
      "cond",
      [](net_builder& b) {
        b.op("Add", {"a", "b"}, {"y"});
      },
      [](net_builder& b) {
        b.op("Sum", {"a", "a"}, {"y"});
      });
  auto const made = back(n);
  CHECK(made.gradients.contains("a"));
  CHECK(made.gradients.contains("b"));
  control_op const op = find(made.net, "If");
  CHECK(op.has("then_net"));
  CHECK(op.has("else_net"));
}

TEST_CASE("If gradient: the condition is its first input, exactly once, whatever its name") {
  net_builder n = given({"ab", "a", "b", "y"});
  n.if_("ab", [](net_builder& t) { t.op("Mul", {"a", "b"}, {"y"}); });
  auto const made = back(n);
  lines const inputs = find(made.net, "If").inputs();
  REQUIRE(!inputs.empty());
  CHECK(inputs.front() == "ab");
  CHECK(std::ranges::count(inputs, "ab") == 1);
  CHECK(std::set<std::string>(inputs.begin(), inputs.end()).size() == inputs.size());
}

TEST_CASE("If gradient: Caffe2 lists a condition that a branch reads twice") {
  net_builder n = given({"cond", "a", "y"});
  n.if_("cond", [](net_builder& t) { t.if_("cond", [](net_builder& u) { u.op("Mul", {"a", "a"}, {"y"}); }); });
  CHECK(std::ranges::count(find(back(n).net, "If").inputs(), "cond") == 1);
  CHECK(std::ranges::count(find(back(n, {.as_caffe2 = true}).net, "If").inputs(), "cond") == 2);
}

TEST_CASE("If gradient: a missing branch and a gradient missing in a branch are filled with zeros") {
  net_builder n = given({"cond", "a", "y"});
  n.if_("cond", [](net_builder& t) { t.op("Mul", {"a", "a"}, {"y"}); });
  auto const made = back(n);
  control_op const op = find(made.net, "If");
  lines const otherwise = test::lines_of(op.net("else_net"));
  CHECK(count(otherwise, "ZerosLike: a ->") == 1);  // a does not matter, and may be unset, if the branch is not taken
  CHECK(made.gradients.contains("a"));
  // y is overwritten unread: its old value matters in the other branch only.
  CHECK(made.gradients.contains("y"));
}

TEST_CASE("If gradient: a branch that overwrites a blob unread returns zeros, in Caffe2 the incoming gradient") {
  net_builder n = given({"cond", "x", "y"});
  n.if_(
      "cond", [](net_builder& t) { t.op("Scale", {"y"}, {"y"}); }, [](net_builder& e) { e.op("Tanh", {"x"}, {"y"}); });
  auto const own = back(n);
  CHECK(test::lines_of(find(own.net, "If").net("else_net")).back() == "ConstantFill: y_saved -> y_grad");
  REQUIRE(own.saved.size() == 1);  // before the If, which may change the shape
  CHECK(own.saved[0].blob == "y");
  CHECK(own.saved[0].shape_only);  // y is set if the branch that reads it is taken
  auto const caffe2 = back(n, {.as_caffe2 = true});
  CHECK(test::lines_of(find(caffe2.net, "If").net("else_net")).back() == "Copy: y_autogen_grad -> y_grad");
}

TEST_CASE("If gradient: Caffe2 runs dead gradient ops of a branch") {
  // gen_do_gradient emits a Do with all gradient ops inside, though none computes the gradient of an input.
  net_builder n = given({"cond", "x", "y"});
  n.if_(
      "cond",
      [](net_builder& t) {
        t.op("StopGradient", {"x"}, {"s"});
        t.op("Scale", {"s"}, {"y"});
      },
      [](net_builder& e) { e.op("Tanh", {"x"}, {"y"}); });
  auto const caffe2 = back(n, {.as_caffe2 = true});
  lines const then = test::lines_of(find(caffe2.net, "If").net("then_net"));
  REQUIRE(!then.empty());
  CHECK(then.front().starts_with("Do: "));
  auto const own = back(n);
  CHECK(count(test::lines_of(find(own.net, "If").net("then_net")), "Do: ") == 0);
}

TEST_CASE("While gradient: loops are numbered across nested nets, inner ones first") {
  net_builder n = given({"cond", "x", "y"});
  n.while_("cond", [](net_builder& outer) {
    outer.while_("cond", [](net_builder& inner) { inner.op("Tanh", {"y"}, {"y"}); });
  });
  for (bool const as_caffe2 : {false, true}) {
    auto const made = back(n, {.as_caffe2 = as_caffe2});
    control_op const outer = find(made.net, "While");
    control_op const inner = find(find(outer.net("loop_net"), "Do").net("net"), "While");
    CHECK(outer.inputs().front() != inner.inputs().front());
    if (!as_caffe2) continue;
    CHECK(inner.inputs().front() == "gradient_loop_cond_net/cond");
    CHECK(outer.inputs().front() == "gradient_loop_cond_net_1/cond");
  }
}

TEST_CASE("While gradient: Caffe2 emits a loop for a body whose gradient has no ops") {
  net_builder n = given({"i", "one", "times", "cond", "x", "w", "y"});
  n.while_(
      "cond",
      [&](net_builder& c) {
        c.op("LT", {"i", "times"}, {"cond"});
      },
      [&](net_builder& b) {
        b.op("Sum", {"x", "w"}, {"y"});
        b.op("Add", {"i", "one"}, {"i"});
      });
  auto const made = back(n, {.as_caffe2 = true});
  control_op const loop = find(made.net, "While");
  CHECK(loop.outputs().empty());
  CHECK(loop.net("loop_net").op.empty());
  CHECK(made.gradients.at("y").values == "y_autogen_grad");
  CHECK(!made.gradients.contains("x"));
}

TEST_CASE("If gradient: every blob that its nets read from outside is an operand") {
  net_builder n = given({"cond", "a", "b", "y"});
  n.if_(
      "cond",
      [](net_builder& t) {
        t.op("Mul", {"a", "b"}, {"y"});
      },
      [](net_builder& e) { e.op("Tanh", {"a"}, {"y"}); });
  auto const made = back(n);
  control_op const op = find(made.net, "If");
  lines const inputs = op.inputs();
  lines const outputs = op.outputs();
  for (char const* branch : {"then_net", "else_net"}) {
    netdef const& inner = op.net(branch);
    std::set<std::string_view> known(inputs.begin(), inputs.end());
    for (op_def const& o : inner.op) {
      for (plait::symbol const in : o.input) {
        CAPTURE(inner.text(in));
        CHECK(known.contains(inner.text(in)));
      }
      for (plait::symbol const out : o.output) {
        CAPTURE(inner.text(out));
        CHECK(std::ranges::count(outputs, inner.text(out)) == 1);
        known.insert(inner.text(out));
      }
    }
  }
}

TEST_CASE("If gradient: gradients of a blob read inside and outside are summed") {
  net_builder n = given({"cond", "x", "z"});
  n.op("Tanh", {"x"}, {"h"});
  n.op("Copy", {"z"}, {"g"});
  n.if_("cond", [](net_builder& t) { t.op("Mul", {"h", "z"}, {"g"}); });
  n.op("Mul", {"g", "h"}, {"y"});
  auto const made = back(n);
  lines const ops = test::lines_of(made.net);
  CHECK(count(ops, "Sum:") >= 1);
  CHECK(made.gradients.contains("x"));
}

TEST_CASE("If gradient: Caffe2 renames one of several gradients, but not in nested nets") {
  net_builder n = given({"cond", "x", "g"});
  n.op("Tanh", {"x"}, {"h"});
  n.if_("cond", [](net_builder& t) { t.op("Mul", {"h", "h"}, {"g"}); });
  n.op("Mul", {"g", "h"}, {"y"});
  for (bool const as_caffe2 : {false, true}) {
    auto const made = back(n, {.as_caffe2 = as_caffe2});
    control_op const op = find(made.net, "If");
    CHECK(std::ranges::count(op.outputs(), "_h_grad_autosplit_0") == 1);
    lines const inside = find(op.net("then_net"), "Do").outputs();
    CHECK(std::ranges::count(inside, as_caffe2 ? "h_grad" : "_h_grad_autosplit_0") == 1);
  }
}

TEST_CASE("While gradient: the gradient of a loop-invariant blob is a sum that starts from zeros") {
  net_builder n = given({"i", "one", "times", "cond", "y", "x"});
  n.while_(
      "cond",
      [&](net_builder& c) {
        c.op("LT", {"i", "times"}, {"cond"});
      },
      [&](net_builder& b) {
        b.op("Mul", {"x", "x"}, {"square"});
        b.op("Add", {"y", "square"}, {"y"});
        b.op("Add", {"i", "one"}, {"i"});
      });
  auto const made = back(n);
  control_op const op = find(made.net, "While");
  lines const body = test::lines_of(op.net("loop_net"));
  REQUIRE(made.gradients.contains("x"));
  std::string const total = made.gradients.at("x").values;
  CHECK(std::ranges::count(op.outputs(), total) == 1);
  CHECK(count(body, "Sum: " + total) == 1);
  CHECK(count(test::lines_of(made.net), "ZerosLike: x -> ") == 1);
  CHECK(std::ranges::count(op.inputs(), total) == 1);  // its value after zero iterations
  CHECK(op.has("cond_net"));
  CHECK(count(test::lines_of(op.net("cond_net")), "HasScope:") == 1);
}

TEST_CASE("While gradient: the incoming gradient is not overwritten") {
  net_builder n = given({"i", "one", "times", "cond", "y", "x"});
  n.while_(
      "cond",
      [&](net_builder& c) {
        c.op("LT", {"i", "times"}, {"cond"});
      },
      [&](net_builder& b) {
        b.op("Mul", {"y", "x"}, {"y"});
        b.op("Add", {"i", "one"}, {"i"});
      });
  auto const made = plait::backward_pass(n.net(), {{"y", "y_grad"}}, plait::gradient_rules::standard());
  for (op_def const& op : made.net.op)
    for (plait::symbol const out : op.output) CHECK(made.net.text(out) != "y_grad");
  CHECK(!made.saved.empty());  // y is overwritten in the body, whose Mul needs it
  CHECK(made.saved.front().path.size() == 2);
  // The copy is inserted into the net of the body's Do.
  netdef whole = n.net();
  (void)plait::add_gradient_ops(whole, {{"y", "y_grad"}}, plait::gradient_rules::standard());
  control_op const loop = find(whole, "While");
  control_op const body = find(loop.net("loop_net"), "Do");
  CHECK(count(test::lines_of(body.net("net")), "Copy: y -> y_saved") == 1);
}

TEST_CASE("Do gradient: an incoming and an outgoing gradient may have the same name") {
  net_builder n = given({"x", "y"});
  n.do_([](net_builder& b) { b.op("Mul", {"x", "y"}, {"y"}); });
  auto const made = plait::backward_pass(n.net(), {{"y", "y_grad"}}, plait::gradient_rules::standard());
  control_op const op = find(made.net, "Do");
  lines all = op.inputs();
  for (std::string const& out : op.outputs()) all.push_back(out);
  std::set<std::string> distinct(all.begin(), all.end());
  CHECK(distinct.size() + 1 == all.size());  // the workspace alone is on both sides
  CHECK(made.gradients.at("y").values != "y_grad");
}

TEST_CASE("control flow gradients: problems in a nested net are problems of its op") {
  net_builder n = given({"cond", "x", "y", "z"});
  n.op("Shape", {"x"}, {"s"});
  n.if_("cond", [](net_builder& t) { t.op("Floor", {"x"}, {"y"}); });
  n.op("Ceil", {"y"}, {"y2"});
  try {
    (void)plait::backward_pass(n.net(), {"y2", "y"}, plait::gradient_rules::standard());
    FAIL("accepted");
  } catch (plait::gradient_error const& e) {
    REQUIRE(e.problems.size() == 2);
    CHECK(e.problems[0].text.find("Ceil") != std::string::npos);
    CHECK(e.problems[1].text.find("(If") != std::string::npos);
    CHECK(e.problems[1].text.find("Floor") != std::string::npos);
  }
}

TEST_CASE("While gradient: a condition net that writes a blob with a gradient is refused") {
  auto const loop = [](auto condition) {
    net_builder n = given({"x", "y", "z", "i", "one", "end", "cond"});
    n.while_(
        "cond",
        [&](net_builder& c) {
          condition(c);
          c.op("LT", {"i", "end"}, {"cond"});
        },
        [](net_builder& b) {
          b.op("Mul", {"y", "x"}, {"y"});
          b.op("Add", {"i", "one"}, {"i"});
        });
    return n;
  };
  CHECK(refusal(loop([](net_builder& c) { c.op("Tanh", {"y"}, {"y"}); })).find("its cond_net writes 'y'") !=
        std::string::npos);
  CHECK(refusal(loop([](net_builder& c) { c.op("Copy", {"y"}, {"x"}); })).find("its cond_net writes 'x'") !=
        std::string::npos);
  CHECK(refusal(loop([](net_builder& c) { c.op("Tanh", {"y"}, {"z"}); })).empty());
  CHECK(refusal(loop([](net_builder& c) { c.op("Tanh", {"y"}, {"own"}); })).empty());
}

TEST_CASE("Do gradient: a second-order gradient is refused, since the workspace is consumed") {
  net_builder n = given({"x", "y"});
  n.do_([](net_builder& b) {
    b.op("Sigmoid", {"x"}, {"s"});
    b.op("Mul", {"s", "x"}, {"y"});
  });
  netdef net = n.net();
  auto const first = plait::add_gradient_ops(net, {"y"}, plait::gradient_rules::standard());
  try {
    (void)plait::add_gradient_ops(net, {first.at("x").values}, plait::gradient_rules::standard());
    FAIL("accepted");
  } catch (plait::gradient_error const& e) {
    CHECK(std::string(e.what()).find("(Do): it is a gradient op itself") != std::string::npos);
  }
}
