#include <plait/exec/detail/operators/control_flow.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/tbb/detail/parallel.hpp>
#include <plait/exec/observers.hpp>

#include <support/control_nets.hpp>

namespace {

using test::feed;
using test::floats;
using test::int_arg;
using test::line_text;
using test::net_arg;
using test::numbers;
using test::op_text;

template <class B>
plait::plan<B> plan_of(std::string const& text, plait::operators<B> const& table, plait::workspace<B>& blobs,
                       plait::compile_options const& options = {}) {
  return plait::compile(plait::read_netdef_text(text), table, blobs, options);
}

std::string message_of(auto&& body) {
  try {
    body();
  } catch (plait::error const& e) {
    return e.what();
  }
  return "nothing was thrown";
}

bool says(std::string const& message, std::string_view part) { return message.find(part) != std::string::npos; }

TEST_CASE_TEMPLATE("If: the workspace owns an output that is listed twice when the plan is destroyed", B,
                   PLAIT_HOST_BACKENDS) {
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  test::feed_flag(blobs, "c", true);
  feed(blobs, "x", {1, 2});
  plan_of<B>(op_text("If", {"c", "x"}, {"y", "y"}, net_arg("then_net", line_text("x", "y", 2, 0))), table, blobs).run();
  CHECK(blobs.view("y").owner() != nullptr);
  CHECK(numbers(blobs, "y") == floats{2, 4});
}

TEST_CASE_TEMPLATE("If: branches of different shapes run again with other conditions and input shapes", B,
                   PLAIT_HOST_BACKENDS) {
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  test::feed_flag(blobs, "c", true);
  feed(blobs, "x", {1, 2});
  auto plan =
      plan_of<B>(op_text("If", {"c", "x"}, {"y"},
                         net_arg("then_net", line_text("x", "y", 2, 0)) +
                             net_arg("else_net", op_text("Grow", {"x"}, {"t"}) + op_text("Grow", {"t"}, {"y"}))) +
                     line_text("y", "z", 1, 1) + op_text("Reverse", {"z"}, {"r"}) + "external_output: \"r\"",
                 table, blobs);
  for (int round = 0; round != 3; ++round) {
    test::feed_flag(blobs, "c", true);
    plan.run();
    CHECK(numbers(blobs, "r") == floats{5, 3});
    plan.run();
    CHECK(numbers(blobs, "r") == floats{5, 3});
    test::feed_flag(blobs, "c", false);
    plan.run();
    CHECK(numbers(blobs, "r") == floats{2, 2, 3, 2});
    feed(blobs, "x", {4, 5, 6});
    plan.run();
    CHECK(numbers(blobs, "r") == floats{5, 5, 7, 6, 5});
    feed(blobs, "x", {1, 2});
  }
  CHECK(numbers(blobs, "x") == floats{1, 2});
}

TEST_CASE("If: blobs that only its nets name are operands, too") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  // a is computed outside and read inside only; s is written inside only, t in one branch only.
  std::string const text = line_text("x", "a", 10, 0) + line_text("x", "t", 1, 0) +
                           op_text("If", {"c"}, {},
                                   net_arg("then_net", line_text("a", "s", 1, 1) + line_text("s", "t", 2, 0)) +
                                       net_arg("else_net", line_text("x", "s", -1, 0))) +
                           op_text("Mix", {"s", "t"}, {"y"}) + "external_output: \"y\"";
  plait::workspace<B> blobs;
  feed(blobs, "x", {1, 2});
  test::feed_flag(blobs, "c", true);
  auto plan = plan_of<B>(text, table, blobs);
  plan.run();
  CHECK(numbers(blobs, "y") == floats{11 + 2 * 22, 21 + 2 * 42});
  test::feed_flag(blobs, "c", false);
  plan.run();
  CHECK(numbers(blobs, "y") == floats{-1 + 2 * 1, -2 + 2 * 2});
}

