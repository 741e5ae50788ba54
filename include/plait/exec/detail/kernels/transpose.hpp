// Cache-blocked transposition: permutes the axes of a tensor.
//
// Axes that stay adjacent are merged first. If the last axis stays the last, its runs are copied. Otherwise two axes
// matter, the last one before and the last one after: they are traversed in blocks through a small buffer, reading and
// writing several cache lines at a time or, if one of the two is short, without.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/strided_copy.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct permuted_element {
  T* to;
  T const* from;
  strided_layout layout;
  PLAIT_HOST_DEVICE void operator()(std::size_t i) const { to[i] = from[layout.offset(static_cast<std::int64_t>(i))]; }
};

template <class T>
struct permuted_run {
  T* to;
  T const* from;
  std::size_t columns;
  strided_layout layout;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    T const* const in = from + layout.offset(static_cast<std::int64_t>(row * columns));
    T* const out = to + row * columns;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) out[i] = in[i];
  }
};

}  // namespace detail

/// Plan of a permutation of axes: made once per shape, independent of the element type.
class transposition {
 public:
  transposition() : transposition(shape(), {}) {}
  /// Axis i of the result is axis order[i] of a row-major tensor of `from`.
  transposition(shape const& from, std::span<std::size_t const> order)
      : count_(static_cast<std::size_t>(from.size())), layout_(permuted(from, order), source(from, order)) {
    using detail::strided_layout;
    if (count_ == 0) return;
    is_copy_ = layout_.rank == 0 || (layout_.rank == 1 && layout_.from[0] == 1);
    if (is_copy_) return;
    std::size_t const last = strided_layout::at(layout_.rank - 1);
    columns_ = static_cast<std::size_t>(layout_.extent[last]);
    column_step_ = static_cast<std::size_t>(layout_.from[last]);
    if (column_step_ == 1) return;
    // The axis of stride 1 in the source becomes the second last, the others are the batch.
    int unit = 0;
    while (layout_.from[strided_layout::at(unit)] != 1) ++unit;
    rows_ = static_cast<std::size_t>(layout_.extent[strided_layout::at(unit)]);
    std::int64_t distance = 1;
    for (int axis = layout_.rank; axis-- != 0; distance *= layout_.extent[strided_layout::at(axis)]) {
      if (axis == unit) row_step_ = static_cast<std::size_t>(distance);
      if (axis == unit || strided_layout::at(axis) == last) continue;
      auto const place = strided_layout::at(batch_rank_++);
      batch_extent_[place] = layout_.extent[strided_layout::at(axis)];
      batch_from_[place] = layout_.from[strided_layout::at(axis)];
      batch_to_[place] = distance;
    }
  }

  /// Permutes `from` into `to`, which must not overlap.
  template <backend B, class T>
  void run(T* to, T const* from) const;

 private:
  template <class T>
  struct block;

  static shape permuted(shape const& from, std::span<std::size_t const> order) {
    shape made;
    for (std::size_t const axis : order) made.push_back(from[axis]);
    return made;
  }
  static strides source(shape const& from, std::span<std::size_t const> order) {
    strides const steps = row_major(from);
    strides made = {};
    for (std::size_t i = 0; i != order.size(); ++i) made[i] = steps[order[i]];
    return made;
  }

  std::size_t count_;
  detail::strided_layout layout_;
  bool is_copy_ = true;
  // The two axes that matter, in terms of the result: its last one, and the one that was the last.
  std::size_t columns_ = 1;
  std::size_t column_step_ = 1;  // in the source
  std::size_t rows_ = 1;
  std::size_t row_step_ = 1;  // in the result
  // The other axes, the fastest first.
  int batch_rank_ = 0;
  std::array<std::int64_t, shape::max_rank> batch_extent_ = {};
  strides batch_from_ = {};
  strides batch_to_ = {};
};

template <class T>
struct transposition::block {
  // 128 to 256 bytes of a row at a time, on either side, to amortise TLB misses; the buffer stays in L1. The padding
  // keeps columns of the buffer from mapping to few sets of the cache.
  static constexpr std::size_t size = sizeof(T) == 1 ? 128 : sizeof(T) == 8 ? 32 : 64;
  static constexpr std::size_t pitch = size + 16 / sizeof(T);
  // Minimum of rows and columns for the buffer; fewer are traversed without, in longer runs of the other axis.
  static constexpr std::size_t least = 8;
  static constexpr std::size_t run = 1'024;
  static constexpr std::size_t panel = 8;  // blocks

