#include <plait/exec/detail/operators/do_scopes.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/tbb/detail/parallel.hpp>

#include <support/control_nets.hpp>

namespace {

using test::do_args;
using test::feed;
using test::floats;
using test::int_arg;
using test::line_text;
using test::names;
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

std::string const scope = op_text("CreateScope", {}, {"ws"});

template <class B>
plait::workspace_stack<B>& stack_of(plait::workspace<B>& blobs, std::string_view name) {
  return dynamic_cast<plait::workspace_stack<B>&>(*blobs.find(name)->object);
}

TEST_CASE_TEMPLATE("Do: reads bound blobs, and leaves local ones on the stack", B, PLAIT_HOST_BACKENDS) {
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "x", {1, 2});
  auto plan =
      plan_of<B>(line_text("x", "p", 1, 1) + scope +
                     op_text("Do", {"p", "ws"}, {"y", "ws"},
                             do_args(line_text("a", "t", 2, 0) + op_text("Grow", {"t"}, {"b"}), {"b", "a"}, {1, 0})) +
                     line_text("y", "z", 1, 0.5f) + "external_output: \"z\" external_output: \"ws\"",
                 table, blobs);
  for (int round = 0; round != 3; ++round) {
    plan.run();
    CHECK(numbers(blobs, "z") == floats{4.5f, 6.5f, 4.5f});
    CHECK_FALSE(blobs.contains("t"));
    CHECK_FALSE(blobs.contains("a"));
    auto& stack = stack_of(blobs, "ws");
    REQUIRE(stack.size() == 1);
    CHECK(numbers(stack.top(), "t") == floats{4, 6});
    CHECK_FALSE(stack.top().contains("a"));
    CHECK_FALSE(stack.top().contains("b"));
  }
}

TEST_CASE("Do: operands and arguments that do not fit are refused") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  auto const error_of = [&](names const& in, names const& out, names const& inner, std::vector<int> const& outer,
                            std::string const& more = {}) {
    return message_of([&] {
      plan_of<B>(scope + op_text("Do", in, out, do_args(line_text("a", "b", 1, 0), inner, outer) + more), table, blobs);
    });
  };
  names const in{"x", "ws"};
  names const out{"y", "ws"};
  CHECK(error_of(in, out, {"a", "b"}, {0, 1}) == "nothing was thrown");
  CHECK(says(error_of(in, out, {"a", "b"}, {0}), "op 1 (Do): inner_blobs has 2 names, outer_blobs_idx 1 numbers"));
  CHECK(says(error_of(in, out, {"a", "a"}, {0, 1}), "'a' is a name in inner_blobs twice"));
  CHECK(says(error_of(in, out, {"a", "b"}, {0, 2}), "outer_blobs_idx has 2 for 'b', but there are 2 blobs"));
  CHECK(says(error_of(in, out, {"a", "b"}, {0, -1}), "outer_blobs_idx has -1"));
  CHECK(says(error_of(in, out, {"a", "b"}, {0, 0}), "two names inside stand for 'x'"));
  CHECK(says(error_of(in, out, {"a"}, {0}), "nothing inside stands for 'y'"));
  CHECK(says(error_of({"ws", "x"}, out, {"a", "b"}, {0, 1}), "the last input is 'x', the last output 'ws'"));
  CHECK(says(error_of({"x", "x", "ws"}, out, {"a", "b"}, {0, 2}), "'x' is an input twice"));
  CHECK(says(error_of(in, {"y", "y", "ws"}, {"a", "b"}, {0, 1}), "'y' is an output twice"));
  CHECK(says(error_of({}, out, {"b"}, {0}), "0 inputs where there should be 1 or more"));
  CHECK(says(error_of(in, out, {"a", "b"}, {0, 1}, int_arg("copy_external_blobs", 1) + int_arg("reuse_workspace", 1)),
             "exclude each other"));
  CHECK(says(error_of(in, out, {"a", "b"}, {0, 1}, int_arg("reuse_workspace", 1) + "is_gradient_op: true"),
             "a gradient op cannot have reuse_workspace"));
  CHECK(says(message_of([&] { plan_of<B>(scope + op_text("Do", {"ws"}, {"ws"}), table, blobs); }),
             "op 1 (Do): argument 'net' is missing"));
}

