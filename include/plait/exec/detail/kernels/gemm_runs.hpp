// GEMM of the rows of one tile with consecutive panels of b.
//
// With small k, such a product takes microseconds, and each panel some hundred nanoseconds: the loop-invariant fields
// of a tile are set once, and one call of a tile iterates over panels.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include <plait/exec/detail/kernels/gemm_tiles.hpp>

namespace plait::detail {

/// Multiplications of a task in which one call of a tile does them all: four microseconds.
inline constexpr std::ptrdiff_t run_work = 1 << 17;

/// Operands of a tile's rows, each from column 0 of c on.
template <class T>
struct gemm_rows {
  std::ptrdiff_t count;
  T const* a;
  T* c;
  T const* from;
  T const* more;  ///< nullptr: none
};

/// Panels of b.
template <class T>
struct gemm_panels {
  T const* data;
  std::ptrdiff_t row;    ///< from one k to the next
  std::ptrdiff_t panel;  ///< from one panel to the next
  std::ptrdiff_t count;
  std::ptrdiff_t columns;  ///< columns of all panels; the last may be partial
};

/// Multiplies `count` >= 1 groups of `together` panels, from `first` on or, backwards, down to `first`. The fields of t
/// that do not depend on the panel must be set. Two groups take a call of their own: the last of b, which may have
/// fewer columns, and the one that no other follows, during which nothing is prefetched.
template <class T>
void multiply_in_turn(gemm_kernel<T> const& kernel, gemm_tile<T>& t, gemm_rows<T> const& rows, gemm_panels<T> const& b,
                      std::ptrdiff_t first, std::ptrdiff_t count, std::ptrdiff_t together, bool backwards) {
  std::ptrdiff_t const last = first + count * together;
  auto const tile = kernel.tiles[static_cast<std::size_t>(together)][static_cast<std::size_t>(rows.count)];
  std::ptrdiff_t const columns = together * kernel.width;
  auto const begin = [&](std::ptrdiff_t panel, std::ptrdiff_t tiles) {
    std::ptrdiff_t const column = panel * kernel.width;
    t.count = tiles;
    t.columns = std::min(columns, b.columns - column);
    t.b = b.data + panel * b.panel;
    t.c = rows.c + column;
    t.from = rows.from + column;
    t.more = rows.more == nullptr ? nullptr : rows.more + column;
  };
  t.a = rows.a;
  t.a_next = 0;
  t.b_next = (backwards ? -together : together) * b.panel;
  t.c_next = t.from_next = t.more_next = backwards ? -columns : columns;
  t.ahead_next = t.b_next * std::ptrdiff_t(sizeof(T));
  std::ptrdiff_t const ends = backwards ? first == 0 : last == b.count;
  std::ptrdiff_t at = backwards ? last - together : first;
  if (backwards && last == b.count && count != 1) {
    begin(at, 1);
    t.ahead = reinterpret_cast<char const*>(t.b + t.b_next);
    tile(t);
    --count;
    at -= together;
  }
  if (count != ends) {
    begin(at, count - ends);
    t.ahead = reinterpret_cast<char const*>(t.b + t.b_next);
    tile(t);
  }
  if (ends != 0) {
    begin(backwards ? 0 : last - together, 1);
    t.ahead = reinterpret_cast<char const*>(t.b);
    tile(t);
  }
}

/// Multiplies the panels [first, last): as many at a time as is best for tiles of this many rows, and then the rest at
/// once. With one row, a single panel takes as long as two.
template <class T>
void multiply_in_turn(gemm_kernel<T> const& kernel, gemm_tile<T>& t, gemm_rows<T> const& rows, gemm_panels<T> const& b,
                      std::ptrdiff_t first, std::ptrdiff_t last, bool backwards) {
  auto const together = static_cast<unsigned>(kernel.wide_panels[static_cast<std::size_t>(rows.count)]);
  std::ptrdiff_t count = (last - first) >> std::countr_zero(together);
  std::ptrdiff_t left = last - first - count * together;
  std::ptrdiff_t before_last = 0;
  if (rows.count == 1 && left == 1 && count != 0) {
    --count;
    before_last = together - 1;
    left = 2;
  }
  std::ptrdiff_t const whole = first + count * together;
  if (backwards && left != 0) multiply_in_turn(kernel, t, rows, b, last - left, 1, left, true);
  if (backwards && before_last != 0) multiply_in_turn(kernel, t, rows, b, whole, 1, before_last, true);
  if (count != 0) multiply_in_turn(kernel, t, rows, b, first, count, together, backwards);
  if (!backwards && before_last != 0) multiply_in_turn(kernel, t, rows, b, whole, 1, before_last, false);
  if (!backwards && left != 0) multiply_in_turn(kernel, t, rows, b, last - left, 1, left, false);
}

}  // namespace plait::detail