TEST_CASE("If: outputs that the taken branch does not write keep their values") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  std::string const branch = net_arg("then_net", line_text("x", "y", 2, 0));
  plait::workspace<B> blobs;
  feed(blobs, "x", {1, 2});
  test::feed_flag(blobs, "c", false);

  SUBCASE("computed before") {
    auto plan = plan_of<B>(line_text("x", "y", 1, 5) + op_text("If", {"c"}, {"y"}, branch) + line_text("y", "z", 1, 0),
                           table, blobs);
    plan.run();
    CHECK(numbers(blobs, "z") == floats{6, 7});
    CHECK(numbers(blobs, "y") == floats{6, 7});
    test::feed_flag(blobs, "c", true);
    plan.run();
    CHECK(numbers(blobs, "z") == floats{2, 4});
    CHECK(numbers(blobs, "y") == floats{2, 4});
  }
  SUBCASE("fed, not declared by the net") {
    feed(blobs, "y", {7, 8, 9});
    auto plan = plan_of<B>(op_text("If", {"c"}, {"y"}, branch) + line_text("y", "z", 1, 0), table, blobs);
    plan.run();
    CHECK(numbers(blobs, "z") == floats{7, 8, 9});
    CHECK(numbers(blobs, "y") == floats{7, 8, 9});
    test::feed_flag(blobs, "c", true);
    plan.run();
    CHECK(numbers(blobs, "y") == floats{2, 4});
    test::feed_flag(blobs, "c", false);
    plan.run();
    CHECK(numbers(blobs, "z") == floats{2, 4});
  }
  SUBCASE("unset, and never read") {
    auto plan = plan_of<B>(op_text("If", {"c"}, {"y"}, branch) + line_text("x", "z", 1, 0), table, blobs);
    plan.run();
    CHECK_FALSE(blobs.contains("y"));
    CHECK(numbers(blobs, "z") == floats{1, 2});
  }
  SUBCASE("unset, and read by an op") {
    auto plan = plan_of<B>(op_text("If", {"c"}, {"y"}, branch) + line_text("y", "z", 1, 0), table, blobs);
    try {
      plan.run();
      FAIL("y holds nothing");
    } catch (plait::exec_error const& e) {
      CHECK(e.op == 1);
      CHECK(e.blob == "y");
    }
    test::feed_flag(blobs, "c", true);
    plan.run();
    CHECK(numbers(blobs, "z") == floats{2, 4});
  }
}

TEST_CASE("If: branches run in place, and keep an old value that is still read") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  std::string const branches = net_arg("then_net", line_text("y", "y", 2, 0)) +
                               net_arg("else_net", line_text("y", "t", 1, 0) + op_text("Reverse", {"t"}, {"y"}));
  std::string const text = line_text("x", "y", 1, 1) + op_text("Same", {"y"}, {"old"}) +
                           op_text("If", {"c", "y"}, {"y"}, branches) + line_text("y", "y", 1, 100) +
                           op_text("Mix", {"old", "y"}, {"z"}) + "external_output: \"z\"";
  plait::workspace<B> blobs;
  feed(blobs, "x", {1, 2});
  test::feed_flag(blobs, "c", true);
  auto plan = plan_of<B>(text, table, blobs);
  for (int round = 0; round != 2; ++round) {
    test::feed_flag(blobs, "c", true);
    plan.run();
    CHECK(numbers(blobs, "z") == floats{2 + 2 * 104, 3 + 2 * 106});
    test::feed_flag(blobs, "c", false);
    plan.run();
    CHECK(numbers(blobs, "z") == floats{2 + 2 * 103, 3 + 2 * 102});
  }

  SUBCASE("a fed blob changes in place") {
    plait::workspace<B> fed;
    feed(fed, "y", {1, 2});
    float const* const memory = fed.view("y").data<float>();
    test::feed_flag(fed, "c", true);
    auto changing = plan_of<B>(op_text("If", {"c", "y"}, {"y"}, branches), table, fed);
    changing.run();
    CHECK(numbers(fed, "y") == floats{2, 4});
    CHECK(fed.view("y").data<float>() == memory);
    test::feed_flag(fed, "c", false);
    changing.run();
    CHECK(numbers(fed, "y") == floats{4, 2});
    changing.run();
    CHECK(numbers(fed, "y") == floats{2, 4});
    changing.run();
    CHECK(numbers(fed, "y") == floats{4, 2});
    test::feed_flag(fed, "c", true);
    changing.run();
    CHECK(numbers(fed, "y") == floats{8, 4});
  }
}

