// Tasks of a matrix product: each multiplies some row tiles of a with some panels of b.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <plait/core/detail/prefetch.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/gemm_packing.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>
#include <plait/exec/detail/kernels/gemm_runs.hpp>
#include <plait/exec/detail/kernels/gemm_tiles.hpp>
#include <plait/exec/detail/kernels/spinning_pool.hpp>

namespace plait::detail {

/// Columns of b that are packed at once.
inline constexpr std::ptrdiff_t packed_columns = 2048;
/// Minimum panels of a parallel task: few, so that faster threads can take more, but as many as tiles process at once
/// and, while each thread has some, as are worth task_work multiplications, a microsecond at most; or run_work if one
/// call of a tile does them all. task_tiles: maximum tiles of a task, whose rows of a stay in L2.
inline constexpr std::ptrdiff_t task_panels = 2;
inline constexpr std::ptrdiff_t task_work = 1 << 15;
inline constexpr std::ptrdiff_t task_tiles = 8;
/// Maximum rows for which b is transposed in registers rather than packed.
inline constexpr std::ptrdiff_t transposed_rows = 16;
/// Columns of a task of such a product, in panels.
inline constexpr std::ptrdiff_t transposed_panels = 4;
/// Maximum bytes of c that leave room for a and b in L2.
inline constexpr std::size_t large_result = std::size_t{1} << 18;

template <class T>
bool has_large_result(gemm_problem<T> const& p) {
  return p.m * p.c_row > std::ptrdiff_t(large_result / sizeof(T));
}

/// Splits tiles into blocks of at most task_tiles, each of which makes a task with each of `groups` groups of panels.
/// If tasks are few, all threads have equally many.
inline even_parts tile_blocks(std::ptrdiff_t tiles, std::ptrdiff_t groups, std::ptrdiff_t threads) {
  std::ptrdiff_t blocks = parts_for(tiles, task_tiles);
  if (blocks < tiles && blocks * groups < 8 * threads) {
    std::ptrdiff_t const step = threads / std::gcd(threads, groups);
    blocks = std::min(tiles, (blocks + step - 1) / step * step);
  }
  return {tiles, blocks};
}

/// Function object that computes the tasks of a product.
template <backend B, class T>
struct gemm_task {
  gemm_kernel<T> const* kernel;
  gemm_panels<T> b;
  std::ptrdiff_t loose_column;  ///< column stride of panels that tasks pack themselves; else 0
  T const* a;                   ///< multiplied by alpha; packed by tiles, or in place, from a_first on
  std::ptrdiff_t a_first;       ///< row
  std::ptrdiff_t a_step;        ///< stride of k if not packed; else 0
  std::ptrdiff_t a_row;         ///< row stride
  std::ptrdiff_t k;
  std::ptrdiff_t depth;  ///< elements of k at a time
  even_parts tiles;
  std::ptrdiff_t group_panels;  ///< in each group but the last
  std::ptrdiff_t groups;
  even_parts blocks;  ///< blocks of tiles
  T* c;
  std::ptrdiff_t c_row;
  T const* from;
  std::ptrdiff_t from_row;
  T beta;
  T const* more;  ///< nullptr: none, or more of k follows
  std::ptrdiff_t more_row;
  bool relu;         ///< likewise
  bool backwards;    ///< begins with the last panel
  bool is_large;     ///< c leaves no room for a and b in L2
  bool shares_rows;  ///< c stays in the caches, and other threads write next to a task's columns

  /// Sets up all tasks of p for `threads` threads. Members are initialised in place, from registers: copying as a whole
  /// what was just written by halves stalls until all earlier stores are done, which took 4 to 12 % of a product of one
  /// panel. The class is no aggregate, since GCC clears the memory of such a large one first.
  gemm_task(gemm_kernel<T> const& by, gemm_problem<T> const& p, T const* panels, std::ptrdiff_t b_row,
            std::ptrdiff_t b_panel, std::ptrdiff_t loose, bool packs, bool turns, std::ptrdiff_t threads)
      : kernel(&by),
        b{panels, b_row, b_panel, by.panels(p.n), p.n},
        loose_column(loose),
        a(p.a),
        a_first(0),
        a_step(packs ? 0 : p.a_column),
        a_row(packs ? p.k : p.a_row),
        k(p.k),
        depth(block_depth(p.k, by.block)),
        tiles(row_tiles(p.m, by.rows)),
        group_panels(threads == 1 ? b.count : shared_panels(by, p, threads)),
        groups(parts_for(b.count, group_panels)),
        // If tasks pack panels of b, more blocks would pack the same panels again.
        blocks(tile_blocks(tiles.count, groups, loose == 0 ? threads : 1)),
        c(p.c),
        c_row(p.c_row),
        from(p.from == nullptr ? p.c : p.from),
        from_row(p.from == nullptr ? p.c_row : p.from_row),
        beta(p.beta),
        more(p.more),
        more_row(p.more_row),
        relu(p.relu),
        // Alternating directions pays for one thread only; of several, each keeps its own panels of b.
        backwards(turns && threads == 1),
        is_large(has_large_result(p)),
        shares_rows(threads > 1 && !is_large) {}

