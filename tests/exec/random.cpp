#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/random.hpp>

namespace {

using plait::philox;
using plait::random_stream;
using plait::random_words;

// Known answers that Random123 publishes (kat_vectors, philox4x32 10).
static_assert(philox({{0, 0, 0, 0}}, 0, 0) == random_words{{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}});
static_assert(philox({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u) ==
              random_words{{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}});
static_assert(philox({{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}}, 0xa4093822u, 0x299f31d0u) ==
              random_words{{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}});

template <class T>
std::vector<T> uniform(random_stream from, std::size_t count) {
  std::vector<T> out(count);
  plait::fill_uniform<plait::serial>(from, T(0), T(1), out.data(), count);
  return out;
}
template <class T>
std::vector<T> normal(random_stream from, std::size_t count) {
  std::vector<T> out(count);
  plait::fill_normal<plait::serial>(from, T(0), T(1), out.data(), count);
  return out;
}

/// Returns the deviation of counts that should be equal, in standard deviations: R. A. Fisher's approximation.
double chi_square_deviation(std::vector<std::size_t> const& counts, double expected) {
  double sum = 0;
  for (std::size_t const count : counts) {
    double const distance = static_cast<double>(count) - expected;
    sum += distance * distance / expected;
  }
  return std::sqrt(2 * sum) - std::sqrt(2 * static_cast<double>(counts.size() - 1) - 1);
}

}  // namespace

TEST_CASE("philox: Philox4x32-10 gives the known answers") {
  CHECK(philox({{0, 0, 0, 0}}, 0, 0).word[0] == 0x6627e8d5u);  // at run time, too
  CHECK(random_stream{}.words(0) == philox({{0, 0, 0, 0}}, 0, 0));
  CHECK(random_stream{0x299f31d0a4093822u, 0x0370734413198a2eu}.words(0x85a308d3243f6a88u) ==
        random_words{{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}});
}

TEST_CASE_TEMPLATE("random_stream: a number depends on seed, stream and index only", T, float, double) {
  random_stream const from{42, 7};
  std::vector<T> const uniforms = uniform<T>(from, 1'001);
  std::vector<T> const normals = normal<T>(from, 1'001);
  for (std::size_t i = 0; i != uniforms.size(); ++i) {
    CHECK(uniforms[i] == from.uniform<T>(i));
    CHECK(normals[i] == from.normal<T>(i));
  }
  for (std::size_t const count : {0U, 1U, 2U, 3U, 4U, 5U, 7U}) {
    std::vector<T> const few = uniform<T>(from, count);
    CHECK(std::equal(few.begin(), few.end(), uniforms.begin()));
  }
  CHECK(random_stream{42, 8}.uniform<T>(0) != uniforms[0]);
  CHECK(random_stream{43, 7}.uniform<T>(0) != uniforms[0]);
}

TEST_CASE_TEMPLATE("fill_uniform and fill_normal: serial, omp and tbb give the same bits", T, float, double) {
  constexpr std::size_t count = 300'003;
  random_stream const from{1, 2};
  auto const made = [&]<class B>(B) {
    std::vector<T> out(2 * count);
    plait::fill_uniform<B>(from, T(-3), T(5), out.data(), count);
    plait::fill_normal<B>(from, T(1), T(0.3), out.data() + count, count);
    return out;
  };
  std::vector<T> const serial = made(plait::serial{});
  CHECK(made(plait::omp{}) == serial);
  CHECK(made(plait::tbb{}) == serial);
  auto const [low, high] = std::minmax_element(serial.begin(), serial.begin() + count);
  CHECK(*low >= T(-3));
  CHECK(*high <= T(5));
}

TEST_CASE("random numbers: all processors and compilers give the recorded digests") {
  auto const digest = []<class T>(std::vector<T> const& values) {
    std::uint64_t hash = 0;
    for (T const x : values) hash = hash * 6364136223846793005u + plait::math::detail::to_bits(x);
    return hash;
  };
  CHECK(digest(uniform<float>({7, 3}, 1 << 20)) == 0xaabb0a197ae9ac71u);
  CHECK(digest(normal<float>({7, 3}, 1 << 20)) == 0x40117f38fd6db21eu);
  CHECK(digest(uniform<double>({7, 3}, 1 << 20)) == 0x9ad3907f0fb41dc5u);
  CHECK(digest(normal<double>({7, 3}, 1 << 20)) == 0xc9efbaa2a2c71603u);
}

TEST_CASE_TEMPLATE("uniform numbers: fill [0, 1) evenly, one by one and in pairs", T, float, double) {
  constexpr std::size_t count = 1 << 20;
  for (std::uint64_t seed : {1u, 2u, 3u}) {
    std::vector<T> const values = uniform<T>({seed, 0}, count);
    std::vector<std::size_t> bins(1024);
    std::vector<std::size_t> squares(1024);
    for (std::size_t i = 0; i != count; ++i) {
      REQUIRE(values[i] >= 0);
      REQUIRE(values[i] < 1);
      ++bins[static_cast<std::size_t>(values[i] * 1024)];
      if (i % 2 == 1)
        ++squares[static_cast<std::size_t>(values[i] * 32) * 32 + static_cast<std::size_t>(values[i - 1] * 32)];
    }
    CHECK(std::fabs(chi_square_deviation(bins, count / 1024.0)) < 4);
    CHECK(std::fabs(chi_square_deviation(squares, count / 2048.0)) < 4);
  }
}

TEST_CASE("random_stream::below: integers are uniform and below the bound") {
  random_stream const from{11, 0};
  std::vector<std::size_t> counts(1'000);
  for (std::uint64_t i = 0; i != 200'000; ++i) {
    std::uint64_t const n = from.below(1'000, i);
    REQUIRE(n < 1'000);
    ++counts[n];
  }
  CHECK(std::fabs(chi_square_deviation(counts, 200)) < 4);
  CHECK(from.below(1, 5) == 0);
  // bits * 2^63 / 2^64 is a shift.
  for (std::uint64_t i = 0; i != 100; ++i) CHECK(from.below(std::uint64_t{1} << 63, i) == from.bits(i) >> 1);
  CHECK(from.below(~std::uint64_t{0}, 3) <= from.bits(3));
}

TEST_CASE_TEMPLATE("normal numbers: moments and distribution are those of the normal distribution", T, float, double) {
  constexpr std::size_t count = 1 << 20;
  for (std::uint64_t seed : {1u, 2u, 3u}) {
    std::vector<T> values = normal<T>({seed, 5}, count);
    std::array<double, 5> moments = {};
    for (T const x : values) {
      double power = 1;
      for (double& moment : moments) {
        moment += power / count;
        power *= static_cast<double>(x);
      }
    }
    double const deviation = 1 / std::sqrt(static_cast<double>(count));
    CHECK(std::fabs(moments[1]) < 4 * deviation);
    CHECK(std::fabs(moments[2] - 1) < 4 * std::sqrt(2.0) * deviation);
    CHECK(std::fabs(moments[3]) < 4 * std::sqrt(15.0) * deviation);
    CHECK(std::fabs(moments[4] - 3) < 4 * std::sqrt(96.0) * deviation);

    std::sort(values.begin(), values.end());
    double largest = 0;
    for (std::size_t i = 0; i != count; ++i) {
      double const below = 0.5 * std::erfc(-static_cast<double>(values[i]) / std::sqrt(2.0));
      double const at = static_cast<double>(i) / count;
      largest = std::max({largest, std::fabs(below - at), std::fabs(below - at - 1.0 / count)});
    }
    CHECK(largest * std::sqrt(static_cast<double>(count)) < 1.95);  // Kolmogorov-Smirnov: 0.1 % are above
    CHECK(std::fabs(static_cast<double>(values.front())) > 4.2);
    CHECK(static_cast<double>(values.back()) > 4.2);
  }
}

TEST_CASE_TEMPLATE("normal numbers: equal the formula of Box and Muller", T, float, double) {
  // Computes radius and angle of the pair from the random words with functions of the standard library.
  random_stream const from{5, 6};
  for (std::uint64_t block = 0; block != 2'000; ++block) {
    random_words const w = from.words(block);
    double u = 0;
    double turns = 0;
    if constexpr (sizeof(T) == 4) {
      u = (w.word[0] + 1.0) * 0x1p-32;
      turns = w.word[1] * 0x1p-32;
    } else {
      u = (static_cast<double>((std::uint64_t{w.word[0]} << 32 | w.word[1]) >> 11) + 1) * 0x1p-53;
      turns = w.word[2] * 0x1p-32 + (w.word[3] >> 1) * 0x1p-63;
    }
    double const radius = std::sqrt(-2 * std::log(u));
    double const angle = 6.283185307179586 * turns;
    double const tolerance = sizeof(T) == 4 ? 3e-6 : 1e-14;
    std::uint64_t const i = block * (16 / sizeof(T));
    CHECK(std::fabs(static_cast<double>(from.normal<T>(i)) - radius * std::cos(angle)) < tolerance);
    CHECK(std::fabs(static_cast<double>(from.normal<T>(i + 1)) - radius * std::sin(angle)) < tolerance);
  }
}

TEST_CASE("random_stream: streams and seeds are uncorrelated") {
  constexpr std::size_t count = 1 << 18;
  auto const correlation = [](random_stream a, random_stream b) {
    std::vector<double> const x = normal<double>(a, count);
    std::vector<double> const y = normal<double>(b, count);
    double sum = 0;
    for (std::size_t i = 0; i != count; ++i) sum += x[i] * y[i];
    return sum / std::sqrt(static_cast<double>(count));
  };
  CHECK(std::fabs(correlation({1, 0}, {1, 1})) < 4);
  CHECK(std::fabs(correlation({1, 0}, {2, 0})) < 4);
  CHECK(std::fabs(correlation({1, 0}, {0, 1})) < 4);
  CHECK(std::fabs(correlation({0, 0}, {std::uint64_t{1} << 32, 0})) < 4);
  CHECK(correlation({1, 0}, {1, 0}) > 400);
}
