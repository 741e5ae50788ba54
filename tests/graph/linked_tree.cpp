#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include <plait/graph/detail/linked_tree.hpp>

static_assert([] {
  plait::linked_tree t;
  t.resize(4);
  t.make_root(2);
  t.set_parent(0, 2);
  t.set_parent(1, 0);
  t.set_parent(3, 0);
  return t.is_ancestor(2, 3) && t.nearest_common(1, 3) == 0 && t.depth(3) == 2 && t.parent(2) == plait::npos &&
         std::ranges::equal(t.children(0), std::vector{3, 1});
}());

// Compares with a vector of parents under random moves.
TEST_CASE("linked_tree: nodes move and are erased with their subtrees") {
  std::mt19937 random(5);
  std::uint32_t const count = 14;
  for (int round = 0; round != 200; ++round) {
    plait::linked_tree t;
    t.resize(count);
    t.make_root(0);
    std::vector<std::uint32_t> parent(count, plait::npos);
    std::vector<bool> in(count);
    in[0] = true;
    auto const is_above = [&](std::uint32_t a, std::uint32_t b) {
      while (b != plait::npos && b != a) b = parent[b];
      return b == a;
    };
    for (int step = 0; step != 60; ++step) {
      auto const n = static_cast<std::uint32_t>(1 + random() % (count - 1));
      auto const p = static_cast<std::uint32_t>(random() % count);
      if (random() % 8 == 0) {
        if (!in[n]) continue;
        t.erase_subtree(n);
        std::vector<bool> out(count);
        for (std::uint32_t d = 0; d != count; ++d) out[d] = is_above(n, d);
        for (std::uint32_t d = 0; d != count; ++d) {
          if (!out[d]) continue;
          parent[d] = plait::npos;
          in[d] = false;
        }
      } else {
        if (!in[p] || is_above(n, p)) continue;
        t.set_parent(n, p);
        t.update_depths(n);
        parent[n] = p;
        in[n] = true;
      }
      for (std::uint32_t a = 0; a != count; ++a) {
        REQUIRE(t.contains(a) == in[a]);
        REQUIRE(t.parent(a) == parent[a]);
        std::vector<std::uint32_t> children(t.children(a).begin(), t.children(a).end());
        std::ranges::sort(children);
        std::vector<std::uint32_t> expected;
        for (std::uint32_t b = 0; b != count; ++b)
          if (parent[b] == a) expected.push_back(b);
        REQUIRE(children == expected);
        if (!in[a]) continue;
        std::uint32_t depth = 0;
        for (std::uint32_t up = parent[a]; up != plait::npos; up = parent[up]) ++depth;
        REQUIRE(t.depth(a) == depth);
        std::vector<std::uint32_t> below;
        t.for_each_in_subtree(a, [&](std::uint32_t d) { below.push_back(d); });
        REQUIRE(below.front() == a);
        std::ranges::sort(below);
        expected.clear();
        for (std::uint32_t b = 0; b != count; ++b) {
          if (!in[b]) continue;
          if (is_above(a, b)) expected.push_back(b);
          REQUIRE(t.is_ancestor(a, b) == is_above(a, b));
          std::uint32_t common = a;
          while (!is_above(common, b)) common = parent[common];
          REQUIRE(t.nearest_common(a, b) == common);
        }
        REQUIRE(below == expected);
      }
    }
  }
}

TEST_CASE("linked_tree: traverses and erases a chain of a million nodes without a stack") {
  plait::linked_tree t;
  t.resize(1'000'000);
  t.make_root(0);
  for (std::uint32_t n = 1; n != 1'000'000; ++n) t.set_parent(n, n - 1);
  std::size_t below = 0;
  t.for_each_in_subtree(1, [&](std::uint32_t) { ++below; });
  CHECK(below == 999'999);
  CHECK(t.depth(999'999) == 999'999);
  t.erase_subtree(1);
  CHECK(!t.contains(999'999));
  CHECK(t.children(0).empty());
}
