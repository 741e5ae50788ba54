#include <plait/exec/detail/kernels/row_parts.hpp>

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

namespace {

TEST_CASE_TEMPLATE("for_each_row_part: elements are visited once, by row", B, plait::serial, plait::omp, plait::tbb) {
  for (std::size_t const rows : {0U, 1U, 3U, 700U})
    for (std::size_t const width : {0U, 1U, 5U, 97U, 40'000U})
      for (std::size_t const cost : {0U, 1U, 8U, 100'000U}) {
        if (rows * width > 1'000'000 || (cost > 8 && rows * width > 10'000)) continue;
        std::vector<std::size_t> seen(rows * width, 0);
        std::size_t* const at = seen.data();
        plait::for_each_row_part<B>(rows, width, cost, [=](std::size_t row, std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) at[row * width + i] += row + 1;
        });
        bool right = true;
        for (std::size_t i = 0; i != seen.size(); ++i) right = right && seen[i] == i / width + 1;
        CAPTURE(rows);
        CAPTURE(width);
        CAPTURE(cost);
        CHECK(right);
      }
}

}  // namespace
