// Nested nets in steps of a recurrence, exceptions of any type from their ops, and observers, with the executor.
#include <plait/exec/detail/operators/recurrent_network_executor.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/gradient/backward_pass.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/rnn/recurrent_net.hpp>
#include <support/recurrent_nets.hpp>
#include <support/some_threads.hpp>

namespace {

using B = plait::tbb;
using plait::net_builder;
using test::op_text;
using test::recurrence;
using names = std::vector<std::string>;

// Returns the net with `threads` threads for its steps; 0: steps run one by one, without the executor.
plait::netdef with_executor(plait::netdef n, int threads) {
  using traits = plait::net_traits<plait::netdef>;
  for (plait::op_def& op : n.op) {
    if (!n.text(op.type).starts_with("RecurrentNetwork")) continue;
    traits::set_argument(n, op, {"enable_rnn_executor", std::int64_t{threads != 0}});
    traits::set_argument(n, op, {"rnn_executor.num_threads", std::int64_t{threads}});
  }
  return n;
}

net_builder step_with(std::string const& what) {
  net_builder cell("cell");
  auto const [x, h, w, yes, half, one, us] = cell.external_inputs("x_t", "h_prev", "w", "yes", "half", "one", "us");
  if (what == "RecurrentNetwork") {
    net_builder inner("inner");
    auto const [u, g, v] = inner.external_inputs("u_t", "g_prev", "w");
    inner.tanh(inner.sum({inner.mul(u, v), g}), "g");
    auto const made = plait::recurrent_net(cell, {.cell = inner,
                                                  .inputs = {{u, us}},
                                                  .states = {{.in = g, .out = "g", .initial = h}},
                                                  .outputs_with_grads = {1},
                                                  .scope = "inner"});
    cell.mul(made.last("g"), cell.sigmoid(x), "h");
    return cell;
  }
  if (what == "If") {
    cell.op("LT", {cell.external_input("timestep"), half}, {"early"});
    cell.declare("y");
    cell.if_(
        "early",
        [](net_builder& b) {
          b.op("Mul", {"x_t", "w"}, {"y"});
        },
        [](net_builder& b) { b.op("Tanh", {"x_t"}, {"y"}); });
  } else if (what == "While") {
    cell.op("ConstantFill", {one}, {"i"}, {{"value", 0.0f}});
    cell.op("LT", {"i", one}, {"on"});
    cell.op("Mul", {x, w}, {"y"});
    cell.while_(
        "on",
        [](net_builder& c) {
          c.op("LT", {"i", "one"}, {"on"});
        },
        [](net_builder& b) {
          b.op("Mul", {"y", "w"}, {"y"});
          b.op("Add", {"i", "one"}, {"i"});
        });
  } else {
    cell.declare("y");
    cell.do_([](net_builder& b) { b.op("Mul", {"x_t", "w"}, {"y"}); });
  }
  cell.sum({"y", cell.tanh(h)}, "h");
  return cell;
}

struct fail_with_number {};

// Kernel of y = x that counts `left` down and calls `fail` at 0. `most` is the maximum of concurrent calls.
template <class Backend>
struct failing_copy : plait::op_kernel<Backend> {
  explicit failing_copy(plait::op_arguments const&) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<Backend>& c) override {
    int const now = ++at_work;
    for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
    }
    if (sleeps) std::this_thread::sleep_for(std::chrono::microseconds(200));
    --at_work;
    if (--left == 0) fail();
    Backend::copy(c.raw_output(0), c.raw_input(0), c.output_spec(0).bytes());
  }

  static inline std::atomic<int> left = 0;
  static inline std::atomic<int> at_work = 0;
  static inline std::atomic<int> most = 0;
  static inline bool sleeps = false;
  static inline std::function<void()> fail;
};

// Returns the recurrence h = h_prev + x, by way of `width` independent copies with FailingCopy.
recurrence copies(std::size_t width) {
  recurrence r{{"x", "h0"},
               {"hs"},
               {1},
               {"hs"},
               {"all"},
               {1},
               {{"h_prev", "h", "x_t"}, {"hs", "hs", "x"}, {0, 1, 0}},
               op_text("Sum", {"h_prev", "x_t"}, {"s"})};
  names parts;
  for (std::size_t k = 0; k != width; ++k) {
    parts.push_back("part" + std::to_string(k));
    r.step += op_text("FailingCopy", {"s"}, {parts.back()});
  }
  r.step += op_text("Max", parts, {"h"});
  r.trains = true;
  r.backward = {{"h_grad", "g", "g"}, {"hs_grad", "hs_grad", "x_grad"}, {1, 0, 0}};
  r.backward_step = op_text("FailingCopy", {"h_grad"}, {"g"});
  r.outputs_with_grads = {0};
  return r;
}

