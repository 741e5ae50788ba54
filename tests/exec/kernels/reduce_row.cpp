#include <plait/exec/detail/kernels/reduce_row.hpp>

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <support/whole_numbers.hpp>

namespace {

TEST_CASE("reduce_row: each element is visited once, around the ends of vectors, lanes and blocks") {
  for (std::size_t const n : {0U, 1U, 15U, 16U, 17U, 63U, 64U, 65U, 127U, 130U, 8191U, 8192U, 8193U, 20000U}) {
    CAPTURE(n);
    std::vector<int> met(n, 0);
    auto const x = test::whole_numbers(n);
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
