#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <plait/graph/detail/lazy_value.hpp>
#include <plait/graph/dominators.hpp>

#include <graph/random_graphs.hpp>
#include <graph/test_graphs.hpp>

namespace {

using numbers = plait::detail::lazy_value<std::vector<int>>;

static_assert([] {
  numbers made;
  made.invalidate();
  numbers const& asked = made;
  int count = 0;
  auto const make = [&](std::vector<int>& v) { v.push_back(++count); };
  if (asked(make) != std::vector{1} || asked(make) != std::vector{1}) return false;
  numbers const copy = made;
  if (copy(make) != std::vector{2}) return false;
  numbers const moved = std::move(made);
  return moved(make) == std::vector{1} && count == 2;
}());

}  // namespace

TEST_CASE("lazy_value: is computed once, and again after invalidate()") {
  numbers made;
  made.invalidate();
  int count = 0;
  auto const make = [&](std::vector<int>& v) { v.assign(100, ++count); };
  int const* const memory = made(make).data();
  CHECK(made(make)[0] == 1);
  made.invalidate();
  CHECK(made(make)[0] == 2);
  CHECK(made(make).data() == memory);

  numbers copy = made;
  CHECK(copy(make)[0] == 3);
  CHECK(made(make)[0] == 2);
  copy = made;
  CHECK(copy(make)[0] == 4);
  copy = std::move(made);
  CHECK(copy(make)[0] == 2);
  CHECK(copy(make).data() == memory);
  CHECK(count == 4);
}

TEST_CASE("lazy_value: after an exception the next access computes it again") {
  numbers made;
  made.invalidate();
  CHECK_THROWS_AS(made([](std::vector<int>&) { throw std::runtime_error("not today"); }), std::runtime_error);
  CHECK(made([](std::vector<int>& v) { v = {7}; })[0] == 7);
}

TEST_CASE("lazy_value: concurrent first accesses each get a value, later ones the first") {
  for (int round = 0; round != 200; ++round) {
    numbers made;
    made.invalidate();
    std::atomic<int> count = 0;
    std::atomic<int> right = 0;
    std::atomic<bool> go = false;
    auto const ask = [&] {
      while (!go) std::this_thread::yield();
      auto const& v = made([&](std::vector<int>& to_make) {
        ++count;
        to_make.assign(1000, round);
      });
      if (v.size() == 1000 && std::ranges::count(v, round) == 1000) ++right;
    };
    std::vector<std::thread> threads;
    for (int i = 0; i != 4; ++i) threads.emplace_back(ask);
    go = true;
    for (std::thread& t : threads) t.join();
    int const made_then = count;
    REQUIRE(made_then <= 4);
    REQUIRE(right == 4);
    ask();
    REQUIRE(right == 5);
    REQUIRE(count == made_then);
  }
}

TEST_CASE("lazy_value: an access during the computation does not block") {
  numbers made;
  made.invalidate();
  std::atomic<int> begun = 0;
  std::vector<int const*> got(3);
  // No computation ends before all have begun.
  auto const ask = [&](int i) {
    got[static_cast<std::size_t>(i)] = &made([&](std::vector<int>& v) {
      ++begun;
      while (begun != 3) std::this_thread::yield();
      v = {7};
    })[0];
  };
  std::vector<std::thread> threads;
  for (int i = 0; i != 3; ++i) threads.emplace_back(ask, i);
  for (std::thread& t : threads) t.join();
  for (int const* const one : got) CHECK(*one == 7);
  // One value is kept for the concurrent threads, one for all others.
  std::ranges::sort(got);
  CHECK(std::ranges::distance(got.begin(), std::ranges::unique(got).begin()) == 2);
  CHECK(std::ranges::find(got, &made([](std::vector<int>&) {})[0]) != got.end());
}

TEST_CASE("lazy_value: is a default value before invalidate()") {
  plait::dominator_tree<own::graph> const tree;
  CHECK(tree.dense().preorder().empty());
  CHECK(tree.snapshot().order().empty());
  CHECK(tree.snapshot().predecessors().size() == 0);
  auto const copy = tree;
  CHECK(copy.preorder().empty());
  CHECK(numbers()([](std::vector<int>& v) { v = {1}; }).empty());
}

TEST_CASE("lazy_value: concurrent first queries of a const dominator tree are safe") {
  for (unsigned seed = 0; seed != 50; ++seed) {
    CAPTURE(seed);
    auto const g = test::make_graph<own::graph>(test::random_flow_graph(seed, 60));
    plait::dominator_tree const alone(g);
    plait::dominator_tree const shared(g);
    std::atomic<int> right = 0;
    auto const ask = [&] {
      plait::dominator_tree const copied = shared;
      bool same = std::ranges::equal(shared.dense().preorder(), alone.dense().preorder()) &&
                  std::ranges::equal(copied.dense().depths(), alone.dense().depths()) &&
                  std::ranges::equal(shared.snapshot().order(), alone.snapshot().order()) &&
                  std::ranges::equal(copied.snapshot().order(), alone.snapshot().order());
      for (std::uint32_t n = 0; n != alone.snapshot().size(); ++n)
        same = same && std::ranges::equal(shared.snapshot().predecessors(n), alone.snapshot().predecessors(n));
      if (same) ++right;
    };
    std::vector<std::thread> threads;
    for (int i = 0; i != 4; ++i) threads.emplace_back(ask);
    for (std::thread& t : threads) t.join();
    REQUIRE(right == 4);
  }
}
