#include <plait/exec/detail/kernels/spinning_pool.hpp>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/kernels/for_each.hpp>

#include <support/task_groups.hpp>

namespace {

using team = plait::detail::spinning_pool<plait::tbb>;
using counts = std::vector<std::atomic<int>>;

// Calls f in an arena of `threads` threads, on any machine.
template <class F>
void with_threads(int threads, F const& f) {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena(threads).execute(f);
}

bool all_are(counts const& times, int wanted) {
  return std::ranges::all_of(times, [wanted](std::atomic<int> const& t) { return t.load() == wanted; });
}

TEST_CASE("spinning_pool: each task of each loop runs once") {
  for (int const threads : {2, 3, 8})
    with_threads(threads, [] {
      team const standing;
      for (std::size_t const count :
           {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{1'000}}) {
        counts times(count);
        int const loops = count > 100 ? 50 : 2'000;
        for (int loop = 0; loop != loops; ++loop)
          CHECK_UNARY(team::run(count, [&](std::size_t part) { ++times[part]; }));
        CHECK(all_are(times, loops));
      }
    });
}

TEST_CASE("spinning_pool: a loop reads what the loop before it wrote, on any thread") {
  with_threads(4, [] {
    team const standing;
    std::vector<long> from(64);
    std::iota(from.begin(), from.end(), 1);
    std::vector<long> to(64);
    for (int loop = 0; loop != 3'000; ++loop) {
      team::run(16, [&](std::size_t part) {
        for (std::size_t i = 4 * part; i != 4 * part + 4; ++i) to[i] = from[(i + 5) % 64];
      });
      from.swap(to);
    }
    std::vector<long> wanted(64);
    for (std::size_t i = 0; i != 64; ++i) wanted[i] = static_cast<long>((i + 3'000 * 5) % 64) + 1;
    CHECK(from == wanted);
  });
}

TEST_CASE("spinning_pool: each task gets the operands of its loop, and loops may share a function object") {
  struct scaled {
    int by = 0;
    void operator()(std::size_t part, plait::detail::loop_operands const& of) const {
      auto const* const x = static_cast<int const*>(of.from[0]);
      auto const* const y = static_cast<int const*>(of.from[1]);
      auto const* const z = static_cast<int const*>(of.from[2]);
      static_cast<int*>(of.to)[part] += by * x[part] + y[part] * z[part];
    }
  };
  for (int const threads : {2, 5})
    with_threads(threads, [] {
      team const standing;
      for (std::size_t const count : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
        constexpr std::size_t places = 4;
        std::vector<std::vector<int>> rows(places, std::vector<int>(count)), sums = rows, wanted = rows;
        for (std::size_t i = 0; i != places; ++i) std::iota(rows[i].begin(), rows[i].end(), static_cast<int>(10 * i));
        scaled f;
        for (std::size_t loop = 0; loop != 2'000; ++loop) {
          if (loop % 100 == 0) f.by = static_cast<int>(loop / 100);
          std::size_t const to = loop % places, first = loop / 2 % places, second = loop / 3 % places;
          team::run(count, f, {sums[to].data(), {rows[first].data(), rows[second].data(), rows[to].data()}});
          for (std::size_t i = 0; i != count; ++i)
            wanted[to][i] += f.by * rows[first][i] + rows[second][i] * rows[to][i];
        }
        CHECK(sums == wanted);
      }
    });
}

// TRAP: a task may wait for another only in the first loop of a team. Later, a worker may leave at the moment at which
// the next loop begins, and the caller then runs all of its tasks.
TEST_CASE("spinning_pool: run() reports tasks of other threads, and others_done() their completion") {
  using other_team = plait::detail::spinning_pool<test::task_backend<test::thread_tasks, 2>>;
  std::thread::id const self = std::this_thread::get_id();
  for (int loop = 0; loop != 20; ++loop) {
    other_team const standing;
    bool other = false;
    auto const part = [&](std::size_t number, plait::detail::loop_operands const&) {
      if (number == 1) {
        other = std::this_thread::get_id() != self;
        return;
      }
      while (!other_team::others_done(2)) std::this_thread::yield();
      CHECK(other);  // writes of the other thread are visible
    };
    CHECK(other_team::run(2, part, {}));
    CHECK(other);
  }
}

TEST_CASE("spinning_pool: run() reports no tasks of other threads if none arrives, or for a single task") {
  using lonely_team = plait::detail::spinning_pool<test::task_backend<test::late_tasks, 3>>;
  lonely_team const standing;
  for (std::size_t const count : {1u, 2u, 3u, 7u, 100u}) {
    std::size_t run = 0;
    auto const part = [&](std::size_t number, plait::detail::loop_operands const&) {
      CHECK(lonely_team::others_done(count) == (number == 0 && count == 1));
      ++run;
    };
    for (int loop = 0; loop != 100; ++loop) CHECK_FALSE(lonely_team::run(count, part, {}));
    CHECK(run == 100 * count);
  }
}

TEST_CASE("spinning_pool: run() refuses loops without a team, with one thread, and after the team's end") {
  auto const nothing = [](std::size_t) {};
  CHECK_FALSE(team::run(2, nothing));
  with_threads(2, [&] {
    { team const standing; }
    CHECK_FALSE(team::run(2, nothing));
  });
  with_threads(1, [&] {
    team const standing;
    CHECK_FALSE(team::run(2, nothing));
  });
}

TEST_CASE("spinning_pool: a second team of a thread does nothing, and does not end the first") {
  with_threads(2, [] {
    team const first;
    { team const second; }
    counts times(4);
    CHECK(team::run(4, [&](std::size_t part) { ++times[part]; }));
    CHECK(all_are(times, 1));
  });
}

TEST_CASE("spinning_pool: is_here() is true on the thread of the team, but not within tasks") {
  static_assert(!plait::detail::spinning_pool<plait::serial>::is_here());
  CHECK_FALSE(team::is_here());
  with_threads(2, [] {
    CHECK_FALSE(team::is_here());
    {
      team const standing;
      CHECK(team::is_here());
      std::atomic<int> seen = 0;
      team::run(20, [&](std::size_t) { seen += team::is_here(); });
      CHECK(seen == 0);
      CHECK(team::is_here());
    }
    CHECK_FALSE(team::is_here());
  });
}

TEST_CASE("spinning_pool: a loop within a task runs on the task's thread") {
  with_threads(4, [] {
    team const standing;
    for (int loop = 0; loop != 200; ++loop) {
      counts times(8 * 8);
      std::atomic<int> elsewhere = 0;
      team::run(8, [&](std::size_t outer) {
        auto const self = std::this_thread::get_id();
        CHECK_UNARY(team::run(8, [&](std::size_t inner) {
          ++times[8 * outer + inner];
          if (std::this_thread::get_id() != self) ++elsewhere;
        }));
      });
      CHECK(all_are(times, 1));
      CHECK(elsewhere == 0);
    }
  });
}

TEST_CASE("spinning_pool: an exception propagates after all tasks are done, and does not affect the next loop") {
  with_threads(3, [] {
    team const standing;
    for (std::size_t failing = 0; failing != 12; ++failing) {
      counts times(12);
      CHECK_THROWS_WITH_AS(team::run(12,
                                     [&](std::size_t part) {
                                       ++times[part];
                                       if (part == failing) throw std::runtime_error("this one");
                                     }),
                           "this one", std::runtime_error);
      CHECK(all_are(times, 1));
    }
    counts times(12);
    team::run(12, [&](std::size_t part) { ++times[part]; });
    CHECK(all_are(times, 1));
  });
}

TEST_CASE("spinning_pool: workers that have left return") {
  using tasks = test::thread_tasks;
  using leaving_team = plait::detail::spinning_pool<test::task_backend<tasks, 2>>;
  leaving_team const standing;
  int const before = tasks::begun;
  for (int turn = 0; turn != 5; ++turn) {
    while (tasks::ended != tasks::begun) std::this_thread::yield();  // an idle worker leaves by itself
    CHECK(tasks::begun == before + turn);
    std::barrier both(2);
    CHECK(leaving_team::run(2, [&](std::size_t) { both.arrive_and_wait(); }));
    CHECK(tasks::begun == before + turn + 1);
  }
}

TEST_CASE("spinning_pool: a loop may begin at the moment at which a worker leaves") {
  for (int const threads : {2, 3})
    with_threads(threads, [] {
      team const standing;
      std::mt19937 engine;
      for (int loop = 0; loop != 4'000; ++loop) {
        counts times(1 + engine() % 7);
        team::run(times.size(), [&](std::size_t part) { ++times[part]; });
        REQUIRE(all_are(times, 1));
        // About as long as a worker spins before it leaves.
        for (auto pause = engine() % 2'000; pause != 0; --pause) plait::detail::pause();
      }
    });
}

TEST_CASE("spinning_pool: each thread runs a task, as a loop whose tasks wait for each other shows") {
  auto const meet = []<std::size_t Threads>(std::integral_constant<std::size_t, Threads>) {
    using full_team = plait::detail::spinning_pool<test::task_backend<test::thread_tasks, Threads>>;
    for (int loop = 0; loop != 10; ++loop) {
      full_team const standing;
      std::barrier all(Threads);
      counts times(Threads);
      CHECK(full_team::run(Threads, [&](std::size_t part) {
        all.arrive_and_wait();
        ++times[part];
      }));
      CHECK(all_are(times, 1));
    }
  };
  meet(std::integral_constant<std::size_t, 2>());
  meet(std::integral_constant<std::size_t, 5>());
}

TEST_CASE("spinning_pool: several threads may have a pool each") {
  with_threads(4, [] {
    std::vector<std::thread> callers;
    std::atomic<int> wrong = 0;
    for (int caller = 0; caller != 3; ++caller)
      callers.emplace_back([&] {
        tbb::task_arena(3).execute([&] {
          team const standing;
          for (int loop = 0; loop != 500; ++loop) {
            counts times(7);
            team::run(7, [&](std::size_t part) { ++times[part]; });
            if (!all_are(times, 1)) ++wrong;
          }
        });
      });
    for (std::thread& each : callers) each.join();
    CHECK(wrong == 0);
  });
}

TEST_CASE("spinning_pool: loops of for_each.hpp have the same results with a pool") {
  auto const halves = []<plait::backend B>(B) {
    std::vector<double> made(5 * plait::tile_size + 3);
    double* const to = made.data();
    plait::for_each_index<B>(made.size(), [to](std::size_t i) { to[i] = static_cast<double>(i) * 0.5; });
    return made;
  };
  with_threads(3, [&] {
    team const standing;
    CHECK(halves(plait::tbb()) == halves(plait::serial()));
  });
}

// The pool is empty for a backend without tasks.
static_assert(std::is_empty_v<plait::detail::spinning_pool<plait::serial>>);

}  // namespace
