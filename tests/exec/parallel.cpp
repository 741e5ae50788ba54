#include <plait/exec/backends/tbb/detail/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tbb/task_group.h>

#include <support/run_op.hpp>
#include <support/some_threads.hpp>
#include <support/task_groups.hpp>
#include <support/toy_operators.hpp>

namespace {

using B = plait::tbb;

::tbb::task_group* around = nullptr;
std::atomic<bool> is_cancelled = false;

// Kernel y = x that cancels the enclosing task group, if there is one.
template <class Backend>
struct cancelling_kernel : test::same_kernel<Backend> {
  using test::same_kernel<Backend>::same_kernel;
  void run(plait::op_context<Backend>& c) override {
    test::same_kernel<Backend>::run(c);
    if (around != nullptr) around->cancel();
  }
};

// Kernel y = x + 1 that cancels the task group at the first element. Tiles that have begun wait for it: so some tiles
// have not begun, however long the thread of the first element is delayed.
template <class Backend>
struct cancelling_loop : test::same_kernel<Backend> {
  using test::same_kernel<Backend>::same_kernel;
  void run(plait::op_context<Backend>& c) override {
    float const* x = c.template input<float>(0);
    float* y = c.template output<float>(0);
    is_cancelled = around == nullptr;
    plait::for_each_index<Backend>(c.size(0), [=](std::size_t i) {
      y[i] = x[i] + 1;
      if (i == 0 && around != nullptr) {
        around->cancel();
        is_cancelled = true;
      }
      if (i % plait::tile_size == 0)
        while (!is_cancelled) std::this_thread::yield();
    });
  }
};

// Joins many independent chains, hundreds of times: also a test for the thread sanitizer.
TEST_CASE("parallel_executor: hundreds of runs of a wide net are correct") {
  auto const table = test::toy_operators<B>();
  plait::netdef n;
  std::vector<std::string> ends;
  for (int chain = 0; chain != 16; ++chain) {
    std::string last = "x";
    for (int i = 0; i != 8; ++i) {
      std::string const next = "v" + std::to_string(chain) + '_' + std::to_string(i % 3);
      n.add_op(i % 2 == 0 ? "Reverse" : "Same", {last}, {next});
      last = next;
    }
    ends.push_back(last);
  }
  n.add_op("Same", {"x"}, {"sum"});
  for (auto const& end : ends) n.add_op("Mix", {"sum", end}, {"sum"});
  n.external_output = {n.intern("sum")};
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {1, 2, 3}, {3});
  auto plan = plait::compile(n, table, blobs, {.parallel = true});
  plait::parallel_executor executor(plan);
  for (int round = 0; round != 300; ++round) {
    executor.run();
    REQUIRE(blobs.fetch<float>("sum") == std::vector<float>{33, 66, 99});
  }
}

TEST_CASE("parallel_executor: values that are live together in no order of the ops share memory") {
  auto const table = test::toy_operators<B>();
  constexpr std::size_t chains = 4, length = 12, elements = 1000;
  plait::netdef n;
  for (std::size_t chain = 0; chain != chains; ++chain) {
    std::string last = "x";
    for (std::size_t i = 0; i != length; ++i) {
      std::string const next = "v" + std::to_string(chain) + '_' + std::to_string(i);
      n.add_op("Reverse", {last}, {next});
      last = next;
    }
    n.add_op("Mix", {chain == 0 ? "x" : "sum", last}, {"sum"});
  }
  n.external_output = {n.intern("sum")};
  std::vector<float> x(elements);
  std::iota(x.begin(), x.end(), 1.0f);
  auto const run = [&](bool shares, std::size_t& bytes, unsigned seed) {
    plait::workspace<B> blobs;
    blobs.feed("x", x, {elements});
    plait::plan_passes passes;
    passes.share_memory = shares;
    auto plan = plait::compile(n, table, blobs, {.parallel = true, .passes = passes});
    test::shuffled_tasks::random.seed(seed);
    plait::parallel_executor<B, test::shuffled_tasks> executor(plan);
    executor.run();
    bytes = plan.memory().intermediate;
    return blobs.fetch<float>("sum");
  };
  std::size_t alone = 0, shared = 0;
  auto const wanted = run(false, alone, 0);
  CHECK(alone >= chains * length * elements * sizeof(float));
  for (unsigned seed = 0; seed != 50; ++seed) REQUIRE(run(true, shared, seed) == wanted);
  // Two values of each chain, and the sums.
  CHECK(shared <= (2 * chains + chains) * elements * sizeof(float));
}

