#include <doctest/doctest.h>

#include <string>

#include <plait/core/assert.hpp>

namespace {
constexpr int checked_half(int i) {
  PLAIT_ASSERT(i % 2 == 0, "checked_half: odd");
  return i / 2;
}
static_assert(checked_half(4) == 2, "assertions are usable in constant expressions");
}  // namespace

TEST_CASE("assert: checks are enabled in the tests, whatever the build type") {
  CHECK(checked_half(6) == 3);
  CHECK_THROWS_AS(checked_half(3), plait::precondition_error);
}

TEST_CASE("assert: a failed assertion reports file, line and condition") {
  std::string said;
  try {
    PLAIT_ASSERT(1 + 1 == 3, "arithmetic: holds");
  } catch (plait::precondition_error const& problem) {
    said = problem.what();
  }
  CHECK(said.find("assert.cpp:") != std::string::npos);
  CHECK(said.ends_with(": arithmetic: holds"));
}

TEST_CASE("assert: the condition is evaluated once") {
  int evaluated = 0;
  PLAIT_ASSERT(++evaluated == 1, "counted");
  CHECK(evaluated == 1);
  // An expression: usable after a comma and between ?:.
  int const value = (PLAIT_ASSERT(true, "fine"), 5);
  CHECK(value == 5);
}
