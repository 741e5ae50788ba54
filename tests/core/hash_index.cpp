#include <plait/core/detail/hash_index.hpp>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/core/detail/hash.hpp>

TEST_CASE("hash_index: agrees with std::map, even if all hashes collide") {
  std::mt19937 random(11);
  for (std::uint32_t hashes : {1u, 3u, 50u, 0xFFFFFFFFu}) {  // with 1, all keys collide
    plait::hash_index index;
    std::vector<std::string> keys;
    std::map<std::string, std::uint32_t> expected;
    auto const hash = [&](std::string const& key) { return plait::hash_text(key) % hashes; };
    auto const find = [&](std::string const& key) {
      return index.find(hash(key), [&](std::uint32_t i) { return keys[i] == key; });
    };
    for (int round = 0; round != 2; ++round) {
      for (int step = 0; step != 600; ++step) {
        std::string const key = std::to_string(random() % 400);
        auto const [at, added] = expected.emplace(key, static_cast<std::uint32_t>(keys.size()));
        REQUIRE(find(key) == (added ? plait::npos : at->second));
        if (!added) continue;
        index.insert(hash(key), at->second);
        keys.push_back(key);
      }
      CHECK(index.size() == expected.size());
      for (auto const& [key, number] : expected) CHECK(find(key) == number);
      for (std::size_t const room : {0U, 400U, 5'000U}) {
        plait::hash_index const copy(index, room);
        CHECK(copy.size() == index.size());
        for (auto const& [key, number] : expected)
          CHECK(copy.find(hash(key), [&](std::uint32_t i) { return keys[i] == key; }) == number);
      }
      index.clear();
      CHECK(index.size() == 0);
      for (auto const& [key, number] : expected) CHECK(find(key) == plait::npos);
      keys.clear();
      expected.clear();
      index.reserve(1000);
    }
  }
}
