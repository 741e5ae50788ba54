#include <plait/gradient/blob_gradient.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using plait::blob_gradient;
using plait::gradient_map;

TEST_CASE("blob_gradient: dense, or rows and their indices") {
  auto const dense = blob_gradient::dense("w_grad");
  CHECK(dense.values == "w_grad");
  CHECK(!dense.is_sparse());
  auto const sparse = blob_gradient::sparse("rows", "w_grad");
  CHECK(sparse.values == "w_grad");
  CHECK(sparse.indices == "rows");
  CHECK(sparse.is_sparse());
  CHECK(dense != sparse);
  CHECK(dense == blob_gradient{"w_grad"});
}

TEST_CASE("gradient_map: in the order of adding, found by name; what is there stays") {
  gradient_map made;
  CHECK(made.empty());
  CHECK(made.find("w") == made.end());
  CHECK_THROWS_WITH_AS(made.at("w"), "plait::gradient_map: no gradient of 'w'", std::out_of_range);

  auto const first = made.emplace("w", blob_gradient::dense("dw"));
  CHECK(first.second);
  CHECK(first.first->first == "w");
  made["b"] = blob_gradient::dense("db");
  auto const again = made.emplace("w", blob_gradient::dense("other"));
  CHECK(!again.second);
  CHECK(again.first == made.begin());
  CHECK(made.at("w").values == "dw");
  made["w"].values = "changed";
  CHECK(made.at("w").values == "changed");

  CHECK(made.size() == 2);
  CHECK(made.contains("b"));
  CHECK(!made.contains(""));
  CHECK(made.begin()[1].first == "b");
  CHECK(made["new"] == blob_gradient());
  CHECK(made.size() == 3);
}

TEST_CASE("gradient_map: equal whatever the order") {
  std::vector<gradient_map::value_type> entries = {{"w", blob_gradient::dense("dw")},
                                                   {"t", blob_gradient::sparse("rows", "dt")}};
  gradient_map const one(entries);
  std::swap(entries[0], entries[1]);
  gradient_map const other(entries);
  CHECK(one == other);
  CHECK(one.begin()->first == "w");
  CHECK(other.begin()->first == "t");
  entries[0].second.indices = "other";
  CHECK(one != gradient_map(entries));
  entries.pop_back();
  CHECK(one != gradient_map(entries));
  CHECK(gradient_map(entries) != one);
  CHECK(gradient_map() == gradient_map(std::vector<gradient_map::value_type>()));
}

TEST_CASE("gradient_map: thousands of names, one at a time and all at once") {
  std::vector<gradient_map::value_type> entries;
  gradient_map grown;
  for (std::size_t i = 0; i != 3000; ++i) {
    std::string const name = "blob_" + std::to_string(i);
    entries.emplace_back(name, blob_gradient::dense(name + "_grad"));
    CHECK(grown.emplace(name, entries.back().second).second);
  }
  gradient_map const made(entries);
  CHECK(made == grown);
  std::size_t found = 0;
  for (auto const& [name, gradient] : entries)
    if (made.at(name) == gradient && grown.find(name)->first == name) ++found;
  CHECK(found == entries.size());
  CHECK(!made.contains("blob_3000"));
}
