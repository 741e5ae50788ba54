#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include <tbb/task_group.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/detail/host_memory.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <support/sanitizers.hpp>
#include <support/skip.hpp>
#include <support/some_threads.hpp>

#define PLAIT_EVERY_HOST plait::serial, plait::omp, plait::tbb

namespace {

constexpr std::size_t tile = plait::tile_size;

/// Returns counts around multiples of a tile's width, where tiling can go wrong.
std::vector<std::size_t> counts(std::size_t width) {
  return {0, 1, 2, 7, width - 1, width, width + 1, 2 * width - 1, 2 * width, 2 * width + 1, 5 * width + 3};
}

/// Backend that claims to have threads, so that work is tiled on a single processor, too.
struct many_threads : plait::host_memory {
  static constexpr std::string_view name = "many_threads";
  static auto policy() { return thrust::cpp::par; }
  static constexpr unsigned concurrency() { return 8; }
};
static_assert(plait::backend<many_threads>);

}  // namespace

TEST_CASE_TEMPLATE("for_each_index: every index is visited once, and no other", B, PLAIT_EVERY_HOST, many_threads) {
  for (std::size_t const count : counts(tile)) {
    std::vector<unsigned char> seen(count + 64);
    unsigned char* const at = seen.data();
    plait::for_each_index<B>(count, [=](std::size_t i) { ++at[i]; });
    CAPTURE(count);
    CHECK(std::all_of(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(count), [](auto n) { return n == 1; }));
    CHECK(std::all_of(seen.begin() + static_cast<std::ptrdiff_t>(count), seen.end(), [](auto n) { return n == 0; }));
  }
}

TEST_CASE_TEMPLATE("for_each_row: every row is visited once, whatever its cost", B, PLAIT_EVERY_HOST, many_threads) {
  for (std::size_t const cost : {std::size_t{0}, std::size_t{1}, std::size_t{100}, tile, 10 * tile}) {
    for (std::size_t const rows : {0U, 1U, 163U, 164U, 1'000U, 40'000U}) {
      std::vector<unsigned char> seen(rows + 64);
      unsigned char* const at = seen.data();
      plait::for_each_row<B>(rows, cost, [=](std::size_t row) { ++at[row]; });
      CAPTURE(cost);
      CAPTURE(rows);
      CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(rows));
      CHECK(std::count(seen.begin() + static_cast<std::ptrdiff_t>(rows), seen.end(), 0) == 64);
    }
  }
}

TEST_CASE("for_each_tile: tiles cover the range without gap or overlap, and are fixed for many threads") {
  std::mutex mutex;
  std::vector<std::pair<std::size_t, std::size_t>> tiles;
  auto const note = [&](std::size_t first, std::size_t last) {
    std::lock_guard const lock(mutex);
    tiles.emplace_back(first, last);
  };
  for (std::size_t const count : counts(100)) {
    for (bool const one_thread : {true, false}) {
      tiles.clear();
      if (one_thread)
        plait::for_each_tile<plait::serial>(count, 100, note);
      else
        plait::for_each_tile<many_threads>(count, 100, note);
      std::sort(tiles.begin(), tiles.end());
      std::size_t end = 0;
      for (auto const& [first, last] : tiles) {
        CHECK(first == end);
        CHECK(first < last);
        if (!one_thread) CHECK(last == std::min(count, first + 100));
        end = last;
      }
      CHECK(end == count);
      if (one_thread) CHECK(tiles.size() == (count == 0 ? 0 : 1));
    }
  }
}

// The thread sanitizer does not see how oneTBB passes tasks on, and reports a race for each that is almost empty.
TEST_CASE("for_each_part: every task runs once in a task group that is cancelled midway") {
  if (test::sanitizes_threads) return test::skip("the thread sanitizer reports races within oneTBB");
  constexpr std::size_t parts = 300;
  std::vector<std::atomic<int>> seen(parts);
  test::some_threads().execute([&] {
    ::tbb::task_group group;
    group.run_and_wait([&] {
      plait::for_each_part<plait::tbb>(parts, [&](std::size_t part) {
        if (seen[part]++ == 0 && part == 3) group.cancel();
      });
      CHECK(plait::tbb::is_cancelled());
    });
  });
  CHECK(std::all_of(seen.begin(), seen.end(), [](auto const& n) { return n == 1; }));
}

TEST_CASE("for_each_index: backends with threads compute the bits of one thread") {
  constexpr std::size_t count = 5 * tile + 77;
  auto const made = []<class B>(B) {
    std::vector<float> out(count);
    float* const at = out.data();
    plait::for_each_index<B>(count, [=](std::size_t i) {
      float const x = static_cast<float>(static_cast<int>(i)) * 0.37f - 5.0f;
      at[i] = x * x * 0.1f + x * 3.0f - 1.0f / (x + 0.5f);
    });
    return out;
  };
  std::vector<float> const serial = made(plait::serial{});
  CHECK(made(plait::omp{}) == serial);
  CHECK(made(plait::tbb{}) == serial);
  CHECK(made(many_threads{}) == serial);
}
