#include <plait/core/detail/uninitialized_allocator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct pair {
  std::uint32_t first = 7;
  std::uint32_t second = 8;
  friend constexpr bool operator==(pair const&, pair const&) = default;
};
template <class T>
using vector = std::vector<T, plait::uninitialized_allocator<T>>;

// Constant expressions have no unspecified elements.
static_assert([] {
  vector<pair> v;
  v.resize(3);
  v.push_back({1, 2});
  return v[2] == pair{} && v[3] == pair{1, 2};
}());

TEST_CASE("uninitialized_allocator: growth keeps elements, and explicit values are written") {
  vector<std::uint32_t> v(5, 3u);
  CHECK(v == vector<std::uint32_t>{3, 3, 3, 3, 3});
  for (std::size_t size : {10u, 100u, 100'000u}) {
    std::size_t const before = v.size();
    vector<std::uint32_t> const kept = v;
    v.resize(size);
    CHECK(std::equal(kept.begin(), kept.end(), v.begin()));
    std::iota(v.begin() + static_cast<std::ptrdiff_t>(before), v.end(), 0u);
    CHECK(v.back() == size - before - 1);
  }
  v.assign(4, 9u);
  CHECK(v == vector<std::uint32_t>{9, 9, 9, 9});
}

TEST_CASE("uninitialized_allocator: resize leaves the memory untouched") {
  vector<pair> v(2, pair{5, 6});
  v.resize(1);
  v.resize(2);  // the same memory
  CHECK(v[1] == pair{5, 6});
}

}  // namespace
