#include <plait/exec/detail/kernels/gemm_problem.hpp>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

#include <support/some_threads.hpp>
#include <support/task_groups.hpp>

namespace {

using namespace plait::detail;

struct two_threads : plait::omp {
  static unsigned concurrency() { return 2; }
};

TEST_CASE("parts_for: returns the fewest parts that hold all") {
  static_assert(parts_for(28, 14) == 2 && parts_for(29, 14) == 3);
  for (std::ptrdiff_t things = 1; things != 40; ++things)
    for (std::ptrdiff_t size = 1; size != 50; ++size) {
      CAPTURE(things);
      CAPTURE(size);
      CHECK(parts_for(things, size) * size >= things);
      CHECK((parts_for(things, size) - 1) * size < things);
    }
}

TEST_CASE("block_depth: blocks are as few as possible, and nearly equal") {
  static_assert(block_depth(256, 256) == 256 && block_depth(257, 256) == 129);
  for (std::ptrdiff_t k = 1; k != 60; ++k)
    for (std::ptrdiff_t most = 1; most != 20; ++most) {
      CAPTURE(k);
      CAPTURE(most);
      std::ptrdiff_t const depth = block_depth(k, most);
      CHECK(depth <= most);
      CHECK(parts_for(k, depth) == parts_for(k, most));
      CHECK((depth - 1) * parts_for(k, most) < k);
    }
}

TEST_CASE("even_parts: each item is in one part, and sizes differ by at most one") {
  for (std::ptrdiff_t things = 0; things != 40; ++things)
    for (std::ptrdiff_t count = 1; count != 12; ++count) {
      CAPTURE(things);
      CAPTURE(count);
      even_parts const parts(things, count);
      CHECK(parts.first(0) == 0);
      CHECK(parts.first(count) == things);
      for (std::ptrdiff_t part = 0; part != count; ++part) {
        CHECK(parts.first(part) + parts.size(part) == parts.first(part + 1));
        CHECK(parts.size(0) - parts.size(part) <= 1);
        CHECK(parts.size(part) <= parts.size(0));
      }
    }
  CHECK(row_tiles(29, 14).count == 3);
  CHECK(row_tiles(28, 14).count == 2);
}

TEST_CASE_TEMPLATE("for_each_task: all tasks run, exceptions propagate", B, plait::serial, two_threads, plait::tbb) {
  for (bool const parallel : {false, true}) {
    std::vector<std::atomic<int>> met(50);
    for_each_task<B>(50, parallel, [&](std::ptrdiff_t i) { ++met[static_cast<std::size_t>(i)]; });
    for (auto const& times : met) CHECK(times == 1);
    CHECK_THROWS_AS(for_each_task<B>(50, parallel,
                                     [](std::ptrdiff_t i) {
                                       if (i % 7 == 3) throw std::out_of_range("task");
                                     }),
                    std::out_of_range);
  }
}

TEST_CASE("for_each_task: spinning workers run all tasks although some throw, and run the next loop") {
  test::some_threads threads;
  threads.execute([] {
    spinning_pool<plait::tbb> const team;
    REQUIRE(team.is_here());
    for (int round = 0; round != 3; ++round) {
      std::vector<std::atomic<int>> met(50);
      CHECK_THROWS_AS(for_each_task<plait::tbb>(50, true,
                                                [&](std::ptrdiff_t i) {
                                                  ++met[static_cast<std::size_t>(i)];
                                                  if (i % 7 == 3) throw std::out_of_range("task");
                                                }),
                      std::out_of_range);
      for (auto const& times : met) CHECK(times == 1);
    }
  });
}

TEST_CASE_TEMPLATE("share_tasks: all tasks run, and exceptions propagate", B, plait::serial, two_threads, plait::tbb) {
  for (std::ptrdiff_t const count : {0, 1, 50}) {
    std::vector<std::atomic<int>> met(static_cast<std::size_t>(count));
    share_tasks<B>(count, [&](std::ptrdiff_t i) { ++met[static_cast<std::size_t>(i)]; });
    for (auto const& times : met) CHECK(times == 1);
  }
  CHECK_THROWS_AS(share_tasks<B>(50,
                                 [](std::ptrdiff_t i) {
                                   if (i % 7 == 3) throw std::out_of_range("task");
                                 }),
                  std::out_of_range);
}

TEST_CASE("share_tasks: while a thread is busy with one task, the other runs the rest") {
  using tasks = test::task_backend<test::thread_tasks, 2>;
  spinning_pool<tasks> const team;  // its other thread takes a share of the first loop
  std::atomic<int> others = 0;
  share_tasks<tasks>(40, [&](std::ptrdiff_t i) {
    if (i != 0)
      ++others;
    else
      while (others != 39) std::this_thread::yield();
  });
  CHECK(others == 39);
}

TEST_CASE("is_shared: a team splits products that are too small to wake threads up") {
  test::some_threads threads;
  threads.execute([] {
    CHECK_FALSE(is_shared<plait::tbb>(parallel_work - 1));
    CHECK(is_shared<plait::tbb>(parallel_work));
    spinning_pool<plait::tbb> const team;
    CHECK_FALSE(is_shared<plait::tbb>(team_work - 1));
    CHECK(is_shared<plait::tbb>(team_work));
    CHECK_FALSE(is_shared<plait::serial>(parallel_work - 1));
  });
}

TEST_CASE("gemm_scratch: memory too large for the stack comes from the pool, and returns to it") {
  auto const in_use = [] { return plait::memory_pool<plait::serial>::shared().statistics().bytes_in_use; };
  std::size_t const before = in_use();
  {
    gemm_scratch<plait::serial, float> little(2'048);
    CHECK(in_use() == before);
    gemm_scratch<one_thread_of<plait::serial>, float> much(2'049);
    CHECK(in_use() > before);
    little.data()[2'047] = much.data()[2'048] = 1;
  }
  CHECK(in_use() == before);
}

TEST_CASE("scale_rows: c becomes beta * from + more, also with a beta of 0") {
  std::vector<double> c = {1, 2, -9, 3, 4, -9};
  std::vector<double> const from = {10, 20};
  std::vector<double> const more = {1, 1, 2, 2};
  gemm_problem<double> p{2, 2, 0, nullptr, 0, 1, nullptr, 0, 1, c.data(), 3, 1, 0.5};
  scale_rows(p);
  CHECK(c == std::vector<double>{0.5, 1, -9, 1.5, 2, -9});
  p.from = from.data();  // one row for all rows
  p.more = more.data();
  p.more_row = 2;
  scale_rows(p);
  CHECK(c == std::vector<double>{6, 11, -9, 7, 12, -9});
  p.beta = 0;
  scale_rows(p);
  CHECK(c == std::vector<double>{1, 1, -9, 2, 2, -9});
}

}  // namespace
