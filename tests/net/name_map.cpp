#include <plait/net/detail/name_map.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

TEST_CASE("name_map: look-up, order and replacement") {
  plait::name_map m{{"b", "1"}, {"a", "2"}};
  CHECK(m.find("a") == "2");
  CHECK_FALSE(m.find("c").has_value());
  CHECK(m["c"] == "c");
  m.set("b", "3");
  m.set("c", "");
  CHECK(m["c"].empty());
  CHECK(m.contains("c"));
  std::vector<std::pair<std::string, std::string>> seen;
  for (auto const& [from, to] : m) seen.emplace_back(from, to);
  CHECK(seen == std::vector<std::pair<std::string, std::string>>{{"b", "3"}, {"a", "2"}, {"c", ""}});
  CHECK(m.size() == 3);
  CHECK(plait::name_map{}.empty());
  CHECK(m != plait::name_map{{"a", "2"}, {"b", "3"}, {"c", ""}});  // the order counts
}

TEST_CASE("name_map: copies are independent, moves keep the names alive") {
  plait::name_map a;
  for (int i = 0; i != 1000; ++i) a.set("name" + std::to_string(i), std::to_string(i));
  plait::name_map b = a;
  a.set("name7", "changed");
  CHECK(b["name7"] == "7");
  plait::name_map const c = std::move(b);
  CHECK(c["name999"] == "999");
  a = c;
  CHECK(a == c);
  a = *&a;
  CHECK(a["name0"] == "0");
}

TEST_CASE("name_map: is constructed from a range of pairs") {
  std::map<std::string, std::string> const from{{"x", "y"}};
  CHECK(plait::name_map(from) == plait::name_map{{"x", "y"}});
}