TEST_CASE("parallel_executor: the error of the first failed op is thrown, and the executor runs again") {
  auto const table = test::toy_operators<B>();
  plait::netdef n;
  n.add_op("Break", {"x"}, {"a"});
  n.add_op("Same", {"a"}, {"b"});
  plait::workspace<B> blobs;
  auto plan = plait::compile(n, table, blobs, {.parallel = true});
  plait::parallel_executor executor(plan);
  CHECK_THROWS_AS(executor.run(), plait::exec_error);  // nothing fed
  blobs.feed<float>("x", {-1, 2}, {2});
  try {
    executor.run();
    FAIL("Break breaks");
  } catch (plait::exec_error const& e) {
    CHECK(e.op == 0);
  }
  blobs.feed<float>("x", {1, 2}, {2});
  executor.run();
  CHECK(blobs.fetch<float>("b") == std::vector<float>{3, 6});
}

/// Records the order in which ops begin.
struct order_noted : plait::op_observer {
  void before(plait::op_event const& e) override { ops.push_back(e.op); }
  std::vector<std::size_t> ops;
};

// Covers every order in which Break can fail: before the ops that precede it, and after them.
TEST_CASE("parallel_executor: ops that precede a failed op are run, and its error is thrown") {
  auto const table = test::toy_operators<B>();
  plait::netdef const n = plait::read_netdef_text(R"(
    op { type: "Same" input: "g" output: "h" }
    op { type: "Update" input: "x" input: "h" output: "x" }
    op { type: "Break" input: "bad" output: "y" })");
  std::set<std::vector<std::size_t>> orders;
  for (unsigned seed = 0; seed != 50; ++seed) {
    test::shuffled_tasks::random.seed(seed);
    plait::workspace<B> blobs;
    blobs.feed<float>("x", {0, 0}, {2});
    blobs.feed<float>("g", {1, 2}, {2});
    blobs.feed<float>("bad", {-1, 2}, {2});
    auto plan = plait::compile(n, table, blobs, {.parallel = true});
    order_noted noted;
    try {
      plait::parallel_executor<B, test::shuffled_tasks>(plan).run({.observer = &noted});
      FAIL("Break breaks");
    } catch (plait::exec_error const& e) {
      CHECK(e.op == 2);
    }
    CHECK(blobs.fetch<float>("x") == std::vector<float>{3, 0});
    orders.insert(noted.ops);
  }
  CHECK(orders == std::set<std::vector<std::size_t>>{{0, 1, 2}, {2, 0, 1}});
}

TEST_CASE("parallel_executor: a run in a cancelled task group throws run_cancelled") {
  auto table = test::toy_operators<B>();
  table.add<cancelling_kernel>(plait::op_schema("Cancel").inputs(1).outputs(1));
  plait::workspace<B> blobs;
  auto plan = plait::compile(plait::read_netdef_text(R"(
    op { type: "Cancel" input: "x" output: "a" } op { type: "Same" input: "a" output: "b" }
    op { type: "Same" input: "a" output: "c" } op { type: "Same" input: "a" output: "d" })"),
                             table, blobs, {.parallel = true});
  plait::parallel_executor executor(plan);
  blobs.feed<float>("x", {1, 2}, {2});
  bool cancelled = false;
  ::tbb::task_group group;
  around = &group;
  group.run_and_wait([&] {
    try {
      executor.run();
    } catch (plait::run_cancelled const&) {
      cancelled = true;
    }
  });
  around = nullptr;
  CHECK(cancelled);
  executor.run();
  for (auto const* name : {"b", "c", "d"}) CHECK(blobs.fetch<float>(name) == std::vector<float>{1, 2});
}