TEST_CASE("If: listed inputs of a branch may be unset unless it is taken") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "x", {1, 2});
  auto plan = plan_of<B>(
      op_text("If", {"c", "x", "other"}, {"y"},
              net_arg("then_net", line_text("other", "y", 3, 0)) + net_arg("else_net", line_text("x", "y", 2, 0))),
      table, blobs);
  test::feed_flag(blobs, "c", false);
  plan.run();
  CHECK(numbers(blobs, "y") == floats{2, 4});
  test::feed_flag(blobs, "c", true);
  CHECK(says(message_of([&] { plan.run(); }), "op 0 (If): then_net: op 0 (Line): the workspace has no blob 'other'"));
  feed(blobs, "other", {1});
  plan.run();
  CHECK(numbers(blobs, "y") == floats{3});
}

TEST_CASE("If: the condition is one bool") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "x", {1});
  auto plan =
      plan_of<B>(op_text("If", {"c", "x"}, {"y"}, net_arg("then_net", line_text("x", "y", 2, 0))), table, blobs);
  CHECK(says(message_of([&] { plan.run(); }), "no blob 'c'"));
  blobs.feed("c", plait::tensor<B>::from(std::vector<bool>{true, true}, {2}));
  CHECK(says(message_of([&] { plan.run(); }), "op 0 (If): the condition is bool 2, which should be one bool"));
  blobs.feed<std::int32_t>("c", {1}, {1});
  CHECK(says(message_of([&] { plan.run(); }), "int32"));
  blobs.feed("c", plait::tensor<B>::from(std::vector<bool>{true}, {}));
  plan.run();
  CHECK(numbers(blobs, "y") == floats{2});
}

std::string counting_loop(std::string const& body) {
  return op_text(
      "While", {"c", "i", "n"}, {"i", "y", "c"},
      net_arg("loop_net", body + line_text("i", "i", 1, 1)) + net_arg("cond_net", op_text("Less", {"i", "n"}, {"c"})));
}

TEST_CASE_TEMPLATE("While: loops run zero or more iterations, which may change shapes", B, PLAIT_HOST_BACKENDS) {
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  test::feed_flag(blobs, "c", false);
  auto plan = plan_of<B>(line_text("x", "y", 1, 0) + line_text("zero", "i", 1, 0) +
                             counting_loop(op_text("Grow", {"y"}, {"y"}) + line_text("y", "y", 2, 0)) +
                             line_text("y", "z", 1, 1) + "external_output: \"z\" external_output: \"i\"",
                         table, blobs);
  feed(blobs, "x", {1, 2});
  feed(blobs, "zero", {0});
  for (int const n : {0, 3, 3, 1, 0, 2}) {
    feed(blobs, "n", {static_cast<float>(n)});
    plan.run();
    floats expected{1, 2};
    for (int i = 0; i != n; ++i) {
      expected.push_back(expected[0]);
      for (float& e : expected) e *= 2;
    }
    for (float& e : expected) e += 1;
    CHECK(numbers(blobs, "z") == expected);
    CHECK(numbers(blobs, "i") == floats{static_cast<float>(n)});
  }
  CHECK(numbers(blobs, "x") == floats{1, 2});
}

