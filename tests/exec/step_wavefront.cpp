#include <plait/exec/detail/step_wavefront.hpp>

#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <tbb/task_group.h>

#include <support/some_threads.hpp>
#include <support/task_groups.hpp>

namespace {

using plait::step_access;
using plait::step_schedule;

constexpr std::uint32_t states = 100;

// A type whose name is in the thread sanitizer's suppressions, unlike the names of local closures.
using step_body = std::function<void(std::size_t, std::uint32_t)>;

/// Returns stacked layers, a node each: layer k of step t waits for layer k - 1, and for itself at step t - 1.
step_schedule layers(std::uint32_t count, std::size_t in_flight) {
  std::vector<step_access> accesses;
  for (std::uint32_t layer = 0; layer != count; ++layer) {
    accesses.push_back({.node = layer + 1, .resource = states + layer, .writes = false, .of_step = false});
    if (layer != 0) accesses.push_back({.node = layer + 1, .resource = layer - 1, .writes = false});
    accesses.push_back({.node = layer + 1, .resource = layer, .writes = true});
    accesses.push_back({.node = layer + 1, .resource = states + layer, .writes = true, .of_step = false, .offset = 1});
  }
  return {count + 1, accesses, in_flight, false};
}

/// Counts executed nodes, and checks their order and the number of steps in flight.
struct log {
  std::size_t nodes;
  std::size_t limit;
  std::vector<std::atomic<int>> done;
  std::vector<std::atomic<std::size_t>> left;
  std::atomic<std::size_t> ended = 0;  // steps
  std::atomic<bool> in_order = true;

  log(std::size_t node_count, std::size_t steps, std::size_t in_flight)
      : nodes(node_count), limit(in_flight), done(node_count * steps), left(steps) {
    for (auto& l : left) l = node_count;
  }
  void operator()(std::size_t step, std::uint32_t node) {
    auto const was_done = [&](std::size_t s, std::size_t n) { return done[s * nodes + n] == 1; };
    bool good = true;
    if (node != 0) good = was_done(step, 0) && (node == 1 || was_done(step, node - 1));
    if (step != 0) good = good && was_done(step - 1, node);
    if (step >= limit) good = good && left[step - limit] == 0;
    if (++done[step * nodes + node] != 1) good = false;
    --left[step];
    if (!good) in_order = false;
  }
};

TEST_CASE_TEMPLATE("step_wavefront: runs every node once, after its predecessors, with a limit of steps in flight",
                   Tasks, tbb::task_group, test::shuffled_tasks) {
  test::some_threads threads;
  for (std::size_t const in_flight : std::vector<std::size_t>{1, 2, 3, 5}) {
    step_schedule const schedule = layers(6, in_flight);
    plait::step_wavefront<Tasks> wavefront(schedule);
    // With this many steps, tasks are delayed at any place, and overtaken by others.
    for (std::size_t const steps : std::vector<std::size_t>{0, 1, 2, 7, 200, 20'000}) {
      CAPTURE(in_flight);
      CAPTURE(steps);
      log seen(7, steps, in_flight);
      threads.execute([&] { wavefront.run(steps, step_body(std::ref(seen))); });
      CHECK(seen.in_order);
      bool all = true;
      for (auto const& count : seen.done) all = all && count == 1;
      CHECK(all);
    }
  }
}

TEST_CASE_TEMPLATE("step_wavefront: throws the exception that sequential steps throw first", Tasks, tbb::task_group,
                   test::shuffled_tasks) {
  test::some_threads threads;
  step_schedule const schedule = layers(4, 3);
  plait::step_wavefront<Tasks> wavefront(schedule);
  std::mt19937 random(3);
  for (int round = 0; round != 200; ++round) {
    constexpr std::size_t steps = 20;
    std::vector<bool> fails(steps * 5);
    std::size_t first = steps * 5;
    for (int i = 0; i != 4; ++i) {
      auto const at = static_cast<std::size_t>(random() % (steps * 5));
      fails[at] = true;
      first = std::min(first, at);
    }
    std::vector<std::atomic<int>> done(steps * 5);
    std::string said;
    try {
      threads.execute([&] {
        wavefront.run(steps, step_body([&](std::size_t step, std::uint32_t node) {
                        std::size_t const at = step * 5 + node;
                        if (fails[at]) throw std::runtime_error(std::to_string(at));
                        ++done[at];
                      }));
      });
      FAIL("one of them fails");
    } catch (std::runtime_error const& e) {
      said = e.what();
    }
    REQUIRE(said == std::to_string(first));
    for (std::size_t at = 0; at != first; ++at) REQUIRE(done[at] == 1);
  }
  // An exception may have any type, and the wavefront runs again.
  CHECK_THROWS_AS(wavefront.run(5, step_body([](std::size_t, std::uint32_t) { throw 3; })), int);
  int nodes = 0;
  wavefront.run(1, step_body([&](std::size_t, std::uint32_t) { ++nodes; }));
  CHECK(nodes == 5);
}

TEST_CASE("step_wavefront: a run in a cancelled task group throws run_cancelled") {
  step_schedule const schedule = layers(3, 4);
  plait::step_wavefront<tbb::task_group> wavefront(schedule);
  tbb::task_group group;
  bool cancelled = false;
  group.run_and_wait([&] {
    step_body const body = [&](std::size_t step, std::uint32_t) {
      if (step == 3) group.cancel();
    };
    try {
      wavefront.run(50, body);
    } catch (plait::run_cancelled const&) {
      cancelled = true;
    }
  });
  CHECK(cancelled);
  std::atomic<int> nodes = 0;
  wavefront.run(50, step_body([&](std::size_t, std::uint32_t) { ++nodes; }));
  CHECK(nodes == 50 * 4);
}

// Layer 1 of a step and layer 2 of the step before each wait until the other has begun.
TEST_CASE("step_wavefront: layers run concurrently") {
  step_schedule const schedule = layers(2, 2);
  plait::step_wavefront<test::thread_tasks> wavefront(schedule);
  std::barrier both(2);
  std::atomic<int> nodes = 0;
  wavefront.run(2, step_body([&](std::size_t step, std::uint32_t node) {
                  if ((step == 1 && node == 1) || (step == 0 && node == 2)) both.arrive_and_wait();
                  ++nodes;
                }));
  CHECK(nodes == 2 * 3);
}

}  // namespace
