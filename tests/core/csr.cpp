#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>

namespace {

using rows = std::vector<std::vector<int>>;

rows copy_of(plait::csr<int> const& from) {
  rows copy;
  for (std::size_t r = 0; r != from.size(); ++r) copy.emplace_back(from[r].begin(), from[r].end());
  return copy;
}

constexpr int constexpr_sum() {
  plait::csr<int> c;
  c.push(1);
  c.end_row();
  c.end_row();
  c.push(2);
  c.push(3);
  c.end_row();
  return c[0][0] + static_cast<int>(c[1].size()) + c[2][1];
}
static_assert(constexpr_sum() == 4);

}  // namespace

TEST_CASE("csr: a new one has no rows") {
  plait::csr<int> const c;
  CHECK(c.size() == 0);
  CHECK(c.item_count() == 0);
  CHECK_THROWS_AS((void)c[0], plait::precondition_error);
}

TEST_CASE("csr: pushed rows are read back, empty ones included") {
  plait::csr<int> c;
  c.end_row();
  c.push(7);
  c.push(8);
  CHECK(c.open_row().size() == 2);
  c.open_row()[0] = 6;
  c.end_row();
  CHECK(c.open_row().empty());
  c.end_row();
  CHECK(copy_of(c) == rows{{}, {6, 8}, {}});
  CHECK(c.item_count() == 2);
  CHECK_THROWS_AS((void)c[3], plait::precondition_error);

  c[1][1] = 9;
  CHECK(copy_of(c) == rows{{}, {6, 9}, {}});
  c.clear();
  CHECK(c.size() == 0);
  c.push(1);
  c.end_row();
  CHECK(copy_of(c) == rows{{1}});
}

TEST_CASE("csr: counting, then placing in reverse order, is a stable counting sort") {
  std::mt19937 random(1);
  plait::csr<int> c;  // reused: no state is left from the previous round
  for (int round = 0; round != 200; ++round) {
    std::size_t const row_count = random() % 20;
    std::vector<std::pair<std::size_t, int>> items;
    rows expected(row_count);
    if (row_count != 0)
      for (int i = 0, n = static_cast<int>(random() % 60); i != n; ++i) {
        std::size_t const row = random() % row_count;
        items.emplace_back(row, i);
        expected[row].push_back(i);
      }
    c.start_counting(row_count);
    for (auto const& [row, item] : items) c.count(row);
    c.end_counting();
    for (std::size_t i = items.size(); i-- != 0;) c.place(items[i].first, items[i].second);
    REQUIRE(copy_of(c) == expected);
    REQUIRE(c.item_count() == items.size());
  }
}

TEST_CASE("csr: equality compares rows, not only items") {
  plait::csr<int> a;
  a.push(1);
  a.end_row();
  a.end_row();
  plait::csr<int> b;
  b.end_row();
  b.push(1);
  b.end_row();
  CHECK(a != b);
  b.clear();
  b.push(1);
  b.end_row();
  b.end_row();
  CHECK(a == b);
}

TEST_CASE("csr: transpose lists the rows that contain each number, sorted") {
  plait::csr<std::uint32_t> from;
  for (std::vector<std::uint32_t> const& row : {std::vector<std::uint32_t>{2, 0, 2}, {}, {0}}) {
    for (std::uint32_t const item : row) from.push(item);
    from.end_row();
  }
  plait::csr<std::uint32_t> into;
  into.push(7);  // is discarded
  plait::transpose(from, into);
  REQUIRE(into.size() == 3);
  CHECK(std::ranges::equal(into[0], std::vector{0, 2}));
  CHECK(into[1].empty());
  CHECK(std::ranges::equal(into[2], std::vector{0, 0}));
  plait::transpose(into, from);
  CHECK(std::ranges::equal(from[0], std::vector{0, 2, 2}));  // sorted
}
