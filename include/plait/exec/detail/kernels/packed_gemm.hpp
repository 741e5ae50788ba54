// Matrix multiplication without a library. Panels of b, packed or in place, meet packed rows of a in tiles of registers
// (gemm_tiles.hpp).
//
// An element's sum runs over k in order, in blocks whose bounds follow from k alone: it depends neither on the number
// of threads, nor on the other rows, nor on whether b is packed. After K. Goto and R. van de Geijn, "Anatomy of
// high-performance matrix multiplication", ACM TOMS 34 (2008), with the roles of the caches chosen for few rows: a
// panel's block of b stays in the first two levels for all rows, a in the second, and b comes by once, in the order it
// has in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <plait/core/detail/prefetch.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/few_rows_gemm.hpp>
#include <plait/exec/detail/kernels/gemm_packing.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>
#include <plait/exec/detail/kernels/gemm_runs.hpp>
#include <plait/exec/detail/kernels/gemm_tiles.hpp>
#include <plait/exec/detail/kernels/standing_team.hpp>

namespace plait::detail {

/// How many columns of b are packed at once.
inline constexpr std::ptrdiff_t packed_columns = 2048;
/// Panels to a task of several threads, at least: so few that who is quicker can take more of them, but as many as the
/// tiles have and, while each thread has some, as are worth so many multiplications, a microsecond at most; or run_work
/// where one call of a tile does them all. And tiles whose rows of a stay in the second level of cache.
inline constexpr std::ptrdiff_t task_panels = 2;
inline constexpr std::ptrdiff_t task_work = 1 << 15;
inline constexpr std::ptrdiff_t task_tiles = 8;
/// Rows up to which b is transposed in registers rather than packed.
inline constexpr std::ptrdiff_t transposed_rows = 16;
/// Panels' worth of columns to a task of those.
inline constexpr std::ptrdiff_t transposed_panels = 4;
/// Bytes of c that leave room for a and b in the second level of cache.
inline constexpr std::size_t large_result = std::size_t{1} << 18;

template <class T>
bool has_large_result(gemm_problem<T> const& p) {
  return p.m * p.c_row > std::ptrdiff_t(large_result / sizeof(T));
}

/// Tiles in blocks of task_tiles at most, of which each makes a task with each of `groups` of panels: as many tasks for
/// one thread as for another, where they are few.
inline even_parts tile_blocks(std::ptrdiff_t tiles, std::ptrdiff_t groups, std::ptrdiff_t threads) {
  std::ptrdiff_t blocks = parts_for(tiles, task_tiles);
  if (blocks < tiles && blocks * groups < 8 * threads) {
    std::ptrdiff_t const step = threads / std::gcd(threads, groups);
    blocks = std::min(tiles, (blocks + step - 1) / step * step);
  }
  return {tiles, blocks};
}

/// The tiles of some panels with some tiles of rows.
template <backend B, class T>
struct gemm_task {
  gemm_kernel<T> const* kernel;
  gemm_panels<T> b;
  std::ptrdiff_t loose_column;  ///< from one column to the next, of panels that tasks must pack themselves; else 0
  T const* a;                   ///< multiplied by alpha; packed tile after tile, or as it was, from a_first on
  std::ptrdiff_t a_first;       ///< the row
  std::ptrdiff_t a_step;        ///< from one k to the next of what is not packed; else 0
  std::ptrdiff_t a_row;         ///< and from one row to the next
  std::ptrdiff_t k;
  std::ptrdiff_t depth;  ///< of k at a time
  even_parts tiles;
  std::ptrdiff_t group_panels;  ///< in each group of them but the last
  std::ptrdiff_t groups;
  even_parts blocks;  ///< of tiles
  T* c;
  std::ptrdiff_t c_row;
  T const* from;
  std::ptrdiff_t from_row;
  T beta;
  T const* more;  ///< nullptr: nothing, or not yet, as more of k is to come
  std::ptrdiff_t more_row;
  bool backwards;    ///< the last panel first
  bool is_large;     ///< c, for the second level of cache
  bool shares_rows;  ///< of c, which stays in the caches: other threads write beside a task's columns

  /// Of all of p, by so many threads. Each member is written where it stays, from registers: what was just written by
  /// halves and is copied as a whole waits for all that was written before, which took 4 to 12 % of a product of one
  /// panel. Nor is this an aggregate: of one so large GCC clears the memory first.
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
        // Where tasks pack panels of b, more blocks would pack the same.
        blocks(tile_blocks(tiles.count, groups, loose == 0 ? threads : 1)),
        c(p.c),
        c_row(p.c_row),
        from(p.from == nullptr ? p.c : p.from),
        from_row(p.from == nullptr ? p.c_row : p.from_row),
        beta(p.beta),
        more(p.more),
        more_row(p.more_row),
        // Each thread keeps to its part of b, so turning round is for one thread.
        backwards(turns && threads == 1),
        is_large(has_large_result(p)),
        shares_rows(threads > 1 && !is_large) {}

  /// A task of few rows takes less than a microsecond, and a division five nanoseconds: what all tasks need is divided
  /// before them.
  void operator()(std::ptrdiff_t task) const {
    std::ptrdiff_t const block = blocks.count == 1 ? 0 : task / groups;
    std::ptrdiff_t const group = task - block * groups;
    multiply(block, group, group + 1);
  }

