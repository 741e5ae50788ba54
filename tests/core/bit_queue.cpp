#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <set>

#include <plait/core/detail/bit_queue.hpp>

namespace {

constexpr bool at_compile_time() {
  plait::bit_queue queue;
  queue.reset(5000);
  for (std::size_t n : {7U, 4999U, 64U, 63U, 7U, 0U}) queue.push(n);
  for (std::size_t n : {4999U, 64U, 63U, 7U, 0U})
    if (queue.empty() || queue.pop_max() != n) return false;
  return queue.empty();
}
static_assert(at_compile_time());

}  // namespace

TEST_CASE("bit_queue: agrees with std::set") {
  std::mt19937 random(1);
  plait::bit_queue queue;
  CHECK(queue.empty());
  for (std::size_t bound : {1U, 2U, 63U, 64U, 65U, 4095U, 4096U, 4097U, 300'000U}) {
    CAPTURE(bound);
    queue.reset(bound);
    CHECK(queue.bound() == bound);
    std::set<std::size_t> model;
    for (int step = 0; step != 3000; ++step) {
      std::size_t const n = random() % bound;
      if (random() % 5 < 3) {
        queue.push(n);
        model.insert(n);
      } else if (!model.empty()) {
        REQUIRE(queue.pop_max() == *model.rbegin());
        model.erase(*model.rbegin());
      }
      REQUIRE(queue.empty() == model.empty());
      REQUIRE(queue.contains(n) == model.contains(n));
    }
  }
}

TEST_CASE("bit_queue: a full queue contains all numbers below its bound, and none above") {
  plait::bit_queue queue;
  for (std::size_t bound : {1U, 63U, 64U, 65U, 4096U, 4097U}) {
    CAPTURE(bound);
    queue.reset(bound);
    CHECK(queue.empty());
    for (std::size_t n = 0; n != bound; ++n) queue.push(n);
    for (std::size_t n = 0; n != bound + 200; ++n) REQUIRE(queue.contains(n) == (n < bound));
  }
}

TEST_CASE("bit_queue: popping from an empty queue or pushing the bound is a precondition_error") {
  plait::bit_queue queue;
  queue.reset(0);
  CHECK(queue.empty());
  CHECK_THROWS_AS(queue.pop_max(), plait::precondition_error);
  CHECK_THROWS_AS(queue.push(0), plait::precondition_error);
  queue.reset(64);
  CHECK_THROWS_AS(queue.push(64), plait::precondition_error);
}
