#include <plait/exec/detail/kernels/index_checks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

namespace {

struct is_multiple {
  std::size_t of;
  bool operator()(std::size_t i) const { return i % of == of - 1; }
};

TEST_CASE_TEMPLATE("find_index: returns the first match, or the end", B, plait::serial, plait::omp, plait::tbb) {
  for (std::size_t const count : {0U, 1U, 100U, 4'096U, 4'097U, 50'000U})
    for (std::size_t const of : {1U, 2U, 100U, 4'096U, 4'097U, 9'000U, 60'000U})
      CHECK(plait::find_index<B>(count, is_multiple{of}) == std::min(count, of - 1));
}

template <class B, class I>
std::string refusal(std::vector<I> const& indices, std::int64_t bound) {
  try {
    plait::check_indices<B>(indices.data(), indices.size(), bound);
  } catch (plait::shape_error const& e) {
    return e.what();
  }
  return {};
}

TEST_CASE_TEMPLATE("check_indices: names the first index that is out of range", B, plait::serial, plait::omp,
                   plait::tbb) {
  CHECK(refusal<B, std::int32_t>({}, 0).empty());
  CHECK(refusal<B, std::int32_t>({0, 4, 2}, 5).empty());
  CHECK(refusal<B, std::int32_t>({0, 5, -1}, 5) == "plait: index 5 at place 1 is not from 0 up to, but without, 5");
  CHECK(refusal<B, std::int64_t>({-1}, 5) == "plait: index -1 at place 0 is not from 0 up to, but without, 5");
  CHECK(refusal<B, std::int32_t>({0}, 0) == "plait: index 0 at place 0 is not from 0 up to, but without, 0");
  // Indices do not wrap around in 32 bits.
  CHECK_FALSE(refusal<B, std::int64_t>({1LL << 32}, 5).empty());
  CHECK_FALSE(refusal<B, std::int64_t>({std::numeric_limits<std::int64_t>::min()}, 5).empty());
  CHECK_FALSE(refusal<B, std::int32_t>({std::numeric_limits<std::int32_t>::min()}, 1LL << 40).empty());
  CHECK(refusal<B, std::int64_t>({1LL << 32}, (1LL << 32) + 1).empty());
}

}  // namespace
