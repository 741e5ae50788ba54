#include <plait/exec/detail/kernels/packed_gemm.hpp>

#include <cstring>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/detail/kernels/packed_matrix.hpp>
#include <plait/exec/detail/kernels/spinning_pool.hpp>

#include <support/gemm_cases.hpp>
#include <support/some_threads.hpp>

using namespace plait;
using test::instruction_sets;
using test::problem;
using test::random_numbers;

namespace {

template <class T>
void try_case(instruction_set set, gemm_shape const& s, T alpha, T beta, std::mt19937& random) {
  PLAIT_INFO_GEMM(s);
  INFO("instructions ", static_cast<int>(set), " alpha ", alpha, " beta ", beta);
  test::gemm_case<T> x(s, alpha, beta, random);
  std::vector<T> const before = x.c;
  detail::multiply<serial>(detail::tiles_for<T>(set), problem(x, x.result()));
  std::vector<T> unpacked = std::exchange(x.c, before);
  test::gemm_case<T>(x).check(unpacked);
  if (s.transpose_a) return;
  packed_panels<T, serial> packed(set);
  packed.pack(s.k, s.n, x.b.data(), s.transpose_b, x.shape.ldb);
  packed.multiply(s.m, x.a.data(), x.result(), alpha, beta, x.shape.lda, x.shape.ldc);
  std::vector<T> after = std::exchange(x.c, before);
  CHECK(after == unpacked);
}

}  // namespace

TEST_CASE_TEMPLATE("packed GEMM: tiles are right for every size, edge and instruction set", T, float, double) {
  std::mt19937 random(7);
  for (auto const set : instruction_sets()) {
    detail::gemm_kernel<T> const& kernel = detail::tiles_for<T>(set);
    std::int64_t const w = kernel.width;
    for (std::int64_t m = 1; m <= 2 * kernel.rows + 1; ++m)
      for (std::int64_t const n : {std::int64_t(1), w - 1, w, w + 1, 2 * w, 3 * w + 2, 4 * w, 6 * w - 1})
        for (std::int64_t const k : {1, 6, 11})
          try_case<T>(set, {.m = m, .n = n, .k = k, .transpose_b = (m + n + k) % 2 == 0}, 1, T((m + n) % 2), random);
  }
}

TEST_CASE_TEMPLATE("packed GEMM: products are right for all transposes, strides and factors", T, float, double) {
  std::mt19937 random(8);
  int const ms[] = {1, 2, 3, 4, 5, 7, 13, 14, 16, 17, 30, 50, 115};
  int const ns[] = {1, 3, 4, 8, 15, 16, 17, 31, 33, 64, 65, 130};
  int const ks[] = {1, 2, 3, 4, 5, 16, 33, 255, 256, 257, 515};
  T const factors[] = {0, 1, T(-1), T(0.3), T(2.5)};
  int const gaps[] = {0, 0, 1, 5};
  for (auto const set : instruction_sets())
    for (int i = 0; i != 300; ++i) {
      gemm_shape s{.m = test::pick(random, ms), .n = test::pick(random, ns), .k = test::pick(random, ks)};
      s.transpose_a = i % 2 == 1;
      s.transpose_b = i / 2 % 2 == 1;
      s.lda = (s.transpose_a ? s.m : s.k) + test::pick(random, gaps);
      s.ldb = (s.transpose_b ? s.k : s.n) + test::pick(random, gaps);
      s.ldc = s.n + test::pick(random, gaps);
      try_case<T>(set, s, test::pick(random, factors), test::pick(random, factors), random);
    }
}

TEST_CASE("packed GEMM: rows, columns and depth may exceed what is packed at once") {
  std::mt19937 random(9);
  instruction_set const set = available_instructions();
  // Few rows, with blocks of k in registers.
  for (int const m : {1, 3, 8, 9, 16, 17})
    for (int const k : {512, 513, int{detail::packed_depth} + 3, 4096})
      try_case<float>(set, {.m = m, .n = 37, .k = k, .transpose_b = true}, 1, 1, random);
  try_case<float>(set, {.m = 5, .n = 70, .k = detail::packed_depth + 3}, 1, 1, random);
  try_case<float>(set, {.m = 20, .n = 35, .k = 2 * detail::packed_depth + 1, .transpose_b = true}, 2, 3, random);
  try_case<float>(set, {.m = 20, .n = detail::packed_columns + 5, .k = 9, .transpose_a = true}, 1, 0, random);
  try_case<double>(set, {.m = 1800, .n = 33, .k = 5}, 1, 1, random);
  try_case<float>(set, {.m = 14 * detail::task_tiles + 3, .n = 40, .k = 20}, 1, 0, random);
  // So many blocks of rows that each is one task, with all columns.
  try_case<float>(set, {.m = 470, .n = 150, .k = detail::packed_depth + 76}, 2, 3, random);
  // Transposed a, read in place or packed, depending on the number of columns and the stride.
  for (int const n : {100, 130, 520})
    for (int const k : {20, 300})
      for (int const m : {500, 512}) try_case<float>(set, {.m = m, .n = n, .k = k, .transpose_a = true}, 1, 0, random);
}

