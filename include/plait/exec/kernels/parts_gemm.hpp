// Multiplies float matrices by their parts (float_parts.hpp), with matrix tiles: those of amx.hpp, or others with the
// same members.
//
// A sum runs over k in blocks whose bounds follow from k alone. An element depends on its row of a and its column of b,
// not on other rows and columns, nor on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <plait/exec/backend.hpp>
#include <plait/exec/kernels/float_parts.hpp>
#include <plait/exec/kernels/gemm_problem.hpp>
#include <plait/exec/kernels/instruction_sets.hpp>

namespace plait::detail {

/// How much of k is summed before c is written: so much of a strip, twice, leaves room in the second level of cache.
inline constexpr std::ptrdiff_t parts_depth = 1024;
/// What a task packs of a, in units of 32 bits.
inline constexpr std::ptrdiff_t task_units = std::ptrdiff_t{3} << 16;
/// Multiplications below which threads are not woken up.
inline constexpr std::ptrdiff_t parallel_parts = 1 << 19;
/// Columns of b that are packed at once where they are not packed beforehand.
inline constexpr std::ptrdiff_t parts_columns = 2048;

/// Right strips of p.b, one after the other. p.b has p.k by p.n elements.
template <backend B>
void pack_right_strips(gemm_problem<float> const& p, std::uint32_t* to) {
  std::ptrdiff_t const units = strip_units(p.k);
  for_each_task<B>(strip_count(p.n), p.k * p.n >= std::ptrdiff_t{1} << 16, [&p, to, units](std::ptrdiff_t strip) {
    std::ptrdiff_t const first = strip * strip_side;
    strip_source const from{p.b + first * p.b_column, std::min(strip_side, p.n - first), p.b_column, p.b_row, p.k};
    vectorized(pack_strip<gemm_side::right>{&from, to + strip * units});
  });
}

/// Makes rows and columns of a block's sums once more that have infinite numbers, of which tiles make NaN: number by
/// number.
struct add_infinite {
  std::uint32_t const* a;
  std::uint32_t const* b;
  std::ptrdiff_t steps;
  std::ptrdiff_t row_count;  ///< that there are
  std::uint32_t rows;        ///< which, a bit for each
  std::uint32_t columns;     ///< and in other rows these
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

/// c = (sums * row_scales * column_scales + beta * from) + more
struct write_block {
  float const* sums;
  float const* row_scales;
  float const* column_scales;
  std::ptrdiff_t rows, columns;
  float beta;
  float const* from;
  std::ptrdiff_t from_row;
  float const* more;
  std::ptrdiff_t more_row;
  float* c;
  std::ptrdiff_t c_row;

  PLAIT_ALWAYS_INLINE void operator()() const {
    if (beta == 0)
      write_all([](float sum, float) { return sum; });
    else if (beta == 1)
      write_all([](float sum, float kept) { return sum + kept; });
    else
      write_all([times = beta](float sum, float kept) { return std::fma(times, kept, sum); });
  }

