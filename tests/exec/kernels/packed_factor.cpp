#include <plait/exec/detail/kernels/packed_factor.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

namespace {

using B = plait::serial;

std::vector<double> integers(std::int64_t count, int seed) {  // small ones: sums are exact in any order
  std::vector<double> made;
  for (std::int64_t i = 0; i != count; ++i) made.push_back(static_cast<double>((i * 7 + seed) % 11 - 5));
  return made;
}

// Factor packed in separate memory.
struct packed {
  plait::packed_factor<B> factor;
  std::vector<double> memory;

  packed(plait::gemm_shape const& s, std::vector<double> const& b) {
    memory.resize(factor.pack<double>(s, nullptr, nullptr) / sizeof(double));
    CHECK(factor.pack(s, b.data(), at()) == memory.size() * sizeof(double));
  }
  void* at() { return memory.data(); }
};

TEST_CASE("packed_factor: products have the bits of gemm with the matrix that was packed") {
  for (bool const transposed : {false, true})
    for (std::int64_t const m : {1, 5, 40}) {
      plait::gemm_shape const s{.m = m, .n = 19, .k = 23, .transpose_b = transposed};
      auto const a = integers(m * 23, 1);
      auto b = integers(19 * 23, 2);
      auto wanted = integers(m * 19, 3);
      auto got = wanted;
      plait::gemm<B>(s, a.data(), b.data(), wanted.data(), 1, 1);
      packed by(s, b);
      b.assign(b.size(), 0);
      by.factor.multiply(by.at(), s, a.data(), b.data(), got.data(), 1, 1);
      CHECK(got == wanted);
      by.factor.multiply(nullptr, s, a.data(), b.data(), got.data());
      CHECK(got == std::vector<double>(got.size(), 0));
    }
}

TEST_CASE("packed_factor: products begin with a row that is added to all rows") {
  std::vector<double> untouched(1, 7);
  CHECK_FALSE(
      plait::packed_factor<B>().multiply_onto_row(nullptr, untouched.data(), 1, untouched.data(), untouched.data()));
  CHECK(untouched[0] == 7);
  for (std::int64_t const n : {16, 19, 70})
    for (std::int64_t const k : {1, 23, 1100})  // the last in two blocks
      for (std::int64_t const m : {0, 1, 5, 40}) {
        CAPTURE(n);
        CAPTURE(k);
        CAPTURE(m);
        plait::gemm_shape const s{.m = m, .n = n, .k = k};
        auto const a = integers(m * k, 1);
        auto const b = integers(k * n, 2);
        auto const row = integers(n, 3);
        std::vector<double> wanted;
        for (std::int64_t i = 0; i != m; ++i) wanted.insert(wanted.end(), row.begin(), row.end());
        plait::gemm<B>(s, a.data(), b.data(), wanted.data(), 1, 1);
        std::vector<double> got(wanted.size(), -1);
        packed by(s, b);
        CHECK(by.factor.multiply_onto_row(by.at(), row.data(), m, a.data(), got.data()));
        CHECK(got == wanted);
      }
}

TEST_CASE("packed_factor: a matrix with few columns is not packed") {
  plait::packed_factor<B> factor;
  CHECK(factor.pack<double>({.m = 1, .n = 15, .k = 4}, nullptr, nullptr) == 0);
  CHECK(factor.pack<double>({.m = 1, .n = 16, .k = 3}, nullptr, nullptr) != 0);
}

struct four_threads : plait::serial {
  static unsigned concurrency() { return 4; }
};

TEST_CASE("packed_factor: threads split the rows of a small matrix's product if each has enough") {
  for (bool const bf16x3 : {false, true}) {
    auto const together = [&](std::int64_t rows, std::int64_t columns) {
      return plait::packed_factor<four_threads>::keeps_rows_together<float>(
          {.m = rows, .n = columns, .k = 256, .bf16x3 = bf16x3});
    };
    bool const tiles = bf16x3 && plait::detail::has_amx();
    CHECK_FALSE(together(32, 256));
    CHECK(together(31, 256) == tiles);
    CHECK(together(16, 256) == tiles);
    CHECK_FALSE(together(15, 256));
    CHECK(together(31, 2048));  // 2 MB, all of which each thread would read
    CHECK(together(32, 2048) == tiles);
    CHECK_FALSE(together(64, 2048));
  }
}

}  // namespace
