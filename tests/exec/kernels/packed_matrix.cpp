// Memory of packed matrices; packed_gemm.cpp tests their products.
#include <plait/exec/detail/kernels/packed_matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/detail/memory_pool.hpp>

namespace {

// Backend with a separate memory pool, which no other test uses.
struct counted : plait::tbb {};

using matrix = plait::packed_panels<float, counted>;
static_assert(std::is_nothrow_move_constructible_v<matrix> && std::is_nothrow_move_assignable_v<matrix>);
static_assert(!std::is_copy_constructible_v<matrix> && !std::is_copy_assignable_v<matrix>);

plait::memory_statistics memory() { return plait::memory_pool<counted>::shared().statistics(); }

std::vector<float> numbers(std::int64_t count) {
  std::vector<float> made(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i != made.size(); ++i) made[i] = static_cast<float>(i % 17) - 8;
  return made;
}
std::vector<float> product(matrix const& b) {
  auto const a = numbers(3 * b.rows());
  std::vector<float> made(static_cast<std::size_t>(3 * b.columns()));
  b.multiply(3, a.data(), made.data());
  return made;
}

}  // namespace

TEST_CASE("packed_panels: memory is allocated once, reused for matrices of the same size, and released") {
  std::size_t const before = memory().bytes_in_use;
  {
    matrix b;
    CHECK(b.rows() == 0);
    CHECK(b.columns() == 0);
    CHECK(memory().bytes_in_use == before);
    b.pack(20, 30, numbers(600).data());
    CHECK(b.rows() == 20);
    CHECK(b.columns() == 30);
    CHECK(memory().bytes_in_use > before);
    auto const first = product(b);
    plait::memory_statistics const once = memory();
    std::vector<float> const other(600, 2);
    b.pack(20, 30, other.data());
    CHECK(product(b) != first);
    b.pack(20, 30, numbers(600).data());
    CHECK(product(b) == first);
    CHECK(memory().system_allocations == once.system_allocations);
    CHECK(memory().bytes_in_use == once.bytes_in_use);
    b.pack(0, 0, nullptr);
    CHECK(memory().bytes_in_use == before);
    b.pack(5, 2, numbers(10).data());
  }
  CHECK(memory().bytes_in_use == before);
}

TEST_CASE("packed_panels: a transposed matrix, or one with gaps, gives the same products") {
  std::int64_t const k = 9;
  std::int64_t const n = 37;
  auto const b = numbers(k * n);
  std::vector<float> transposed(b.size());
  std::vector<float> apart(static_cast<std::size_t>(k * (n + 3)), 99);
  std::vector<float> both(static_cast<std::size_t>(n * (k + 2)), 99);
  for (std::int64_t i = 0; i != k; ++i)
    for (std::int64_t j = 0; j != n; ++j) {
      float const x = b[static_cast<std::size_t>(i * n + j)];
      transposed[static_cast<std::size_t>(j * k + i)] = x;
      apart[static_cast<std::size_t>(i * (n + 3) + j)] = x;
      both[static_cast<std::size_t>(j * (k + 2) + i)] = x;
    }
  matrix packed;
  packed.pack(k, n, b.data());
  auto const wanted = product(packed);
  packed.pack(k, n, transposed.data(), true);
  CHECK(product(packed) == wanted);
  packed.pack(k, n, apart.data(), false, n + 3);
  CHECK(product(packed) == wanted);
  packed.pack(k, n, both.data(), true, k + 2);
  CHECK(product(packed) == wanted);
}

TEST_CASE("packed_panels: a move empties the source, and releases the target's memory") {
  std::size_t const before = memory().bytes_in_use;
  {
    matrix a;
    a.pack(8, 40, numbers(320).data());
    auto const wanted = product(a);
    std::size_t const one = memory().bytes_in_use;
    matrix b = std::move(a);
    CHECK(product(b) == wanted);
    CHECK(a.rows() == 0);
    CHECK(a.columns() == 0);
    matrix c;
    c.pack(100, 100, numbers(10'000).data());
    c = std::move(b);
    CHECK(product(c) == wanted);
    CHECK(memory().bytes_in_use == one);
    a.pack(8, 40, numbers(320).data());
    CHECK(product(a) == wanted);
  }
  CHECK(memory().bytes_in_use == before);
}
