#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <ranges>
#include <set>
#include <vector>

#include <plait/core/detail/bit_matrix.hpp>

namespace {

static_assert([] {
  plait::bit_matrix m;
  m.reset(3, 65);
  m.insert(1, 64);
  m.insert_range(2, 60, 65);
  m.erase(2, 61);
  return m[0].empty() && m[1].count() == 1 && std::ranges::equal(m[2], std::vector{60u, 62u, 63u, 64u}) &&
         m.width() == 2;
}());

TEST_CASE("bit_matrix: rows are independent sets, and ranges insert and erase each number") {
  for (unsigned seed = 0; seed != 500; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::size_t const bound = 1 + random() % 200;
    plait::bit_matrix m;
    m.reset(5, 7);
    m.insert(4, 6);
    if (seed % 2 == 0)
      m.reset(4, bound);
    else
      m.reset_full(4, bound);
    std::vector<std::set<unsigned>> sets(4);
    for (auto& set : sets)
      if (seed % 2 != 0)
        for (unsigned n = 0; n != bound; ++n) set.insert(n);
    for (int i = 0; i != 20; ++i) {
      std::size_t const row = random() % 4;
      auto first = static_cast<unsigned>(random() % (bound + 1));
      auto last = static_cast<unsigned>(random() % (bound + 1));
      if (first > last) std::swap(first, last);
      bool const adds = random() % 2 == 0;
      for (unsigned n = first; n != last; ++n) adds ? void(sets[row].insert(n)) : void(sets[row].erase(n));
      adds ? m.insert_range(row, first, last) : m.erase_range(row, first, last);
      if (first == bound) continue;
      m.erase(row, first);
      sets[row].erase(first);
    }
    REQUIRE(m.size() == 4);
    for (std::size_t row = 0; row != 4; ++row) {
      REQUIRE(std::ranges::equal(m[row], sets[row]));
      for (unsigned n = 0; n != bound; ++n) REQUIRE(m.contains(row, n) == sets[row].contains(n));
    }
  }
}

TEST_CASE("bit_matrix: rows with bound 0 are empty") {
  plait::bit_matrix m;
  m.reset_full(3, 0);
  REQUIRE(m[2].empty());
  REQUIRE(m.width() == 0);
  REQUIRE_THROWS_AS(m.insert(0, 0), plait::precondition_error);
  REQUIRE_THROWS_AS(static_cast<void>(m[3]), plait::precondition_error);
}

}  // namespace