TEST_CASE("Do: missing blobs and stacks fail the run") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "x", {1});
  std::string const run =
      op_text("Do", {"x", "ws"}, {"y", "ws"}, do_args(line_text("a", "b", 1, 0), {"a", "b"}, {0, 1}));
  {
    auto plan = plan_of<B>(run, table, blobs);
    CHECK(says(message_of([&] { plan.run(); }), "no blob 'ws'"));
    feed(blobs, "ws", {1});
    CHECK(says(message_of([&] { plan.run(); }), "should be a stack of workspaces"));
  }
  {
    auto plan = plan_of<B>(line_text("x", "ws", 1, 0) + op_text("HasScope", {"ws"}, {"h"}), table, blobs);
    CHECK(says(message_of([&] { plan.run(); }), "op 1 (HasScope): the input is float32 1"));
  }
  {
    auto plan = plan_of<B>(scope + line_text("ws", "y", 1, 0), table, blobs);
    CHECK(says(message_of([&] { plan.run(); }), "op 1 (Line): input 'ws' is object, not a tensor"));
    CHECK_THROWS_AS(blobs.view("ws"), plait::net_error);
  }
  {
    auto plan =
        plan_of<B>(scope + op_text("Do", {"x", "ws"}, {"y", "ws"},
                                   do_args(line_text("a", "b", 1, 0), {"a", "b"}, {0, 1}) + "is_gradient_op: true"),
                   table, blobs);
    CHECK(says(message_of([&] { plan.run(); }), "the stack of workspaces is empty"));
  }
  {
    auto plan = plan_of<B>(
        scope + op_text("Do", {"x", "ws"}, {"y", "ws"}, do_args(line_text("hidden", "b", 1, 0), {"a", "b"}, {0, 1})),
        table, blobs);
    feed(blobs, "hidden", {1});
    CHECK(says(message_of([&] { plan.run(); }), "op 1 (Do): net: op 0 (Line): the workspace has no blob 'hidden'"));
    CHECK(stack_of(blobs, "ws").empty());  // the pushed workspace is popped again
  }
}

TEST_CASE("Do: finds blobs of the previous Do only with reuse_workspace") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  for (int const reuse : {0, 1}) {
    plait::workspace<B> blobs;
    feed(blobs, "x", {1, 2});
    auto plan =
        plan_of<B>(scope + op_text("Do", {"x", "ws"}, {"ws"}, do_args(line_text("a", "p", 2, 0), {"a"}, {0})) +
                       op_text("Do", {"ws"}, {"z", "ws"},
                               do_args(line_text("p", "q", 3, 0), {"q"}, {0}) + int_arg("reuse_workspace", reuse)),
                   table, blobs);
    if (reuse == 0) {
      CHECK(says(message_of([&] { plan.run(); }), "op 2 (Do): net: op 0 (Line): the workspace has no blob 'p'"));
    } else {
      for (int round = 0; round != 2; ++round) {
        plan.run();
        CHECK(numbers(blobs, "z") == floats{6, 12});
        CHECK(stack_of(blobs, "ws").size() == 1);
      }
    }
  }
}

TEST_CASE("Do: a gradient op reads bound blobs as its forward op saw them, not as another Do left them") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  for (int const copies : {0, 1}) {
    plait::workspace<B> blobs;
    feed(blobs, "x", {1, 2});
    auto plan = plan_of<B>(
        scope +
            op_text("Do", {"x", "ws"}, {"y", "ws"},
                    do_args(line_text("t", "q", 3, 0), {"t", "q"}, {0, 1}) + int_arg("copy_external_blobs", copies)) +
            (copies == 1 ? line_text("x", "x", 10, 0)
                         : op_text("Do", {"x", "ws"}, {"ws"},
                                   do_args(line_text("a", "t", 5, 0), {"a"}, {0}) + int_arg("reuse_workspace", 1))) +
            op_text("Do", {"x", "ws"}, {"z", "ws"},
                    do_args(line_text("t", "g", 1, 0), {"t", "g"}, {0, 1}) + "is_gradient_op: true"),
        table, blobs);
    plan.run();
    CHECK(numbers(blobs, "z") == floats{1, 2});
  }
}

