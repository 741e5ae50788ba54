// GEMM without a library: register tiles (gemm_tiles.hpp) multiply panels of b and rows of a, packed or in place.
//
// An element's sum runs over k in order, in blocks whose bounds follow from k alone: it depends neither on the number
// of threads, nor on the other rows, nor on whether b is packed. After K. Goto and R. van de Geijn, "Anatomy of
// high-performance matrix multiplication", ACM TOMS 34 (2008), with the caches assigned for few rows: a panel's block
// of b stays in L1 and L2 for all rows, a stays in L2, and b is read once, in memory order.
#pragma once

#include <algorithm>
#include <cstddef>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/few_rows_gemm.hpp>
#include <plait/exec/detail/kernels/gemm_packing.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>
#include <plait/exec/detail/kernels/gemm_task.hpp>
#include <plait/exec/detail/kernels/gemm_tiles.hpp>

namespace plait::detail {

/// Returns true if packing a pays: few rows need no packing, nor do those of tiles that can read them in place, unless
/// more than 64 panels of b amortise it, or 16 if rows are multiples of 4 KB apart and share cache sets.
///
/// If a is transposed and a tile's rows fill most of a cache line, packing gains little, which few panels of b do not
/// amortise; of lower tiles several would fetch the same line. But if the lines of a tile are multiples of 2 KB apart,
/// they share so few cache sets that they evict each other before the next panel, which halves the speed.
template <class T>
bool packs_rows(gemm_kernel<T> const& kernel, gemm_problem<T> const& p) {
  if (p.a_column == 1 && p.alpha == T(1)) {
    if (p.m <= few_rows) return false;
    bool const meet = std::size_t(p.a_row) * sizeof(T) % 4096 == 0;
    if (kernel.rows <= kernel.loose_rows && p.n <= (meet ? 16 : 64) * kernel.width) return false;
  }
  if (p.a_row != 1 || p.alpha != T(1) || std::size_t(kernel.rows) * sizeof(T) < 48) return true;
  bool const meet = std::size_t(p.a_column) * sizeof(T) % 2048 == 0 && p.k > kernel.block / 2;
  return p.n >= (meet ? 4 : 16) * kernel.width;
}

/// Packs tiles of rows of a, one after the other to `to`, and multiplies them by alpha.
template <class T>
void pack_tiles(even_parts const& tiles, std::ptrdiff_t first, std::ptrdiff_t last, gemm_problem<T> const& p, T* to) {
  std::ptrdiff_t const strip = p.a_column == 1 ? p.k : packed_strip;
  for (std::ptrdiff_t k = 0; k < p.k; k += strip)
    for (std::ptrdiff_t tile = first; tile < last; ++tile) {
      std::ptrdiff_t const rows = tiles.size(tile);
      std::ptrdiff_t const depth = std::min(strip, p.k - k);
      std::ptrdiff_t const row = tiles.first(tile);
      T* const packed = to + (row - tiles.first(first)) * p.k + k * rows;
      pack_panel(packed, rows, p.a + row * p.a_row + k * p.a_column, rows, p.a_row, p.a_column, depth);
      if (p.alpha != T(1))
        for (std::ptrdiff_t i = 0; i < rows * depth; ++i) packed[i] *= p.alpha;
    }
}

/// Multiplies with panels of b, placed as in gemm_panels and gemm_task, for at most packed_depth of k. If `packs`, each
/// task packs the rows of a that it multiplies, even if several pack the same: what another thread has written last
/// takes longer to fetch than to pack.
template <backend B, class T>
void multiply_panels(gemm_kernel<T> const& kernel, gemm_problem<T> const& p, T const* b, std::ptrdiff_t b_row,
                     std::ptrdiff_t b_panel, std::ptrdiff_t loose_column, bool packs, bool backwards) {
  bool const parallel = is_shared<B>(p.m * p.n * p.k);
  std::ptrdiff_t const threads = parallel ? std::ptrdiff_t(threads_here<B>()) : 1;
  gemm_task<B, T> const task(kernel, p, b, b_row, b_panel, loose_column, packs, backwards, threads);
  if (!packs) return for_each_task<B>(task.blocks.count * task.groups, parallel, task);
  std::ptrdiff_t const blocks = task.blocks.count;
  even_parts const shares(task.groups, blocks >= 4 * threads ? 1 : std::min(task.groups, threads));
  for_each_task<B>(blocks * shares.count, parallel, [=](std::ptrdiff_t part) {
    // Consecutive tasks of a thread multiply the same panels with all rows, in blocks of nearly equal sizes.
    std::ptrdiff_t const share = part / blocks;
    std::ptrdiff_t const block = part % blocks;
    gemm_task<B, T> own = task;
    std::ptrdiff_t const first = own.blocks.first(block);
    std::ptrdiff_t const last = first + own.blocks.size(block);
    own.a_first = own.tiles.first(first);
    gemm_scratch<B, T, 65536> packed((own.tiles.first(last) - own.a_first) * p.k);
    pack_tiles(own.tiles, first, last, p, packed.data());
    own.a = packed.data();
    own.multiply(block, shares.first(share), shares.first(share + 1));
  });
}

/// Returns the number of elements of packed b.
template <class T>
std::ptrdiff_t packed_size(gemm_kernel<T> const& kernel, std::ptrdiff_t k, std::ptrdiff_t n) {
  return kernel.panels(n) * kernel.width * k;
}

/// Packs p.k by p.n elements of b, panel after panel.
template <backend B, class T>
void pack_panels(gemm_kernel<T> const& kernel, gemm_problem<T> const& p, T* to) {
  if (p.k == 0) return;
  std::ptrdiff_t const width = kernel.width;
  for_each_task<B>(kernel.panels(p.n), p.k * p.n >= parallel_work / 4, [=](std::ptrdiff_t panel) {
    std::ptrdiff_t const column = panel * width;
    pack_panel(to + column * p.k, width, p.b + column * p.b_column, std::min(width, p.n - column), p.b_column, p.b_row,
               p.k);
  });
}

/// Multiplies with all of b packed at `packed`; p.b is not read.
template <backend B, class T>
void multiply_packed(gemm_kernel<T> const& kernel, gemm_problem<T> const& p, T const* packed, bool backwards = false) {
  if (without_product(p)) return;
  bool const packs = packs_rows(kernel, p);
  if (!packs && (p.m == 1 || (p.m <= kernel.loose_rows && p.k <= kernel.block && !has_large_result(p))))
    return share_few_rows<B>(kernel, p, packed, backwards);
  std::ptrdiff_t const width = kernel.width;
  std::ptrdiff_t const panel = width * p.k;
  if (p.k <= packed_depth) return multiply_panels<B>(kernel, p, packed, width, panel, 0, packs, backwards);
  gemm_problem<T> part = p;
  for (std::ptrdiff_t first = 0; first < p.k; first += packed_depth) {
    part.k = std::min(packed_depth, p.k - first);
    part.more = first + part.k == p.k ? p.more : nullptr;
    part.relu = p.relu && first + part.k == p.k;
    multiply_panels<B>(kernel, part, packed + first * width, width, panel, 0, packs, backwards);
    part.a += part.k * part.a_column;
    part.beta = T(1);
    part.from = nullptr;
  }
}

/// Multiplies few rows with a transposed b that is not packed: each task computes some columns of all rows.
template <backend B, class T>
void multiply_transposed(gemm_kernel<T> const& kernel, gemm_problem<T> const& p) {
  transposed_kernel<T> const& by = kernel.transposed;
  std::ptrdiff_t const columns = transposed_panels * kernel.width;
  even_parts const tiles = row_tiles(p.m, transposed_kernel<T>::most_rows);
  // Columns of b that are multiples of 4 KB apart conflict in one set of L1.
  bool const meet = std::size_t(p.b_column) * sizeof(T) % 4096 == 0;
  for_each_task<B>(parts_for(p.n, columns), is_shared<B>(p.m * p.n * p.k), [=, &by](std::ptrdiff_t task) {
    std::ptrdiff_t const last = std::min(p.n, (task + 1) * columns);
    for (std::ptrdiff_t column = task * columns; column < last;) {
      bool const two = p.m == 1 && !meet && column + 2 * by.width <= last;
      transposed_tile<T> t{0, nullptr, p.a_row, nullptr, p.b_column, 0, nullptr, p.c_row, nullptr, p.c_row, p.beta};
      t.columns = std::min<std::ptrdiff_t>(last - column, two ? 2 * by.width : by.width);
      for (std::ptrdiff_t k = 0; k < p.k;) {
        std::ptrdiff_t const end = std::min(k + packed_depth, p.k);
        for (std::ptrdiff_t const depth = block_depth(end - k, kernel.block); k < end; k += t.k) {
          t.k = std::min(depth, end - k);
          t.b = p.b + column * p.b_column + k;
          for (std::ptrdiff_t tile = 0; tile != tiles.count; ++tile) {
            std::ptrdiff_t const row = tiles.first(tile);
            t.a = p.a + row * p.a_row + k;
            t.c = p.c + row * p.c_row + column;
            t.from = t.c;
            (two ? by.double_tile : by.tiles[std::size_t(tiles.size(tile))])(t);
          }
          t.beta = T(1);
        }
      }
      column += t.columns;
    }
  });
}

/// Computes the whole product.
template <backend B, class T>
void multiply(gemm_kernel<T> const& kernel, gemm_problem<T> p) {
  if (without_product(p)) return;
  if (p.b_row == 1 && p.a_column == 1 && p.alpha == T(1) && p.m <= transposed_rows) {
    multiply_transposed<B>(kernel, p);
    return finish_rows(p);
  }
  std::ptrdiff_t const width = kernel.width;
  std::ptrdiff_t const n = p.n;
  std::ptrdiff_t const k = p.k;
  bool const in_place = p.b_column == 1 && p.m <= kernel.rows && n >= width;
  std::ptrdiff_t const in_place_columns = in_place ? n - n % width : 0;
  std::ptrdiff_t const most = std::min(n - in_place_columns, packed_columns);
  bool const packs = packs_rows(kernel, p);
  // If one task has all rows, it packs b for itself only, and in its cache.
  bool const packs_in_tasks = p.m <= kernel.rows * task_tiles;
  gemm_scratch<B, T> b_scratch(packs_in_tasks ? 0 : packed_size(kernel, std::min(k, packed_depth), most));
  for (std::ptrdiff_t first = 0; first < k; first += packed_depth) {
    p.k = std::min(packed_depth, k - first);
    gemm_problem<T> part = p;
    bool const is_last = first + p.k == k;
    if (!is_last) part.more = nullptr;
    part.relu = p.relu && is_last;
    if (in_place_columns != 0) {
      part.n = in_place_columns;
      multiply_panels<B>(kernel, part, p.b, p.b_row, width, 0, packs, false);
    }
    for (std::ptrdiff_t column = in_place_columns; column < n; column += packed_columns) {
      part.n = std::min(packed_columns, n - column);
      part.b = p.b + column * p.b_column;
      part.c = p.c + column;
      part.more = is_last && p.more != nullptr ? p.more + column : nullptr;
      if (packs_in_tasks) {
        multiply_panels<B>(kernel, part, part.b, p.b_row, width * p.b_column, p.b_column, packs, false);
      } else {
        pack_panels<B>(kernel, part, b_scratch.data());
        multiply_panels<B>(kernel, part, b_scratch.data(), width, width * p.k, 0, packs, false);
      }
    }
    p.a += p.k * p.a_column;
    p.b += p.k * p.b_row;
    p.beta = T(1);
  }
}

}  // namespace plait::detail
