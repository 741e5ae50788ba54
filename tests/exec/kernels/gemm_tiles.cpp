// Each tile of each set of instructions against the sum written out. Operands are small whole numbers, of which all
// sums and products are exact: there is nothing to tolerate.
#include <plait/exec/kernels/gemm_tiles.hpp>

#include <cstddef>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace {

using plait::instruction_set;
using plait::detail::gemm_kernel;
using plait::detail::gemm_tile;
using std::ptrdiff_t;

std::vector<instruction_set> sets() {
  std::vector<instruction_set> made;
  for (auto const set : {instruction_set::portable, instruction_set::avx2, instruction_set::avx512})
    if (set <= plait::available_instructions()) made.push_back(set);
  return made;
}

template <class T>
std::vector<T> whole_numbers(ptrdiff_t count, unsigned seed) {
  std::vector<T> made;
  for (ptrdiff_t i = 0; i != count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    made.push_back(static_cast<T>(static_cast<int>(seed >> 28) - 8));
  }
  return made;
}

/// How a tile is called, besides its size.
struct way {
  int beta;
  bool from_elsewhere;
  ptrdiff_t from_row;  ///< 0: the same row for all
  bool adds;
  ptrdiff_t a_gap = 0;     ///< where a is not packed
  bool a_by_rows = false;  ///< of so many rows as can be loose
};

template <class T>
void check_tile(gemm_kernel<T> const& kernel, ptrdiff_t rows, bool wide, ptrdiff_t k, ptrdiff_t missing, way const& w) {
  ptrdiff_t const panels = wide ? kernel.wide_panels[static_cast<std::size_t>(rows)] : 1;
  ptrdiff_t const width = kernel.width;
  ptrdiff_t const columns = panels * width - missing;
  ptrdiff_t const c_row = panels * width + 3;
  bool const by_rows = w.a_by_rows && rows <= kernel.loose_rows;
  ptrdiff_t const a_step = by_rows ? 1 : rows + w.a_gap;
  ptrdiff_t const a_row = by_rows ? k + w.a_gap : 1;
  auto const a = whole_numbers<T>((k + w.a_gap) * (rows + w.a_gap), 1);
  auto const b = whole_numbers<T>(k * panels * width, 2);
  auto const elsewhere = whole_numbers<T>(rows * c_row, 3);
  auto const more = whole_numbers<T>(rows * c_row, 4);
  auto c = whole_numbers<T>(rows * c_row, 5);
  auto wanted = c;
  for (ptrdiff_t i = 0; i != rows; ++i)
    for (ptrdiff_t j = 0; j != columns; ++j) {
      T sum = 0;
      for (ptrdiff_t l = 0; l != k; ++l)
        sum += a[static_cast<std::size_t>(l * a_step + i * a_row)] *
               b[static_cast<std::size_t>(j / width * width * k + l * width + j % width)];
      auto const at = static_cast<std::size_t>(i * c_row + j);
      T const from = w.from_elsewhere ? elsewhere[static_cast<std::size_t>(i * w.from_row + j)] : c[at];
      wanted[at] = sum + static_cast<T>(w.beta) * from + (w.adds ? more[at] : T(0));
    }

  gemm_tile<T> t{};
  t.k = k;
  t.a = a.data();
  t.a_step = a_step;
  t.a_row = a_row;
  t.b = b.data();
  t.b_row = width;
  t.b_panel = width * k;
  t.c = c.data();
  t.c_row = c_row;
  t.columns = columns;
  t.from = w.from_elsewhere ? elsewhere.data() : c.data();
  t.from_row = w.from_elsewhere ? w.from_row : c_row;
  t.beta = static_cast<T>(w.beta);
  t.more = w.adds ? more.data() : nullptr;
  t.more_row = c_row;
  t.ahead = reinterpret_cast<char const*>(b.data());
  (wide ? kernel.wide : kernel.narrow)[static_cast<std::size_t>(rows)](t);
  CAPTURE(rows);
  CAPTURE(wide);
  CAPTURE(k);
  CAPTURE(missing);
  CAPTURE(w.beta);
  CAPTURE(w.adds);
  CHECK(c == wanted);
}

TEST_CASE_TEMPLATE("gemm_tiles: products, what they are put onto and what is added, and nothing beside the tile", T,
                   float, double) {
  for (auto const set : sets()) {
    gemm_kernel<T> const& kernel = plait::detail::tiles_for<T>(set);
    CAPTURE(static_cast<int>(set));
    ptrdiff_t const c_row = kernel.width + 3;  // of narrow tiles; others read rows that overlap
    for (ptrdiff_t rows = 1; rows <= kernel.rows; ++rows)
      for (bool const wide : {false, true})
        for (ptrdiff_t const k : {1, 4, 7, 33})
          for (ptrdiff_t const missing : {ptrdiff_t{0}, ptrdiff_t{1}, ptrdiff_t{kernel.width - 1}})
            for (way const& w : {way{0, false, 0, false}, way{0, false, 0, true}, way{1, false, 0, false},
                                 way{-2, false, 0, true}, way{1, true, 0, true}, way{3, true, c_row, false},
                                 way{0, false, 0, false, 3}, way{1, false, 0, false, 2, true}})
              check_tile(kernel, rows, wide, k, missing, w);
  }
}

// What is not written need not be numbers, and what is not read need not be there.
TEST_CASE_TEMPLATE("gemm_tiles: without beta c is written, not read", T, float, double) {
  for (auto const set : sets()) {
    gemm_kernel<T> const& kernel = plait::detail::tiles_for<T>(set);
    std::vector<T> const a(2, T(1));
    std::vector<T> const b(static_cast<std::size_t>(kernel.width), T(2));
    std::vector<T> c(static_cast<std::size_t>(2 * kernel.width), std::numeric_limits<T>::quiet_NaN());
    gemm_tile<T> t{};
    t.k = 1;
    t.a = a.data();
    t.a_step = 2;
    t.b = b.data();
    t.b_row = t.b_panel = t.c_row = t.columns = kernel.width;
    t.c = c.data();
    t.ahead = reinterpret_cast<char const*>(b.data());
    kernel.narrow[2](t);
    CHECK(c == std::vector<T>(c.size(), T(2)));
  }
}

}  // namespace
