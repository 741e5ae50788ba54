// Sums, maxima and minima along one axis: of rows, whose elements follow each other, and of columns.
//
// The order of additions depends on the extents only, never on the backend's threads: a row is summed in as many lanes
// as four of the widest vectors have, these are folded in pairs until one vector is left, for what is too short for
// all, and what is longer than a block is summed by block first. The error is that of some 150 additions for each level
// of blocks, not of as many as there are elements.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <plait/exec/backend.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/kernels/instruction_sets.hpp>

namespace plait {

// ---- what elements are combined by

/// Integers wrap around.
struct sum_reduction {
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T identity() {
    return T(0);
  }
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T combine(T a, T b) {
    if constexpr (std::integral<T>) {
      using bits = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<bits>(a) + static_cast<bits>(b));
    } else {
      return a + b;
    }
  }
};

/// NaN if any element is; -infinity, or the lowest integer, of nothing.
struct max_reduction {
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T identity() {
    using limits = std::numeric_limits<T>;
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  }
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T combine(T a, T b) {
    T const larger = a > b ? a : b;  // two steps, each of which is one instruction
    return a != a ? a : larger;
  }
};

/// NaN if any element is; infinity, or the highest integer, of nothing.
struct min_reduction {
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T identity() {
    using limits = std::numeric_limits<T>;
    return limits::has_infinity ? limits::infinity() : limits::max();
  }
  template <class T>
  PLAIT_HOST_DEVICE static constexpr T combine(T a, T b) {
    T const smaller = a < b ? a : b;
    return a != a ? a : smaller;
  }
};

// ---- what is combined of an element

struct as_it_is {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    return x;
  }
};
struct magnitude_of {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    if constexpr (std::integral<T>) {
      using bits = std::make_unsigned_t<T>;
      return x < 0 ? static_cast<T>(bits{0} - static_cast<bits>(x)) : x;
    } else {
      return x < T(0) ? -x : x + T(0);
    }
  }
};
struct square_of {
  template <class T>
  PLAIT_HOST_DEVICE constexpr T operator()(T x) const {
    return x * x;
  }
};

// ---- one row, in one thread

/// Elements that are summed before blocks are.
inline constexpr std::size_t reduction_block = 8192;

/// How many sums are kept of a row.
template <class T>
inline constexpr std::size_t reduction_lanes = 256 / sizeof(T);

namespace detail {

// Combines `Lanes` elements in pairs until `Left` are left. More than 16 pairs GCC does not unroll too early, and of
// fewer than four it is to make single elements.
template <class R, std::size_t Lanes, std::size_t Left, class T>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline void fold_lanes(T* lane) {
  constexpr std::size_t pairs = Lanes / 2;
  if constexpr (Lanes != Left) {
    if constexpr (pairs >= 4 && pairs <= 16) {
      PLAIT_VECTOR_LOOP
      for (std::size_t l = 0; l < pairs; ++l) lane[l] = R::combine(lane[l], lane[l + pairs]);
    } else {
      PLAIT_INDEPENDENT
      for (std::size_t l = 0; l < pairs; ++l) lane[l] = R::combine(lane[l], lane[l + pairs]);
    }
    fold_lanes<R, pairs, Left>(lane);
  }
}

// Fewer than a vector: a few at a time, so that not each waits for the one before.
template <class R, class T, class F>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline T reduce_few(std::size_t first, std::size_t last, F const& element) {
  constexpr std::size_t together = 4;
  T part[together];
  for (T& p : part) p = R::template identity<T>();
  std::size_t i = first;
  for (; i + together <= last; i += together)
    for (std::size_t l = 0; l < together; ++l) part[l] = R::combine(part[l], element(i + l));
  for (; i < last; ++i) part[0] = R::combine(part[0], element(i));
  fold_lanes<R, together, 1>(part);
  return part[0];
}

template <class R, class T, class F>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline T reduce_block(std::size_t n, F const& element) {
#if defined(__CUDA_ARCH__)
  constexpr std::size_t lanes = 4;
  constexpr std::size_t vector = 1;
#else
  constexpr std::size_t lanes = reduction_lanes<T>;
  constexpr std::size_t vector = lanes / 4;
#endif
  std::size_t i = 0;
  if (n < vector) return reduce_few<R, T>(i, n, element);
  T lane[lanes];
  if (n >= lanes) {
    PLAIT_INDEPENDENT
    for (std::size_t l = 0; l < lanes; ++l) lane[l] = R::combine(R::template identity<T>(), element(l));
    for (i = lanes; i + lanes <= n; i += lanes) {
      PLAIT_INDEPENDENT
      for (std::size_t l = 0; l < lanes; ++l) lane[l] = R::combine(lane[l], element(i + l));
    }
    fold_lanes<R, lanes, vector>(lane);
  } else {
    PLAIT_VECTOR_LOOP
    for (std::size_t l = 0; l < vector; ++l) lane[l] = R::combine(R::template identity<T>(), element(l));
    i = vector;
  }
  for (; i + vector <= n; i += vector) {
    PLAIT_VECTOR_LOOP
    for (std::size_t l = 0; l < vector; ++l) lane[l] = R::combine(lane[l], element(i + l));
  }
  T const rest = reduce_few<R, T>(i, n, element);
  fold_lanes<R, vector, 1>(lane);
  return R::combine(lane[0], rest);
}

}  // namespace detail

