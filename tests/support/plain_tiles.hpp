// Portable model of AMX tiles, in plain loops: tests the bf16x3 GEMM on processors without AMX.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/bf16x3_split.hpp>

namespace test {

/// Counts the calls that tiles make between products.
struct counting_side {
  std::ptrdiff_t fetches = 0;
  std::ptrdiff_t writes = 0;
  void fetch() { ++fetches; }
  void write() { ++writes; }
};

struct plain_tiles {
  explicit plain_tiles(std::ptrdiff_t) {}
  template <class Side>
  void multiply(std::uint32_t const* a, std::uint32_t const* b, std::ptrdiff_t steps, bool low, float* sums,
                Side& side) const {
    using namespace plait::detail;
    std::ptrdiff_t const rows = low ? tile_side : strip_side;
    for (std::ptrdiff_t at = 0; at != rows * strip_side; ++at) sums[at] = 0;
    constexpr int pairs[][2] = {{0, 2}, {0, 1}, {1, 1}, {1, 0}, {2, 0}, {0, 0}};
    for (std::ptrdiff_t step = 0; step != steps; ++step, a += step_units, b += step_units)
      for (auto const& [left, right] : pairs) {
        side.fetch();
        side.write();
        for (std::ptrdiff_t i = 0; i != rows; ++i)
          for (std::ptrdiff_t j = 0; j != strip_side; ++j)
            for (std::ptrdiff_t q = 0; q != tile_side; ++q) {
              std::uint32_t const x = a[left * part_units + i / tile_side * tile_units + i % tile_side * tile_side + q];
              std::uint32_t const y =
                  b[right * part_units + j / tile_side * tile_units + q * tile_side + j % tile_side];
              sums[i * strip_side + j] +=
                  number(x << 16) * number(y << 16) + number(x & 0xffff0000u) * number(y & 0xffff0000u);
            }
      }
  }

 private:
  static float number(std::uint32_t bits) { return std::bit_cast<float>(bits); }
};

}  // namespace test
