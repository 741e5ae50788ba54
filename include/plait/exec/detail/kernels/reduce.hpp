// Reductions (sum, maximum, minimum) along one axis: row-wise, over contiguous elements, and column-wise.
//
// The order of additions depends on the extents only, not on the number of threads: rows are reduced in blocks, in the
// order of reduce_row.hpp.
#pragma once

#include <algorithm>
#include <cstddef>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/reduce_row.hpp>
#include <plait/exec/detail/kernels/thread_team.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Reduces a block of a row or, if `blocks` is 1, a whole row, which then has partial results if it exceeds a block.
template <class R, class T, class F>
struct row_reduction {
  std::size_t n;
  std::size_t blocks;
  F element;
  T* out;
  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const row = blocks == 1 ? task : task / blocks;
    std::size_t const first = (task - row * blocks) * reduction_block;
    std::size_t const count = blocks == 1 || n - first < reduction_block ? n - first : reduction_block;
    auto const at = element;  // a local copy: otherwise captures are reloaded after each write
    out[task] = reduce_team_row<R, T>(count, [row, first, at](std::size_t i) { return at(row, first + i); });
  }
};

template <class T, class Map>
struct mapped_rows {
  T const* x;
  std::size_t n;
  Map map;
  PLAIT_HOST_DEVICE T operator()(std::size_t row, std::size_t i) const { return map(x[row * n + i]); }
};

constexpr std::size_t reduction_blocks(std::size_t n) {
  return n <= reduction_block ? 1 : (n + reduction_block - 1) / reduction_block;
}

// Columns and rows of a task.
inline constexpr std::size_t strip_width = 512;
constexpr std::size_t strip_rows(std::size_t inner) {
  return std::max<std::size_t>(512, tile_size / std::max<std::size_t>(1, inner));
}
constexpr std::size_t column_chunks(std::size_t n, std::size_t inner) {
  return n == 0 ? 1 : (n + strip_rows(inner) - 1) / strip_rows(inner);
}

// Reduces a chunk of `rows` rows of [outer, n, inner], for a strip of the columns.
template <class R, class T, class Map>
struct column_reduction {
  T const* x;
  std::size_t n;
  std::size_t inner;
  std::size_t rows;
  std::size_t chunks;
  std::size_t strips;
  Map map;
  T* out;

  // Host: reads rows four at a time; joins narrow rows to wider ones, whose segments are folded at the end.
  PLAIT_ALWAYS_INLINE void operator()(std::size_t task) const {
    std::size_t const strip = task % strips;
    std::size_t const chunk = task / strips % chunks;
    std::size_t const outer = task / strips / chunks;
    std::size_t const count = std::min(rows, n - chunk * rows);
    std::size_t const columns = std::min(strip_width, inner - strip * strip_width);
    std::size_t group = strips != 1 ? 1 : std::max<std::size_t>(1, std::min(count, strip_width / inner));
    std::size_t const wide = columns * group;
    std::size_t const step = inner * group;
    T const* from = count == 0 ? x : x + (outer * n + chunk * rows) * inner + strip * strip_width;
    auto const f = map;
    T sums[strip_width];
    for (std::size_t c = 0; c < wide; ++c) sums[c] = R::template identity<T>();
    std::size_t left = count / group;
    for (; left >= 4; left -= 4, from += 4 * step) {
      T const* const b = from + step;
      T const* const d = b + step;
      T const* const e = d + step;
      PLAIT_INDEPENDENT
      for (std::size_t c = 0; c < wide; ++c)
        sums[c] = R::combine(sums[c], R::combine(R::combine(f(from[c]), f(b[c])), R::combine(f(d[c]), f(e[c]))));
    }
    for (; left != 0; --left, from += step) {
      PLAIT_INDEPENDENT
      for (std::size_t c = 0; c < wide; ++c) sums[c] = R::combine(sums[c], f(from[c]));
    }
    std::size_t const rest = count % group * inner;
    PLAIT_INDEPENDENT
    for (std::size_t c = 0; c < rest; ++c) sums[c] = R::combine(sums[c], f(from[c]));
    for (; group > 1; group -= group / 2) {
      T const* const upper = sums + (group - group / 2) * columns;
      std::size_t const folded = group / 2 * columns;
      PLAIT_INDEPENDENT
      for (std::size_t c = 0; c < folded; ++c) sums[c] = R::combine(sums[c], upper[c]);
    }
    T* const to = out + (outer * chunks + chunk) * inner + strip * strip_width;
    PLAIT_INDEPENDENT
    for (std::size_t c = 0; c < columns; ++c) to[c] = sums[c];
  }
};

