#include <plait/core/detail/hash.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace {

static_assert(plait::hash_number(1) != plait::hash_number(2));

// The expected number of distinct values among `count` random ones of `bits` bits.
double expected_distinct(double count, int bits) {
  double const cells = std::ldexp(1.0, bits);
  return cells * -std::expm1(-count / cells);
}

TEST_CASE("hash_text: depends on every byte and the length, not on the address") {
  std::mt19937 random(3);
  for (std::size_t length = 0; length != 70; ++length) {
    std::string text(length, '\0');
    for (char& c : text) c = static_cast<char>(random());
    std::size_t const hash = plait::hash_text(text);
    for (std::size_t offset = 0; offset != 9; ++offset) {
      std::string const moved = std::string(offset, '#') + text + "#";
      REQUIRE(plait::hash_text(std::string_view(moved).substr(offset, length)) == hash);
    }
    REQUIRE(plait::hash_text(text + '\0') != hash);
    for (std::size_t at = 0; at != length; ++at)
      for (int bit = 0; bit != 8; ++bit) {
        std::string other = text;
        other[at] = static_cast<char>(other[at] ^ 1 << bit);
        REQUIRE(plait::hash_text(other) != hash);
      }
  }
}

TEST_CASE("hash_text: flipping a bit of the text flips about half of the bits of the hash") {
  std::mt19937 random(4);
  for (std::size_t length : {1u, 3u, 4u, 7u, 8u, 16u, 17u, 40u}) {
    std::size_t turned = 0;
    std::size_t pairs = 0;
    for (int round = 0; round != 200; ++round) {
      std::string text(length, '\0');
      for (char& c : text) c = static_cast<char>(random());
      std::string other = text;
      std::size_t const bit = random() % (8 * length);
      other[bit / 8] = static_cast<char>(other[bit / 8] ^ 1 << bit % 8);
      turned += static_cast<std::size_t>(
          std::popcount(std::uint64_t{plait::hash_text(text)} ^ std::uint64_t{plait::hash_text(other)}));
      ++pairs;
    }
    CHECK(static_cast<double>(turned) / static_cast<double>(pairs) == doctest::Approx(32).epsilon(0.05));
  }
}

// Hash tables use the low bits.
TEST_CASE("hash_text and hash_number: the low bits of numbered names and of multiples are uniform") {
  constexpr int bits = 16;
  constexpr std::size_t count = 60'000;
  auto const distinct = [](auto hash) {
    std::vector<bool> seen(std::size_t{1} << bits);
    std::size_t found = 0;
    for (std::size_t i = 0; i != count; ++i) {
      std::size_t const at = hash(i) & ((std::size_t{1} << bits) - 1);
      found += !seen[at];
      seen[at] = true;
    }
    return static_cast<double>(found);
  };
  double const expected = expected_distinct(count, bits);
  CHECK(distinct([](std::size_t i) { return plait::hash_text("blob_" + std::to_string(i)); }) ==
        doctest::Approx(expected).epsilon(0.02));
  CHECK(distinct([](std::size_t i) { return plait::hash_text("gpu_0/res5_2_branch2c_" + std::to_string(i) + "_w"); }) ==
        doctest::Approx(expected).epsilon(0.02));
  for (std::size_t step : {1u, 8u, 64u, 4096u})  // numbers, and pointers to objects of such a size
    CHECK(distinct([step](std::size_t i) { return plait::hash_number(step * i); }) > 0.8 * expected);
}

}  // namespace
