// bf16x3 GEMM: multiplies float matrices as split products (bf16x3_split.hpp) with AMX tiles (amx.hpp), or tiles with
// the same members.
//
// A sum runs over k in blocks whose bounds follow from k alone. An element depends on its row of a and its column of b,
// not on other rows and columns, nor on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/bf16x3_split.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/spinning_pool.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

/// Elements of k that are summed before c is written: two strips of this depth leave room in L2.
inline constexpr std::ptrdiff_t parts_depth = 1024;
/// Size of the rows of a that a task packs, in units of 32 bits.
inline constexpr std::ptrdiff_t task_units = std::ptrdiff_t{3} << 16;
/// Minimum multiplications for which threads are woken up.
inline constexpr std::ptrdiff_t parallel_parts = 1 << 19;
/// Columns of b that are packed at once if b is not pre-packed.
inline constexpr std::ptrdiff_t parts_columns = 2048;

/// Packs p.b, of p.k by p.n elements, into consecutive right strips.
template <backend B>
void pack_right_strips(gemm_problem<float> const& p, std::uint32_t* to) {
  std::ptrdiff_t const units = strip_units(p.k);
  for_each_task<B>(strip_count(p.n), p.k * p.n >= std::ptrdiff_t{1} << 16, [&p, to, units](std::ptrdiff_t strip) {
    std::ptrdiff_t const first = strip * strip_side;
    strip_source const from{p.b + first * p.b_column, std::min(strip_side, p.n - first), p.b_column, p.b_row, p.k};
    vectorized(pack_strip<gemm_side::right>{&from, to + strip * units});
  });
}

/// Recomputes, element by element, the rows and columns of a block's sums that have infinite numbers, for which tiles
/// yield NaN.
struct add_infinite {
  std::uint32_t const* a;
  std::uint32_t const* b;
  std::ptrdiff_t steps;
  std::ptrdiff_t row_count;  ///< rows of the block
  std::uint32_t rows;        ///< bits of the rows to recompute
  std::uint32_t columns;     ///< bits of the columns to recompute in other rows
  float* sums;

  PLAIT_ALWAYS_INLINE void operator()() const {
    float block[strip_side * strip_side] = {};
    float right[tile_depth * strip_side];
    for (std::ptrdiff_t k = 0; k != steps * tile_depth; k += tile_depth) {
      for (std::ptrdiff_t l = 0; l != tile_depth; ++l)
        for (std::ptrdiff_t j = 0; j != strip_side; ++j)
          right[l * strip_side + j] = joined_parts<gemm_side::right>(b, j, k + l);
      for (std::ptrdiff_t i = 0; i != row_count; ++i) {
        if (columns == 0 && (rows >> i & 1) == 0) continue;
        for (std::ptrdiff_t l = 0; l != tile_depth; ++l) {
          float const left = joined_parts<gemm_side::left>(a, i, k + l);
          PLAIT_INDEPENDENT
          for (std::ptrdiff_t j = 0; j < strip_side; ++j) block[i * strip_side + j] += left * right[l * strip_side + j];
        }
      }
    }
    for (std::ptrdiff_t i = 0; i != row_count; ++i)
      for (std::ptrdiff_t j = 0; j != strip_side; ++j)
        if ((rows >> i & 1) != 0 || (columns >> j & 1) != 0) sums[i * strip_side + j] = block[i * strip_side + j];
  }
};

/// Prefetch plan while strips are multiplied: `count` lines of 64 bytes in each sixth of a step.
struct cache_lines {
  std::uint32_t const* from = nullptr;
  std::ptrdiff_t count = 0;

  PLAIT_ALWAYS_INLINE void fetch() {
    for (std::ptrdiff_t i = 0; i != count; ++i, from += tile_side) __builtin_prefetch(from, 0, 3);
  }
};

/// Neutral element of addition, -0, which keeps zeros of both signs.
alignas(64) inline constexpr auto nothing_added = [] {
  std::array<float, strip_side> made{};
  made.fill(-0.0f);
  return made;
}();

