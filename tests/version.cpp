#include <plait/version.hpp>

#include <string>

#include <doctest/doctest.h>

TEST_CASE("version: the build reads the number that programs see") {
  auto const version = std::to_string(PLAIT_VERSION_MAJOR) + '.' + std::to_string(PLAIT_VERSION_MINOR) + '.' +
                       std::to_string(PLAIT_VERSION_PATCH);
  CHECK(version == PLAIT_PROJECT_VERSION);
}
