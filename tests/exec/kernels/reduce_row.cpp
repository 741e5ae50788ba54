#include <plait/exec/kernels/reduce_row.hpp>

#include <cstddef>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace {

// Whole numbers, whose sums are exact in any order.
std::vector<float> whole_numbers(std::size_t count) {
  std::mt19937 random(3);
  std::vector<float> made(count);
  for (float& x : made) x = static_cast<float>(static_cast<int>(random() % 17) - 8);
  return made;
}

TEST_CASE("reduce_row meets each element once, around the ends of vectors, lanes and blocks") {
  for (std::size_t const n : {0U, 1U, 15U, 16U, 17U, 63U, 64U, 65U, 127U, 130U, 8191U, 8192U, 8193U, 20000U}) {
    CAPTURE(n);
    std::vector<int> met(n, 0);
    auto const x = whole_numbers(n);
    float sum = 0;
    for (float const value : x) sum += value;
    CHECK(plait::reduce_row<plait::sum_reduction, float>(n, [&](std::size_t i) {
            ++met[i];
            return x[i];
          }) == sum);
    CHECK(met == std::vector<int>(n, 1));
  }
}

}  // namespace