TEST_CASE("While: the body writes the condition if cond_net is missing") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "i", {0});
  feed(blobs, "n", {5});
  auto plan = plan_of<B>(
      op_text("While", {"c"}, {}, net_arg("loop_net", line_text("i", "i", 1, 1) + op_text("Less", {"i", "n"}, {"c"}))),
      table, blobs);
  test::feed_flag(blobs, "c", false);
  plan.run();
  CHECK(numbers(blobs, "i") == floats{0});
  test::feed_flag(blobs, "c", true);
  plan.run();
  CHECK(numbers(blobs, "i") == floats{5});
  CHECK(blobs.fetch<bool>("c") == std::vector<bool>{false});
  test::feed_flag(blobs, "c", true);
  plan.run();
  CHECK(numbers(blobs, "i") == floats{6});
}

TEST_CASE("While: loop-carried values can be swapped") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  std::string const swap =
      op_text("Same", {"a"}, {"t"}) + op_text("Same", {"b"}, {"a"}) + op_text("Same", {"t"}, {"b"});
  auto plan = plan_of<B>(op_text("While", {"c", "i", "n", "a", "b"}, {"i", "a", "b", "c"},
                                 net_arg("loop_net", swap + line_text("i", "i", 1, 1)) +
                                     net_arg("cond_net", op_text("Less", {"i", "n"}, {"c"}))),
                         table, blobs);
  test::feed_flag(blobs, "c", false);
  for (int n = 0; n != 6; ++n) {
    feed(blobs, "a", {1, 2});
    feed(blobs, "b", {3, 4, 5});
    feed(blobs, "i", {0});
    feed(blobs, "n", {static_cast<float>(n)});
    plan.run();
    CHECK(numbers(blobs, "a") == (n % 2 == 0 ? floats{1, 2} : floats{3, 4, 5}));
    CHECK(numbers(blobs, "b") == (n % 2 != 0 ? floats{1, 2} : floats{3, 4, 5}));
  }
}

// Returns If in While in If: the loop doubles y in its first two iterations and adds 0.5 in later ones; else y = -y.
std::string nested_text() {
  std::string const inner =
      op_text("Less", {"one", "i"}, {"late"}) +
      op_text("If", {"late"}, {"y"},
              net_arg("then_net", line_text("y", "y", 1, 0.5f)) +
                  net_arg("else_net", line_text("y", "u", 2, 0) + op_text("Same", {"u"}, {"y"}))) +
      line_text("i", "i", 1, 1);
  std::string const loop =
      line_text("zero", "i", 1, 0) + op_text("Less", {"i", "n"}, {"go"}) +
      op_text("While", {"go"}, {"y"},
              net_arg("loop_net", inner) + net_arg("cond_net", op_text("Less", {"i", "n"}, {"go"})));
  return op_text("If", {"c"}, {"y"}, net_arg("then_net", loop) + net_arg("else_net", line_text("y", "y", -1, 0)));
}

TEST_CASE_TEMPLATE("control flow: If runs within While within If", B, PLAIT_HOST_BACKENDS) {
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "zero", {0});
  feed(blobs, "one", {1});
  auto plan = plan_of<B>(nested_text() + line_text("y", "z", 1, 0), table, blobs);
  for (int n = 0; n != 5; ++n) {
    feed(blobs, "y", {1, 3});
    feed(blobs, "n", {static_cast<float>(n)});
    test::feed_flag(blobs, "c", true);
    plan.run();
    floats y{1, 3};
    for (int i = 0; i != n; ++i)
      for (float& e : y) e = i > 1 ? e + 0.5f : 2 * e;
    CHECK(numbers(blobs, "z") == y);
    test::feed_flag(blobs, "c", false);
    plan.run();
    for (float& e : y) e = -e;
    CHECK(numbers(blobs, "z") == y);
  }
}

TEST_CASE("control flow: iteration_limit also stops nested loops") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "zero", {0});
  feed(blobs, "one", {1});
  feed(blobs, "n", {4});
  feed(blobs, "y", {1});
  test::feed_flag(blobs, "c", true);
  auto plan = plan_of<B>(nested_text(), table, blobs);
  plait::run_options options;
  options.iteration_limit = 3;
  std::string const message = message_of([&] { plan.run(options); });
  CHECK(says(message, "op 0 (If): then_net: op 2 (While): the loop goes on after 3 iterations"));
  CHECK(numbers(blobs, "y") == floats{1});  // rolled back, although nested nets changed it
  options.iteration_limit = 4;
  plan.run(options);
  CHECK(numbers(blobs, "y") == floats{5});
}