 private:
  template <class Join>
  PLAIT_ALWAYS_INLINE void write_all(Join const& join) const {
    if (more == nullptr)
      write_rows(join, [](float sum, float) { return sum; });
    else
      write_rows(join, [](float sum, float added) { return sum + added; });
  }
  template <class Join, class Add>
  PLAIT_ALWAYS_INLINE void write_rows(Join const& join, Add const& add) const {
    std::ptrdiff_t const whole = columns - columns % tile_side;
    for (std::ptrdiff_t i = 0; i != rows; ++i) {
      for (std::ptrdiff_t j = 0; j != whole; j += tile_side) write<tile_side>(i, j, join, add);
      for (std::ptrdiff_t j = whole; j != columns; ++j) write<1>(i, j, join, add);
    }
  }
  // What is not there is not read: its place is that of the sums.
  template <int Count, class Join, class Add>
  PLAIT_ALWAYS_INLINE void write(std::ptrdiff_t i, std::ptrdiff_t j, Join const& join, Add const& add) const {
    float const row_scale = row_scales[i];
    float const* const of = sums + i * strip_side + j;
    float const* const scales = column_scales + j;
    float const* const kept = beta == 0 ? of : from + i * from_row + j;
    float const* const added = more == nullptr ? of : more + i * more_row + j;
    float* const to = c + i * c_row + j;
    PLAIT_VECTOR_LOOP
    for (int l = 0; l < Count; ++l) to[l] = add(join(of[l] * (row_scale * scales[l]), kept[l]), added[l]);
  }
};

inline void fetch_rows(float const* from, std::ptrdiff_t apart, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  for (std::ptrdiff_t i = 0; i != rows; ++i, from += apart) {
    __builtin_prefetch(from, 0, 3);
    if (columns > tile_side) __builtin_prefetch(from + tile_side, 0, 3);
  }
}

/// Some steps of right strips.
struct right_strips {
  std::uint32_t const* data;
  std::uint32_t const* notes;
  std::ptrdiff_t apart;
};

/// Whether a thread keeps so many floats, or their parts, in its own cache from one product to the next.
constexpr bool stays_in_cache(std::ptrdiff_t floats) { return floats <= std::ptrdiff_t(own_cache / sizeof(float)); }

/// What to fetch while a right strip of so many steps is multiplied by the left one of that number, of so many. The
/// strip that is next to come, if there is one, comes with all of them, a part each; a single one leaves no time for
/// that, but for two steps.
inline cache_lines lines_ahead(std::uint32_t const* strip, std::uint32_t const* next, std::ptrdiff_t steps,
                               std::ptrdiff_t left, std::ptrdiff_t left_count) {
  constexpr std::ptrdiff_t parts = 6;                               // of a step
  constexpr std::ptrdiff_t lines = step_units / parts / tile_side;  // in each of them
  if (left_count == 1) return {strip + 2 * step_units, lines};
  std::ptrdiff_t const share = (lines + left_count - 1) / left_count;
  if (next == nullptr || left * share >= lines) return {};
  return {next + left * share * parts * steps * tile_side, share};
}

/// c of p for p.k of k, which are those of `right`.
template <class Tiles, backend B>
void multiply_strips(gemm_problem<float> const& p, right_strips const& right, bool backwards) {
  std::ptrdiff_t const steps = strip_steps(p.k);
  std::ptrdiff_t const left_units = strip_units(p.k);
  bool const parallel = p.m * p.n * p.k >= parallel_parts;
  std::ptrdiff_t const threads = parallel ? std::ptrdiff_t(B::concurrency()) : 1;
  std::ptrdiff_t const rights = strip_count(p.n);
  std::ptrdiff_t const lefts = strip_count(p.m);
  even_parts const blocks(lefts, (lefts * left_units + task_units - 1) / task_units);
  even_parts const shares(rights, blocks.count >= 4 * threads ? 1 : std::min(rights, threads));
  bool const right_stays = stays_in_cache(p.n * p.k);
  bool const c_stays = stays_in_cache(p.m * p.n);
  float const* const from = p.from == nullptr ? p.c : p.from;
  std::ptrdiff_t const from_row = p.from == nullptr ? p.c_row : p.from_row;
  for_each_task<B>(blocks.count * shares.count, parallel, [=, &p, &right](std::ptrdiff_t task) {
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
    alignas(64) float sums[strip_side * strip_side];
    for (std::ptrdiff_t n = 0; n != right_count; ++n) {
      std::ptrdiff_t const strip = first_right + (backwards ? right_count - 1 - n : n);
      std::ptrdiff_t const column = strip * strip_side;
      std::uint32_t const* const b = right.data + strip * right.apart;
      std::uint32_t const* const next = n + 1 == right_count ? nullptr : b + (backwards ? -right.apart : right.apart);
      for (std::ptrdiff_t left = 0; left != left_count; ++left) {
        std::uint32_t const* const a = packed.data() + left * left_units;
        std::ptrdiff_t const row = (first_left + left) * strip_side;
        std::ptrdiff_t const rows = std::min(strip_side, p.m - row);
        strip_notes const& of_rows = notes_of(a, p.k);
        auto const& of_columns = *reinterpret_cast<strip_notes const*>(right.notes + strip * right.apart);
        std::ptrdiff_t const columns = std::min(strip_side, p.n - column);
        // Sums are read from where tiles have stored them, in order behind what is stored before: lines of c that are
        // in no cache by then hold up the next tiles. Those that are in the second level come soon enough.
        if (!c_stays) {
          fetch_rows(p.c + row * p.c_row + column, p.c_row, rows, columns);
          if (p.more != nullptr) fetch_rows(p.more + row * p.more_row + column, p.more_row, rows, columns);
        }
        cache_lines const ahead = right_stays ? cache_lines() : lines_ahead(b, next, steps, left, left_count);
        tiles.multiply(a, b, steps, rows <= tile_side, sums, ahead);
        if ((of_rows.infinite | of_columns.infinite) != 0)
          vectorized(add_infinite{a, b, steps, rows, of_rows.infinite, of_columns.infinite, sums});
        vectorized(write_block{sums, of_rows.scales, of_columns.scales, rows, columns, p.beta,
                               from + row * from_row + column, from_row,
                               p.more == nullptr ? nullptr : p.more + row * p.more_row + column, p.more_row,
                               p.c + row * p.c_row + column, p.c_row});
      }
    }
  });
}

/// With all of b packed in right strips; p.b is not looked at.
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
}

/// The whole multiplication, onto c.
template <class Tiles, backend B>
void multiply_by_parts(gemm_problem<float> const& whole) {
  if (without_product(whole)) return;
  gemm_problem<float> p = whole;
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
}

}  // namespace plait::detail
