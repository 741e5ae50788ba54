// A single row by a packed matrix, as a recurrence without a batch multiplies.
#pragma once

#include <algorithm>
#include <cstddef>

#include <plait/exec/backend.hpp>
#include <plait/exec/kernels/gemm_problem.hpp>
#include <plait/exec/kernels/gemm_runs.hpp>
#include <plait/exec/kernels/gemm_tiles.hpp>

namespace plait::detail {

/// A single row of a, not multiplied by alpha, and panels of b, packed whole at `packed`, by this thread alone: the
/// same bits as multiply_packed, and little besides the tiles.
template <class T>
void multiply_row(gemm_kernel<T> const& kernel, gemm_problem<T> const& p, T const* packed, bool backwards = false) {
  if (without_product(p)) return;
  std::ptrdiff_t const width = kernel.width;
  gemm_panels<T> b{packed, width, width * p.k, parts_for(p.n, width), p.n};
  gemm_rows<T> row{1, p.a, p.c, p.from == nullptr ? p.c : p.from, p.more};
  gemm_tile<T> t;
  t.a_step = p.a_column;
  t.a_row = t.c_row = t.from_row = t.more_row = 0;
  t.b_row = width;
  t.b_panel = b.panel;
  t.beta = p.beta;
  t.ahead_step = 0;
  for (std::ptrdiff_t first = 0; first < p.k;) {
    std::ptrdiff_t const end = std::min(first + packed_depth, p.k);
    for (std::ptrdiff_t const depth = block_depth(end - first, kernel.block); first < end; first += t.k) {
      t.k = std::min(depth, end - first);
      row.a = p.a + first * p.a_column;
      row.more = first + t.k == p.k ? p.more : nullptr;
      b.data = packed + first * width;
      multiply_in_turn(kernel, t, row, b, 0, b.count, backwards);
      row.from = p.c;
      t.beta = T(1);
    }
  }
}

/// The same by several threads where it is work enough: each has the same panels each time, which stay in its cache.
template <backend B, class T>
void share_row(gemm_kernel<T> const& kernel, gemm_problem<T> const& p, T const* packed, bool backwards) {
  if (!is_shared<B>(p.n * p.k)) return multiply_row(kernel, p, packed, backwards);
  std::ptrdiff_t const columns = kernel.wide_panels[1] * kernel.width;
  std::ptrdiff_t const groups = parts_for(p.n, columns);
  even_parts const parts(groups, std::min(groups, std::ptrdiff_t(threads_here<B>())));
  for_each_task<B>(parts.count, true, [=, &kernel](std::ptrdiff_t i) {
    std::ptrdiff_t const first = parts.first(i) * columns;
    gemm_problem<T> part = p;
    part.n = std::min(p.n, parts.first(i + 1) * columns) - first;
    part.c += first;
    if (p.from != nullptr) part.from += first;
    if (p.more != nullptr) part.more += first;
    multiply_row(kernel, part, packed + first * p.k, backwards);
  });
}

}  // namespace plait::detail
