#include <plait/exec/detail/kernels/bf16x3_gemm.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/detail/kernels/amx_gemm.hpp>
#include <plait/exec/detail/kernels/packed_matrix.hpp>

#include <support/gemm_cases.hpp>
#include <support/plain_tiles.hpp>

using namespace plait;
using test::problem;

namespace {

// bf16x3 GEMM under test: plain loops, or the processor's AMX tiles, if it has any.
struct multiplier {
  std::string name;
  detail::bf16x3_gemm const* one;
  detail::bf16x3_gemm const* several;
};
template <backend B>
constexpr detail::bf16x3_gemm plain{detail::pack_right_strips<B>, detail::multiply_packed_strips<test::plain_tiles, B>,
                                    detail::multiply_by_parts<test::plain_tiles, B>};
std::vector<multiplier> multipliers() {
  std::vector<multiplier> made{{"plain", &plain<serial>, &plain<plait::tbb>}};
  if (auto const* const tiles = detail::parts_on_tiles<serial>())
    made.push_back({"tiles", tiles, detail::parts_on_tiles<plait::tbb>()});
  return made;
}

struct packed_strips {
  detail::gemm_scratch<serial, std::uint32_t> memory;
  packed_strips(detail::bf16x3_gemm const& by, detail::gemm_problem<float> const& p)
      : memory(detail::strip_count(p.n) * detail::strip_units(p.k)) {
    by.pack(p, memory.data());
  }
};

void try_case(detail::bf16x3_gemm const& by, gemm_shape const& s, float alpha, float beta, std::mt19937& random) {
  PLAIT_INFO_GEMM(s);
  INFO("alpha ", alpha, " beta ", beta);
  test::gemm_case<float> x(s, alpha, beta, random);
  std::vector<float> const before = x.c;
  by.multiply(problem(x, x.result()));
  std::vector<float> whole = std::exchange(x.c, before);
  packed_strips strips(by, problem(x, x.result()));
  by.multiply_packed(problem(x, x.result()), strips.memory.data(), true);
  std::vector<float> packed = std::exchange(x.c, before);
  test::gemm_case<float>(x).check(whole);
  x.check(packed);
}

// Matrices a of m by k and b of k by n, and their product by bf16x3 GEMM and by naive loops.
struct plain_product {
  std::ptrdiff_t m, n, k;
  std::vector<float> a = std::vector<float>(std::size_t(m * k), 0.5f);
  std::vector<float> b = std::vector<float>(std::size_t(k * n), 0.25f);
  float& left(std::ptrdiff_t i, std::ptrdiff_t l) { return a[std::size_t(i * k + l)]; }
  float& right(std::ptrdiff_t l, std::ptrdiff_t j) { return b[std::size_t(l * n + j)]; }
  std::vector<float> multiply(detail::bf16x3_gemm const& by) {
    std::vector<float> c(std::size_t(m * n));
    by.multiply({m, n, k, a.data(), k, 1, b.data(), n, 1, c.data(), n, 1, 0});
    return c;
  }
  template <class T>
  std::vector<T> multiply_as() {
    std::vector<T> c(std::size_t(m * n));
    for (std::ptrdiff_t i = 0; i != m; ++i)
      for (std::ptrdiff_t j = 0; j != n; ++j)
        for (std::ptrdiff_t l = 0; l != k; ++l) c[std::size_t(i * n + j)] += T(left(i, l)) * T(right(l, j));
    return c;
  }
};

}  // namespace

TEST_CASE("bf16x3 GEMM: products are right for every edge, order, stride and factor") {
  for (multiplier const& by : multipliers()) {
    INFO(by.name);
    std::mt19937 random(7);
    int const ms[] = {1, 2, 13, 16, 17, 30, 32, 33, 50, 97};
    int const ns[] = {1, 3, 15, 16, 17, 31, 32, 33, 64, 70};
    int const ks[] = {1, 2, 5, 31, 32, 33, 64, 100};
    float const factors[] = {0, 1, -1, 0.3f, 2.5f};
    int const gaps[] = {0, 0, 1, 5};
    for (int i = 0; i != 160; ++i) {
      gemm_shape s{.m = test::pick(random, ms), .n = test::pick(random, ns), .k = test::pick(random, ks)};
      s.transpose_a = i % 2 == 1;
      s.transpose_b = i / 2 % 2 == 1;
      s.lda = (s.transpose_a ? s.m : s.k) + test::pick(random, gaps);
      s.ldb = (s.transpose_b ? s.k : s.n) + test::pick(random, gaps);
      s.ldc = s.n + test::pick(random, gaps);
      try_case(i % 3 == 0 ? *by.several : *by.one, s, test::pick(random, factors), test::pick(random, factors), random);
    }
  }
}

