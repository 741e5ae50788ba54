#include <plait/exec/kernels/shared_tile.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <support/thread_counts.hpp>

namespace {

struct counting_loop {
  std::vector<std::atomic<int>>* seen;
  std::atomic<std::size_t>* calls;
  std::atomic<std::size_t>* longest;
  void operator()(std::size_t first, std::size_t last) const {
    ++*calls;
    for (std::size_t before = *longest; before < last - first && !longest->compare_exchange_weak(before, last - first);)
      ;
    for (std::size_t i = first; i != last; ++i) ++(*seen)[i];
  }
};

struct result {
  std::size_t calls;
  std::size_t longest;
};

template <class B>
result tiles(std::size_t count, std::size_t width) {
  std::vector<std::atomic<int>> seen(count);
  std::atomic<std::size_t> calls = 0;
  std::atomic<std::size_t> longest = 0;
  plait::for_each_shared_tile<B>(count, width, counting_loop{&seen, &calls, &longest});
  CHECK(std::ranges::all_of(seen, [](auto const& times) { return times == 1; }));
  return {calls, longest};
}

}  // namespace

TEST_CASE("shared tiles: each index once, in tiles of the width that was asked for") {
  for (std::size_t const count : {1u, 9u, 10u, 11u, 20u, 25u, 1'000u}) {
    CAPTURE(count);
    result const made = tiles<test::three_threads>(count, 10);
    CHECK(made.calls == (count + 9) / 10);
    CHECK(made.longest == std::min<std::size_t>(count, 10));
  }
}

TEST_CASE("shared tiles: one call for all where one thread runs, and none for nothing") {
  for (std::size_t const count : {1u, 10u, 11u, 1'000u}) {
    result const made = tiles<test::one_thread>(count, 10);
    CHECK(made.calls == 1);
    CHECK(made.longest == count);
  }
  CHECK(tiles<test::one_thread>(0, 10).calls == 0);
  CHECK(tiles<test::three_threads>(0, 10).calls == 0);
}
