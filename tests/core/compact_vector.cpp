#include <plait/core/detail/compact_vector.hpp>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {
using list = plait::compact_vector<std::string>;
std::vector<std::string> items(list const& l) { return {l.begin(), l.end()}; }
}  // namespace

TEST_CASE("compact_vector: agrees with std::vector") {
  std::mt19937 random(3);
  list ours;
  std::vector<std::string> theirs;
  for (int step = 0; step != 5'000; ++step) {
    std::string const item = std::to_string(random() % 50);
    switch (random() % 7) {
      case 0:
        ours.push_back(item);
        theirs.push_back(item);
        break;
      case 1:
        CHECK(ours.emplace_back(item) == item);
        theirs.push_back(item);
        break;
      case 2:
        if (theirs.empty()) break;
        ours.erase(ours.begin() + theirs.size() / 2);
        theirs.erase(theirs.begin() + static_cast<std::ptrdiff_t>(theirs.size() / 2));
        break;
      case 3: {
        list copy = ours;
        list moved = std::move(ours);
        CHECK(ours.empty());
        ours = copy;
        copy.clear();
        CHECK(copy.begin() == copy.end());
        CHECK(ours == moved);
        break;
      }
      case 4:
        CHECK(erase_if(ours, [&](std::string const& s) { return s == item; }) ==
              std::erase_if(theirs, [&](std::string const& s) { return s == item; }));
        break;
      case 5:
        if (random() % 40 == 0) ours.clear(), theirs.clear();
        ours.resize(theirs.size() + 1);
        theirs.resize(theirs.size() + 1);
        break;
      default:
        if (theirs.empty()) break;
        ours[theirs.size() - 1] = item;
        theirs.back() = item;
        CHECK(ours.back() == item);
        CHECK(ours.front() == theirs.front());
    }
    REQUIRE(items(ours) == theirs);
    REQUIRE(ours.size() == theirs.size());
  }
}

TEST_CASE("compact_vector: is one pointer, and empty ones do not allocate") {
  CHECK(sizeof(list) == sizeof(void*));
  CHECK(list(std::vector<std::string>()).begin() == nullptr);
  list nothing;
  nothing.reserve(0);
  CHECK(nothing.begin() == nullptr);
}

TEST_CASE("compact_vector: an index out of range is a precondition_error") {
  list const l = {"a", "b"};
  CHECK_THROWS_AS((void)l[2], plait::precondition_error);
}