// Device: a team reduces a few columns.
template <class R, class T, class Map>
struct device_column_reduction {
  T const* x;
  std::size_t n;
  std::size_t inner;
  std::size_t rows;
  std::size_t chunks;
  std::size_t width;  ///< columns of a team
  std::size_t teams;
  Map map;
  T* out;
  PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const column = task % teams * width;
    std::size_t const chunk = task / teams % chunks;
    std::size_t const outer = task / teams / chunks;
    std::size_t const count = rows < n - chunk * rows ? rows : n - chunk * rows;
    T const* const from = x + (outer * n + chunk * rows) * inner + column;
    T* const to = out + (outer * chunks + chunk) * inner + column;
    std::size_t const step = inner;
    auto const f = map;
    reduce_team_columns<R, T>(
        width < inner - column ? width : inner - column, count,
        [from, step, f](std::size_t row, std::size_t c) { return f(from[row * step + c]); },
        [to](std::size_t c, T const& total) { to[c] = total; });
  }
};

template <backend B, class R, class T, class Map>
void launch_columns(T const* x, std::size_t outer, std::size_t n, std::size_t inner, std::size_t rows, Map map,
                    T* out) {
  std::size_t const chunks = n == 0 ? 1 : (n + rows - 1) / rows;
  if constexpr (B::on_device) {
    std::size_t const width = team_columns(inner);
    std::size_t const teams = (inner + width - 1) / width;
    std::size_t const elements = std::min(n, rows) * width;
    for_each_team<B>(outer * chunks * teams, elements, elements,
                     device_column_reduction<R, T, Map>{x, n, inner, rows, chunks, width, teams, map, out});
  } else {
    std::size_t const strips = (inner + strip_width - 1) / strip_width;
    for_each_row<B>(outer * chunks * strips, std::min(n, rows) * std::min(inner, strip_width),
                    column_reduction<R, T, Map>{x, n, inner, rows, chunks, strips, map, out});
  }
}

}  // namespace detail

/// Returns the number of elements of T that reduce_rows needs as scratch.
constexpr std::size_t row_partials(std::size_t rows, std::size_t n) {
  return n <= reduction_block ? 0 : rows * detail::reduction_blocks(n);
}

/// Computes out[row] as the reduction of element(row, i) over i below n.
template <backend B, class R, class T, class F>
void reduce_rows(std::size_t rows, std::size_t n, F const& element, T* out, T* partials) {
  std::size_t const blocks = detail::reduction_blocks(n);
  T* const first = blocks == 1 ? out : partials;
  std::size_t const width = std::min(n, reduction_block);
  for_each_team<B>(rows * blocks, width, width, detail::row_reduction<R, T, F>{n, blocks, element, first});
  if (blocks == 1) return;
  using partial = detail::mapped_rows<T, as_it_is>;
  for_each_team<B>(rows, blocks, blocks, detail::row_reduction<R, T, partial>{blocks, 1, {partials, blocks, {}}, out});
}

/// Returns the number of elements of T that reduce_columns needs as scratch.
constexpr std::size_t column_partials(std::size_t outer, std::size_t n, std::size_t inner) {
  std::size_t const chunks = detail::column_chunks(n, inner);
  return chunks == 1 ? 0 : outer * chunks * inner;
}

/// Computes out[o * inner + c] as the reduction of map(x[(o * n + r) * inner + c]) over r below n.
template <backend B, class R, class T, class Map>
void reduce_columns(T const* x, std::size_t outer, std::size_t n, std::size_t inner, Map map, T* out, T* partials) {
  std::size_t const rows = detail::strip_rows(inner);
  std::size_t const chunks = detail::column_chunks(n, inner);
  detail::launch_columns<B, R>(x, outer, n, inner, rows, map, chunks == 1 ? out : partials);
  if (chunks != 1)
    detail::launch_columns<B, R>(static_cast<T const*>(partials), outer, chunks, inner, chunks, as_it_is{}, out);
}

}  // namespace plait

PLAIT_KERNELS_END