  /// A block of tiles with the groups `first_group` to `last_group`, excluded.
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
  // Tiles `first` to `last`, excluded: the rows of the first, and what they have in common, whatever panel they meet.
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
      // The tiles over a block share the fetching of the next.
      std::ptrdiff_t const line = of.loose_column != 0 ? 0 : of.b.row * std::ptrdiff_t(sizeof(T));
      t.ahead_step = last - first == 1 ? line : line / (last - first);
    }
  };

  // How many panels a task of several threads has.
  std::ptrdiff_t shared_panels(gemm_kernel<T> const& of, gemm_problem<T> const& p, std::ptrdiff_t threads) const {
    std::ptrdiff_t const work = tiles.count == 1 ? run_work : task_work;
    std::ptrdiff_t const most = parts_for(b.count, threads);
    std::ptrdiff_t panels = std::max<std::ptrdiff_t>(task_panels, of.wide_panels[std::size_t(tiles.size(0))]);
    while (2 * panels <= most && panels * of.width * p.m * p.k < work) panels *= 2;
    return panels;
  }

  // Not inlined, as GCC would four times: then all that a task begins with takes longer, too.
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
      multiply_tiles(of, first, kernel->tiles[std::size_t(together)].data(),
                     is_large && first == 0 ? (next_panel - panel) * width : 0);
    }
  }

  // A block of k, which begins with `first`, of all tiles. What they write soon, `next` columns from c, is fetched.
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

  // What this thread is about to write of c, while nothing waits for it. The processor goes on by itself to the right
  // of each row, to lines that another thread writes, and takes them away from it: to fetch one back takes it as long
  // as a message between the two.
  void claim(tile_run const& of, std::ptrdiff_t first, std::ptrdiff_t last) const {
    constexpr auto line = std::ptrdiff_t(64 / sizeof(T));
    for (std::ptrdiff_t i = tiles.first(of.first); i != tiles.first(of.last); ++i)
      for (std::ptrdiff_t j = first; j < last; j += line) prefetch_to_write(c + i * c_row + j);
  }

  // What is added to a tile at its end, and what the next panels write of c: if it is in no cache by then, each load
  // and store waits for memory, which for large c and small k takes a third of the time.
  static void fetch(T const* from, std::ptrdiff_t from_row, std::ptrdiff_t rows, std::ptrdiff_t columns) {
    constexpr auto line = std::ptrdiff_t(64 / sizeof(T));
    for (std::ptrdiff_t i = 0; i != rows; ++i, from += from_row)
      for (std::ptrdiff_t j = 0; j < columns; j += line) __builtin_prefetch(from + j, 0, 2);
  }
};

/// Whether tiles read a better packed than as it is: few rows need no packing, nor do those of tiles that can read them
/// where they are, unless more than 64 panels of b repay it, or 16 if rows are multiples of 4 KB apart and share sets
/// of the caches.
///
/// If a is transposed and a tile's rows take most of a line of memory, packing gains little, which few panels of b do
/// not repay; of lower tiles several would fetch the same line. But where the lines of a tile are multiples of 2 KB
/// apart, they share so few sets of the caches that they drive each other out before the next panel, which halves the
/// speed.
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

/// Multiplies with panels of b, which are where gemm_panels and gemm_task say by these names, for packed_depth of k at
/// most.
/// Rows of a are packed, if `packs`, by each task that multiplies them, even if several do: what another thread has
/// written last takes longer to fetch than to pack.
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
    // A thread's parts follow each other: the same panels with all rows, of which blocks may have more or fewer.
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

/// Elements of b when packed whole.
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

/// With all of b packed at `packed`; p.b is not looked at.
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
    multiply_panels<B>(kernel, part, packed + first * width, width, panel, 0, packs, backwards);
    part.a += part.k * part.a_column;
    part.beta = T(1);
    part.from = nullptr;
  }
}

/// For few rows, b transposed and not packed: each task has some columns of all rows.
template <backend B, class T>
void multiply_transposed(gemm_kernel<T> const& kernel, gemm_problem<T> const& p) {
  transposed_kernel<T> const& by = kernel.transposed;
  std::ptrdiff_t const columns = transposed_panels * kernel.width;
  even_parts const tiles = row_tiles(p.m, transposed_kernel<T>::most_rows);
  // Rows of b that are multiples of 4 KB apart conflict in one set of L1.
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

/// The whole multiplication, onto c.
template <backend B, class T>
void multiply(gemm_kernel<T> const& kernel, gemm_problem<T> p) {
  if (without_product(p)) return;
  if (p.b_row == 1 && p.a_column == 1 && p.alpha == T(1) && p.m <= transposed_rows)
    return multiply_transposed<B>(kernel, p);
  std::ptrdiff_t const width = kernel.width;
  std::ptrdiff_t const n = p.n;
  std::ptrdiff_t const k = p.k;
  bool const in_place = p.b_column == 1 && p.m <= kernel.rows && n >= width;
  std::ptrdiff_t const in_place_columns = in_place ? n - n % width : 0;
  std::ptrdiff_t const most = std::min(n - in_place_columns, packed_columns);
  bool const packs = packs_rows(kernel, p);
  // Where one task has all rows, what it packs of b is for itself and need not leave its cache.
  bool const packs_in_tasks = p.m <= kernel.rows * task_tiles;
  gemm_scratch<B, T> b_scratch(packs_in_tasks ? 0 : packed_size(kernel, std::min(k, packed_depth), most));
  for (std::ptrdiff_t first = 0; first < k; first += packed_depth) {
    p.k = std::min(packed_depth, k - first);
    gemm_problem<T> part = p;
    if (in_place_columns != 0) {
      part.n = in_place_columns;
      multiply_panels<B>(kernel, part, p.b, p.b_row, width, 0, packs, false);
    }
    for (std::ptrdiff_t column = in_place_columns; column < n; column += packed_columns) {
      part.n = std::min(packed_columns, n - column);
      part.b = p.b + column * p.b_column;
      part.c = p.c + column;
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
