#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/string_arena.hpp>

namespace {

std::string text_of(int i) {
  return std::string(static_cast<std::size_t>(i * i % 301), static_cast<char>('a' + i % 26));
}

}  // namespace

TEST_CASE("string_arena: text keeps its address when more is added") {
  plait::string_arena store;
  std::vector<std::string_view> kept;
  for (int i = 0; i != 3'000; ++i) kept.push_back(store.add(text_of(i)));
  plait::string_arena const moved = std::move(store);
  for (int i = 0; i != 3'000; ++i) REQUIRE(kept[static_cast<std::size_t>(i)] == text_of(i));
  CHECK(store.add("again") == "again");
}

TEST_CASE("string_arena: empty text has a non-null address") {
  plait::string_arena store;
  CHECK(store.add("").empty());
  CHECK(store.add("").data() != nullptr);
}

TEST_CASE("string_arena: a copy shares existing text, and neither overwrites additions of the other") {
  plait::string_arena first;
  std::string_view const shared = first.add("shared");
  plait::string_arena second = first;
  std::vector<std::pair<std::string_view, std::string>> kept;
  for (int i = 0; i != 500; ++i) {
    kept.emplace_back(first.add(text_of(i)), text_of(i));
    kept.emplace_back(second.add(text_of(i + 7)), text_of(i + 7));
  }
  for (auto const& [view, text] : kept) REQUIRE(view == text);
  first = plait::string_arena();
  CHECK(shared == "shared");  // the copy holds it
}