TEST_CASE("lines_ahead: while left strips are multiplied, the next right strip is prefetched once and completely") {
  std::vector<std::uint32_t> const memory(3 * 32 * detail::step_units);
  std::uint32_t const* const strip = memory.data();
  for (std::ptrdiff_t const steps : {1, 3, 32})
    for (std::ptrdiff_t lefts = 2; lefts != 40; ++lefts) {
      std::uint32_t const* const next = strip + steps * detail::step_units;
      std::uint32_t const* end = next;
      for (std::ptrdiff_t left = 0; left != lefts; ++left) {
        detail::cache_lines const ahead = detail::lines_ahead(strip, next, steps, left, lefts);
        if (ahead.count == 0) continue;
        CHECK(ahead.from == end);
        end += ahead.count * 6 * steps * 16;
      }
      CHECK(end >= next + steps * detail::step_units);
      CHECK(end - next < 2 * steps * detail::step_units);
    }
  CHECK(detail::lines_ahead(strip, nullptr, 3, 0, 2).count == 0);
  CHECK(detail::lines_ahead(strip, nullptr, 4, 0, 1).from == strip + 2 * detail::step_units);
}

TEST_CASE("block_writer: blocks written in several steps are right, and without addends zeros keep their sign") {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<float> sums(32 * 32), row_scales(32, 0.5f), column_scales(32, 4.0f), from(32 * 40), more(32 * 40);
  for (auto* v : {&sums, &from, &more})
    for (float& x : *v) x = number(random);
  sums[0] = -0.0f;
  for (std::ptrdiff_t const columns : {32, 31, 16, 5})
    for (std::ptrdiff_t const rows : {32, 17, 1})
      for (std::ptrdiff_t const steps : {1, 3, 20}) {
        CAPTURE(columns);
        CAPTURE(rows);
        CAPTURE(steps);
        std::vector<float> wanted(32 * 40, 7.0f), c = wanted, kept = wanted;
        for (std::ptrdiff_t i = 0; i != rows; ++i)
          for (std::ptrdiff_t j = 0; j != columns; ++j) {
            auto const at = std::size_t(i * 40 + j);
            wanted[at] = std::fma(0.3f, from[at], 2 * sums[std::size_t(i * 32 + j)]) + more[at];
          }
        detail::block_writer block{sums.data(),
                                   row_scales.data(),
                                   column_scales.data(),
                                   rows,
                                   columns,
                                   0.3f,
                                   from.data(),
                                   40,
                                   more.data(),
                                   40,
                                   c.data(),
                                   40};
        detail::side_work side({}, block, steps);
        for (std::ptrdiff_t turn = 0; turn != 4 * steps; ++turn) side.write();
        CHECK(block.rows_left() == (columns == 32 ? 0 : rows));
        detail::finish(block);
        CHECK(block.rows_left() == 0);
        CHECK(c == wanted);
        detail::block_writer alone{sums.data(), row_scales.data(), column_scales.data(), rows, columns};
        alone.c = kept.data();
        alone.c_row = 40;
        detail::finish(alone);
        CHECK((kept[0] == 0 && std::signbit(kept[0])));
        CHECK(kept[std::size_t(columns - 1)] == 2 * sums[std::size_t(columns - 1)]);
        CHECK(kept[std::size_t(columns)] == 7.0f);
      }
}

