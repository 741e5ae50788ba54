#include <plait/exec/detail/kernels/column_sums.hpp>

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

namespace {

// Sums whole numbers, which are exact in any order, and their squares, and counts the visits of each element.
struct sums_of_parts {
  float const* x;
  int* met;
  std::size_t width;
  void operator()(std::size_t row, std::size_t column, std::size_t columns, float* a, float* b) const {
    for (std::size_t c = 0; c != columns; ++c) {
      float const at = x[row * width + column + c];
      a[c] += at;
      b[c] += at * at;
      ++met[row * width + column + c];
    }
  }
};

TEST_CASE("two_column_sums: each element is visited once, for all extents, with and without partial sums") {
  for (std::size_t const rows : {0U, 1U, 3U, 511U, 513U, 5000U, 20000U})
    for (std::size_t const width : {1U, 2U, 255U, 256U, 257U, 600U}) {
      if (rows * width > 400'000) continue;
      CAPTURE(rows);
      CAPTURE(width);
      std::vector<float> x(rows * width);
      for (std::size_t i = 0; i != x.size(); ++i) x[i] = static_cast<float>(i * 7 % 17) - 8;
      std::vector<float> sums(width, 0.0f);
      std::vector<float> squares(width, 0.0f);
      for (std::size_t i = 0; i != x.size(); ++i) {
        sums[i % width] += x[i];
        squares[i % width] += x[i] * x[i];
      }
      std::vector<float> first(width, -1.0f);
      std::vector<float> second(width, -1.0f);
      std::vector<float> partials(plait::two_column_partials(rows, width));
      std::vector<int> met(x.size(), 0);
      plait::two_column_sums<plait::serial>(rows, width, sums_of_parts{x.data(), met.data(), width}, first.data(),
                                            second.data(), partials.data());
      CHECK(first == sums);
      CHECK(second == squares);
      CHECK(met == std::vector<int>(x.size(), 1));
    }
}

}  // namespace