plait::operators<B> const& table() {
  static plait::operators<B> const all = [] {
    plait::operators<B> made = test::table<B>();
    made.add<failing_copy>(plait::op_schema("FailingCopy").inputs(1).outputs(1).checks_first());
    return made;
  }();
  return all;
}

void feed(plait::workspace<B>& blobs, std::int64_t steps, std::int64_t rows) {
  test::feed_some<float>(blobs, "x", {steps, rows, 4}, 1);
  test::feed_some<float>(blobs, "h0", {1, rows, 4}, 2);
  test::feed_some<float>(blobs, "all_grad", {steps, rows, 4}, 3);
}

struct all_seen : plait::op_observer {
  std::mutex guard;
  std::vector<std::string> types;
  void before(plait::op_event const& e) override {
    std::lock_guard const lock(guard);
    types.emplace_back(e.type);
  }
};

}  // namespace

TEST_CASE("recurrent_executor: nets nested in a step give the same bits, forward and backward") {
  test::some_threads threads;
  for (char const* const what : {"RecurrentNetwork", "If", "While", "Do"}) {
    CAPTURE(what);
    plait::netdef n;
    (void)plait::recurrent_net(n, {.cell = step_with(what),
                                   .inputs = {{"x_t", "x"}},
                                   .states = {{.in = "h_prev", .out = "h", .initial = "h0"}},
                                   .scope = "outer"});
    auto const gradients =
        plait::add_gradient_ops(n, {plait::gradient_seed("h_all", "dy")}, plait::gradient_rules::standard());
    names fetch{"h_all"};
    for (char const* const name : {"x", "w", "h0"}) fetch.push_back(gradients.at(name).values);
    std::vector<std::vector<float>> expected;
    for (int const count : {0, 4}) {
      plait::workspace<B> blobs;
      test::feed_some<float>(blobs, "x", {9, 1, 2}, 1);
      test::feed_some<float>(blobs, "w", {1, 1, 2}, 2);
      test::feed_some<float>(blobs, "us", {3, 1, 2}, 3);
      test::feed_some<float>(blobs, "h0", {1, 1, 2}, 4);
      test::feed_some<float>(blobs, "dy", {9, 1, 2}, 5);
      blobs.feed<float>("one", {1}, {1});
      blobs.feed<std::int32_t>("half", {4}, {1});
      test::feed_flag(blobs, "yes", true);
      plait::plan<B> plan(with_executor(n, count), table(), blobs, plait::compile_options{fetch});
      for (int run = 0; run != 2; ++run) {
        threads.execute([&] { plan.run(); });
        std::vector<std::vector<float>> got;
        for (std::string const& name : fetch) got.push_back(blobs.fetch<float>(name));
        if (expected.empty()) expected = got;
        CHECK(got == expected);
      }
    }
    CHECK(std::ranges::any_of(expected[2], [](float each) { return each != 0; }));
  }
}

TEST_CASE("recurrent_executor: zero steps and zero rows give empty outputs and zero gradients") {
  test::some_threads threads;
  failing_copy<B>::left = 1'000'000;
  plait::netdef const n = plait::read_netdef_text(copies(2).op() + copies(2).gradient_op());
  plait::workspace<B> blobs;
  feed(blobs, 5, 3);
  auto plan = plait::compile(with_executor(n, 4), table(), blobs);
  for (auto const& [steps, rows] : {std::pair(5, 3), {0, 3}, {5, 0}, {0, 0}, {5, 3}}) {
    feed(blobs, steps, rows);
    threads.execute([&] { plan.run(); });
    CHECK(blobs.view("all").dims() == plait::shape{steps, rows, 4});
    CHECK(blobs.view("x_grad").dims() == plait::shape{steps, rows, 4});
    CHECK(blobs.view("h0_grad").dims() == plait::shape{1, rows, 4});
    if (steps == 0)
      for (float const each : blobs.fetch<float>("h0_grad")) CHECK(each == 0);
  }
}