TEST_CASE("Do: works in place on a blob that is computed, fed, or still needed") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  std::string const change = op_text("Do", {"y", "ws"}, {"y", "ws"}, do_args(line_text("a", "a", 2, 0), {"a"}, {0}));
  plait::workspace<B> blobs;
  feed(blobs, "x", {1, 2});
  feed(blobs, "v", {1, 2});
  auto plan =
      plan_of<B>(scope + line_text("x", "y", 1, 1) + op_text("Same", {"y"}, {"old"}) + change + change +
                     op_text("Mix", {"y", "old"}, {"z"}) +
                     op_text("Do", {"v", "ws"}, {"v", "ws"}, do_args(op_text("Grow", {"a"}, {"a"}), {"a"}, {0})),
                 table, blobs);
  plan.run();
  CHECK(numbers(blobs, "z") == floats{8 + 4, 12 + 6});
  CHECK(numbers(blobs, "v") == floats{1, 2, 1});
  plan.run();
  CHECK(numbers(blobs, "z") == floats{8 + 4, 12 + 6});
  CHECK(numbers(blobs, "v") == floats{1, 2, 1, 1});
  CHECK(numbers(blobs, "x") == floats{1, 2});
}

TEST_CASE_TEMPLATE("Do: writes of its net to an input reach the outer blob", B, PLAIT_HOST_BACKENDS) {
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "x", {1, 2});
  // Into new memory, and in place.
  for (std::string const& change : {op_text("Grow", {"a"}, {"a"}), line_text("a", "a", 2, 0)}) {
    auto plan = plan_of<B>(
        scope + line_text("x", "p", 1, 0) + op_text("Same", {"p"}, {"before"}) +
            op_text("Do", {"p", "ws"}, {"y", "ws"}, do_args(change + line_text("a", "b", 1, 0), {"a", "b"}, {0, 1})) +
            op_text("Same", {"p"}, {"after"}),
        table, blobs);
    plan.run();
    CHECK(numbers(blobs, "before") == floats{1, 2});
    CHECK(numbers(blobs, "after") == numbers(blobs, "y"));
    CHECK(numbers(blobs, "after") != numbers(blobs, "before"));
    CHECK(numbers(blobs, "x") == floats{1, 2});
  }
}

// Returns a loop of y ← 2 y + 1, and a backward loop that sums 2 y before (`sum`) and after (`ends`) each iteration.
std::string loop_with_gradient() {
  std::string const body = do_args(line_text("y", "kept", 1, 0) + line_text("y", "y", 2, 1) + line_text("i", "i", 1, 1),
                                   {"y", "i"}, {0, 1}) +
                           int_arg("copy_external_blobs", 1);
  std::string const test = do_args(op_text("Less", {"i", "n"}, {"c"}), {"c", "i", "n"}, {2, 0, 1});
  return op_text("CreateScope", {}, {"ws"}) + op_text("CreateScope", {}, {"wc"}) + line_text("x", "y", 1, 0) +
         line_text("zero", "i", 1, 0) +
         op_text("While", {"c", "y", "i", "n", "ws", "wc"}, {"y", "i", "c", "ws", "wc"},
                 net_arg("loop_net", op_text("Do", {"y", "i", "ws"}, {"y", "i", "ws"}, body)) +
                     net_arg("cond_net", op_text("Do", {"i", "n", "wc"}, {"c", "wc"}, test))) +
         // backward
         line_text("zero", "sum", 1, 0) + line_text("zero", "ends", 1, 0) + op_text("HasScope", {"ws"}, {"more"}) +
         op_text("While", {"more", "sum", "ends", "y", "ws"}, {"sum", "ends", "more", "ws"},
                 net_arg("loop_net",
                         op_text("Do", {"sum", "ends", "y", "ws"}, {"sum", "ends", "ws"},
                                 do_args(op_text("Mix", {"s", "kept"}, {"s"}) + op_text("Mix", {"e", "y"}, {"e"}),
                                         {"s", "e", "y"}, {0, 1, 2}) +
                                     "is_gradient_op: true")) +
                     net_arg("cond_net", op_text("HasScope", {"ws"}, {"more"})));
}