/// Combines element(i) for i below n. element may have effects at i, once each.
template <class R, class T, class F>
PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE inline T reduce_row(std::size_t n, F const& element) {
  if (n <= reduction_block) return detail::reduce_block<R, T>(n, element);
  T total = R::template identity<T>();
  for (std::size_t first = 0; first < n; first += reduction_block) {
    std::size_t const count = n - first < reduction_block ? n - first : reduction_block;
    total = R::combine(
        total, detail::reduce_block<R, T>(count, [&element, first](std::size_t i) { return element(first + i); }));
  }
  return total;
}

// ---- all rows, or columns

namespace detail {

// A block of a row, or all of it where there is one block: then it is a row of partial results if it is longer.
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
    auto const at = element;  // through `this` it would have to be read again after each write
    out[task] = reduce_block<R, T>(count, [row, first, at](std::size_t i) { return at(row, first + i); });
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

// Columns that one task works on at a time, and rows.
inline constexpr std::size_t strip_width = 512;
constexpr std::size_t strip_rows(std::size_t inner) {
  return std::max<std::size_t>(512, tile_size / std::max<std::size_t>(1, inner));
}
constexpr std::size_t column_chunks(std::size_t n, std::size_t inner) {
  return n == 0 ? 1 : (n + strip_rows(inner) - 1) / strip_rows(inner);
}

// Reduces `rows` rows of each chunk of [outer, n, inner], for a strip of the columns.
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

  // Host: rows are read four at a time; narrow ones are joined to wider ones, whose parts are folded at the end.
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

// Device: a thread a column, with the host's bits where that joins no rows. Narrow columns are long: there blocks of
// rows are combined by themselves, as a sum of thousands of numbers, one after the other, would be known to fewer
// digits.
template <class R, class T, class Map>
struct device_column_reduction {
  T const* x;
  std::size_t n;
  std::size_t inner;
  std::size_t rows;
  std::size_t chunks;
  Map map;
  T* out;
  PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const column = task % inner;
    std::size_t const chunk = task / inner % chunks;
    std::size_t const first = (task / inner / chunks * n + chunk * rows) * inner + column;
    std::size_t const count = rows < n - chunk * rows ? rows : n - chunk * rows;
    auto const at = [this, first](std::size_t row) { return map(x[first + row * inner]); };
    std::size_t const block = strip_width / inner > 1 ? 64 : count;
    T total = R::template identity<T>();
    for (std::size_t r = 0; r < count;) {
      std::size_t const last = count - r < block ? count : r + block;
      T part = R::template identity<T>();
      for (; r + 4 <= last; r += 4)
        part = R::combine(part, R::combine(R::combine(at(r), at(r + 1)), R::combine(at(r + 2), at(r + 3))));
      for (; r < last; ++r) part = R::combine(part, at(r));
      total = R::combine(total, part);
    }
    out[task] = total;
  }
};

template <backend B, class R, class T, class Map>
void launch_columns(T const* x, std::size_t outer, std::size_t n, std::size_t inner, std::size_t rows, Map map,
                    T* out) {
  std::size_t const chunks = n == 0 ? 1 : (n + rows - 1) / rows;
  if constexpr (B::on_device) {
    for_each_index<B>(outer * chunks * inner, device_column_reduction<R, T, Map>{x, n, inner, rows, chunks, map, out});
  } else {
    std::size_t const strips = (inner + strip_width - 1) / strip_width;
    for_each_row<B>(outer * chunks * strips, std::min(n, rows) * std::min(inner, strip_width),
                    column_reduction<R, T, Map>{x, n, inner, rows, chunks, strips, map, out});
  }
}

}  // namespace detail

/// Elements of T that reduce_rows needs besides.
constexpr std::size_t row_partials(std::size_t rows, std::size_t n) {
  return n <= reduction_block ? 0 : rows * detail::reduction_blocks(n);
}

/// out[row] = the combination of element(row, i) for i below n.
template <backend B, class R, class T, class F>
void reduce_rows(std::size_t rows, std::size_t n, F const& element, T* out, T* partials) {
  std::size_t const blocks = detail::reduction_blocks(n);
  T* const first = blocks == 1 ? out : partials;
  for_each_row<B>(rows * blocks, std::min(n, reduction_block),
                  detail::row_reduction<R, T, F>{n, blocks, element, first});
  if (blocks == 1) return;
  using partial = detail::mapped_rows<T, as_it_is>;
  for_each_row<B>(rows, blocks, detail::row_reduction<R, T, partial>{blocks, 1, {partials, blocks, {}}, out});
}

/// Elements of T that reduce_columns needs besides.
constexpr std::size_t column_partials(std::size_t outer, std::size_t n, std::size_t inner) {
  std::size_t const chunks = detail::column_chunks(n, inner);
  return chunks == 1 ? 0 : outer * chunks * inner;
}

/// out[o * inner + c] = the combination of map(x[(o * n + r) * inner + c]) for r below n.
template <backend B, class R, class T, class Map>
void reduce_columns(T const* x, std::size_t outer, std::size_t n, std::size_t inner, Map map, T* out, T* partials) {
  std::size_t const rows = detail::strip_rows(inner);
  std::size_t const chunks = detail::column_chunks(n, inner);
  detail::launch_columns<B, R>(x, outer, n, inner, rows, map, chunks == 1 ? out : partials);
  if (chunks != 1)
    detail::launch_columns<B, R>(static_cast<T const*>(partials), outer, chunks, inner, chunks, as_it_is{}, out);
}

}  // namespace plait
