// User-defined backend, written from the contract in exec/backend.hpp alone: loops, products and plans equal the other
// backends.
#include <plait/exec/backend.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <plait/core/errors.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/activations.hpp>
#include <plait/exec/detail/operators/fully_connected.hpp>
#include <plait/exec/detail/operators/lstm_gru_units.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <support/thread_pool_backend.hpp>

namespace {

using pool = test::thread_pool;
constexpr std::size_t tile = plait::tile_size;

namespace detail = plait::detail;
static_assert(plait::backend<pool>);
static_assert(detail::has_loops<pool> && !detail::has_policy<pool>);
static_assert(!detail::has_tasks<pool> && !detail::has_gemm_library<pool> && !detail::has_capacity<pool>);

/// Throws in each run, std::bad_alloc if `lacks_memory` is set.
template <class B>
struct failing_kernel : plait::op_kernel<B> {
  explicit failing_kernel(plait::op_arguments const& a) : lacks_memory(a.integer("lacks_memory") != 0) {}
  void infer(plait::shape_context& c) override { c.output(0, c.type(0), c.dims(0)); }
  void run(plait::op_context<B>&) override {
    if (lacks_memory) throw std::bad_alloc();
    throw std::runtime_error("no more");
  }
  bool lacks_memory;
};

template <class B>
plait::operators<B> failing_operators() {
  plait::operators<B> made;
  made.template add<failing_kernel>(
      plait::op_schema("Fail").inputs(1).outputs(1).argument("lacks_memory", std::int64_t{0}, "throws std::bad_alloc"));
  return made;
}

std::vector<float> numbers(std::size_t count, float from) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i != count; ++i) made[i] = from + static_cast<float>(i * 7919 % 1009) / 1009 - 0.5f;
  return made;
}

}  // namespace

TEST_CASE("thread pool: a loop visits each index once") {
  for (std::size_t const count : {std::size_t{0}, std::size_t{1}, tile, tile + 1, 9 * tile + 3}) {
    CAPTURE(count);
    std::vector<unsigned char> seen(count + 64);
    unsigned char* const at = seen.data();
    plait::for_each_index<pool>(count, [=](std::size_t i) { ++at[i]; });
    CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(count));
    CHECK(std::count(seen.end() - 64, seen.end(), 0) == 64);
  }
}

TEST_CASE("thread pool: several threads run the calls of one loop") {
  // No call returns before another thread has begun one, whatever the load of the machine.
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<int> begun = 0;
  plait::for_each_part<pool>(2, [&](std::size_t) {
    {
      std::lock_guard const lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    ++begun;
    while (begun != 2) std::this_thread::yield();
  });
  CHECK(threads.size() == 2);
}

TEST_CASE("thread pool: nested loops and loops of several callers run each call once") {
  std::vector<std::thread> callers;
  std::vector<std::atomic<int>> seen(4 * 50 * 8);
  for (std::size_t caller = 0; caller != 4; ++caller)
    callers.emplace_back([&, caller] {
      for (int round = 0; round != 20; ++round)
        plait::for_each_part<pool>(50, [&](std::size_t outer) {
          plait::for_each_part<pool>(8, [&](std::size_t inner) { ++seen[(caller * 50 + outer) * 8 + inner]; });
        });
    });
  for (std::thread& each : callers) each.join();
  CHECK(std::ranges::all_of(seen, [](auto const& n) { return n == 20; }));
  CHECK(pool::concurrency() == 4);
}

TEST_CASE_TEMPLATE("thread pool: an exception of a task is rethrown after all other tasks", B, plait::serial, pool) {
  std::atomic<int> done = 0;
  auto const run = [&] {
    detail::for_each_task<B>(100, true, [&](std::ptrdiff_t i) {
      if (i == 99) throw std::runtime_error("99");
      ++done;
    });
  };
  CHECK_THROWS_WITH_AS(run(), "99", std::runtime_error);
  CHECK(done == 99);
}

TEST_CASE("thread pool: a failed op is reported as on one thread") {
  auto const message = []<class B>(B, std::string const& lacks_memory) {
    plait::workspace<B> blobs;
    blobs.template feed<float>("x", {1, 2}, {2});
    auto const net = plait::read_netdef_text(
        "op { type: 'Fail' input: 'x' output: 'y' arg { name: 'lacks_memory' i: " + lacks_memory + " } }");
    auto plan = plait::compile(net, failing_operators<B>(), blobs);
    std::string what = "nothing";
    try {
      plan.run();
    } catch (plait::exec_error const& e) {
      what = e.what();
    }
    CHECK_FALSE(blobs.contains("y"));
    return what;
  };
  for (std::string const lacks_memory : {"0", "1"}) {
    std::string const wanted = message(plait::serial(), lacks_memory);
    CHECK(wanted.starts_with("plait: op 0 (Fail): "));
    CHECK(message(pool(), lacks_memory) == wanted);
  }
}

TEST_CASE("thread pool: an LSTM step and a layer have the bits of one thread") {
  constexpr std::int64_t rows = 130;
  constexpr std::int64_t width = 96;
  auto const net = plait::read_netdef_text(R"(
      op { type: "FC" input: "x" input: "w" input: "b" output: "gates" }
      op { type: "LSTMUnit" input: "h" input: "c" input: "gates" input: "t" output: "h1" output: "c1"
           arg { name: "sequence_lengths" i: 0 } }
      op { type: "FC" input: "h1" input: "v" input: "d" output: "z" }
      op { type: "Relu" input: "z" output: "y" })");
  auto const results = [&]<class B>(plait::operators<B> const& table) {
    plait::workspace<B> blobs;
    auto const feed = [&](std::string const& name, plait::shape const& dims, float from) {
      blobs.template feed<float>(name, numbers(static_cast<std::size_t>(dims.size()), from), dims);
    };
    feed("x", {rows, width}, 0);
    feed("w", {4 * width, width}, 0.1f);
    feed("b", {4 * width}, 0);
    feed("h", {rows, width}, 0.2f);
    feed("c", {rows, width}, -0.1f);
    feed("v", {width, width}, 0);
    feed("d", {width}, 0.3f);
    blobs.template feed<std::int32_t>("t", {0}, {1});
    auto plan = plait::compile(net, table, blobs, {.fetch = {"h1", "c1", "y"}});
    plan.run();
    plan.run();
    std::map<std::string, std::vector<float>> made;
    for (char const* name : {"h1", "c1", "y"}) made[name] = blobs.template fetch<float>(name);
    return made;
  };
  plait::operators<pool> few;
  few.add<plait::map_kernel<pool, plait::functions::relu, float>>(plait::map_schema("Relu"));
  plait::add_fully_connected_operators(few);
  plait::add_unit_operators(few);
  CHECK(results(few) == results(plait::standard_operators<plait::serial>()));
}
