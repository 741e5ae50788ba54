// Binary element-wise functions with broadcasting.
//
// A broadcast_layout holds all that depends on the shapes; applying it to a scalar costs no more than a call. On the
// host, tiles of the flattened result are traversed by rows, along which an operand either advances or is repeated:
// three loops without divisions, which vectorise. On devices, each element computes the indices of its operands.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/strided_copy.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Returns the shape that a and b broadcast to, as in numpy: shapes are aligned at their last axes, and an axis that is
/// missing or has one element is repeated. Throws shape_error.
[[nodiscard]] inline shape broadcast_shape(shape const& a, shape const& b) {
  shape made = a.rank() < b.rank() ? b : a;
  shape const& other = a.rank() < b.rank() ? a : b;
  for (std::size_t i = 0; i != other.rank(); ++i) {
    std::size_t const axis = made.rank() - 1 - i;
    std::int64_t const extent = other[other.rank() - 1 - i];
    if (made[axis] == 1)
      made.set(axis, extent);
    else if (extent != 1 && extent != made[axis])
      throw shape_error("plait: shapes " + to_string(a) + " and " + to_string(b) + " do not broadcast to each other");
  }
  return made;
}

/// Strides of the operands of a binary function over its result. Adjacent axes along which the same operands advance
/// are merged. Trivially copyable, as kernels require.
struct broadcast_layout {
  std::size_t count = 0;  ///< elements of the result
  int rank = 0;           ///< at least one if constructed from shapes
  std::array<std::int64_t, shape::max_rank> extent = {};
  strides left = {};  ///< 0 where the operand is repeated
  strides right = {};

  broadcast_layout() = default;
  /// Precondition: the operands broadcast to the result.
  broadcast_layout(shape const& result, shape const& a, shape const& b)
      : count(static_cast<std::size_t>(result.size())) {
    std::int64_t left_size = 1;
    std::int64_t right_size = 1;
    for (std::size_t i = 0; i != result.rank(); ++i) {  // from the last axis on, so in reverse
      std::int64_t const size = result[result.rank() - 1 - i];
      if (size == 1) continue;
      bool const left_moves = i < a.rank() && a[a.rank() - 1 - i] != 1;
      bool const right_moves = i < b.rank() && b[b.rank() - 1 - i] != 1;
      if (rank != 0 && (left[at(rank - 1)] != 0) == left_moves && (right[at(rank - 1)] != 0) == right_moves) {
        extent[at(rank - 1)] *= size;
      } else {
        extent[at(rank)] = size;
        left[at(rank)] = left_moves ? left_size : 0;
        right[at(rank)] = right_moves ? right_size : 0;
        ++rank;
      }
      if (left_moves) left_size *= size;
      if (right_moves) right_size *= size;
    }
    if (rank == 0) {
      extent[0] = 1;
      left[0] = right[0] = 1;
      rank = 1;
    }
    std::reverse(extent.begin(), extent.begin() + rank);
    std::reverse(left.begin(), left.begin() + rank);
    std::reverse(right.begin(), right.begin() + rank);
  }

  /// Returns the layout of a vector of any length, along which an operand advances or is a repeated scalar.
  static constexpr broadcast_layout of_vector(bool left_moves, bool right_moves) {
    broadcast_layout made;
    made.rank = 1;
    made.left[0] = left_moves ? 1 : 0;
    made.right[0] = right_moves ? 1 : 0;
    return made;
  }

  PLAIT_HOST_DEVICE static constexpr std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

  /// Computes the indices of the operands of element i, or, with `axes` = rank - 1, of the first element of row i.
  PLAIT_HOST_DEVICE constexpr void find(std::int64_t i, int axes, std::int64_t& left_at, std::int64_t& right_at) const {
    left_at = 0;
    right_at = 0;
    // Constant indices only: a device copies arrays that variables index to memory, for each thread.
    for (std::size_t axis = shape::max_rank; axis-- != 0;) {
      if (axis >= at(axes)) continue;
      std::int64_t const place = axis == 0 ? i : detail::take_place(i, extent[axis]);
      left_at += place * left[axis];
      right_at += place * right[axis];
    }
  }
};