struct stopper : plait::op_observer {
  std::stop_source source;
  int events = 0;
  int left;
  std::size_t deepest = 0;
  explicit stopper(int after) : left(after) {}
  void before(plait::op_event const& e) override {
    ++events;
    std::size_t depth = 0;
    for (auto const* around = e.within; around != nullptr; around = around->within) ++depth;
    deepest = std::max(deepest, depth);
    if (left-- == 0) source.request_stop();
  }
};

TEST_CASE("control flow: cancellation and observers reach nested nets") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "zero", {0});
  feed(blobs, "one", {1});
  feed(blobs, "n", {1e30f});
  feed(blobs, "y", {1});
  test::feed_flag(blobs, "c", true);
  auto plan = plan_of<B>(line_text("zero", "before", 1, 0) + nested_text(), table, blobs);
  stopper watch(50);
  plait::run_options options;
  options.stop = watch.source.get_token();
  options.observer = &watch;
  try {
    plan.run(options);
    FAIL("the run was to be cancelled");
  } catch (plait::run_cancelled const& e) {
    CHECK(e.op == 1);
  }
  CHECK(watch.events == 51);
  CHECK(watch.deepest == 3);
  CHECK(numbers(blobs, "y") == floats{1});

  SUBCASE("an empty loop ends, too") {
    plait::workspace<B> other;
    test::feed_flag(other, "c", true);
    auto empty = plan_of<B>(op_text("While", {"c"}, {}, net_arg("loop_net", "")), table, other);
    std::stop_source source;
    source.request_stop();
    CHECK_THROWS_AS(empty.run({.stop = source.get_token()}), plait::run_cancelled);
    CHECK_THROWS_AS(empty.run({.iteration_limit = 1000}), plait::exec_error);
  }
  SUBCASE("times of nested ops lie within those of outer ops") {
    feed(blobs, "n", {2});
    plait::time_observer<B> times;
    plan.run({.observer = &times});
    auto const& all = times.records();
    REQUIRE(all.back().type == "If");
    CHECK(all.back().depth == 0);
    std::size_t inner = 0;
    for (auto const& r : all) {
      if (r.depth == 0) continue;
      ++inner;
      CHECK(r.begin >= all.back().begin);
      CHECK(r.end <= all.back().end);
    }
    CHECK(inner == 3 + 3 + 2 * 3 + 2 * 2);  // then_net, conditions, bodies, branches of two ops
  }
}

TEST_CASE("control flow: a nested error names its path, and fed blobs are rolled back") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  std::string const body = line_text("w", "w", 2, 0) + line_text("i", "i", 1, 1) + op_text("Break", {"x"}, {"y"}) +
                           line_text("x", "x", 1, -1) + op_text("Less", {"i", "n"}, {"c"});
  plait::workspace<B> blobs;
  feed(blobs, "w", {1, 2});
  feed(blobs, "x", {1, 1});
  feed(blobs, "i", {0});
  feed(blobs, "n", {9});
  test::feed_flag(blobs, "c", true);
  auto plan = plan_of<B>(
      line_text("n", "first", 1, 0) +
          op_text("If", {"c"}, {},
                  "name: \"choice\"" + net_arg("then_net", op_text("While", {"c"}, {}, net_arg("loop_net", body)))),
      table, blobs);
  try {
    plan.run();
    FAIL("Break breaks in the third round");
  } catch (plait::exec_error const& e) {
    CHECK(e.op == 1);
    CHECK(e.type == "If");
    std::string const message = e.what();
    CHECK(
        says(message, "plait: op 1 (If 'choice'): then_net: op 0 (While): loop_net: op 2 (Break): a negative number"));
    // Nested exceptions lead down to the one that the kernel threw.
    int depth = 0;
    std::exception_ptr at = std::current_exception();
    bool found = false;
    while (at != nullptr) {
      try {
        std::rethrow_exception(std::exchange(at, nullptr));
      } catch (std::domain_error const&) {
        found = true;
      } catch (std::exception const& outer) {
        ++depth;
        if (auto const* nested = dynamic_cast<std::nested_exception const*>(&outer)) at = nested->nested_ptr();
      }
    }
    CHECK(found);
    CHECK(depth >= 3);
  }
  CHECK(numbers(blobs, "w") == floats{1, 2});
  CHECK(numbers(blobs, "x") == floats{1, 1});
  CHECK(numbers(blobs, "i") == floats{0});
  CHECK(blobs.fetch<bool>("c") == std::vector<bool>{true});

  feed(blobs, "n", {2});
  plan.run();  // the plan can run again
  CHECK(numbers(blobs, "w") == floats{4, 8});
}

