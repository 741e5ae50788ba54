#include <plait/gradient/detail/gradient_map.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using plait::blob_gradient;
using plait::gradient_map;

static_assert(std::random_access_iterator<gradient_map::const_iterator>);

namespace {

gradient_map map_of(std::vector<gradient_map::value_type> const& entries) {
  gradient_map made;
  for (auto const& [blob, gradient] : entries) made.append(blob, gradient.values, gradient.indices);
  return made;
}

}  // namespace

TEST_CASE("gradient_map: keeps insertion order, finds by name, emplace does not overwrite") {
  gradient_map made;
  CHECK(made.empty());
  CHECK(made.find("w") == made.end());
  CHECK_THROWS_WITH_AS(made.at("w"), "plait::gradient_map: no gradient of 'w'", std::out_of_range);

  auto const first = made.emplace("w", blob_gradient::dense("dw"));
  CHECK(first.second);
  CHECK(first.first->first == "w");
  CHECK(made.insert_or_assign("b", blob_gradient::dense("db")).second);
  auto const again = made.emplace("w", blob_gradient::dense("other"));
  CHECK(!again.second);
  CHECK(again.first == made.begin());
  CHECK(made.at("w").values == "dw");
  auto const changed = made.insert_or_assign("w", blob_gradient::sparse("rows", "changed"));
  CHECK(!changed.second);
  CHECK(changed.first == made.begin());
  CHECK(made.at("w") == blob_gradient::sparse("rows", "changed"));

  CHECK(made.size() == 2);
  CHECK(made.contains("b"));
  CHECK(!made.contains(""));
  CHECK(made.begin()[1].first == "b");
  CHECK((made.end() - 1)->second.values == "db");
}

TEST_CASE("gradient_map: names that are prefixes of each other are kept") {
  std::vector<gradient_map::value_type> const entries = {
      {"w", blob_gradient::dense("w_grad")},       {"long", blob_gradient::dense("lo")},
      {"same", blob_gradient::dense("same")},      {"t", blob_gradient::sparse("t", "t_grad")},
      {"u", blob_gradient::sparse("u_grad", "v")}, {"", blob_gradient::dense("of nothing")}};
  gradient_map const made = map_of(entries);
  CHECK(std::vector<gradient_map::value_type>(made.begin(), made.end()) == entries);
  for (auto const& [blob, gradient] : entries) CHECK(made.at(blob) == gradient);
}

TEST_CASE("gradient_map: equality ignores the order") {
  std::vector<gradient_map::value_type> entries = {{"w", blob_gradient::dense("dw")},
                                                   {"t", blob_gradient::sparse("rows", "dt")}};
  gradient_map const one = map_of(entries);
  std::swap(entries[0], entries[1]);
  gradient_map const other = map_of(entries);
  CHECK(one == other);
  CHECK(one.begin()->first == "w");
  CHECK(other.begin()->first == "t");
  entries[0].second.indices = "other";
  CHECK(one != map_of(entries));
  entries.pop_back();
  CHECK(one != map_of(entries));
  CHECK(map_of(entries) != one);
  CHECK(gradient_map() == map_of({}));
}

TEST_CASE("gradient_map: copies and moved maps are independent, with or without an index") {
  for (bool const looked : {false, true}) {
    CAPTURE(looked);
    gradient_map first = map_of({{"w", blob_gradient::dense("dw")}, {"b", blob_gradient::dense("db")}});
    if (looked) CHECK(first.contains("b"));
    gradient_map copy = first;
    copy.insert_or_assign("w", blob_gradient::dense("changed"));
    copy.append("new", "dnew");
    CHECK(first.at("w").values == "dw");
    CHECK(!first.contains("new"));
    CHECK(copy.at("new").values == "dnew");
    gradient_map const moved = std::move(first);
    CHECK(moved.at("b").values == "db");
    first = copy;
    CHECK(first == copy);
    CHECK(first.at("w").values == "changed");
    copy = gradient_map();
    CHECK(!copy.contains("w"));
    CHECK(first.contains("w"));
  }
}

TEST_CASE("gradient_map: several threads look up thousands of names") {
  std::vector<gradient_map::value_type> entries;
  gradient_map grown;
  for (std::size_t i = 0; i != 3000; ++i) {
    std::string const name = "blob_" + std::to_string(i);
    entries.emplace_back(name, blob_gradient::dense(name + "_grad"));
    CHECK(grown.emplace(name, entries.back().second).second);
  }
  gradient_map const made = map_of(entries);
  std::vector<std::size_t> found(3);
  {
    std::vector<std::jthread> threads;
    for (std::size_t& count : found)
      threads.emplace_back([&] {
        for (auto const& [name, gradient] : entries)
          if (made.at(name) == gradient && grown.find(name)->first == name) ++count;
      });
  }
  CHECK(found == std::vector<std::size_t>(3, entries.size()));
  CHECK(made == grown);
  CHECK(!made.contains("blob_3000"));
}

TEST_CASE("gradient_map: the pointee of an iterator lives until the iterator moves") {
  gradient_map const made =
      map_of({{"a_blob_with_a_name_that_is_long", blob_gradient::dense("its_gradient_with_a_long_name")},
              {"b", blob_gradient::sparse("i", "v")}});
  auto found = made.find("a_blob_with_a_name_that_is_long");
  blob_gradient const& gradient = found->second;
  std::string const& values = found->second.values;
  std::vector<std::string> const others(100, "what_takes_the_memory_that_was_freed");
  CHECK(gradient == blob_gradient::dense("its_gradient_with_a_long_name"));
  CHECK(&values == &gradient.values);
  ++found;
  CHECK(found->second == blob_gradient::sparse("i", "v"));
}
