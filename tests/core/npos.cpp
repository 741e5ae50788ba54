#include <plait/core/detail/npos.hpp>

#include <cstdint>
#include <type_traits>

#include <doctest/doctest.h>

namespace {

static_assert(std::is_same_v<decltype(plait::npos), std::uint32_t const>);

TEST_CASE("npos: is the largest number") {
  CHECK(plait::npos == static_cast<std::uint32_t>(-1));
  CHECK(static_cast<std::uint32_t>(plait::npos + 1) == 0);
}

}  // namespace