/// Writes a block, row by row: c = (sums * row_scales * column_scales + beta * from) + more.
struct block_writer {
  float const* sums = nullptr;
  float const* row_scales = nullptr;
  float const* column_scales = nullptr;
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t columns = 0;
  float beta = 1;
  float const* from = nothing_added.data();
  std::ptrdiff_t from_row = 0;
  float const* more = nothing_added.data();
  std::ptrdiff_t more_row = 0;
  float* c = nullptr;
  std::ptrdiff_t c_row = 0;
  std::ptrdiff_t next = 0;  ///< row

  std::ptrdiff_t rows_left() const { return rows - next; }

  /// Writes up to `count` of the rows left; Whole: the block has as many columns as a strip.
  template <bool Whole>
  PLAIT_ALWAYS_INLINE void write(std::ptrdiff_t count) {
    for (; count > 0 && next != rows; --count, ++next) {
      std::ptrdiff_t const last = Whole ? strip_side : columns;
      std::ptrdiff_t j = 0;
      for (; j + tile_side <= last; j += tile_side) write_columns<tile_side>(j);
      for (; j < last; ++j) write_columns<1>(j);
    }
  }

 private:
  template <int Count>
  PLAIT_ALWAYS_INLINE void write_columns(std::ptrdiff_t j) const {
    float const row_scale = row_scales[next];
    float const times = beta;
    float const* const of = sums + next * strip_side + j;
    float const* const scales = column_scales + j;
    float const* const kept = from + next * from_row + j;
    float const* const added = more + next * more_row + j;
    float* const to = c + next * c_row + j;
    // Multiplies by the product of both scales unless it overflows, since sums times one scale alone may overflow.
    PLAIT_VECTOR_LOOP
    for (int l = 0; l < Count; ++l) {
      float const scale = row_scale * scales[l];
      float const at_once = of[l] * scale;
      float const by_turns = of[l] * row_scale * scales[l];
      float const sum = scale > std::numeric_limits<float>::max() ? by_turns : at_once;
      to[l] = std::fma(times, kept[l], sum) + added[l];
    }
  }
};

/// Work interleaved with tile products, during which other execution units are idle: prefetches lines, and writes the
/// previous block.
class side_work {
 public:
  /// Spreads the work over `steps` steps. Does not write a block with fewer columns than a strip.
  side_work(cache_lines ahead, block_writer& block, std::ptrdiff_t steps)
      : ahead_(ahead),
        block_(block),
        rows_(block.columns == strip_side ? (block.rows_left() + 4 * steps - 1) / (4 * steps) : 0) {}

  PLAIT_ALWAYS_INLINE void fetch() { ahead_.fetch(); }
  /// Called at least four times a step.
  PLAIT_ALWAYS_INLINE void write() { block_.write<true>(rows_); }

 private:
  cache_lines ahead_;
  block_writer& block_;
  std::ptrdiff_t rows_;  ///< per call
};

struct rest_of_block {
  block_writer* block;
  PLAIT_ALWAYS_INLINE void operator()() const { block->write<false>(block->rows_left()); }
};
inline void finish(block_writer& block) {
  if (block.rows_left() != 0) vectorized(rest_of_block{&block});
}

inline void fetch_rows(float const* from, std::ptrdiff_t apart, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  for (std::ptrdiff_t i = 0; i != rows; ++i, from += apart) {
    __builtin_prefetch(from, 0, 3);
    if (columns > tile_side) __builtin_prefetch(from + tile_side, 0, 3);
  }
}

/// Range of steps of right strips.
struct right_strips {
  std::uint32_t const* data;
  std::uint32_t const* notes;
  std::ptrdiff_t apart;
};

/// Returns true if so many floats, or their components, stay in a thread's own cache between products.
constexpr bool stays_in_cache(std::ptrdiff_t floats) { return floats <= std::ptrdiff_t(own_cache / sizeof(float)); }

