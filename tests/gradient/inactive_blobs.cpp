// What comes out of nets inside ops, and into them, as places and flags. With numbers: check_gradient/control_flow.cpp.
#include <plait/gradient/detail/inactive_blobs.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/net_builder.hpp>

using plait::net_builder;
using strings = std::vector<std::string>;

namespace {

// Floor has no gradient; it is a mistake to ask for one, unless it reads what has ended. The result is y.
strings problems(net_builder const& n) {
  strings found;
  try {
    (void)plait::backward_pass(n.net(), {"y"}, plait::gradient_rules::standard());
  } catch (plait::gradient_error const& e) {
    for (auto const& p : e.problems) found.push_back(p.text);
  }
  return found;
}
void use(net_builder& n, std::string const& place) {
  n.op("Floor", {place}, {"f"});
  n.op("Mul", {"x", "f"}, {"y"});
}

net_builder given() {
  net_builder n("n");
  for (char const* name : {"x", "y", "k", "cond", "end"}) n.external_input(name);
  return n;
}

using part = std::function<void(net_builder&)>;
part op(std::string type, std::string in) {
  return [=](net_builder& b) { b.op(type, {in}, {"k"}); };
}

}  // namespace

TEST_CASE("what has ended outside has ended in branches, bodies and Do") {
  for (std::string const type : {"ArgMax", "Tanh"}) {
    CAPTURE(type);
    for (int const how : {0, 1, 2}) {
      CAPTURE(how);
      net_builder n = given();
      n.op(type, {"x"}, {"k"});
      part const inner = [](net_builder& b) { use(b, "k"); };
      if (how == 0) n.if_("cond", inner);
      if (how == 1) n.do_(inner);
      if (how == 2)
        n.while_(
            "cond",
            [](net_builder& c) {
              c.op("LT", {"y", "end"}, {"cond"});
            },
            inner);
      CHECK(problems(n).empty() == (type == "ArgMax"));
    }
  }
}

TEST_CASE("what ends in all branches has ended behind them") {
  for (std::string const type : {"ArgMin", "Tanh", "none", "none, but before"}) {
    CAPTURE(type);
    net_builder n = given();
    if (type == "none, but before") n.op("Size", {"x"}, {"k"});
    if (type.starts_with("none"))
      n.if_("cond", op("ArgMax", "x"));
    else
      n.if_("cond", op("ArgMax", "x"), op(type, "x"));
    use(n, "k");
    // Without a second branch k may be what was given.
    bool const unread = type == "none, but before";
    CHECK(problems(n).empty() == (type == "ArgMin" || unread));
  }
}

TEST_CASE("what a loop hands on has ended if it begins so and each round leaves it so") {
  struct loop {
    std::string begin;
    strings rounds;  // types of ops, of "j" and "k" in turns: j = type(k), k = type(j)
    bool ended;
  };
  for (loop const& l : {loop{"ArgMax", {"Copy", "Copy"}, true}, loop{"Tanh", {"Copy", "Copy"}, false},
                        loop{"ArgMax", {"Copy", "ArgMax"}, true}}) {
    CAPTURE(l.begin);
    net_builder n = given();
    n.op(l.begin, {"x"}, {"k"});
    n.while_(
        "cond",
        [](net_builder& c) {
          c.op("LT", {"y", "end"}, {"cond"});
        },
        [&](net_builder& b) {
          b.op(l.rounds[0], {"k"}, {"j"});
          b.op(l.rounds[1], {"j"}, {"k"});
          use(b, "k");
        });
    CHECK(problems(n).empty() == l.ended);
  }
  // Two rounds on, k is what x was.
  net_builder n = given();
  n.op("ArgMax", {"x"}, {"k"});
  n.op("ArgMax", {"x"}, {"j"});
  n.while_(
      "cond",
      [](net_builder& c) {
        c.op("LT", {"y", "end"}, {"cond"});
      },
      [&](net_builder& b) {
        use(b, "k");
        b.op("Copy", {"j"}, {"k"});
        b.op("Tanh", {"x"}, {"j"});
      });
  CHECK(problems(n).size() == 1);
}

TEST_CASE("nets deep inside each other are looked into, and one that is deeper than a stack is no trouble") {
  for (std::string const type : {"ArgMax", "Tanh"}) {
    net_builder n = given();
    part inner = op(type, "x");
    for (int i = 0; i != 12; ++i) inner = [=](net_builder& b) { b.if_("cond", inner, op("ArgMin", "x")); };
    inner(n);
    use(n, "k");
    CHECK(problems(n).empty() == (type == "ArgMax"));
  }

  plait::netdef net;
  net.add_op("ArgMax", {"x"}, {"k"});
  for (int i = 0; i != 2000; ++i) {
    plait::netdef around;
    plait::op_def& op = around.add_op("If", {"cond", "x"}, {"k"});
    op.arg.emplace_back().name = around.intern("then_net");
    op.arg.back().n = std::move(net);
    net = std::move(around);
  }
  for (bool const before : {false, true}) {
    plait::inactive_blobs walked(plait::gradient_rules::standard());
    auto const found = walked.walk({"If", plait::nested_nets(net, net.op[0]), {"k"}},
                                   [&](std::string_view name) { return before && name == "k"; });
    CHECK(found.contains("k") == before);
  }
}