  /// Computes a task. Quotients that all tasks share are computed before, since a task of few rows takes less than a
  /// microsecond, and a division five nanoseconds.
  void operator()(std::ptrdiff_t task) const {
    std::ptrdiff_t const block = blocks.count == 1 ? 0 : task / groups;
    std::ptrdiff_t const group = task - block * groups;
    multiply(block, group, group + 1);
  }

  /// Multiplies a block of tiles with the groups `first_group` to `last_group`, exclusive.
  void multiply(std::ptrdiff_t block, std::ptrdiff_t first_group, std::ptrdiff_t last_group) const {
    tile_run of(*this, block);
    if (of.last - of.first == 1 && k <= depth && loose_column == 0 && !is_large)
      return multiply_in_turn(*kernel, of.t, of.rows, b, first_group * group_panels,
                              std::min(b.count, last_group * group_panels), backwards);
    std::ptrdiff_t const together = kernel->wide_panels[std::size_t(of.rows.count)];
    gemm_scratch<B, T, 32768> scratch(loose_column == 0 ? 0 : std::min(together, b.count) * kernel->width * depth);
    of.scratch = scratch.data();
    for (std::ptrdiff_t group = first_group; group != last_group; ++group) {
      std::ptrdiff_t const first = group * group_panels;
      std::ptrdiff_t const last = std::min(b.count, first + group_panels);
      if (shares_rows) claim(of, first * kernel->width, std::min(b.columns, last * kernel->width));
      if (backwards) {
        std::ptrdiff_t const whole = last - (last - first) % together;
        for (std::ptrdiff_t panel = last; panel != whole;) multiply(of, --panel, 1);
        for (std::ptrdiff_t panel = whole; panel != first;) multiply(of, panel -= together, together);
      } else {
        std::ptrdiff_t panel = first;
        for (; panel + together <= last; panel += together) multiply(of, panel, together);
        for (; panel != last; ++panel) multiply(of, panel, 1);
      }
    }
  }

 private:
  // Tiles `first` to `last`, exclusive: the rows of the first, and the members of `t` that do not depend on the panel.
  struct tile_run {
    std::ptrdiff_t first, last;
    gemm_rows<T> rows;
    gemm_tile<T> t;
    T* scratch;  // for loose panels

    tile_run(gemm_task const& of, std::ptrdiff_t block)
        : first(of.blocks.first(block)), last(first + of.blocks.size(block)) {
      std::ptrdiff_t const row = of.tiles.first(first);
      rows.count = of.tiles.size(first);
      rows.a = of.a + (row - of.a_first) * of.a_row;
      rows.c = of.c + row * of.c_row;
      rows.from = of.from + row * of.from_row;
      rows.more = of.more == nullptr ? nullptr : of.more + row * of.more_row;
      t.k = of.k;
      t.a_step = of.a_step == 0 ? rows.count : of.a_step;
      t.a_row = of.a_step == 0 ? 1 : of.a_row;
      t.b_row = of.b.row;
      t.b_panel = of.b.panel;
      t.c_row = of.c_row;
      t.from_row = of.from_row;
      t.beta = of.beta;
      t.more_row = of.more_row;
      t.relu = of.relu;
      // The tiles of a block share the prefetching of the next.
      std::ptrdiff_t const line = of.loose_column != 0 ? 0 : of.b.row * std::ptrdiff_t(sizeof(T));
      t.ahead_step = last - first == 1 ? line : line / (last - first);
    }
  };

  // Returns the number of panels of a parallel task.
  std::ptrdiff_t shared_panels(gemm_kernel<T> const& of, gemm_problem<T> const& p, std::ptrdiff_t threads) const {
    std::ptrdiff_t const work = tiles.count == 1 ? run_work : task_work;
    std::ptrdiff_t const most = parts_for(b.count, threads);
    std::ptrdiff_t panels = std::max<std::ptrdiff_t>(task_panels, of.wide_panels[std::size_t(tiles.size(0))]);
    while (2 * panels <= most && panels * of.width * p.m * p.k < work) panels *= 2;
    return panels;
  }