/// Returns the lines to prefetch while a right strip of `steps` steps is multiplied with left strip `left` of
/// `left_count`. All left strips together prefetch the next right strip, if there is one; a single one leaves no time
/// for that, and prefetches two steps ahead.
inline cache_lines lines_ahead(std::uint32_t const* strip, std::uint32_t const* next, std::ptrdiff_t steps,
                               std::ptrdiff_t left, std::ptrdiff_t left_count) {
  constexpr std::ptrdiff_t parts = 6;                               // of a step
  constexpr std::ptrdiff_t lines = step_units / parts / tile_side;  // in each of them
  if (left_count == 1) return {strip + 2 * step_units, lines};
  std::ptrdiff_t const share = (lines + left_count - 1) / left_count;
  if (next == nullptr || left * share >= lines) return {};
  return {next + left * share * parts * steps * tile_side, share};
}

/// Computes c of p for the p.k elements of k that `right` has.
template <class Tiles, backend B>
void multiply_strips(gemm_problem<float> const& p, right_strips const& right, bool backwards) {
  std::ptrdiff_t const steps = strip_steps(p.k);
  std::ptrdiff_t const left_units = strip_units(p.k);
  bool const parallel = p.m * p.n * p.k >= parallel_parts;
  std::ptrdiff_t const threads = parallel ? std::ptrdiff_t(threads_here<B>()) : 1;
  std::ptrdiff_t const rights = strip_count(p.n);
  std::ptrdiff_t const lefts = strip_count(p.m);
  std::ptrdiff_t const fitting = (lefts * left_units + task_units - 1) / task_units;
  // With few rows, each thread packs all of them and keeps its own strips of b. With many, each packs its own, in
  // blocks that use a strip of b often enough to prefetch the next.
  bool const many_rows = threads > 1 && lefts >= 4 * threads;
  even_parts const blocks(lefts, many_rows ? std::max(fitting, std::min(lefts / 4, 4 * threads)) : fitting);
  even_parts const shares(rights, many_rows ? 1 : std::min(rights, threads));
  bool const right_stays = stays_in_cache(p.n * p.k);
  bool const c_stays = stays_in_cache(p.m * p.n);
  float const* const from = p.from == nullptr ? p.c : p.from;
  std::ptrdiff_t const from_row = p.from == nullptr ? p.c_row : p.from_row;
  auto const run_task = [=, &p, &right](std::ptrdiff_t task) {
    std::ptrdiff_t const first_left = blocks.first(task / shares.count);
    std::ptrdiff_t const left_count = blocks.size(task / shares.count);
    std::ptrdiff_t const first_right = shares.first(task % shares.count);
    std::ptrdiff_t const right_count = shares.size(task % shares.count);
    gemm_scratch<B, std::uint32_t, 65536> packed(left_count * left_units);
    for (std::ptrdiff_t left = 0; left != left_count; ++left) {
      std::ptrdiff_t const row = (first_left + left) * strip_side;
      strip_source const source{
          p.a + row * p.a_row, std::min(strip_side, p.m - row), p.a_row, p.a_column, p.k, p.alpha};
      vectorized(pack_strip<gemm_side::left>{&source, packed.data() + left * left_units});
    }
    Tiles const tiles(left_count == 1 ? p.m - first_left * strip_side : strip_side);
    alignas(64) float sums[2][strip_side * strip_side];
    block_writer block;
    int turn = 0;
    for (std::ptrdiff_t n = 0; n != right_count; ++n) {
      std::ptrdiff_t const strip = first_right + (backwards ? right_count - 1 - n : n);
      std::ptrdiff_t const column = strip * strip_side;
      std::uint32_t const* const b = right.data + strip * right.apart;
      std::uint32_t const* const next = n + 1 == right_count ? nullptr : b + (backwards ? -right.apart : right.apart);
      for (std::ptrdiff_t left = 0; left != left_count; ++left, turn ^= 1) {
        std::uint32_t const* const a = packed.data() + left * left_units;
        std::ptrdiff_t const row = (first_left + left) * strip_side;
        std::ptrdiff_t const rows = std::min(strip_side, p.m - row);
        strip_notes const& of_rows = notes_of(a, p.k);
        auto const& of_columns = *reinterpret_cast<strip_notes const*>(right.notes + strip * right.apart);
        std::ptrdiff_t const columns = std::min(strip_side, p.n - column);
        // Lines that arrive late delay the stores behind them; lines in L2 arrive in time.
        if (!c_stays) {
          fetch_rows(p.c + row * p.c_row + column, p.c_row, rows, columns);
          if (p.more != nullptr) fetch_rows(p.more + row * p.more_row + column, p.more_row, rows, columns);
        }
        side_work aside(right_stays ? cache_lines() : lines_ahead(b, next, steps, left, left_count), block, steps);
        tiles.multiply(a, b, steps, rows <= tile_side, sums[turn], aside);
        finish(block);
        if ((of_rows.infinite | of_columns.infinite) != 0)
          vectorized(add_infinite{a, b, steps, rows, of_rows.infinite, of_columns.infinite, sums[turn]});
        block = {sums[turn], of_rows.scales, of_columns.scales, rows, columns};
        block.c = p.c + row * p.c_row + column;
        block.c_row = p.c_row;
        if (p.beta != 0) {
          block.beta = p.beta;
          block.from = from + row * from_row + column;
          block.from_row = from_row;
        }
        if (p.more != nullptr) {
          block.more = p.more + row * p.more_row + column;
          block.more_row = p.more_row;
        }
      }
    }
    finish(block);
  };
  if (many_rows)
    share_tasks<B>(blocks.count, run_task);
  else
    for_each_task<B>(blocks.count * shares.count, parallel, run_task);
}

