// Activity analysis into and out of nested nets. check_gradient/control_flow.cpp tests values.
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

// Floor has no gradient: an error unless its input is inactive. The seed is y.
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

TEST_CASE("inactive_blobs: a blob that is inactive outside is inactive in branches, bodies and Do") {
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

TEST_CASE("inactive_blobs: a blob is inactive after an If if it is in all branches") {
  for (std::string const type : {"ArgMin", "Tanh", "none", "none, but before"}) {
    CAPTURE(type);
    net_builder n = given();
    if (type == "none, but before") n.op("Size", {"x"}, {"k"});
    if (type.starts_with("none"))
      n.if_("cond", op("ArgMax", "x"));
    else
      n.if_("cond", op("ArgMax", "x"), op(type, "x"));
    use(n, "k");
    // Without a second branch k may keep its input value.
    bool const unread = type == "none, but before";
    CHECK(problems(n).empty() == (type == "ArgMin" || unread));
  }
}

TEST_CASE("inactive_blobs: a loop-carried blob is inactive if it is before the loop and after each iteration") {
  struct loop {
    std::string begin;
    strings rounds;  // op types that write "j" and "k": j = type(k), k = type(j)
    bool inactive;
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
    CHECK(problems(n).empty() == l.inactive);
  }
  // After two iterations k depends on x.
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

TEST_CASE("inactive_blobs: deeply nested nets are analysed without recursion") {
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