TEST_CASE_TEMPLATE("Do: gradient ops pop the workspaces of iterations, the last first", B, PLAIT_HOST_BACKENDS) {
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "x", {1});
  feed(blobs, "zero", {0});
  test::feed_flag(blobs, "c", false);
  auto plan = plan_of<B>(loop_with_gradient(), table, blobs);
  for (int const n : {3, 0, 5, 1}) {
    feed(blobs, "n", {static_cast<float>(n)});
    plan.run();
    float y = 1;
    float begins = 0;
    float ends = 0;
    for (int i = 0; i != n; ++i) {
      begins += 2 * y;
      y = 2 * y + 1;
      ends += 2 * y;
    }
    CHECK(numbers(blobs, "y") == floats{y});
    CHECK(numbers(blobs, "sum") == floats{begins});
    CHECK(numbers(blobs, "ends") == floats{ends});  // copies that copy_external_blobs left, not the last y
    CHECK(stack_of(blobs, "ws").empty());
  }
}

TEST_CASE("Do: workspaces and their memory are reused") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "x", {1});
  feed(blobs, "zero", {0});
  feed(blobs, "n", {50});
  test::feed_flag(blobs, "c", false);
  for (bool const declared : {false, true}) {
    auto plan = plan_of<B>(loop_with_gradient() + (declared ? "external_output: \"sum\"" : ""), table, blobs);
    for (int round = 0; round != 3; ++round) plan.run();
    auto const before = plait::memory_pool<B>::shared().statistics();
    for (int round = 0; round != 20; ++round) plan.run();
    auto const after = plait::memory_pool<B>::shared().statistics();
    CHECK(after.system_allocations == before.system_allocations);
    CHECK(after.bytes_in_use == before.bytes_in_use);
  }
}

TEST_CASE("Do: a scope created in each iteration is a separate stack") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  // Iteration i pushes a workspace with a scope of i workspaces; backward pops all of them.
  std::string const inner =
      op_text("CreateScope", {}, {"in"}) + line_text("zero", "j", 1, 0) + op_text("Less", {"j", "i"}, {"go"}) +
      op_text(
          "While", {"go", "j", "i", "in"}, {"j", "go", "in"},
          net_arg("loop_net", op_text("Do", {"j", "in"}, {"j", "in"},
                                      do_args(line_text("j", "was", 1, 0) + line_text("j", "j", 1, 1), {"j"}, {0}))) +
              net_arg("cond_net", op_text("Less", {"j", "i"}, {"go"}))) +
      line_text("i", "i", 1, 1);
  std::string const back =
      op_text("HasScope", {"in"}, {"more"}) +
      op_text("While", {"more", "count", "in"}, {"count", "more", "in"},
              net_arg("loop_net",
                      op_text("Do", {"count", "in"}, {"count", "in"},
                              do_args(op_text("Mix", {"s", "was"}, {"s"}) + line_text("s", "s", 1, 1), {"s"}, {0}) +
                                  "is_gradient_op: true")) +
                  net_arg("cond_net", op_text("HasScope", {"in"}, {"more"})));
  std::string const text =
      scope + line_text("zero", "i", 1, 0) + op_text("Less", {"i", "n"}, {"c"}) +
      op_text(
          "While", {"c", "i", "zero", "n", "ws"}, {"i", "c", "ws"},
          net_arg("loop_net", op_text("Do", {"i", "zero", "ws"}, {"i", "ws"}, do_args(inner, {"i", "zero"}, {0, 1}))) +
              net_arg("cond_net", op_text("Less", {"i", "n"}, {"c"}))) +
      line_text("zero", "count", 1, 0) + op_text("HasScope", {"ws"}, {"any"}) +
      op_text("While", {"any", "count", "ws"}, {"count", "any", "ws"},
              net_arg("loop_net", op_text("Do", {"count", "ws"}, {"count", "ws"},
                                          do_args(back, {"count"}, {0}) + "is_gradient_op: true")) +
                  net_arg("cond_net", op_text("HasScope", {"ws"}, {"any"})));
  plait::workspace<B> blobs;
  feed(blobs, "zero", {0});
  auto plan = plan_of<B>(text, table, blobs);
  for (int const n : {3, 5, 2}) {
    feed(blobs, "n", {static_cast<float>(n)});
    plan.run();
    float count = 0;
    for (int i = 0; i != n; ++i)
      for (int j = 0; j != i; ++j) count += 1 + 2 * static_cast<float>(j);
    CHECK(numbers(blobs, "count") == floats{count});
  }
}