TEST_CASE_TEMPLATE("packed GEMM: a row's bits do not depend on the other rows", T, float, double) {
  std::mt19937 random(10);
  for (auto const set : instruction_sets())
    for (std::int64_t const n : {35, 150})
      for (std::int64_t const k : {1, 67, 700, 1100}) {
        test::gemm_case<T> x({.m = 31, .n = n, .k = k}, k == 67 ? T(1) : T(0.7), T(0.3), random);
        x.c.assign(x.c.size(), T(0.9));
        packed_panels<T, serial> packed(set);
        packed.pack(k, n, x.b.data());
        std::vector<T> all = x.c;
        packed.multiply(31, x.a.data(), all.data(), x.alpha, x.beta);
        for (std::int64_t first = 0, rows = 1; first < 31; first += rows, ++rows) {
          std::vector<T> some = x.c;
          packed.multiply(std::min(rows, 31 - first), x.a.data() + first * k, some.data(), x.alpha, x.beta);
          bool const same = std::memcmp(some.data(), all.data() + first * n,
                                        static_cast<std::size_t>(std::min(rows, 31 - first) * n) * sizeof(T)) == 0;
          CHECK(same);
        }
      }
}

// The number of columns and the stride of rows decide; four rows are never packed.
TEST_CASE_TEMPLATE("packed GEMM: rows have the same bits whether packed or read in place", T, float, double) {
  std::mt19937 random(13);
  constexpr std::int64_t m = 13;
  constexpr std::int64_t k = 19;
  constexpr std::int64_t page = 4096 / sizeof(T);
  for (auto const set : instruction_sets())
    for (std::int64_t const panels : {16, 64})
      for (std::int64_t const more : {0, 1}) {
        std::int64_t const n = panels * detail::tiles_for<T>(set).width + more;
        auto const a = random_numbers<T>(m * page, random);
        packed_panels<T, serial> packed(set);
        packed.pack(k, n, random_numbers<T>(k * n, random).data());
        for (std::int64_t const row : {page, k}) {
          std::vector<T> all(static_cast<std::size_t>(m * n));
          std::vector<T> four(all.size());
          packed.multiply(m, a.data(), all.data(), T(1), T(0), row);
          for (std::int64_t first = 0; first < m; first += 4)
            packed.multiply(std::min<std::int64_t>(4, m - first), a.data() + first * row, four.data() + first * n, T(1),
                            T(0), row);
          CHECK(all == four);
        }
      }
}

TEST_CASE_TEMPLATE("packed GEMM: the epilogue's sum has the bits of a separate sum", T, float, double) {
  std::mt19937 random(12);
  for (auto const set : instruction_sets())
    for (std::int64_t const m : {1, 5, 14, 31})
      for (std::int64_t const n : {1, 31, 64, 150})
        for (std::int64_t const k : {0, 1, 67, 300, 1100}) {
          test::gemm_case<T> x({.m = m, .n = n, .k = k}, 1, 1, random);
          packed_panels<T, serial> packed(set);
          packed.pack(k, n, x.b.data());
          std::vector<T> const row(static_cast<std::size_t>(n), T(0.4));
          std::vector<T> wanted(static_cast<std::size_t>(m * n));
          packed.multiply_onto(row.data(), 0, m, x.a.data(), wanted.data());
          for (std::size_t i = 0; i != wanted.size(); ++i) wanted[i] += x.c[i];
          std::vector<T> got(wanted.size());
          packed.multiply_onto(row.data(), 0, m, x.a.data(), got.data(), {.addend = x.c.data()});
          REQUIRE(got == wanted);
        }
}

TEST_CASE("packed_panels: a matrix is packed again into the same memory, and moves") {
  auto const held = [] { return memory_pool<serial>::shared().statistics(); };
  std::vector<float> const ones(40 * 50, 1.F);
  std::vector<float> const twos(40 * 50, 2.F);
  std::vector<float> c(3 * 50);
  packed_panels<float, serial> packed;
  CHECK(packed.rows() == 0);
  packed.pack(40, 50, ones.data());
  std::size_t const in_use = held().bytes_in_use;
  packed.pack(40, 50, twos.data());
  CHECK(held().bytes_in_use == in_use);
  packed.multiply(3, ones.data(), c.data());
  CHECK(c == std::vector<float>(3 * 50, 80.F));

  packed_panels<float, serial> moved(std::move(packed));
  CHECK(packed.rows() == 0);
  CHECK(packed.columns() == 0);
  CHECK(moved.rows() == 40);
  CHECK(moved.columns() == 50);
  packed = std::move(moved);
  packed.multiply(3, ones.data(), c.data(), 1.F, 1.F);
  CHECK(c == std::vector<float>(3 * 50, 160.F));
  CHECK(held().bytes_in_use == in_use);
  packed = {};
  CHECK(held().bytes_in_use < in_use);
}

