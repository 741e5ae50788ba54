#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <ranges>
#include <set>
#include <vector>

#include <plait/core/detail/bit_set.hpp>

namespace {

static_assert([] {
  plait::bit_set s(70);
  bool const fresh = s.insert(3) && s.insert(64) && s.insert(69) && !s.insert(3);
  return fresh && s.count() == 3 && std::ranges::equal(s, std::vector{3u, 64u, 69u}) && s.erase(64) && !s.erase(64) &&
         s.view().contains(69) && !s.contains(70) && !s.empty();
}());
static_assert(std::ranges::forward_range<plait::bit_view> && std::ranges::forward_range<plait::bit_set>);
static_assert(std::ranges::borrowed_range<plait::bit_view>);

TEST_CASE("bit_set: agrees with std::set") {
  for (unsigned seed = 0; seed != 500; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::size_t const bound = random() % 200;
    auto const fill = [&](plait::bit_set& bits, std::set<unsigned>& set) {
      bits.reset(bound);
      for (std::size_t i = random() % 60; i != 0 && bound != 0; --i) {
        auto const n = static_cast<unsigned>(random() % bound);
        if (random() % 4 == 0)
          REQUIRE(bits.erase(n) == (set.erase(n) == 1));
        else
          REQUIRE(bits.insert(n) == set.insert(n).second);
      }
    };
    plait::bit_set a, b;
    std::set<unsigned> in_a, in_b;
    fill(a, in_a);
    fill(b, in_b);
    REQUIRE(std::ranges::equal(a, in_a));
    REQUIRE(a.count() == in_a.size());
    REQUIRE(a.empty() == in_a.empty());
    REQUIRE((a == b) == (in_a == in_b));
    for (unsigned n = 0; n != bound + 70; ++n) REQUIRE(a.contains(n) == in_a.contains(n));

    auto const check = [&](plait::bit_set const& got, auto operation) {
      std::vector<unsigned> expected;
      operation(in_a, in_b, std::back_inserter(expected));
      REQUIRE(std::ranges::equal(got, expected));
    };
    plait::bit_set joined = a, met = a, less = a;
    check(joined |= b, [](auto& x, auto& y, auto out) { std::ranges::set_union(x, y, out); });
    check(met &= b, [](auto& x, auto& y, auto out) { std::ranges::set_intersection(x, y, out); });
    check(less -= b, [](auto& x, auto& y, auto out) { std::ranges::set_difference(x, y, out); });
    less |= met;
    REQUIRE(less == a);

    a.fill();
    REQUIRE(std::ranges::equal(a, std::views::iota(0u, static_cast<unsigned>(bound))));
    a.clear();
    REQUIRE(a.empty());
    REQUIRE(a.bound() == bound);
  }
}

TEST_CASE("bit_set: sets of different bounds compare, but do not combine") {
  plait::bit_set a(10), b(300);
  a.insert(9);
  b.insert(9);
  REQUIRE(a == b);
  b.insert(299);
  REQUIRE(!(a == b));
  REQUIRE_THROWS_AS(a |= b, plait::precondition_error);
  REQUIRE_THROWS_AS(a &= b, plait::precondition_error);
  REQUIRE_THROWS_AS(a -= b, plait::precondition_error);
  REQUIRE_THROWS_AS(a.insert(10), plait::precondition_error);
  REQUIRE_THROWS_AS(a.erase(10), plait::precondition_error);
}

}  // namespace