TEST_CASE("Do: gradient ops may run in a separate net after the forward net") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "x", {1, 2});
  auto forward = plan_of<B>(
      scope + op_text("Do", {"x", "ws"}, {"y", "ws"},
                      do_args(op_text("Grow", {"a"}, {"t"}) + line_text("t", "b", 2, 0), {"a", "b"}, {0, 1})),
      table, blobs);
  auto backward =
      plan_of<B>(op_text("Do", {"x", "ws"}, {"g", "ws"},
                         do_args(line_text("t", "u", 1, 0) + op_text("Reverse", {"u"}, {"g"}), {"a", "g"}, {0, 1}) +
                             "is_gradient_op: true"),
                 table, blobs);
  for (int round = 0; round != 2; ++round) {
    forward.run();
    backward.run();
    CHECK(numbers(blobs, "g") == floats{1, 2, 1});
    CHECK(says(message_of([&] { backward.run(); }), "the stack of workspaces is empty"));
  }
}

TEST_CASE("Do: a gradient op that fails leaves its workspace on the stack for the next run") {
  using B = plait::serial;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "x", {1, 2});
  auto forward =
      plan_of<B>(scope + op_text("Do", {"x", "ws"}, {"y", "ws"},
                                 do_args(line_text("a", "t", 2, 0) + line_text("t", "b", 1, 0), {"a", "b"}, {0, 1})),
                 table, blobs);
  auto backward = plan_of<B>(
      op_text("Do", {"ws"}, {"g", "ws"},
              do_args(line_text("hidden", "u", 1, 0) + line_text("t", "g", 3, 0), {"g"}, {0}) + "is_gradient_op: true"),
      table, blobs);
  forward.run();
  CHECK(says(message_of([&] { backward.run(); }), "'hidden'"));
  auto& stack = stack_of(blobs, "ws");
  REQUIRE(stack.size() == 1);
  CHECK(numbers(stack.top(), "t") == floats{2, 4});
  stack.top().template feed<float>("hidden", {1}, {1});
  backward.run();
  CHECK(numbers(blobs, "g") == floats{6, 12});
  CHECK(stack.empty());
}

TEST_CASE("Do: loops and their gradients run under parallel_executor") {
  using B = plait::tbb;
  auto const table = test::control_operators<B>();
  plait::workspace<B> blobs;
  feed(blobs, "x", {1});
  feed(blobs, "zero", {0});
  feed(blobs, "n", {4});
  test::feed_flag(blobs, "c", false);
  auto plan = plan_of<B>(loop_with_gradient(), table, blobs, {.parallel = true});
  plait::parallel_executor executor(plan);
  for (int round = 0; round != 20; ++round) {
    executor.run();
    REQUIRE(numbers(blobs, "y") == floats{31});
    REQUIRE(numbers(blobs, "sum") == floats{2 * (1 + 3 + 7 + 15)});
    REQUIRE(numbers(blobs, "ends") == floats{2 * (3 + 7 + 15 + 31)});
  }
}

}  // namespace
