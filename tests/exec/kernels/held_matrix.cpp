#include <plait/exec/kernels/held_matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/serial.hpp>

namespace {

using B = plait::serial;

std::vector<double> integers(std::int64_t count, int seed) {  // small ones: sums are exact in any order
  std::vector<double> made;
  for (std::int64_t i = 0; i != count; ++i) made.push_back(static_cast<double>((i * 7 + seed) % 11 - 5));
  return made;
}

TEST_CASE("a product with what is held is that of the matrix as it was") {
  plait::held_matrix<B> held;
  for (bool const transposed : {false, true})
    for (std::int64_t const m : {1, 5, 40}) {
      plait::gemm_shape const s{.m = m, .n = 19, .k = 23, .transpose_b = transposed};
      auto const a = integers(m * 23, 1);
      auto b = integers(19 * 23, 2);
      auto wanted = integers(m * 19, 3);
      auto got = wanted;
      plait::gemm<B>(s, a.data(), b.data(), wanted.data(), 1, 1);
      held.hold(s, b.data());
      b.assign(b.size(), 0);
      held.multiply(s, a.data(), b.data(), got.data(), 1, 1);
      CHECK(got == wanted);
      held.release();
      held.multiply(s, a.data(), b.data(), got.data());
      CHECK(got == std::vector<double>(got.size(), 0));
    }
}

}  // namespace