TEST_CASE("bf16x3 GEMM: rows, columns and depth may exceed what is packed at once") {
  for (multiplier const& by : multipliers()) {
    INFO(by.name);
    std::mt19937 random(8);
    try_case(*by.one, {.m = 5, .n = 40, .k = 2 * detail::parts_depth + 3}, 2, 3, random);
    try_case(*by.several, {.m = 3, .n = detail::parts_columns + 5, .k = 9, .transpose_b = true}, 1, 1, random);
    try_case(*by.several, {.m = 1100, .n = 33, .k = 70, .transpose_a = true}, 1, 0, random);
  }
}

TEST_CASE("bf16x3 GEMM: sums begin with other rows, and an addend is added") {
  for (multiplier const& by : multipliers()) {
    INFO(by.name);
    std::mt19937 random(9);
    for (std::int64_t const k : {40, 1100}) {
      test::gemm_case<float> x({.m = 19, .n = 45, .k = k}, 1, 0, random);
      std::vector<float> row(45), more(19 * 45);
      for (auto* v : {&row, &more})
        for (float& y : *v) y = std::uniform_real_distribution<float>(-1, 1)(random);
      detail::gemm_problem<float> p = problem(x, x.result());
      packed_strips strips(*by.one, p);
      std::vector<float> one_by_one(19 * 45);
      for (std::size_t i = 0; i != one_by_one.size(); ++i) one_by_one[i] = row[i % 45];
      p.c = one_by_one.data();
      p.c_row = 45;
      p.beta = 1;
      by.one->multiply_packed(p, strips.memory.data(), false);
      for (std::size_t i = 0; i != one_by_one.size(); ++i) one_by_one[i] += more[i];
      std::vector<float> at_once(19 * 45);
      p.c = at_once.data();
      p.from = row.data();
      p.more = more.data();
      p.more_row = 45;
      by.several->multiply_packed(p, strips.memory.data(), true);
      CHECK(at_once == one_by_one);
    }
  }
}

TEST_CASE("bf16x3 GEMM: bits of a row do not depend on other rows, nor those of a column on other columns") {
  for (multiplier const& by : multipliers()) {
    INFO(by.name);
    std::mt19937 random(10);
    for (std::int64_t const k : {40, 1100}) {
      test::gemm_case<float> x({.m = 67, .n = 70, .k = k}, 0.7f, 0.3f, random);
      x.a[0] = 1e-30f;  // rows of other magnitudes, and one with infinity
      for (int l = 0; l != k; ++l) x.a[std::size_t(k + l)] *= 1e-38f;
      x.a[std::size_t(2 * k)] = std::numeric_limits<float>::infinity();
      x.c.assign(x.c.size(), 0.9f);
      std::vector<float> all = x.c;
      by.several->multiply(problem(x, all.data()));
      for (std::ptrdiff_t first = 0, rows = 1; first < 67; first += rows, rows += 5)
        for (std::ptrdiff_t column = 0, columns = 3; column < 70; column += columns, columns += 20) {
          std::vector<float> some = x.c;
          detail::gemm_problem<float> p = problem(x, some.data());
          p.m = std::min(rows, 67 - first);
          p.n = std::min(columns, 70 - column);
          p.a += first * p.a_row;
          p.b += column;
          by.one->multiply(p);
          bool same = true;
          for (std::ptrdiff_t i = 0; i != p.m; ++i)
            same = same && std::memcmp(some.data() + i * p.c_row, all.data() + (first + i) * p.c_row + column,
                                       std::size_t(p.n) * sizeof(float)) == 0;
          CHECK(same);
        }
    }
  }
}

TEST_CASE("bf16x3 GEMM: infinite numbers and NaN give the results of float products") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (multiplier const& by : multipliers()) {
    INFO(by.name);
    plain_product x{40, 50, 70};
    x.left(3, 5) = infinity;
    x.right(6, 7) = -infinity;
    x.right(69, 40) = infinity;
    x.left(20, 69) = 0;  // 0 * infinity is NaN
    x.left(35, 0) = nan;
    x.right(1, 11) = nan;
    x.left(36, 0) = infinity;
    x.left(36, 1) = -infinity;
    x.left(37, 2) = std::numeric_limits<float>::max();
    x.left(37, 3) = std::numeric_limits<float>::max();
    std::vector<float> const wanted = x.multiply_as<float>();
    std::vector<float> const got = x.multiply(*by.one);
    int wrong = 0;
    for (std::size_t i = 0; i != got.size(); ++i)
      wrong += std::isnan(wanted[i])   ? !std::isnan(got[i])
               : std::isinf(wanted[i]) ? got[i] != wanted[i]
                                       : !(std::abs(got[i] - wanted[i]) <= 1e-6f * std::abs(wanted[i]));
    CHECK(wrong == 0);
  }
}

