#include <plait/core/detail/small_vector.hpp>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {
using list = plait::small_vector<std::uint32_t, 4>;
std::vector<std::uint32_t> items(list const& l) { return {l.begin(), l.end()}; }
}  // namespace

TEST_CASE("small_vector: agrees with std::vector, inline and on the heap") {
  std::mt19937 random(7);
  list ours;
  std::vector<std::uint32_t> theirs;
  for (int step = 0; step != 20'000; ++step) {
    auto const item = static_cast<std::uint32_t>(random());
    switch (random() % 8) {
      case 0:
      case 1:
      case 2:
        ours.push_back(item);
        theirs.push_back(item);
        break;
      case 3:
        if (!theirs.empty()) {
          std::size_t const at = item % theirs.size();
          ours.erase(ours.begin() + at);
          theirs.erase(theirs.begin() + static_cast<std::ptrdiff_t>(at));
        }
        break;
      case 4: {
        std::size_t const size = item % 12;
        ours.resize(size, 9);
        theirs.resize(size, 9);
        break;
      }
      case 5: {
        list copy = ours;
        list moved = std::move(ours);
        CHECK(copy == moved);
        CHECK(ours.empty());
        ours = copy;
        CHECK(items(moved) == theirs);
        break;
      }
      case 6: {
        list other = {1, 2, 3, 4, 5, 6};
        list const kept = ours;
        other = std::move(ours);
        ours = {7};
        CHECK(items(ours) == std::vector<std::uint32_t>{7});
        CHECK(other == kept);
        ours = other;
        break;
      }
      default:
        if (!theirs.empty()) {
          ours[item % theirs.size()] = item;
          theirs[item % theirs.size()] = item;
          CHECK(ours.front() == theirs.front());
          CHECK(ours.back() == theirs.back());
        }
    }
    REQUIRE(items(ours) == theirs);
    REQUIRE(ours.empty() == theirs.empty());
  }
}

TEST_CASE("small_vector: has four bytes of bookkeeping") { CHECK(sizeof(list) == 4 + 4 * sizeof(std::uint32_t)); }

TEST_CASE("small_vector: an index out of range is a precondition_error") {
  list const l = {1, 2};
  CHECK_THROWS_AS((void)l[2], plait::precondition_error);
}
