#include <plait/exec/detail/kernels/amx.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <support/plain_tiles.hpp>
#include <support/skip.hpp>

using namespace plait::detail;

TEST_CASE("has_amx: false if the environment restricts instructions") {
  if (std::getenv("PLAIT_INSTRUCTIONS") != nullptr) CHECK_FALSE(has_amx());
  CHECK((!has_amx() || plait::available_instructions() == plait::instruction_set::avx512));
}

#if PLAIT_AMX
TEST_CASE("amx_tiles: sums are those of plain loops, with the same bits for fewer than 32 rows") {
  if (!has_amx()) return test::skip("without AMX");
  std::mt19937 random(1);
  std::normal_distribution<float> number;
  constexpr std::ptrdiff_t k = 96;
  std::vector<float> numbers(strip_side * k);
  alignas(64) static std::uint32_t a[strip_units(k)], b[strip_units(k)];
  for (float& x : numbers) x = number(random);
  strip_source const rows{numbers.data(), strip_side, k, 1, k};
  plait::vectorized(pack_strip<gemm_side::left>{&rows, a});
  std::ranges::shuffle(numbers, random);
  strip_source const columns{numbers.data(), strip_side, 1, strip_side, k};
  plait::vectorized(pack_strip<gemm_side::right>{&columns, b});
  constexpr std::size_t all = strip_side * strip_side;
  alignas(64) float sums[all], low[all], plain[all];
  test::counting_side side;
  amx_tiles(strip_side).multiply(a, b, strip_steps(k), false, sums, side);
  test::plain_tiles(strip_side).multiply(a, b, strip_steps(k), false, plain, side);
  for (std::size_t i = 0; i != all; ++i) CHECK(std::abs(sums[i] - plain[i]) < 2e-5f);
  for (std::ptrdiff_t count = 1; count <= tile_side; ++count) {
    std::fill_n(low, all, 7.0f);
    amx_tiles(count).multiply(a, b, strip_steps(k), true, low, side);
    auto const end = static_cast<std::size_t>(count * strip_side);
    CHECK(std::equal(low, low + end, sums));
    CHECK(std::ranges::count(std::span(low).subspan(end), 7.0f) == static_cast<std::ptrdiff_t>(all - end));
  }
}

TEST_CASE("amx_tiles: a step fetches lines six times, and writes rows at least four times") {
  if (!has_amx()) return test::skip("without AMX");
  alignas(64) static std::uint32_t operand[strip_units(5 * tile_depth)];
  alignas(64) float sums[strip_side * strip_side];
  for (bool const low : {false, true})
    for (std::ptrdiff_t const steps : {1, 2, 5}) {
      test::counting_side side;
      amx_tiles(low ? tile_side : strip_side).multiply(operand, operand, steps, low, sums, side);
      CHECK(side.fetches == 6 * steps);
      CHECK(side.writes >= 4 * steps);
    }
}
#else
TEST_CASE("amx_tiles: tiles are compiled") { test::skip("AMX needs x86-64 and Linux"); }
#endif