TEST_CASE("run_cancelled: in a cancelled task group the current op completes, and the next does not begin") {
  auto table = test::toy_operators<B>();
  table.add<cancelling_kernel>(plait::op_schema("Cancel").inputs(1).outputs(1));
  auto const net = plait::read_netdef_text(R"(op { type: "Cancel" input: "x" output: "a" }
                                              op { type: "Mix" input: "a" input: "a" output: "b" }
                                              op { type: "Mix" input: "b" input: "b" output: "c" })");
  constexpr std::int64_t size = 1 << 20;
  for (bool const parallel : {false, true}) {
    plait::workspace<plait::tbb> blobs;
    blobs.feed("x", std::vector<float>(size, 1), {size});
    auto plan = plait::compile(net, table, blobs, {.parallel = parallel});
    auto const run = [&] {
      if (parallel)
        plait::parallel_executor(plan).run();
      else
        plan.run();
    };
    std::size_t ended = 0;
    test::some_threads().execute([&] {
      ::tbb::task_group group;
      around = &group;
      group.run_and_wait([&] {
        try {
          run();
        } catch (plait::run_cancelled const& e) {
          ended = e.op;
        }
      });
      around = nullptr;
    });
    // Parallel runs check before each op, serial ones after a loop was cut short.
    CHECK(ended == (parallel ? 1 : 2));
    if (!parallel) CHECK(blobs.fetch<float>("b") == std::vector<float>(size, 3));
    run();
    CHECK(blobs.fetch<float>("c") == std::vector<float>(size, 9));
  }
}

TEST_CASE("run_cancelled: a task group that is cancelled during a loop leaves no fed blob half-written") {
  auto table = test::toy_operators<B>();
  table.add<cancelling_loop>(plait::op_schema("Add one").inputs(1).outputs(1).in_place(0, 0).checks_first());
  auto const net = plait::read_netdef_text(R"(op { type: "Add one" input: "x" output: "x" }
                                              op { type: "Mix" input: "x" input: "x" output: "x" })");
  constexpr std::int64_t size = 1 << 20;
  for (bool const parallel : {false, true}) {
    plait::workspace<plait::tbb> blobs;
    auto plan = plait::compile(net, table, blobs, {.parallel = parallel});
    for (bool const again : {false, true}) {  // also in a repeated run
      CAPTURE(parallel);
      CAPTURE(again);
      blobs.feed("x", std::vector<float>(size, 1), {size});
      auto const run = [&] {
        if (parallel)
          plait::parallel_executor(plan).run();
        else
          plan.run();
      };
      if (again) run();
      float const before = again ? 6 : 1;
      bool cancelled = false;
      test::some_threads().execute([&] {
        ::tbb::task_group group;
        around = &group;
        group.run_and_wait([&] {
          try {
            run();
          } catch (plait::run_cancelled const& e) {
            cancelled = e.op == 1;
          }
        });
        around = nullptr;
      });
      CHECK(cancelled);
      CHECK(blobs.fetch<float>("x") == std::vector<float>(size, before + 1));
    }
  }
}

TEST_CASE("parallel_executor: of two writes to a blob that no op reads, the later value remains") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { type: "Reverse" input: "long" output: "a" }
    op { type: "Same" input: "short" output: "a" } external_output: "a")");
  plait::workspace<B> blobs;
  blobs.feed("long", std::vector<float>(200'000), {200'000});  // so that the first op ends last
  blobs.feed<float>("short", {1, 2}, {2});
  auto plan = plait::compile(n, test::toy_operators<B>(), blobs, {.parallel = true});
  plait::parallel_executor executor(plan);
  for (int round = 0; round != 20; ++round) {
    executor.run();
    REQUIRE(blobs.fetch<float>("a") == std::vector<float>{1, 2});
  }
}