TEST_CASE("control flow: nested nets are checked when the net is compiled") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  auto const error_of = [&](std::string const& text) { return message_of([&] { plan_of<B>(text, table, blobs); }); };
  CHECK(says(error_of(op_text("If", {"c"}, {})), "op 0 (If): argument 'then_net' is missing"));
  CHECK(says(error_of(op_text("While", {"c"}, {})), "op 0 (While): argument 'loop_net' is missing"));
  CHECK(says(error_of(op_text("If", {}, {}, net_arg("then_net", ""))), "op 0 (If): 0 inputs"));
  std::string const bad =
      op_text("If", {"c"}, {}, net_arg("then_net", "") + net_arg("else_net", op_text("NoSuch", {}, {})));
  CHECK(says(error_of(op_text("While", {"c"}, {}, net_arg("loop_net", line_text("x", "x", 1, 1) + bad))),
             "op 0 (While): loop_net: op 1 (If): else_net: op 0 (NoSuch): there is no such op type"));
  CHECK(says(error_of(op_text("If", {"c"}, {}, net_arg("then_net", op_text("Mix", {"a"}, {"b"})))),
             "then_net: op 0 (Mix): 1 inputs where there should be 2"));

  std::string deep = line_text("x", "x", 1, 1);
  for (int level = 0; level != 30; ++level) deep = op_text("If", {"c"}, {}, net_arg("then_net", deep));
  feed(blobs, "x", {1});
  test::feed_flag(blobs, "c", true);
  auto plan = plan_of<B>(deep, table, blobs);
  plan.run();
  CHECK(numbers(blobs, "x") == floats{2});
}

TEST_CASE("control flow: nets that are nested too deep are refused and do not overflow the stack") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  auto const nested = [](int levels) {
    plait::netdef net;
    net.add_op("Line", {"x"}, {"x"});
    for (int level = 0; level != levels; ++level) {
      plait::netdef around;
      plait::arg_def argument;
      argument.name = around.intern("then_net");
      argument.n = plait::box<plait::netdef>(std::move(net));
      around.add_op("If", {"c"}, {}).arg.push_back(std::move(argument));
      net = std::move(around);
    }
    return net;
  };
  plait::workspace<B> blobs;
  feed(blobs, "x", {1});
  test::feed_flag(blobs, "c", true);
  auto plan = plait::compile(nested(100), table, blobs);
  plan.run();
  CHECK(numbers(blobs, "x") == floats{1});
  CHECK(says(message_of([&] { static_cast<void>(plait::compile(nested(101), table, blobs)); }),
             "nested more than 100 levels deep"));
}

