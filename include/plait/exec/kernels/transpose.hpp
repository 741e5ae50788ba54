// Permutes the axes of a tensor.
//
// Axes that stay neighbours are merged first. If the last axis stays the last, runs of it are copied; else two axes
// matter, the last one before and the last one after: they are gone through in blocks by way of a small buffer, reading
// and writing whole cache lines.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/kernels/row_parts.hpp>
#include <plait/exec/kernels/strided_copy.hpp>
#include <plait/exec/shape.hpp>

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

/// How a permutation of axes is carried out: made once for a shape, independent of the element type.
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
    // The axis whose neighbours are neighbours in the source becomes the second last, the others are the batch.
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

  /// `to` and `from` are not the same memory.
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
  // The two axes that matter, by the result: its last one, and that which was the last.
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
  static constexpr std::size_t height = 64 / sizeof(T);  // a cache line of the source
  static constexpr std::size_t width = 4 * height;

  T* to;
  T const* from;
  transposition const* plan;
  std::size_t down;    // blocks along the rows
  std::size_t across;  // and along the columns

  void operator()(std::size_t at) const {
    std::size_t const column = at % across * width;
    at /= across;
    std::size_t const row = at % down * height;
    auto batch = static_cast<std::int64_t>(at / down);
    std::int64_t source = 0;
    std::int64_t target = 0;
    for (int axis = 0; axis != plan->batch_rank_; ++axis) {
      auto const place = static_cast<std::size_t>(axis);
      std::int64_t const index = batch % plan->batch_extent_[place];
      batch /= plan->batch_extent_[place];
      source += index * plan->batch_from_[place];
      target += index * plan->batch_to_[place];
    }
    std::size_t const step = plan->column_step_;
    std::size_t const columns = std::min(width, plan->columns_ - column);
    std::size_t const rows = std::min(height, plan->rows_ - row);
    T const* const in = from + static_cast<std::size_t>(source) + column * step + row;
    T* const out = to + static_cast<std::size_t>(target) + row * plan->row_step_ + column;
    T buffer[height * width];
    if (rows == height) {
      for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t r = 0; r < height; ++r) buffer[r * width + c] = in[c * step + r];
    } else {
      for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t r = 0; r < rows; ++r) buffer[r * width + c] = in[c * step + r];
    }
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) out[r * plan->row_step_ + c] = buffer[r * width + c];
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
    std::size_t const down = (rows_ + block<T>::height - 1) / block<T>::height;
    std::size_t const across = (columns_ + block<T>::width - 1) / block<T>::width;
    for_each_row<B>(count_ / (rows_ * columns_) * down * across, block<T>::height * block<T>::width,
                    block<T>{to, from, this, down, across});
  }
}

}  // namespace plait