TEST_CASE("parallel_executor: a run that is stopped in the middle runs no later op") {
  plait::netdef n;
  for (int i = 0; i != 50; ++i) n.add_op("Update", {"x", "g"}, {"x"});
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {0}, {1});
  blobs.feed<float>("g", {1}, {1});
  auto plan = plait::compile(n, test::toy_operators<B>(), blobs, {.parallel = true});
  struct stopper : plait::op_observer {
    void after(plait::op_event const& e) override {
      if (e.op == 20) source.request_stop();
    }
    std::stop_source source;
  } watch;
  std::size_t ended = 0;
  try {
    plait::parallel_executor(plan).run({.stop = watch.source.get_token(), .observer = &watch});
  } catch (plait::run_cancelled const& e) {
    ended = e.op;
  }
  CHECK(ended == 21);
  CHECK(blobs.fetch<float>("x") == std::vector<float>{21});
}

TEST_CASE("memory_dependencies: memory and control inputs order ops") {
  plait::netdef n = plait::read_netdef_text(R"(
    op { type: "Same" input: "x" output: "a" }
    op { type: "Reverse" input: "a" output: "b" }
    op { type: "Update" input: "a" input: "x" output: "a" }
    op { type: "Same" input: "x" output: "c" control_input: "b" })");
  plait::workspace<B> blobs;
  auto const plan = plait::compile(n, test::toy_operators<B>(), blobs, {.parallel = true});
  auto const followers =
      plait::memory_dependencies(plait::detail::engine_of(plan).layout(), plait::detail::engine_of(plan).controls());
  auto const row = [&](plait::op_index op) { return std::vector(followers[op].begin(), followers[op].end()); };
  CHECK(row(0) == std::vector<plait::op_index>{1, 2});  // RAW
  CHECK(row(1) == std::vector<plait::op_index>{2, 3});  // WAR; control
  CHECK(row(2).empty());
  auto serial = plait::compile(n, test::toy_operators<B>(), blobs);
  CHECK_THROWS_AS(plait::parallel_executor<B>{serial}, plait::precondition_error);
}

TEST_CASE("memory_dependencies: ops with effects on one input run in the order of the net") {
  auto table = test::toy_operators<B>();
  table.add<test::mix_kernel>(plait::op_schema("Effect").inputs(2).outputs(1).side_effects().in_order(0));
  plait::netdef const n = plait::read_netdef_text(R"(
    op { type: "Effect" input: "x" input: "p" output: "a" }
    op { type: "Mix" input: "x" input: "p" output: "b" }
    op { type: "Effect" input: "x" input: "q" output: "c" }
    op { type: "Effect" input: "p" input: "x" output: "d" }
    op { type: "Effect" input: "x" input: "p" output: "e" })");
  plait::workspace<B> blobs;
  auto const plan = plait::compile(n, table, blobs, {.parallel = true});
  auto const followers =
      plait::memory_dependencies(plait::detail::engine_of(plan).layout(), plait::detail::engine_of(plan).controls());
  auto const row = [&](plait::op_index op) { return std::vector(followers[op].begin(), followers[op].end()); };
  CHECK(std::ranges::count(row(0), 2u) == 1);
  CHECK(std::ranges::count(row(2), 4u) == 1);
  CHECK(std::ranges::count(row(0), 3u) == 1);  // d is ordered by p, which a only reads, and reads x
  CHECK_THROWS_AS(table.add<test::mix_kernel>(plait::op_schema("Effect").inputs(2).outputs(1).in_order(2)),
                  plait::error);
}

}  // namespace
