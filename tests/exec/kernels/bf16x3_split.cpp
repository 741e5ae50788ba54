#include <plait/exec/detail/kernels/bf16x3_split.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace plait;
using namespace plait::detail;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float largest = std::numeric_limits<float>::max();

template <bool Finite>
bool has_whole_parts(float x) {
  bf16x3_split<Finite> const parts(x);
  if (((parts.first | parts.second | parts.third) & 0xffffu) != 0) return false;
  double sum = 0;
  for (std::uint32_t const part : {parts.first, parts.second, parts.third}) sum += std::bit_cast<float>(part);
  return sum == x;
}

// Memory aligned for a strip.
struct strip_memory {
  std::vector<float> numbers;
  std::uint32_t* data;
  explicit strip_memory(std::ptrdiff_t k) : numbers(std::size_t(strip_units(k)) + 16, 7.0f) {
    auto const at = reinterpret_cast<std::uintptr_t>(numbers.data());
    data = reinterpret_cast<std::uint32_t*>(numbers.data() + (64 - at % 64) % 64 / 4);
  }
};

// Returns a number of a row or column: of one of 36 binary orders, or zero.
float any_number(std::mt19937& random, int exponent) {
  std::normal_distribution<float> number;
  int const further = std::uniform_int_distribution<int>(-18, 18)(random);
  return further == 0 ? 0.0f : std::ldexp(number(random), exponent + further);
}

template <gemm_side Side>
void try_strip(std::ptrdiff_t count, std::ptrdiff_t k, bool along, float factor, std::mt19937& random) {
  INFO("count ", count, " k ", k, " along ", along, " factor ", factor);
  std::ptrdiff_t const gap = 3;
  std::vector<float> numbers(std::size_t((count + gap) * (k + gap)));
  strip_source const from{numbers.data(), count, along ? k + gap : 1, along ? 1 : count + gap, k, factor};
  auto const at = [&](std::ptrdiff_t i, std::ptrdiff_t l) -> float& {
    return numbers[std::size_t(i * from.apart + l * from.stride)];
  };
  for (std::ptrdiff_t i = 0; i != count; ++i)
    for (std::ptrdiff_t l = 0; l != k; ++l) at(i, l) = any_number(random, i % 3 == 0 ? 0 : i % 3 == 1 ? -100 : 95);
  strip_memory strip(k);
  vectorized(pack_strip<Side>{&from, strip.data});
  strip_notes const& notes = notes_of(strip.data, k);
  CHECK(notes.infinite == 0);
  std::ptrdiff_t const rows = Side == gemm_side::right ? strip_side : count;
  int wrong = 0;
  for (std::ptrdiff_t i = 0; i != rows; ++i) {
    int exponent = 0;
    wrong += std::frexp(notes.scales[i], &exponent) != 0.5f;
    for (std::ptrdiff_t l = 0; l != strip_steps(k) * tile_depth; ++l) {
      float const wanted = i < count && l < k ? at(i, l) * factor : 0.0f;
      float const got = joined_parts<Side>(strip.data, i, l) * notes.scales[i];
      wrong += std::abs(got - wanted) > std::abs(wanted) * 0x1p-24f;  // factor and scale together are rounded once
    }
  }
  for (std::ptrdiff_t line = 0; line != strip_steps(k) * 3 * strip_side; ++line)  // lines of missing rows are untouched
    for (std::ptrdiff_t q = 0; q != tile_side; ++q)
      wrong += line % strip_side >= rows && strip.data[line * tile_side + q] != std::bit_cast<std::uint32_t>(7.0f);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("bf16x3_split: a float is the sum of three bfloat16 components") {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::uint32_t> any;
  int wrong = 0;
  for (int i = 0; i != 200'000; ++i) {
    auto const x = std::bit_cast<float>(any(random));
    if (!(std::abs(x) >= 0x1p-110f && std::abs(x) <= largest)) continue;
    wrong += !has_whole_parts<false>(x);
    if (std::abs(x) <= 0x1p126f) wrong += !has_whole_parts<true>(x);
  }
  CHECK(wrong == 0);
  for (float const x : {0.0f, -0.0f, 1.0f, largest, -largest, std::bit_cast<float>(0x7f7f8000u), 0x1.fffffep0f,
                        0x1.ff8p0f, 0x1.017fffp0f, 0x1p-110f})
    CHECK(has_whole_parts<false>(x));
}

TEST_CASE("bf16x3_split: infinities keep their sign, and NaN stays NaN") {
  for (float const x : {infinity, -infinity}) {
    bf16x3_split<false> const parts(x);
    CHECK(std::bit_cast<float>(parts.first) == x);
    CHECK((parts.second | parts.third) == 0);
  }
  // NaN with digits in the lower half only, and NaN that rounding would overflow.
  for (std::uint32_t const bits : {0x7fc00000u, 0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffffffffu}) {
    bf16x3_split<false> const parts(std::bit_cast<float>(bits));
    CHECK(std::isnan(std::bit_cast<float>(parts.first) + std::bit_cast<float>(parts.second) +
                     std::bit_cast<float>(parts.third)));
  }
}

TEST_CASE("pack_strip: strips hold the numbers of their source in every order, edge and magnitude") {
  std::mt19937 random(2);
  for (std::ptrdiff_t const k : {1, 2, 31, 32, 33, 47, 64, 70})
    for (std::ptrdiff_t const count : {1, 2, 5, 15, 16, 17, 31, 32})
      for (bool const along : {false, true}) {
        float const factor = (k + count) % 3 == 0 ? -2.5f : 1.0f;
        try_strip<gemm_side::left>(count, k, along, factor, random);
        try_strip<gemm_side::right>(count, k, along, factor, random);
      }
}

TEST_CASE("pack_strip: strip_notes flag rows and columns with infinite numbers") {
  std::vector<float> numbers(32 * 40, 1.0f);
  numbers[3 * 40 + 7] = infinity;
  numbers[20 * 40 + 39] = -infinity;
  numbers[31 * 40] = largest;  // infinite after scaling by the factor
  numbers[5 * 40] = infinity;  // beside a NaN, all results are NaN
  numbers[5 * 40 + 1] = std::numeric_limits<float>::quiet_NaN();
  strip_memory strip(40);
  strip_source const from{numbers.data(), 32, 40, 1, 40, 2.0f};
  vectorized(pack_strip<gemm_side::left>{&from, strip.data});
  CHECK(notes_of(strip.data, 40).infinite == (1u << 3 | 1u << 20 | 1u << 31));
  CHECK(joined_parts<gemm_side::left>(strip.data, 3, 7) == infinity);
  CHECK(joined_parts<gemm_side::left>(strip.data, 20, 39) == -infinity);
  CHECK(std::isnan(joined_parts<gemm_side::left>(strip.data, 5, 1)));
  CHECK(joined_parts<gemm_side::left>(strip.data, 3, 6) == 2);
}