  // Not inlined: GCC would inline it four times, which also slows down the start of a task.
  PLAIT_NO_INLINE void multiply(tile_run& of, std::ptrdiff_t panel, std::ptrdiff_t together) const {
    std::ptrdiff_t const width = kernel->width;
    std::ptrdiff_t const column = panel * width;
    std::ptrdiff_t const next_panel =
        backwards ? std::max(panel - 1, std::ptrdiff_t(0)) : std::min(panel + together, b.count - 1);
    gemm_tile<T>& t = of.t;
    t.columns = std::min(b.columns - column, together * width);
    for (std::ptrdiff_t first = 0; first < k; first += depth) {
      bool const is_last = first + depth >= k;
      T const* const part = b.data + panel * b.panel + first * b.row;
      T const* const next = is_last ? b.data + next_panel * b.panel : part + depth * b.row;
      t.k = is_last ? k - first : depth;
      t.b = part;
      if (loose_column != 0) {
        t.b = of.scratch;
        t.b_row = width;
        t.b_panel = width * t.k;
        for (std::ptrdiff_t i = 0; i != together; ++i)
          pack_panel(of.scratch + i * t.b_panel, width, part + i * b.panel, std::min(width, t.columns - i * width),
                     loose_column, b.row, t.k);
      }
      t.ahead = reinterpret_cast<char const*>(loose_column != 0 ? t.b : next);
      t.c = of.rows.c + column;
      t.from = first == 0 ? of.rows.from + column : t.c;
      t.from_row = first == 0 ? from_row : c_row;
      t.beta = first == 0 ? beta : T(1);
      t.more = is_last && of.rows.more != nullptr ? of.rows.more + column : nullptr;
      t.relu = is_last && relu;
      multiply_tiles(of, first, kernel->tiles[std::size_t(together)].data(),
                     is_large && first == 0 ? (next_panel - panel) * width : 0);
    }
  }

  // Multiplies a block of k, from `first` on, for all tiles. Prefetches what they write next, `next` columns from c.
  void multiply_tiles(tile_run& of, std::ptrdiff_t first, typename gemm_kernel<T>::tile_function const* functions,
                      std::ptrdiff_t next) const {
    gemm_tile<T>& t = of.t;
    T const* rows = of.rows.a;
    t.b_next = 0;
    t.ahead_next = t.k * t.ahead_step;
    for (std::ptrdiff_t tile = of.first;;) {
      std::ptrdiff_t const height = tiles.size(tile);
      t.count = (tile < tiles.high ? std::min(tiles.high, of.last) : of.last) - tile;
      if (t.more != nullptr || next != 0) {
        t.count = 1;
        if (t.more != nullptr) fetch(t.more, more_row, height, t.columns);
        if (next != 0) fetch(t.c + next, c_row, height, kernel->width);
      }
      if (a_step == 0) t.a_step = height;
      t.a = rows + first * t.a_step;
      t.a_next = height * a_row;
      t.c_next = height * t.c_row;
      t.from_next = height * t.from_row;
      t.more_next = height * t.more_row;
      functions[height](t);
      tile += t.count;
      if (tile == of.last) return;
      rows += t.count * t.a_next;
      t.c += t.c_next;
      t.from += t.from_next;
      if (t.more != nullptr) t.more += t.more_next;
      t.ahead += t.ahead_next;
    }
  }

  // Prefetches what this thread is about to write of c, while nothing depends on it. The hardware prefetcher goes on to
  // the right of each row, to lines that another thread writes, and takes them away from it: fetching one back takes as
  // long as a message between the two.
  void claim(tile_run const& of, std::ptrdiff_t first, std::ptrdiff_t last) const {
    constexpr auto line = std::ptrdiff_t(64 / sizeof(T));
    for (std::ptrdiff_t i = tiles.first(of.first); i != tiles.first(of.last); ++i)
      for (std::ptrdiff_t j = first; j < last; j += line) prefetch_to_write(c + i * c_row + j);
  }

  // Prefetches what is added to a tile at its end, and what the next panels write of c: if it is in no cache by then,
  // each load and store waits for memory, which for large c and small k takes a third of the time.
  static void fetch(T const* from, std::ptrdiff_t from_row, std::ptrdiff_t rows, std::ptrdiff_t columns) {
    constexpr auto line = std::ptrdiff_t(64 / sizeof(T));
    for (std::ptrdiff_t i = 0; i != rows; ++i, from += from_row)
      for (std::ptrdiff_t j = 0; j < columns; j += line) __builtin_prefetch(from + j, 0, 2);
  }
};

}  // namespace plait::detail