/// Multiplies with all of b packed in right strips; whole.b is not read.
template <class Tiles, backend B>
void multiply_packed_strips(gemm_problem<float> const& whole, std::uint32_t const* right, bool backwards) {
  if (without_product(whole)) return;
  gemm_problem<float> p = whole;
  std::ptrdiff_t const k = p.k;
  std::ptrdiff_t const units = strip_units(k);
  float const* const more = p.more;
  even_parts const blocks(strip_steps(k), (k + parts_depth - 1) / parts_depth);
  for (std::ptrdiff_t i = 0; i != blocks.count; ++i) {
    std::ptrdiff_t const first = blocks.first(i) * tile_depth;
    p.k = std::min(blocks.size(i) * tile_depth, k - first);
    p.more = first + p.k == k ? more : nullptr;
    multiply_strips<Tiles, B>(p, {right + blocks.first(i) * step_units, right + strip_steps(k) * step_units, units},
                              backwards);
    p.a += p.k * p.a_column;
    p.beta = 1;
    p.from = nullptr;
  }
  p = whole;
  p.more = nullptr;
  finish_rows(p);
}

/// Computes the whole product.
template <class Tiles, backend B>
void multiply_by_parts(gemm_problem<float> const& whole) {
  if (without_product(whole)) return;
  gemm_problem<float> p = whole;
  p.more = nullptr;
  p.relu = false;
  std::ptrdiff_t const n = p.n;
  std::ptrdiff_t const k = p.k;
  even_parts const blocks(strip_steps(k), (k + parts_depth - 1) / parts_depth);
  std::ptrdiff_t const most = std::min(parts_depth, k);
  gemm_scratch<B, std::uint32_t> right(strip_count(std::min(n, parts_columns)) * strip_units(most));
  for (std::ptrdiff_t i = 0; i != blocks.count; ++i) {
    p.k = std::min(blocks.size(i) * tile_depth, k - blocks.first(i) * tile_depth);
    gemm_problem<float> part = p;
    for (std::ptrdiff_t column = 0; column < n; column += parts_columns) {
      part.n = std::min(parts_columns, n - column);
      part.b = p.b + column * p.b_column;
      part.c = p.c + column;
      pack_right_strips<B>(part, right.data());
      multiply_packed_strips<Tiles, B>(part, right.data(), false);
    }
    p.a += p.k * p.a_column;
    p.b += p.k * p.b_row;
    p.beta = 1;
  }
  finish_rows(whole);
}

}  // namespace plait::detail

PLAIT_KERNELS_END