namespace detail {

template <class F, class T, class R>
struct broadcast_loop {
  broadcast_layout const* layout;
  T const* a;
  T const* b;
  R* out;
  F f;

  void operator()(std::size_t first, std::size_t last) const {
    broadcast_layout const& l = *layout;
    std::size_t const inner = broadcast_layout::at(l.rank - 1);
    bool const left_moves = l.left[inner] != 0;
    bool const right_moves = l.right[inner] != 0;
    if (l.rank == 1) {
      row(a + (left_moves ? first : 0), left_moves, b + (right_moves ? first : 0), right_moves, out + first,
          last - first);
      return;
    }
    auto const width = static_cast<std::size_t>(l.extent[inner]);
    if (l.rank == 2 && ((l.left[0] != 0 && left_moves) || (l.right[0] != 0 && right_moves))) {
      bool const of_columns = l.left[0] == 0 || l.right[0] == 0;  // the repeated operand is a row
      if (width <= (of_columns ? narrow_column : narrow_row)) return narrow_rows(first, last, width, of_columns);
    }
    auto const row_number = static_cast<std::int64_t>(first / width);
    std::size_t column = first % width;
    std::int64_t left_at = 0;
    std::int64_t right_at = 0;
    l.find(row_number, l.rank - 1, left_at, right_at);
    std::array<std::int64_t, shape::max_rank> place = {};
    for (std::int64_t axis = l.rank - 2, rest = row_number; axis >= 0; --axis) {
      place[static_cast<std::size_t>(axis)] = rest % l.extent[static_cast<std::size_t>(axis)];
      rest /= l.extent[static_cast<std::size_t>(axis)];
    }
    while (first < last) {
      std::size_t const part = std::min(width - column, last - first);
      row(a + left_at + (left_moves ? column : 0), left_moves, b + right_at + (right_moves ? column : 0), right_moves,
          out + first, part);
      first += part;
      column = 0;
      for (int axis = l.rank - 2; axis >= 0; --axis) {
        std::size_t const at = broadcast_layout::at(axis);
        left_at += l.left[at];
        right_at += l.right[at];
        if (++place[at] != l.extent[at]) break;
        left_at -= l.left[at] * l.extent[at];
        right_at -= l.right[at] * l.extent[at];
        place[at] = 0;
      }
    }
  }

  // Maximum widths of rows whose overhead exceeds their work: several of them are processed as one, with the repeated
  // operand expanded for them. Repeating elements along rows costs more than repeating a row.
  static constexpr std::size_t narrow_row = 64;
  static constexpr std::size_t narrow_column = 256;

  void narrow_rows(std::size_t first, std::size_t last, std::size_t width, bool of_columns) const {
    constexpr std::size_t lane = 64 / sizeof(T);
    constexpr std::size_t most = 512;
    alignas(64) std::array<T, most + lane> written;  // not initialised; lanes exceed the needed elements
    bool const left_repeats = layout->left[0] == 0 || layout->left[1] == 0;
    T const* const repeated = left_repeats ? a : b;
    T const* const other = left_repeats ? b : a;
    std::size_t const rows = most / width;
    if (of_columns)
      for (std::size_t r = 0; r != rows; ++r) std::copy_n(repeated, width, written.data() + r * width);
    auto const write_elements = [&](std::size_t row, std::size_t count) {
      for (std::size_t r = 0; r != count; ++r) {
        T const same = repeated[row + r];
        for (std::size_t at = r * width; at < (r + 1) * width; at += lane) {
          PLAIT_VECTOR_LOOP
          for (std::size_t i = 0; i < lane; ++i) written[at + i] = same;
        }
      }
    };
    std::size_t column = first % width;
    while (first < last) {
      std::size_t const length = std::min(rows * width - column, last - first);
      if (!of_columns) write_elements(first / width, (column + length + width - 1) / width);
      T const* const here = written.data() + column;
      row(left_repeats ? here : other + first, true, left_repeats ? other + first : here, true, out + first, length);
      first += length;
      column = 0;
    }
  }

