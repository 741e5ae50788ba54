#include <plait/ssa/detail/parallel_copy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include <support/random_cases.hpp>

namespace {

using plait::location_copy;
using copies = std::vector<location_copy>;

copies in_order(copies const& at_once, std::uint32_t locations) {
  copies made;
  plait::copy_sequencer().run(at_once, locations + 1, locations, made);
  return made;
}

// Returns the number of cycles that no copy leads out of.
std::size_t closed_cycles(copies const& at_once, std::size_t locations) {
  std::vector<std::uint32_t> from(locations, plait::npos);
  std::vector<std::set<std::uint32_t>> readers(locations);
  for (auto const& c : at_once)
    if (c.to != c.from) {
      from[c.to] = c.from;
      readers[c.from].insert(c.to);
    }
  std::size_t found = 0;
  for (std::uint32_t start = 0; start != locations; ++start) {
    std::uint32_t at = start;
    bool closed = true;
    std::uint32_t least = start;
    std::size_t steps = 0;
    do {
      closed = closed && from[at] != plait::npos && readers[at].size() == 1;
      if (from[at] == plait::npos) break;
      at = from[at];
      least = std::min(least, at);
    } while (at != start && ++steps <= locations);
    if (closed && at == start && least == start && from[start] != plait::npos) ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("parallel copy: the sequence has the same effect with the minimal number of copies") {
  plait::copy_sequencer sequencer;
  for (unsigned seed = 0; seed != test::random_cases(20'000); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    auto const locations = static_cast<std::uint32_t>(1 + random() % 9);
    copies at_once;
    std::size_t moves = 0;
    for (std::uint32_t to = 0; to != locations; ++to)
      if (random() % 4 != 0) {
        at_once.push_back({to, static_cast<std::uint32_t>(random() % locations)});
        moves += at_once.back().from != to ? 1 : 0;
        if (random() % 8 == 0) at_once.push_back(at_once.back());
      }
    std::shuffle(at_once.begin(), at_once.end(), random);
    copies made;
    bool const used = sequencer.run(at_once, locations + 1, locations, made);

    std::vector<std::uint32_t> before(locations + 1), after;
    std::iota(before.begin(), before.end(), 0u);
    after = before;
    for (auto const& c : at_once) after[c.to] = before[c.from];
    for (auto const& c : made) before[c.to] = before[c.from];
    after.pop_back();
    before.pop_back();
    REQUIRE(before == after);
    std::size_t const cycles = closed_cycles(at_once, locations);
    REQUIRE(made.size() == moves + cycles);
    REQUIRE(used == (cycles != 0));
  }
}

TEST_CASE("parallel copy: handles swaps, chains and duplicates") {
  CHECK(in_order({{0, 1}, {1, 0}}, 2) == copies{{2, 0}, {0, 1}, {1, 2}});
  CHECK(in_order({{0, 1}, {1, 2}}, 3) == copies{{0, 1}, {1, 2}});
  CHECK(in_order({{1, 0}, {2, 0}, {1, 0}, {3, 3}}, 4).size() == 2);
  // A copy out of the cycle serves as the temporary that breaks it.
  CHECK(in_order({{0, 1}, {1, 0}, {2, 0}}, 3).size() == 3);
  CHECK(in_order({}, 0).empty());
  CHECK_THROWS_AS(in_order({{0, 1}, {0, 2}}, 3), plait::precondition_error);
  CHECK_THROWS_AS(in_order({{0, 3}}, 3), plait::precondition_error);
}

TEST_CASE("parallel copy: handles a cycle of a million locations") {
  constexpr std::uint32_t n = 1'000'000;
  copies at_once;
  for (std::uint32_t i = 0; i != n; ++i) at_once.push_back({i, (i + 1) % n});
  CHECK(in_order(at_once, n).size() == n + 1);
}

static_assert([] {
  std::vector<location_copy> const swap = {{0, 1}, {1, 0}};
  std::vector<location_copy> made;
  return plait::copy_sequencer().run(swap, 3, 2, made) && made.size() == 3;
}());