TEST_CASE("RecurrentNetwork: an exception of any type names step and op, with or without the executor") {
  test::some_threads threads;
  std::vector<std::pair<std::function<void()>, std::string>> const ways{
      {[] { throw std::bad_alloc(); }, "no memory for what it asks for"},
      {[] { throw fail_with_number(); }, "threw something that is no std::exception"},
      {[] { throw 7; }, "threw something that is no std::exception"}};
  constexpr int steps = 20;
  plait::netdef const n = plait::read_netdef_text(copies(1).op() + copies(1).gradient_op());
  plait::workspace<B> blobs;
  feed(blobs, steps, 3);
  for (int const count : {0, 4}) {
    auto plan = plait::compile(with_executor(n, count), table(), blobs);
    failing_copy<B>::left = 1'000'000;
    threads.execute([&] { plan.run(); });
    auto const expected = blobs.fetch<float>("x_grad");
    for (auto const& way : ways)
      for (int const at : {1, 2, 13, steps + 1, steps + 2, steps + 13}) {
        std::string const& text = way.second;
        CAPTURE(count);
        CAPTURE(text);
        CAPTURE(at);
        failing_copy<B>::fail = way.first;
        failing_copy<B>::left = at;
        try {
          threads.execute([&] { plan.run(); });
          FAIL("it fails");
        } catch (plait::exec_error const& e) {
          bool const back = at > steps;
          CHECK(e.op == (back ? 1 : 0));
          CHECK(e.type == (back ? "RecurrentNetworkGradient" : "RecurrentNetwork"));
          std::string const place = back ? "backward_step_net at step " + std::to_string(2 * steps - at) + ": op 0"
                                         : "step_net at step " + std::to_string(at - 1) + ": op 1";
          CHECK(std::string(e.what()).find(place) != std::string::npos);
          CHECK(std::string(e.what()).find(text) != std::string::npos);
        }
        failing_copy<B>::left = 1'000'000;
        threads.execute([&] { plan.run(); });
        CHECK(blobs.fetch<float>("x_grad") == expected);
      }
  }
}

TEST_CASE("recurrent_executor: rnn_executor.num_threads limits the ops that run at once") {
  test::some_threads threads;
  plait::netdef const n = plait::read_netdef_text(copies(4).op());
  plait::workspace<B> blobs;
  feed(blobs, 12, 3);
  failing_copy<B>::left = 1'000'000;
  failing_copy<B>::sleeps = true;
  for (int const count : {1, 2}) {
    auto plan = plait::compile(with_executor(n, count), table(), blobs);
    failing_copy<B>::most = 0;
    threads.execute([&] { plan.run(); });
    CHECK(failing_copy<B>::most >= 1);
    CHECK(failing_copy<B>::most <= count);
  }
  failing_copy<B>::sleeps = false;
}

TEST_CASE("recurrent_executor: an observer sees the ops of every step") {
  test::some_threads threads;
  failing_copy<B>::left = 1'000'000;
  plait::workspace<B> blobs;
  feed(blobs, 7, 3);
  auto plan = plait::compile(with_executor(plait::read_netdef_text(copies(1).op() + copies(1).gradient_op()), 4),
                             table(), blobs);
  all_seen seen;
  threads.execute([&] { plan.run({.observer = &seen}); });
  CHECK(std::ranges::count(seen.types, "FailingCopy") == 14);
  CHECK(std::ranges::count(seen.types, "Sum") == 7);
  CHECK(std::ranges::count(seen.types, "RecurrentNetwork") == 1);
}

TEST_CASE("RecurrentNetwork: arguments of Caffe2's executors and an empty backward step net are ignored") {
  failing_copy<B>::left = 1'000'000;
  recurrence r = copies(1);
  auto const results = [&] {
    plait::workspace<B> blobs;
    feed(blobs, 4, 2);
    plait::compile(plait::read_netdef_text(r.op() + r.gradient_op()), table(), blobs).run();
    return std::pair(blobs.fetch<float>("all"), blobs.fetch<float>("x_grad"));
  };
  auto const expected = results();
  r.more = test::text_arg("rnn_dependency.hs", "hs") + test::text_arg("rnn_dependency.1", "x") +
           "arg { name: \"rnn_executor_debug\" i: 1 } ";
  CHECK(results() == expected);
  for (char const* const type : {"rnn", "dag", "async_scheduling", "no such type"}) {
    r.step = copies(1).step + " type: \"" + type + "\" ";
    CHECK(results() == expected);
  }
  r = copies(1);
  r.backward = {{"h_grad", "h_grad", "h_grad"}, {"hs_grad", "hs_grad", "x_grad"}, {1, 0, 0}};
  r.no_backward_step = true;
  CHECK(results() == expected);
  r.more = test::text_arg("backward_step_net", "");
  CHECK(results() == expected);
}