TEST_CASE("packed GEMM: multiplication allocates nothing in steady state") {
  std::vector<float> const a(64 * 900, 1.F);
  std::vector<float> const b(900 * 300, 1.F);
  std::vector<float> c(64 * 300);
  packed_panels<float, serial> packed;
  packed.pack(900, 300, b.data());
  auto const work = [&] {
    packed.multiply(64, a.data(), c.data());
    gemm<serial>({.m = 64, .n = 300, .k = 900}, a.data(), b.data(), c.data());
  };
  work();
  std::size_t const before = memory_pool<serial>::shared().statistics().system_allocations;
  for (int i = 0; i != 10; ++i) work();
  CHECK(memory_pool<serial>::shared().statistics().system_allocations == before);
}

TEST_CASE("packed_panels: empty products only scale c") {
  std::vector<double> c{1, 2, 3, 4};
  packed_panels<double, serial> packed;
  packed.pack(0, 2, nullptr);
  packed.multiply(2, nullptr, c.data(), 1, 0.5);
  CHECK(c == std::vector<double>{0.5, 1, 1.5, 2});
  packed.pack(3, 0, nullptr);
  packed.multiply(2, std::vector<double>(6).data(), c.data(), 1, 0);
  CHECK(c == std::vector<double>{0.5, 1, 1.5, 2});
  packed.pack(0, 2, nullptr);
  packed.multiply(0, nullptr, nullptr);
  packed.multiply(2, nullptr, c.data());
  CHECK(c == std::vector<double>(4, 0.0));
}

TEST_CASE_TEMPLATE("multiply_packed: panels have the same bits in reverse order", T, float, double) {
  std::mt19937 random(14);
  for (auto const set : instruction_sets()) {
    auto const& kernel = detail::tiles_for<T>(set);
    std::ptrdiff_t const width = kernel.width;
    // The last has too many panels for rows to be read in place.
    for (std::ptrdiff_t const n : {std::ptrdiff_t(1), 2 * width, 5 * width + 3, 67 * width})
      for (std::ptrdiff_t const k : {7, 600, 1100}) {
        if (k > 7 && n > 6 * width) continue;
        CAPTURE(n);
        CAPTURE(k);
        auto const b = random_numbers<T>(k * n, random);
        std::vector<T> packed(static_cast<std::size_t>(detail::packed_size(kernel, k, n)));
        detail::pack_panels<serial>(kernel, {1, n, k, nullptr, 0, 1, b.data(), n, 1, nullptr, 0, 1, 0}, packed.data());
        for (std::ptrdiff_t const m : {2, 3, 4, 5, 9, 17}) {
          CAPTURE(m);
          auto const a = random_numbers<T>(m * k, random);
          auto const from = random_numbers<T>(n, random), more = random_numbers<T>(m * n, random);
          std::vector<T> forwards(more.size(), T(7)), backwards(more.size());
          detail::gemm_problem<T> p{m, n, k, a.data(), k, 1, nullptr, 0, 0, forwards.data(), n, 1, 1};
          p.from = from.data();
          p.more = more.data();
          p.more_row = n;
          detail::multiply_packed<serial>(kernel, p, packed.data(), false);
          p.c = backwards.data();
          detail::multiply_packed<serial>(kernel, p, packed.data(), true);
          CHECK(backwards == forwards);
        }
      }
  }
}

TEST_CASE_TEMPLATE("packed GEMM: products split over a team have the bits of one thread", T, float, double) {
  test::some_threads threads;
  std::mt19937 random(7);
  auto const numbers = [&](std::ptrdiff_t count) { return random_numbers<T>(count, random); };
  for (instruction_set const set : instruction_sets()) {
    auto const& kernel = detail::tiles_for<T>(set);
    for (std::ptrdiff_t const m : {1, 2, 3, 7}) {
      std::ptrdiff_t const n = 520, k = 130;  // one row: too little to wake threads up, enough for a team
      REQUIRE(n * k < detail::parallel_work);
      REQUIRE(n * k >= detail::team_work);
      CAPTURE(m);
      auto const a = numbers(m * k), b = numbers(k * n);
      std::vector<T> packed(static_cast<std::size_t>(detail::packed_size(kernel, k, n)));
      detail::pack_panels<serial>(kernel, {1, n, k, nullptr, 0, 1, b.data(), n, 1, nullptr, 0, 1, 0}, packed.data());
      std::vector<T> one(static_cast<std::size_t>(m * n)), several = one, other = one, several_others = one;
      detail::gemm_problem<T> p{m, n, k, a.data(), k, 1, b.data(), n, 1, one.data(), n, 1, 0};
      detail::multiply_packed<serial>(kernel, p, packed.data());
      detail::gemm_problem<T> transposed{m, n, k, a.data(), k, 1, b.data(), 1, k, other.data(), n, 1, 0};
      detail::multiply<serial>(kernel, transposed);
      p.c = several.data();
      transposed.c = several_others.data();
      threads.execute([&] {
        detail::spinning_pool<plait::tbb> const team;
        REQUIRE(detail::spinning_pool<plait::tbb>::is_here());
        detail::multiply_packed<plait::tbb>(kernel, p, packed.data());
        detail::multiply<plait::tbb>(kernel, transposed);
      });
      CHECK(several == one);
      CHECK(several_others == other);
    }
  }
}