TEST_CASE("bf16x3 GEMM: the smallest and the largest numbers lose no digits") {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> number(0.5f, 1);
  for (multiplier const& by : multipliers()) {
    INFO(by.name);
    plain_product x{33, 40, 64};
    float const rows[] = {0x1p-126f, 0x1p-100f, 1, 0x1p100f, 0x1p127f};
    float const columns[] = {0x1p-60f, 1, 0x1p-20f, 0x1p10f};
    for (std::ptrdiff_t l = 0; l != x.k; ++l) {
      for (std::ptrdiff_t i = 0; i != x.m; ++i) x.left(i, l) = number(random) * rows[i % 5];
      for (std::ptrdiff_t j = 0; j != x.n; ++j) x.right(l, j) = number(random) * columns[j % 4];
    }
    std::vector<double> const wanted = x.multiply_as<double>();
    std::vector<float> const got = x.multiply(*by.one);
    int wrong = 0;
    int seen = 0;
    for (std::size_t i = 0; i != got.size(); ++i) {
      if (wanted[i] < 0x1p-120 || wanted[i] > 0x1p127) continue;  // no normal float
      ++seen;
      wrong += !(std::abs(got[i] - wanted[i]) <= 1e-6 * wanted[i]);
    }
    CHECK(wrong == 0);
    CHECK(seen > 800);
  }
}

TEST_CASE("bf16x3 GEMM: large numbers that are multiplied by zeros cost other products no digits") {
  for (multiplier const& by : multipliers()) {
    INFO(by.name);
    plain_product x{40, 50, 70};
    x.left(1, 0) = std::numeric_limits<float>::lowest();
    x.left(2, 0) = 1e30f;
    for (std::ptrdiff_t l = 1; l != x.k; ++l) x.left(2, l) = 1e-3f;
    for (std::ptrdiff_t j = 0; j != x.n; ++j) x.right(0, j) = 0;  // the factors of the large numbers
    for (std::ptrdiff_t l = 0; l != x.k; ++l) x.left(3, l) = x.right(l, 7) = 0;
    x.left(3, 0) = x.right(1, 7) = 1e20f;  // not multiplied by each other
    x.left(4, 0) = 1e20f;
    x.left(4, 1) = 1e-10f;
    std::vector<double> const wanted = x.multiply_as<double>();
    std::vector<float> const got = x.multiply(*by.one);
    int wrong = 0;
    for (std::size_t i = 0; i != got.size(); ++i)
      wrong += !(std::abs(got[i] - wanted[i]) <= 1e-6 * std::abs(wanted[i]));
    CHECK(wrong == 0);
  }
}

TEST_CASE("bf16x3 GEMM: errors are those of float sums, and smaller on AMX tiles, which round less often") {
  for (multiplier const& by : multipliers()) {
    INFO(by.name);
    std::mt19937 random(12);
    std::normal_distribution<float> number;
    plain_product x{32, 64, 512};
    for (float& y : x.a) y = number(random);
    for (float& y : x.b) y = number(random);
    std::vector<double> const exact = x.multiply_as<double>();
    std::vector<float> const rounded = x.multiply_as<float>();
    std::vector<float> const got = x.multiply(*by.one);
    double error = 0, usual = 0;
    for (std::size_t i = 0; i != got.size(); ++i) {
      error += (got[i] - exact[i]) * (got[i] - exact[i]);
      usual += (rounded[i] - exact[i]) * (rounded[i] - exact[i]);
    }
    CHECK(error < (by.name == "tiles" ? 1 : 4) * usual);  // squares; three times as many additions
  }
}
