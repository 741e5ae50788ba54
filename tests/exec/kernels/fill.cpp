#include <plait/exec/detail/kernels/fill.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

namespace {

TEST_CASE_TEMPLATE("fill: exactly `count` bytes or flags are set", B, plait::serial, plait::omp, plait::tbb) {
  for (std::size_t const count : {std::size_t{0}, std::size_t{7}, 3 * plait::tile_size + 5}) {
    std::vector<std::uint8_t> made(count + 1, 9);
    plait::fill<B>(made.data(), count, std::uint8_t{0});
    std::vector<std::uint8_t> wanted(count, 0);
    wanted.push_back(9);
    CHECK(made == wanted);
  }
  std::array<bool, 3> flags = {};
  plait::fill<B>(flags.data(), 2, true);
  CHECK(flags == std::array<bool, 3>{true, true, false});
}

TEST_CASE_TEMPLATE("fill: exactly `count` elements are set", B, plait::serial, plait::omp, plait::tbb) {
  for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, 3 * plait::tile_size + 5}) {
    std::vector<float> made(count + 1, -1);
    plait::fill<B>(made.data(), count, 2.5f);
    std::vector<float> wanted(count, 2.5f);
    wanted.push_back(-1);
    CHECK(made == wanted);
  }
}

}  // namespace
