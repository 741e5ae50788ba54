// Test cases of every outcome for main_itself.cmake, which runs them one by one.
#include <vector>

#include <doctest/doctest.h>

#include <support/skip.hpp>

TEST_CASE("main: passes") { CHECK(1 + 1 == 2); }

TEST_CASE("main: fails") { CHECK(1 + 1 == 3); }

TEST_CASE("main: skips all") { test::skip("no such thing"); }

TEST_CASE("main: skips some") {
  CHECK(1 + 1 == 2);
  for (int again = 0; again != 2; ++again) test::skip("no such thing");
}

TEST_CASE("main: skips and fails") {
  test::skip("no such thing");
  CHECK(1 + 1 == 3);
}

TEST_CASE("main: asserts nothing") {
  for (int const x : std::vector<int>()) CHECK(x == 1);
}