  T* to;
  T const* from;
  transposition const* plan;
  std::size_t height;
  std::size_t width;
  std::size_t down;    // blocks along the rows
  std::size_t across;  // and along the columns

  block(T* target, T const* source, transposition const* p)
      : to(target),
        from(source),
        plan(p),
        height(std::min(p->rows_, p->columns_ < least ? run
                                  : p->rows_ < least  ? least
                                                      : size)),
        width(std::min(p->columns_, p->rows_ < least      ? run
                                    : p->columns_ < least ? least
                                                          : size)),
        down((p->rows_ + height - 1) / height),
        across((p->columns_ + width - 1) / width) {}

  std::size_t count() const { return plan->count_ / (plan->rows_ * plan->columns_) * down * across; }

  void operator()(std::size_t at) const {
    std::size_t column = 0;
    std::size_t row = 0;
    std::size_t source = 0;
    std::size_t target = 0;
    if (at != 0) {
      // Traverses a panel of columns before the next one, so that its pages of the source stay in the TLB.
      std::size_t const in_batch = at % (down * across);
      std::size_t const first = in_batch / (down * panel) * panel;
      std::size_t const in_panel = in_batch - first * down;
      std::size_t const breadth = std::min(panel, across - first);
      column = (first + in_panel % breadth) * width;
      row = in_panel / breadth * height;
      at /= down * across;
      for (int axis = 0; axis != plan->batch_rank_; ++axis) {
        auto const place = static_cast<std::size_t>(axis);
        std::size_t const index = at % static_cast<std::size_t>(plan->batch_extent_[place]);
        at /= static_cast<std::size_t>(plan->batch_extent_[place]);
        source += index * static_cast<std::size_t>(plan->batch_from_[place]);
        target += index * static_cast<std::size_t>(plan->batch_to_[place]);
      }
    }
    std::size_t const columns = std::min(width, plan->columns_ - column);
    std::size_t const rows = std::min(height, plan->rows_ - row);
    T const* const in = from + source + column * plan->column_step_ + row;
    T* const out = to + target + row * plan->row_step_ + column;
    if (plan->rows_ < least)
      along_columns(in, out, rows, columns);
    else if (plan->columns_ < least)
      along_rows(in, out, rows, columns);
    else
      by_buffer(in, out, rows, columns);
  }

  // Each iteration of the loops through the buffer reaches another page, which hardware does not prefetch.
  static constexpr std::size_t ahead = 8;
  template <bool Write>
  static void prefetch([[maybe_unused]] T const* at, [[maybe_unused]] std::size_t count) {
#if defined(__GNUC__)
    for (std::size_t i = 0; i < count; i += 64 / sizeof(T)) __builtin_prefetch(at + i, Write ? 1 : 0);
#endif
  }

  void along_columns(T const* in, T* out, std::size_t rows, std::size_t columns) const {
    std::size_t const step = plan->column_step_;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) out[r * plan->row_step_ + c] = in[c * step + r];
  }
  void along_rows(T const* in, T* out, std::size_t rows, std::size_t columns) const {
    std::size_t const step = plan->row_step_;
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = 0; r < rows; ++r) out[r * step + c] = in[c * plan->column_step_ + r];
  }
  void by_buffer(T const* in, T* out, std::size_t rows, std::size_t columns) const {
    std::size_t const step = plan->column_step_;
    T buffer[size * pitch];
    for (std::size_t c = 0; c < columns; ++c) {
      if (c + ahead < columns) prefetch<false>(in + (c + ahead) * step, rows);
      for (std::size_t r = 0; r < rows; ++r) buffer[r * pitch + c] = in[c * step + r];
    }
    for (std::size_t r = 0; r < rows; ++r) {
      if (r + ahead < rows) prefetch<true>(out + (r + ahead) * plan->row_step_, columns);
      for (std::size_t c = 0; c < columns; ++c) out[r * plan->row_step_ + c] = buffer[r * pitch + c];
    }
  }
};

template <backend B, class T>
void transposition::run(T* to, T const* from) const {
  if (is_copy_) return B::copy(to, from, count_ * sizeof(T));
  if (column_step_ == 1)
    return for_each_row_part<B>(count_ / columns_, columns_, 1, detail::permuted_run<T>{to, from, columns_, layout_});
  if constexpr (B::on_device) {
    for_each_index<B>(count_, detail::permuted_element<T>{to, from, layout_});
  } else {
    block<T> const task(to, from, this);
    for_each_row<B>(task.count(), task.height * task.width, task);
  }
}

}  // namespace plait

PLAIT_KERNELS_END
