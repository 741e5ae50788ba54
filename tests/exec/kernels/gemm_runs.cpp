// GEMM of consecutive panels, without tolerance: operands are small whole numbers, with exact sums and products.
#include <plait/exec/detail/kernels/gemm_runs.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <support/gemm_cases.hpp>

namespace {

using namespace plait::detail;
using std::ptrdiff_t;
using test::whole_numbers;

// Checks that panels `first` to `last` of `panels` panels, the last of which lacks `missing` columns, have the sums
// written out here, and that nothing else is written.
template <class T>
void check_run(gemm_kernel<T> const& kernel, ptrdiff_t rows, ptrdiff_t panels, ptrdiff_t missing, ptrdiff_t first,
               ptrdiff_t last, bool backwards, bool adds) {
  constexpr ptrdiff_t k = 3;
  ptrdiff_t const width = kernel.width;
  ptrdiff_t const n = panels * width - missing;
  auto const a = whole_numbers<T>(rows * k, 1);
  auto const b = whole_numbers<T>(panels * width * k, 2);
  auto const from = whole_numbers<T>(n, 3);
  auto const more = whole_numbers<T>(rows * n, 4);
  auto c = whole_numbers<T>(rows * n, 5);
  auto wanted = c;
  for (ptrdiff_t i = 0; i != rows; ++i)
    for (ptrdiff_t j = first * width; j != std::min(n, last * width); ++j) {
      T sum = from[static_cast<std::size_t>(j)] + (adds ? more[static_cast<std::size_t>(i * n + j)] : T(0));
      for (ptrdiff_t l = 0; l != k; ++l)
        sum += a[static_cast<std::size_t>(i * k + l)] *
               b[static_cast<std::size_t>(j / width * width * k + l * width + j % width)];
      wanted[static_cast<std::size_t>(i * n + j)] = sum;
    }

  std::vector<T> by_columns(a.size());
  for (ptrdiff_t i = 0; i != rows; ++i)
    for (ptrdiff_t l = 0; l != k; ++l)
      by_columns[static_cast<std::size_t>(l * rows + i)] = a[static_cast<std::size_t>(i * k + l)];
  gemm_tile<T> t{};
  t.k = k;
  t.a_step = rows;
  t.a_row = 1;
  t.b_row = width;
  t.b_panel = width * k;
  t.c_row = t.more_row = n;
  t.beta = T(1);
  gemm_rows<T> const of{rows, by_columns.data(), c.data(), from.data(), adds ? more.data() : nullptr};
  multiply_in_turn<T>(kernel, t, of, {b.data(), width, width * k, panels, n}, first, last, backwards);
  CAPTURE(rows);
  CAPTURE(panels);
  CAPTURE(missing);
  CAPTURE(first);
  CAPTURE(last);
  CAPTURE(backwards);
  CAPTURE(adds);
  CHECK(c == wanted);
}

TEST_CASE_TEMPLATE("multiply_in_turn: all or some panels are multiplied, in either order", T, float, double) {
  for (auto const set : test::instruction_sets()) {
    gemm_kernel<T> const& kernel = tiles_for<T>(set);
    CAPTURE(static_cast<int>(set));
    for (ptrdiff_t rows = 1; rows <= kernel.rows; ++rows)
      for (ptrdiff_t panels = 1; panels <= 9; ++panels)
        for (ptrdiff_t const missing : {ptrdiff_t{0}, ptrdiff_t{1}, ptrdiff_t{kernel.width - 1}})
          for (bool const backwards : {false, true})
            for (bool const adds : {false, true}) {
              check_run(kernel, rows, panels, missing, 0, panels, backwards, adds);
              check_run(kernel, rows, panels, missing, panels / 3, panels, backwards, adds);
              check_run(kernel, rows, panels, missing, 0, panels - panels / 3, backwards, adds);
              check_run(kernel, rows, panels, missing, panels / 2, panels / 2, backwards, adds);
            }
  }
}

}  // namespace
