#include <plait/core/saturated.hpp>

#include <initializer_list>
#include <limits>

#include <doctest/doctest.h>

namespace {

using plait::saturated_product;
using plait::saturated_sum;

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();

static_assert(saturated_sum(2, 3) == 5);
static_assert(saturated_sum(most - 1, 1) == most);
static_assert(saturated_sum(most, 1) == most);
static_assert(saturated_sum(1, most) == most);
static_assert(saturated_sum(most / 2 + 1, most / 2 + 1) == most);
static_assert(saturated_product(0, most) == 0);
static_assert(saturated_product(most, 0) == 0);
static_assert(saturated_product(most / 4, 4) == most - 3);
static_assert(saturated_product(most / 4 + 1, 4) == most);
static_assert(saturated_product(4, most / 4 + 1) == most);

TEST_CASE("saturated sums and products: as at compile time") {
  for (std::size_t a : {std::size_t{0}, std::size_t{7}, most / 2, most}) {
    CHECK(saturated_sum(a, 0) == a);
    CHECK(saturated_product(a, 1) == a);
    CHECK(saturated_sum(a, most) == most);
  }
}

}  // namespace
