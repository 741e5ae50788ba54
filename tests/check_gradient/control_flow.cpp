#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_writer.hpp>
#include <plait/netdef/net_builder.hpp>

#include <support/gradient_cases.hpp>

namespace {

using plait::net_builder;
using test::doubles;

test::tensor64 flag(bool value) { return test::tensor64::from(std::vector<bool>{value}, {1}); }
test::tensor64 number(double value) { return doubles({value}, {1}); }

using given = std::vector<std::pair<std::string, test::tensor64>>;

plait::workspace<plait::serial> fed(given const& values) {
  plait::workspace<plait::serial> blobs;
  for (auto const& [name, value] : values) blobs.feed(name, value);
  return blobs;
}

void check(net_builder const& n, given const& values, std::vector<std::string> const& inputs,
           std::vector<std::string> const& ys = {"y"}, plait::gradient_options const& options = {}) {
  auto const blobs = fed(values);
  auto const found = plait::check_gradient(n.net(), ys, inputs, blobs, {.gradients = options});
  CAPTURE(found.text());
  CAPTURE(plait::to_text(n.net()));
  CHECK(found.ok());
}

// Returns the gradient of `of` from a run of the net with its gradient ops.
std::vector<double> gradient(net_builder const& n, given const& values, std::string const& y, std::string const& of) {
  plait::netdef net = n.net();
  auto const grads = plait::add_gradient_ops(net, {y}, plait::gradient_rules::standard());
  auto blobs = fed(values);
  auto plan = plait::compile(net, plait::standard_operators<plait::serial>(), blobs, {.fetch = {grads.at(of).values}});
  plan.run();
  return blobs.fetch<double>(grads.at(of).values);
}

// Builds a While of `times` iterations of `round`, which sees i, one and the inputs.
template <class Round>
net_builder loop(std::vector<char const*> const& inputs, Round round) {
  net_builder n("loop");
  for (char const* name : inputs) n.external_input(name);
  auto [i, one, times, cond] = n.external_inputs("i", "one", "times", "cond");
  n.while_(
      "cond",
      [&](net_builder& c) {
        c.op("LT", {i, times}, {cond});
      },
      [&](net_builder& body) {
        round(body);
        body.op("Add", {i, one}, {i});
      });
  return n;
}
given counted(double times, given more) {
  more.insert(more.end(), {{"i", number(0)}, {"one", number(1)}, {"times", number(times)}, {"cond", flag(true)}});
  return more;
}

TEST_CASE("While gradient: the gradient of a loop-invariant blob is summed over iterations") {
  auto n = loop({"acc", "x"}, [](net_builder& b) {
    b.op("Mul", {"x", "x"}, {"square"});
    b.op("Add", {"acc", "square"}, {"acc"});
  });
  n.op("Copy", {"acc"}, {"y"});
  given const values = counted(4, {{"acc", number(0)}, {"x", number(1.5)}});
  CHECK(gradient(n, values, "y", "x") == std::vector<double>{12});  // Caffe2 returns 3
  check(n, values, {"acc", "x"});
}

TEST_CASE("While gradient: products in place equal finite differences") {
  auto n = loop({"acc", "x"}, [](net_builder& b) { b.op("Mul", {"acc", "x"}, {"acc"}); });
  n.op("Copy", {"acc"}, {"y"});
  for (double times : {0.0, 1.0, 3.0, 5.0})
    check(n, counted(times, {{"acc", doubles({0.7, -1.2}, {2})}, {"x", doubles({1.5, 0.4}, {2})}}), {"acc", "x"});
}

TEST_CASE("While gradient: zero iterations pass the gradient through") {
  auto n = loop({"acc", "x"}, [](net_builder& b) {
    b.op("Tanh", {"acc"}, {"t"});
    b.op("Add", {"t", "x"}, {"acc"});
  });
  n.op("Sqr", {"acc"}, {"y"});
  given const values = counted(0, {{"acc", number(0.7)}, {"x", number(1.5)}});
  CHECK(gradient(n, values, "y", "x") == std::vector<double>{0});
  CHECK(gradient(n, values, "y", "acc") == std::vector<double>{1.4});
  check(n, values, {"acc", "x"});
  check(n, counted(3, {{"acc", number(0.7)}, {"x", number(1.5)}}), {"acc", "x"});
}

TEST_CASE("While gradient: a loop-carried blob that matters only through another one has a gradient") {
  // acc += s; s *= w: nothing reads s after the loop.
  auto n = loop({"acc", "s", "w"}, [](net_builder& b) {
    b.op("Add", {"acc", "s"}, {"acc"});
    b.op("Mul", {"s", "w"}, {"s"});
  });
  n.op("Copy", {"acc"}, {"y"});
  check(n, counted(4, {{"acc", number(0.1)}, {"s", number(0.7)}, {"w", number(1.3)}}), {"acc", "s", "w"});
}

TEST_CASE("While gradient: chains of loop-carried blobs, one overwritten unread, equal finite differences") {
  auto n = loop({"a", "b", "c", "x"}, [](net_builder& l) {
    l.op("Add", {"a", "b"}, {"a"});
    l.op("Tanh", {"c"}, {"b"});
    l.op("Mul", {"c", "x"}, {"c"});
  });
  n.op("Copy", {"a"}, {"y"});
  for (double times : {1.0, 2.0, 4.0})
    check(n, counted(times, {{"a", number(0.1)}, {"b", number(0.7)}, {"c", number(0.9)}, {"x", number(1.2)}}),
          {"a", "b", "c", "x"});
}

TEST_CASE("While gradient: the incoming gradient may be named <blob>_grad") {
  auto n = loop({"acc", "x"}, [](net_builder& b) { b.op("Mul", {"acc", "x"}, {"acc"}); });
  n.op("Tanh", {"acc"}, {"y"});  // its gradient op writes acc_grad
  check(n, counted(2, {{"acc", number(0.7)}, {"x", number(0.8)}}), {"acc", "x"});
}

TEST_CASE("While gradient: gradients of a blob read inside and outside are summed") {
  auto n = loop({"acc", "x"}, [](net_builder& b) { b.op("Mul", {"acc", "x"}, {"acc"}); });
  n.op("Mul", {"acc", "x"}, {"y"});
  check(n, counted(2, {{"acc", number(0.7)}, {"x", number(0.8)}}), {"acc", "x"});
}

// Builds an If with the branches, optionally with y set before.
template <class Then, class Else>
net_builder choice(Then then, Else otherwise, bool y_before) {
  net_builder n("choice");
  auto [x, w, cond] = n.external_inputs("x", "w", "cond");
  if (y_before)
    n.op("Scale", {x}, {"y"}, {{"scale", 3.0f}});
  else
    n.declare("y");
  n.if_(cond, then, otherwise);
  return n;
}

TEST_CASE("If gradient: equals finite differences in both branches") {
  auto const value = [](net_builder& n, bool taken) {
    n.op("Sqr", {"y"}, {"z"});
    check(n, {{"x", doubles({0.7, -0.4}, {2})}, {"w", doubles({1.5, 0.3}, {2})}, {"cond", flag(taken)}}, {"x", "w"},
          {"z"});
  };
  for (bool taken : {true, false}) {
    CAPTURE(taken);
    SUBCASE("branches of Sum and Add only") {
      auto n = choice(
          [](net_builder& b) {
            b.op("Add", {"x", "w"}, {"y"});
          },
          [](net_builder& b) {
            b.op("Sum", {"x", "x"}, {"y"});
          },
          false);
      value(n, taken);
    }
    SUBCASE("different blobs in the branches") {
      auto n = choice(
          [](net_builder& b) {
            b.op("Mul", {"x", "w"}, {"y"});
          },
          [](net_builder& b) { b.op("Sigmoid", {"x"}, {"y"}); }, false);
      value(n, taken);
    }
    SUBCASE("in place") {
      auto n = choice(
          [](net_builder& b) {
            b.op("Mul", {"y", "w"}, {"y"});
          },
          [](net_builder& b) { b.op("Relu", {"y"}, {"y"}); }, true);
      value(n, taken);
    }
    SUBCASE("one branch overwrites, the other updates") {
      auto n = choice([](net_builder& b) { b.op("Sigmoid", {"w"}, {"y"}); },
                      [](net_builder& b) {
                        b.op("Mul", {"y", "x"}, {"y"});
                      },
                      true);
      value(n, taken);
    }
    SUBCASE("read inside and outside") {
      auto n = choice(
          [](net_builder& b) {
            b.op("Mul", {"x", "w"}, {"y"});
          },
          [](net_builder& b) {
            b.op("Mul", {"x", "x"}, {"y"});
          },
          false);
      n.op("Mul", {"y", "x"}, {"y2"});
      n.op("Add", {"y2", "w"}, {"z"});
      check(n, {{"x", number(0.7)}, {"w", number(1.5)}, {"cond", flag(taken)}}, {"x", "w"}, {"z"});
    }
    SUBCASE("two outputs with one gradient") {
      net_builder n("two");
      auto [x, w, cond] = n.external_inputs("x", "w", "cond");
      n.declare("y");
      n.declare("v");
      n.if_(
          cond,
          [](net_builder& b) {
            b.op("Mul", {"x", "w"}, {"y"});
            b.op("Tanh", {"x"}, {"v"});
          },
          [](net_builder& b) {
            b.op("Sqr", {"x"}, {"y"});
            b.op("Copy", {"w"}, {"v"});
          });
      n.op("Add", {"y", "v"}, {"z"});
      check(n, {{"x", number(0.7)}, {"w", number(1.5)}, {"cond", flag(taken)}}, {"x", "w"}, {"z"});
    }
    SUBCASE("written in the then branch, no else branch") {
      net_builder n("one");
      auto [x, w, cond] = n.external_inputs("x", "w", "cond");
      n.op("Scale", {x}, {"y"}, {{"scale", 3.0f}});
      n.if_(cond, [](net_builder& b) { b.op("Mul", {"x", "w"}, {"y"}); });
      n.op("Sqr", {"y"}, {"z"});
      check(n, {{"x", number(0.7)}, {"w", number(1.5)}, {"cond", flag(taken)}}, {"x", "w"}, {"z"});
    }
    SUBCASE("the branches name different gradients alike") {
      net_builder n("names");
      auto [a, b, k, cond] = n.external_inputs("a", "b", "k", "cond");
      n.declare("y");
      n.if_(
          cond,
          [](net_builder& in) {
            in.op("Add", {"a", "k"}, {"p"});
            in.op("Mul", {"p", "p"}, {"y"});
          },
          [](net_builder& in) {
            in.op("Add", {"b", "k"}, {"p"});
            in.op("Mul", {"p", "a"}, {"y"});
          });
      n.op("Sqr", {"y"}, {"z"});
      check(n, {{"a", number(0.7)}, {"b", number(1.5)}, {"k", number(-0.4)}, {"cond", flag(taken)}}, {"a", "b", "k"},
            {"z"});
    }
    SUBCASE("blob names are letters of the condition's name") {
      net_builder n("letters");
      auto [c, o, cond] = n.external_inputs("c", "o", "cond");
      n.declare("y");
      n.if_(
          cond,
          [](net_builder& b) {
            b.op("Mul", {"c", "o"}, {"y"});
          },
          [](net_builder& b) { b.op("Sqr", {"o"}, {"y"}); });
      n.op("Copy", {"y"}, {"z"});
      check(n, {{"c", number(0.7)}, {"o", number(1.5)}, {"cond", flag(taken)}}, {"c", "o"}, {"z"});
    }
  }
}

TEST_CASE("If gradient: If in While in If equals finite differences") {
  net_builder n("nest");
  auto [x, w, cond] = n.external_inputs("x", "w", "cond");
  auto [i, one, times, half, more] = n.external_inputs("i", "one", "times", "half", "more");
  n.op("Tanh", {x}, {"y"});
  n.if_(
      cond,
      [&](net_builder& outer) {
        outer.while_(
            "more",
            [&](net_builder& c) {
              c.op("LT", {"i", "times"}, {"more"});
            },
            [&](net_builder& body) {
              body.op("LT", {"i", "half"}, {"early"});
              body.if_(
                  "early",
                  [](net_builder& b) {
                    b.op("Mul", {"y", "x"}, {"y"});
                  },
                  [](net_builder& b) {
                    b.op("Add", {"y", "w"}, {"y"});
                  });
              body.op("Add", {"i", "one"}, {"i"});
            });
      },
      [&](net_builder& outer) {
        outer.op("Mul", {"y", "w"}, {"y"});
      });
  n.op("Sqr", {"y"}, {"z"});
  for (bool taken : {true, false})
    check(n,
          {{"x", number(0.7)},
           {"w", number(1.5)},
           {"cond", flag(taken)},
           {"i", number(0)},
           {"one", number(1)},
           {"times", number(4)},
           {"half", number(2)},
           {"more", flag(true)}},
          {"x", "w"}, {"z"}, {.overwritten = plait::overwritten_values::copy});
}

TEST_CASE("If gradient: in a nested If, a blob that no branch writes passes its gradient through") {
  for (bool outer : {true, false})
    for (bool inner : {true, false}) {
      CAPTURE(outer);
      CAPTURE(inner);
      net_builder n("nest");
      auto [x, w, on, off] = n.external_inputs("x", "w", "on", "off");
      n.op("Tanh", {x}, {"y"});
      n.op("Tanh", {w}, {"z"});
      auto const branch = [](net_builder& b) { b.if_("on", [](net_builder& i) { i.op("Mul", {"x", "w"}, {"y"}); }); };
      n.if_(off, branch, [&](net_builder& b) {
        b.op("Sigmoid", {"x"}, {"z"});
        branch(b);
      });
      n.op("Mul", {"y", "z"}, {"product"});
      check(n, {{"x", number(0.7)}, {"w", number(1.5)}, {"on", flag(inner)}, {"off", flag(outer)}}, {"x", "w"},
            {"product"}, {.overwritten = plait::overwritten_values::copy});
    }
}

TEST_CASE("If gradient: in a While, a blob that only some iterations write equals finite differences") {
  auto n = loop({"acc", "x", "half"}, [](net_builder& b) {
    b.op("LT", {"i", "half"}, {"early"});
    b.if_("early", [](net_builder& t) { t.op("Tanh", {"x"}, {"acc"}); });
    b.op("Mul", {"x", "one"}, {"product"});
  });
  n.op("Sqr", {"acc"}, {"y"});
  for (double half : {0.0, 2.0, 9.0})
    check(n, counted(4, {{"acc", number(0.7)}, {"x", number(0.8)}, {"half", number(half)}}), {"acc", "x"});
}

TEST_CASE("Do gradient: equals finite differences") {
  net_builder n("done");
  n.external_inputs("x", "w");
  n.declare("y");
  n.do_([](net_builder& b) {
    b.op("Mul", {"x", "w"}, {"t"});
    b.op("Tanh", {"t"}, {"t"});  // in place: the product is not saved
    b.op("Add", {"t", "x"}, {"y"});
  });
  check(n, {{"x", number(0.7)}, {"w", number(1.5)}}, {"x", "w"});
}

// Removes `blob` from the outputs of the net's Do, which then writes an input without listing it as an output.
plait::netdef unlisted(plait::netdef net, std::string_view blob) {
  plait::op_def& op = *std::ranges::find(net.op, "Do", [&](plait::op_def const& o) { return net.text(o.type); });
  auto const at = std::ranges::find(op.output, net.symbols.find(blob));
  REQUIRE(at != op.output.end());
  auto const place = static_cast<std::int64_t>(op.input.size() - 1) + (at - op.output.begin());
  op.output.erase(at);
  for (plait::arg_def& a : op.arg)
    if (net.text(a.name) == "outer_blobs_idx")
      for (std::int64_t& i : a.ints) i -= i > place ? 1 : 0;
  return net;
}

TEST_CASE("Do gradient: a blob written under the name of an input is an output, listed or not") {
  for (bool is_read : {true, false}) {
    net_builder n("done");
    n.external_inputs("x", "w");
    n.declare("y");
    n.do_([](net_builder& b) {
      b.op("Mul", {"x", "w"}, {"t"});
      b.op("Tanh", {"t"}, {"x"});
      b.op("Sqr", {"x"}, {"y"});
    });
    if (is_read)
      n.op("Mul", {"x", "y"}, {"z"});
    else
      n.op("Sqr", {"y"}, {"z"});
    auto const blobs = fed({{"x", number(0.7)}, {"w", number(1.5)}});
    for (plait::netdef const& net : {n.net(), unlisted(n.net(), "x")}) {
      auto const found = plait::check_gradient(net, {"z"}, {"x", "w"}, blobs,
                                               {.gradients = {.overwritten = plait::overwritten_values::copy}});
      CAPTURE(plait::to_text(net));
      CAPTURE(found.text());
      CHECK(found.ok());
    }
  }
}

TEST_CASE("If gradient: inactive blobs enter and leave branches beside active ones") {
  net_builder n("places");
  for (char const* name : {"x", "w", "cond"}) n.external_input(name);
  n.declare("y");
  n.declare("k");
  n.op("ArgMax", {"x"}, {"p"});
  n.if_(
      "cond",
      [](net_builder& t) {
        t.op("Cast", {"p"}, {"pf"}, {{"to", std::int64_t{13}}});
        t.op("Floor", {"pf"}, {"factor"});
        t.op("Mul", {"w", "factor"}, {"y"});
        t.op("ArgMin", {"x"}, {"k"});
      },
      [](net_builder& e) {
        e.op("Tanh", {"w"}, {"y"});
        e.op("ArgMax", {"x"}, {"k"});
      });
  n.op("Cast", {"k"}, {"kf"}, {{"to", std::int64_t{13}}});
  n.op("Floor", {"kf"}, {"place"});
  n.op("Mul", {"y", "place"}, {"z"});
  n.op("SumElements", {"x"}, {"sum"});
  n.op("Mul", {"z", "sum"}, {"out"});
  for (bool const taken : {true, false})
    check(n, {{"x", doubles({0.3, -0.4, 0.9, 0.1}, {1, 4})}, {"w", doubles({0.7}, {1, 1})}, {"cond", flag(taken)}},
          {"x", "w"}, {"out"});
}

TEST_CASE("While gradient: an integer counter in the body is inactive") {
  net_builder n("loop");
  for (char const* name : {"acc", "x", "i", "one", "times", "cond"}) n.external_input(name);
  n.op("Size", {"x"}, {"count"});
  n.op("Size", {"one"}, {"step"});
  n.while_(
      "cond",
      [](net_builder& c) {
        c.op("LT", {"i", "times"}, {"cond"});
      },
      [](net_builder& body) {
        body.op("Cast", {"count"}, {"c"}, {{"to", std::int64_t{13}}});
        body.op("Floor", {"c"}, {"whole"});
        body.op("Mul", {"x", "whole"}, {"scaled"});
        body.op("Tanh", {"scaled"}, {"squashed"});
        body.op("Add", {"acc", "squashed"}, {"acc"});
        body.op("Add", {"count", "step"}, {"count"});
        body.op("Add", {"i", "one"}, {"i"});
      });
  n.op("Copy", {"acc"}, {"y"});
  for (double times : {0.0, 1.0, 3.0})
    check(n, counted(times, {{"acc", number(0.7)}, {"x", number(0.4)}}), {"acc", "x"});
}

TEST_CASE("If gradient: a condition may be overwritten afterwards and read by nested nets") {
  for (bool taken : {true, false})
    for (bool around : {true, false}) {
      CAPTURE(taken);
      CAPTURE(around);
      net_builder n("conditions");
      for (char const* name : {"x", "w", "cond"}) n.external_input(name);
      n.op("Tanh", {"x"}, {"y"});
      auto const inner = [](net_builder& b) {
        b.if_(
            "cond",
            [](net_builder& t) {
              t.op("Mul", {"y", "w"}, {"y"});
            },
            [](net_builder& e) { e.op("Sin", {"w"}, {"y"}); });
      };
      if (around)
        n.if_("cond", inner, [](net_builder& e) { e.op("Mul", {"x", "w"}, {"y"}); });
      else
        n.do_(inner);
      n.op("Not", {"cond"}, {"cond"});
      n.op("Sqr", {"y"}, {"z"});
      check(n, {{"x", number(0.7)}, {"w", number(1.5)}, {"cond", flag(taken)}}, {"x", "w"}, {"z"},
            {.overwritten = plait::overwritten_values::copy});
    }
}

TEST_CASE("If gradient: a branch may overwrite its condition, which a nested If reads") {
  for (double x : {0.7, -0.7})
    for (bool taken : {true, false}) {
      net_builder n("anew");
      for (char const* name : {"x", "w", "zero", "cond"}) n.external_input(name);
      n.op("Tanh", {"w"}, {"y"});
      n.if_(
          "cond",
          [](net_builder& b) {
            b.op("LT", {"x", "zero"}, {"cond"});
            b.if_("cond", [](net_builder& t) { t.op("Mul", {"x", "w"}, {"y"}); });
          },
          [](net_builder& b) { b.op("Not", {"cond"}, {"cond"}); });
      n.op("Sqr", {"y"}, {"z"});
      check(n, {{"x", number(x)}, {"w", number(1.5)}, {"zero", number(0)}, {"cond", flag(taken)}}, {"x", "w"}, {"z"},
            {.overwritten = plait::overwritten_values::copy});
    }
}

TEST_CASE("Do gradient: a sparse gradient keeps the indices gathered, although they are overwritten later") {
  net_builder n("rows");
  n.external_inputs("t", "rows", "others");
  n.declare("y");
  n.do_([](net_builder& b) {
    b.op("Gather", {"t", "rows"}, {"y"});
    b.op("Copy", {"others"}, {"rows"});
  });
  n.op("Sqr", {"y"}, {"z"});
  check(n,
        {{"t", doubles({0.7, 1.5, -0.2}, {3})},
         {"rows", test::int32s({2, 0}, {2})},
         {"others", test::int32s({1, 1}, {2})}},
        {"t"}, {"z"});
}

TEST_CASE("While gradient: a body without a gradient passes the incoming gradient through after zero iterations") {
  for (double times : {0.0, 1.0, 3.0}) {
    CAPTURE(times);
    SUBCASE("overwritten") {
      auto n = loop({"acc", "x"}, [](net_builder& b) { b.op("ConstantFill", {"x"}, {"acc"}, {{"value", 0.5f}}); });
      n.op("Mul", {"acc", "x"}, {"y"});
      check(n, counted(times, {{"acc", number(0.7)}, {"x", number(1.5)}}), {"acc", "x"});
    }
    SUBCASE("two blobs with one gradient, one of them stopped") {
      net_builder n("outer");
      for (char const* name : {"acc", "more", "x", "i", "one", "times", "cond"}) n.external_input(name);
      n.op("Scale", {"x"}, {"acc"}, {{"scale", 3.0f}});
      n.op("Negative", {"x"}, {"more"});
      n.while_(
          "cond",
          [](net_builder& c) {
            c.op("LT", {"i", "times"}, {"cond"});
          },
          [](net_builder& b) {
            b.op("StopGradient", {"acc"}, {"stopped"});
            b.op("Copy", {"stopped"}, {"acc"});
            b.op("ConstantFill", {"x"}, {"more"}, {{"value", 0.5f}});
            b.op("Add", {"i", "one"}, {"i"});
          });
      n.op("Add", {"acc", "more"}, {"sum"});
      n.op("Mul", {"sum", "x"}, {"y"});
      given const values = counted(times, {{"acc", number(0)}, {"more", number(0)}, {"x", number(0.6)}});
      // y = (3x - x) x without an iteration, else (a + 0.5) x with the constant a = 3x
      CHECK(gradient(n, values, "y", "x")[0] == doctest::Approx(times == 0 ? 4 * 0.6 : 3 * 0.6 + 0.5));
    }
  }
}

// Builds a net for a branch that shares the blobs of the enclosing net.
template <class Fill>
plait::netdef branch(std::vector<char const*> const& known, Fill fill) {
  net_builder n("branch");
  for (char const* name : known) n.external_input(name);
  fill(n);
  return n.take();
}

TEST_CASE("If gradient: branches that share the blobs of the enclosing net equal finite differences") {
  for (bool taken : {true, false}) {
    CAPTURE(taken);
    SUBCASE("copies of a blob in two branches and outside") {
      net_builder n("copies");
      for (char const* name : {"x", "w", "cond"}) n.external_input(name);
      auto const twice = [](net_builder& b) {
        b.op("Sqr", {"y"}, {"y"});
        b.op("Sin", {"y"}, {"y"});
      };
      n.op("Tanh", {"x"}, {"y"});
      for (int k = 0; k != 2; ++k)
        n.op_n("If", {"cond", "y"}, {"y"}, {{"then_net", branch({"y"}, twice)}, {"else_net", branch({"y"}, twice)}});
      twice(n);
      n.op("Mul", {"y", "w"}, {"z"});
      check(n, {{"x", number(0.7)}, {"w", number(1.5)}, {"cond", flag(taken)}}, {"x", "w"}, {"z"},
            {.overwritten = plait::overwritten_values::copy});
    }
    SUBCASE("a branch that is not taken computes a blob that only its gradient reads") {
      net_builder n("locals");
      for (char const* name : {"x", "w", "cond"}) n.external_input(name);
      n.op("Tanh", {"x"}, {"y"});
      n.op_n("If", {"cond", "y", "w"}, {"y"}, {{"then_net", branch({"y", "w"}, [](net_builder& b) {
                                                  b.op("Exp", {"w"}, {"power"});
                                                  b.op("Mul", {"y", "power"}, {"y"});
                                                })}});
      n.do_([](net_builder& b) { b.op("Sqr", {"y"}, {"y"}); });
      check(n, {{"x", number(0.7)}, {"w", number(1.5)}, {"cond", flag(taken)}}, {"x", "w"}, {"y"},
            {.overwritten = plait::overwritten_values::copy});
    }
    SUBCASE("both branches gather from one table") {
      net_builder n("table");
      for (char const* name : {"t", "rows", "others", "cond"}) n.external_input(name);
      auto const gather = [](char const* rows) {
        return branch({"t", rows}, [&](net_builder& b) { b.op("Gather", {"t", rows}, {"y"}); });
      };
      n.declare("y");
      n.op_n("If", {"cond", "t", "rows", "others"}, {"y"},
             {{"then_net", gather("rows")}, {"else_net", gather("others")}});
      n.op("Sqr", {"y"}, {"z"});
      check(n,
            {{"t", doubles({0.7, 1.5, -0.2}, {3})},
             {"rows", test::int32s({2, 0}, {2})},
             {"others", test::int32s({1, 1}, {2})},
             {"cond", flag(taken)}},
            {"t"}, {"z"});
    }
  }
}

}  // namespace
