#include <plait/core/detail/row_table.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace {

static_assert([] {
  plait::row_table t;
  std::array const a = {1u, 2u};
  std::array const b = {2u, 1u};
  return t.intern(a) == 0 && t.intern(b) == 1 && t.intern({}) == 2 && t.intern(a) == 0 && t.size() == 3 &&
         std::ranges::equal(t[1], b);
}());

TEST_CASE("row_table: agrees with std::map from rows to numbers") {
  plait::row_table table;
  for (unsigned seed = 0; seed != 50; ++seed) {
    std::mt19937 random(seed);
    std::map<std::vector<std::uint32_t>, std::uint32_t> expected;
    table.clear();
    for (int i = 0; i != 500; ++i) {
      std::vector<std::uint32_t> row(random() % 4);
      for (auto& item : row) item = static_cast<std::uint32_t>(random() % 8);
      auto const [found, added] = expected.try_emplace(row, static_cast<std::uint32_t>(expected.size()));
      REQUIRE(table.intern(row) == found->second);
      REQUIRE(table.size() == expected.size());
    }
    for (auto const& [row, number] : expected) REQUIRE(std::ranges::equal(table[number], row));
  }
}

}  // namespace