  // Reads a repeated operand before it writes the row, which may alias the other operand.
  PLAIT_ALWAYS_INLINE void row(T const* x, bool left_moves, T const* y, bool right_moves, R* to,
                               std::size_t length) const {
    F const g = f;
    if (left_moves && right_moves) {
      PLAIT_INDEPENDENT
      for (std::size_t i = 0; i < length; ++i) to[i] = g(x[i], y[i]);
    } else if (left_moves) {
      T const same = *y;
      PLAIT_INDEPENDENT
      for (std::size_t i = 0; i < length; ++i) to[i] = g(x[i], same);
    } else {
      T const same = *x;
      PLAIT_INDEPENDENT
      for (std::size_t i = 0; i < length; ++i) to[i] = g(same, y[i]);
    }
  }
};

/// Implements an element_function whose self is a layout of rank 1.
template <class F, class T, class R>
void broadcast_some(void const* layout, void* const* operands, std::size_t count) {
  using loop = broadcast_loop<F, T, R>;
  loop const made{static_cast<broadcast_layout const*>(layout), static_cast<T const*>(operands[0]),
                  static_cast<T const*>(operands[1]), static_cast<R*>(operands[2]), F()};
  run_tile<loop>(&made, 0, count);
}

template <class F, class T, class R>
struct broadcast_element {
  broadcast_layout layout;
  T const* a;
  T const* b;
  R* out;
  F f;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const {
    std::int64_t left_at = 0;
    std::int64_t right_at = 0;
    layout.find(static_cast<std::int64_t>(i), layout.rank, left_at, right_at);
    out[i] = f(a[left_at], b[right_at]);
  }
};

/// Device function for layouts of at most two axes.
template <class F, class T, class R>
struct broadcast_row {
  T const* a;
  T const* b;
  R* out;
  std::size_t width;
  bool left_rows, left_columns;  ///< true if the operand advances along them
  bool right_rows, right_columns;
  F f;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const* const x = a + (left_rows ? row * (left_columns ? width : 1) : 0);
    T const* const y = b + (right_rows ? row * (right_columns ? width : 1) : 0);
    for (std::size_t i = first; i < last; ++i)
      out[row * width + i] = f(x[left_columns ? i : 0], y[right_columns ? i : 0]);
  }
};

}  // namespace detail

/// Computes out[i] = f(a's element, b's element). The result may alias an operand that is not repeated.
template <backend B, class F, class T, class R>
void broadcast(broadcast_layout const& layout, T const* a, T const* b, R* out, F const& f = {}) {
  if constexpr (B::on_device) {
    if (layout.rank > 2)
      return for_each_index<B>(layout.count, detail::broadcast_element<F, T, R>{layout, a, b, out, f});
    std::size_t const inner = broadcast_layout::at(layout.rank - 1);
    auto const width = static_cast<std::size_t>(layout.extent[inner]);
    bool const rows = layout.rank == 2;
    for_each_row_part<B>(
        rows ? static_cast<std::size_t>(layout.extent[0]) : 1, width, 1,
        detail::broadcast_row<F, T, R>{a, b, out, width, rows && layout.left[0] != 0, layout.left[inner] != 0,
                                       rows && layout.right[0] != 0, layout.right[inner] != 0, f});
  } else {
    for_each_tile<B>(layout.count, tile_size, detail::broadcast_loop<F, T, R>{&layout, a, b, out, f});
  }
}

}  // namespace plait

PLAIT_KERNELS_END
