#include <doctest/doctest.h>

#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/symbols.hpp>

TEST_CASE("symbol_table: symbols count from 1 in order of first appearance; the default is no string") {
  plait::symbol_table table;
  CHECK(table.size() == 1);
  CHECK_FALSE(plait::symbol{});
  CHECK(table[plait::symbol{}] == "");
  CHECK_FALSE(table.find("x"));

  plait::symbol const x = table.intern("x");
  plait::symbol const y = table.intern("y");
  CHECK(x.id == 1);
  CHECK(y.id == 2);
  CHECK(table.intern("x") == x);
  CHECK(table.find("y") == y);
  CHECK(table[y] == "y");
  CHECK(table.size() == 3);
  CHECK(x < y);
}

TEST_CASE("symbol_table: interns the empty string and strings with zero bytes") {
  plait::symbol_table table;
  plait::symbol const empty = table.intern("");
  CHECK(empty);
  CHECK(empty != plait::symbol{});
  CHECK(table[empty] == "");
  CHECK(table.find("") == empty);
  std::string const zero("a\0b", 3);
  CHECK(table.intern(zero) != table.intern("a"));
  CHECK(table[table.find(zero)] == zero);
}

TEST_CASE("symbol_table: a symbol of another table is a precondition_error") {
  plait::symbol_table table;
  table.intern("x");
  CHECK_THROWS_AS((void)table[plait::symbol{2}], plait::precondition_error);
}

TEST_CASE("symbol_table: agrees with std::unordered_map, and text never moves") {
  std::mt19937 random(2);
  plait::symbol_table table;
  std::unordered_map<std::string, std::uint32_t> known;
  std::vector<std::pair<std::string_view, std::string>> views;
  for (int i = 0; i != 20'000; ++i) {
    std::string text(random() % 4 == 0 ? random() % 3000 : random() % 9, ' ');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    auto const [at, added] = known.emplace(text, static_cast<std::uint32_t>(known.size() + 1));
    plait::symbol const made = table.intern(text);
    REQUIRE(made.id == at->second);
    if (added) views.emplace_back(table[made], text);
  }
  CHECK(table.size() == known.size() + 1);
  for (auto const& [view, text] : views) REQUIRE(view == text);
}

TEST_CASE("symbol_table: copies keep the numbers and are independent; moves empty their source") {
  plait::symbol_table a;
  a.intern("x");
  a.intern("y");
  plait::symbol_table b = a;
  b.intern("z");
  CHECK(b.find("y").id == 2);
  CHECK_FALSE(a.find("z"));
  CHECK(a.intern("w").id == 3);
  CHECK(a[plait::symbol{3}] == "w");
  CHECK(b[plait::symbol{3}] == "z");

  std::string_view const text = b[plait::symbol{2}];
  plait::symbol_table c = std::move(b);
  CHECK(c[plait::symbol{2}].data() == text.data());  // text does not move with its table
  CHECK(b.size() == 1);
  CHECK(b.intern("again").id == 1);
  a = c;
  CHECK(a.find("z").id == 3);
  a = std::move(c);
  CHECK(a.find("z").id == 3);
}

TEST_CASE("symbol_table: copies outlive their origin, and text keeps its address in them") {
  std::vector<plait::symbol_table> generations(1);
  std::vector<std::string_view> views;
  for (int i = 0; i != 2'000; ++i) {
    std::string const text = "name_" + std::to_string(i);
    views.push_back(generations.back()[generations.back().intern(text)]);
    if (i % 7 == 0) generations.push_back(generations.back());
    if (i % 7 == 3) generations.front().intern("of the first only " + std::to_string(i));
  }
  generations.erase(generations.begin(), generations.end() - 1);
  plait::symbol_table const& last = generations.front();
  REQUIRE(last.size() == 2'001);
  for (std::uint32_t i = 0; i != 2'000; ++i) {
    REQUIRE(last[plait::symbol{i + 1}] == "name_" + std::to_string(i));
    REQUIRE(last[plait::symbol{i + 1}].data() == views[i].data());
    REQUIRE(last.find(views[i]).id == i + 1);
  }
}

TEST_CASE("symbol_table: a copy with reserved room equals its origin, for any room") {
  plait::symbol_table a;
  for (int i = 0; i != 500; ++i) a.intern("name_" + std::to_string(i));
  for (std::size_t const room : {std::size_t{0}, std::size_t{500}, std::size_t{501}, std::size_t{10'000}}) {
    plait::symbol_table copy(a, room);
    REQUIRE(copy.size() == a.size());
    for (std::uint32_t id = 1; id != a.size(); ++id) {
      REQUIRE(copy[plait::symbol{id}].data() == a[plait::symbol{id}].data());
      REQUIRE(copy.find(a[plait::symbol{id}]).id == id);
    }
    CHECK_FALSE(copy.find("name_500"));
    CHECK(copy.intern("of the copy").id == 501);
    CHECK(copy.find("of the copy").id == 501);
    CHECK_FALSE(a.find("of the copy"));
  }
}
