#include <plait/exec/detail/kernels/scatter_rows.hpp>

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

namespace {

// Function that depends on the order of rows: x becomes 3x + row.
struct step {
  unsigned* columns;
  void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    for (std::size_t c = first; c < last; ++c) columns[c] = 3 * columns[c] + static_cast<unsigned>(row);
  }
};

TEST_CASE_TEMPLATE("for_each_row_in_order: columns see rows once, in order", B, plait::serial, plait::omp, plait::tbb) {
  for (std::size_t const rows : {0U, 1U, 7U, 1'000U, 40'000U})
    for (std::size_t const width : {0U, 1U, 63U, 64U, 65U, 3'000U}) {
      if (rows * width > 10'000'000) continue;
      unsigned expected = 1;
      for (std::size_t row = 0; row != rows; ++row) expected = 3 * expected + static_cast<unsigned>(row);
      std::vector<unsigned> columns(width, 1);
      plait::for_each_row_in_order<B>(rows, width, step{columns.data()});
      CHECK(columns == std::vector<unsigned>(width, expected));
    }
}

}  // namespace
