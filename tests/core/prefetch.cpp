#include <plait/core/detail/prefetch.hpp>

#include <array>
#include <cstdint>

#include <doctest/doctest.h>

namespace {

constexpr std::uint64_t sum(std::array<std::uint32_t, 64> const& all) {
  std::uint64_t total = 0;
  for (std::uint32_t const& x : all) {
    plait::detail::prefetch(&x, 1024);  // far behind the end, too
    plait::detail::prefetch(&x, -1024);
    total += x;
  }
  return total;
}
constexpr std::array<std::uint32_t, 64> numbers = [] {
  std::array<std::uint32_t, 64> made{};
  for (std::uint32_t i = 0; i != made.size(); ++i) made[i] = i * i;
  return made;
}();
static_assert(sum(numbers) == 63 * 64 * 127 / 6);

TEST_CASE("prefetch: has no effect on values and accepts any address") {
  std::array<std::uint32_t, 64> there = numbers;
  CHECK(sum(there) == sum(numbers));
  CHECK(there == numbers);
  plait::detail::prefetch(static_cast<char const*>(nullptr), 0);
}

}  // namespace