TEST_CASE("control flow: parallel_executor stops loops") {
  using B = plait::tbb;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "y", {1});
  test::feed_flag(blobs, "c", true);
  auto plan = plan_of<B>(op_text("While", {"c"}, {}, net_arg("loop_net", line_text("y", "y", 1, 1))), table, blobs,
                         {.parallel = true});
  plait::parallel_executor executor(plan);
  stopper watch(100);
  CHECK_THROWS_AS(executor.run({.stop = watch.source.get_token(), .observer = &watch}), plait::run_cancelled);
  CHECK(watch.events == 101);
  CHECK(says(message_of([&] { executor.run({.iteration_limit = 5}); }), "op 0 (While): the loop goes on after 5"));
  CHECK(numbers(blobs, "y") == floats{1});
}

TEST_CASE("control flow: parallel_executor runs If and While") {
  using B = plait::tbb;
  auto const table = test::control_operators<B>();
  std::string const text =
      line_text("x", "y", 1, 0) + line_text("x", "z", 3, 0) +
      op_text("If", {"c"}, {"y"},
              net_arg("then_net", line_text("y", "y", 2, 0)) + net_arg("else_net", op_text("Grow", {"y"}, {"y"}))) +
      op_text("While", {"c"}, {"z"},
              net_arg("loop_net", line_text("z", "z", 1, 1) + op_text("Less", {"z", "n"}, {"c"}))) +
      op_text("Reverse", {"z"}, {"a"}) + op_text("Reverse", {"y"}, {"b"});
  plait::workspace<B> blobs;
  feed(blobs, "x", {1, 2});
  feed(blobs, "n", {9});
  auto plan = plan_of<B>(text, table, blobs, {.parallel = true});
  plait::parallel_executor executor(plan);
  for (int round = 0; round != 20; ++round) {
    test::feed_flag(blobs, "c", true);
    executor.run();
    CHECK(numbers(blobs, "a") == floats{12, 9});
    CHECK(numbers(blobs, "b") == floats{4, 2});
    test::feed_flag(blobs, "c", false);
    executor.run();
    CHECK(numbers(blobs, "a") == floats{6, 3});
    CHECK(numbers(blobs, "b") == floats{1, 2, 1});
  }
}

// Only y is an output of the net; s is written by one branch, and read by the other in a later iteration.
TEST_CASE("While: nested nets find what they have written in an iteration before") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  std::string const step = op_text("Less", {"i", "one"}, {"early"}) +
                           op_text("If", {"early"}, {},
                                   net_arg("then_net", line_text("x", "s", 3, 0)) +
                                       net_arg("else_net", line_text("s", "s", 1, 1) + line_text("s", "y", 1, 0))) +
                           line_text("i", "i", 1, 1);
  std::string const text =
      line_text("zero", "i", 1, 0) + op_text("Less", {"i", "n"}, {"go"}) +
      op_text("While", {"go"}, {},
              net_arg("loop_net", step) + net_arg("cond_net", op_text("Less", {"i", "n"}, {"go"}))) +
      "external_output: \"y\"";
  plait::workspace<B> blobs;
  feed(blobs, "zero", {0});
  feed(blobs, "one", {1});
  feed(blobs, "y", {0});
  auto plan = plan_of<B>(text, table, blobs);
  for (float const x : {2.0f, 5.0f})
    for (float const n : {2.0f, 5.0f, 3.0f}) {
      feed(blobs, "x", {x});
      feed(blobs, "n", {n});
      plan.run();
      CHECK(numbers(blobs, "y") == floats{3 * x + n - 1});
    }
}

TEST_CASE("control flow: runs after the second take no memory from the system") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "zero", {0});
  feed(blobs, "one", {1});
  feed(blobs, "n", {7});
  test::feed_flag(blobs, "c", true);
  auto plan = plan_of<B>(op_text("Ones", {"n"}, {"y"}) + nested_text() + "external_output: \"y\"", table, blobs);
  plan.run();
  plan.run();
  auto const before = plait::memory_pool<B>::shared().statistics();
  for (int round = 0; round != 100; ++round) plan.run();
  auto const after = plait::memory_pool<B>::shared().statistics();
  CHECK(after.system_allocations == before.system_allocations);
  CHECK(after.bytes_in_use == before.bytes_in_use);
}

}  // namespace
