#include <plait/exec/detail/saturating.hpp>

#include <initializer_list>
#include <limits>

#include <doctest/doctest.h>

namespace {

using plait::detail::add_sat;
using plait::detail::mul_sat;

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

static_assert(add_sat(2, 3) == 5);
static_assert(add_sat(most - 1, 1) == most);
static_assert(add_sat(most, 1) == most);
static_assert(add_sat(1, most) == most);
static_assert(add_sat(most / 2 + 1, most / 2 + 1) == most);
static_assert(mul_sat(0, most) == 0);
static_assert(mul_sat(most, 0) == 0);
static_assert(mul_sat(most / 4, 4) == most - 3);
static_assert(mul_sat(most / 4 + 1, 4) == most);
static_assert(mul_sat(4, most / 4 + 1) == most);

TEST_CASE("add_sat and mul_sat: saturate at run time, too") {
  for (std::size_t a : {std::size_t{0}, std::size_t{7}, most / 2, most}) {
    CHECK(add_sat(a, 0) == a);
    CHECK(mul_sat(a, 1) == a);
    CHECK(add_sat(a, most) == most);
  }
}

}  // namespace
