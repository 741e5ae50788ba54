// Implicit GEMM convolution: tiles read the right operand in a padded copy of the image, without im2col and packing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <plait/core/detail/prefetch.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>
#include <plait/exec/detail/kernels/gemm_tiles.hpp>
#include <plait/exec/detail/kernels/padded_image.hpp>

namespace plait {

namespace detail {

// Columns of the product: windows as they lie in the copy, where lines are longer than lines of windows.
struct image_columns {
  windows::extents out;     // windows
  windows::extents extent;  // places of the copy

  // Axes without gaps between their lines are one axis.
  explicit image_columns(padded_image const& image) : out(image.geometry().out), extent(image.extents()) {
    for (int i = 0; i != 2 && out[2] == extent[2]; ++i) {
      out = {1, out[0], out[1] * out[2]};
      extent = {1, extent[0], extent[1] * extent[2]};
    }
  }
  // Returns the number of columns up to the last window.
  std::int64_t count() const {
    return out[0] == 0 || out[1] == 0 || out[2] == 0 ? 0 : ((out[0] - 1) * extent[1] + out[1] - 1) * extent[2] + out[2];
  }
  // Calls f(column, window, count) for consecutive windows among the columns [first, last).
  template <class F>
  void for_each_line(std::int64_t first, std::int64_t last, F const& f) const {
    for (std::int64_t at = first; at < last;) {
      digits left = {at};
      std::int64_t const o2 = left.next(extent[2]);
      std::int64_t const o1 = left.next(extent[1]);
      if (left.rest >= out[0]) return;
      if (o1 < out[1] && o2 < out[2]) f(at, (left.rest * out[1] + o1) * out[2] + o2, std::min(out[2] - o2, last - at));
      at += extent[2] - o2;
    }
  }
};

template <class T>
struct image_operands {
  T const* w;     // [units, taps]
  T const* copy;  // padded
  T const* bias;  // nullptr: none
  gemm_epilogue<T> after;
  T* y;  // [units, windows]
};

// Product of one group.
template <class T>
class image_product {
 public:
  image_product(padded_image const& image, std::int64_t m)
      : rows_(row_tiles(m, kernel_->loose_rows)),
        columns_(image),
        taps_(image.taps()),
        count_(static_cast<std::int64_t>(image.geometry().count())) {}

  // Returns the number of columns of a tile.
  std::ptrdiff_t width() const { return panels() * kernel_->width; }

  // Returns the number of tiles of columns.
  std::ptrdiff_t steps() const { return parts_for(columns_.count(), width()); }
  // Returns the number of elements of scratch memory.
  std::ptrdiff_t scratch() const { return 2 * units() * width(); }

  // Computes the columns [first, first + width()).
  void multiply(std::ptrdiff_t first, image_operands<T> const& of, T* scratch) const {
    auto const for_each_line = [&](auto const& f) { columns_.for_each_line(first, first + width(), f); };
    std::int64_t window = 0;
    std::int64_t whole = 0;
    for_each_line([&](std::int64_t, std::int64_t at, std::int64_t size) {
      window = at;
      whole = size;
    });
    T const* const addend = of.after.addend;
    if (whole == width())
      return multiply(first, of, of.y + window, addend == nullptr ? nullptr : addend + window, count_);
    // Columns of several lines are not consecutive in y.
    T* const more = addend == nullptr ? nullptr : scratch + units() * width();
    if (more != nullptr)
      for_each_line([&](std::int64_t column, std::int64_t at, std::int64_t size) {
        copy_rows(addend + at, count_, more + (column - first), width(), size);
      });
    multiply(first, of, scratch, more, width());
    for_each_line([&](std::int64_t column, std::int64_t at, std::int64_t size) {
      copy_rows(scratch + (column - first), width(), of.y + at, count_, size);
    });
  }

 private:
  // Lines of a block of taps, and of the tile's rows of w, stay in L1.
  static constexpr std::ptrdiff_t block = 256;

  std::ptrdiff_t units() const { return rows_.first(rows_.count); }
  std::ptrdiff_t panels() const { return kernel_->wide_panels[static_cast<std::size_t>(rows_.size(0))]; }

  void copy_rows(T const* from, std::int64_t from_row, T* to, std::int64_t to_row, std::int64_t size) const {
    for (std::ptrdiff_t i = units(); i != 0; --i, from += from_row, to += to_row)
      for (std::int64_t j = 0; j != size; ++j) to[j] = from[j];
  }

  // c and more have rows of c_row elements.
  void multiply(std::ptrdiff_t first, image_operands<T> const& of, T* c, T const* more, std::ptrdiff_t c_row) const {
    auto const k = static_cast<std::ptrdiff_t>(taps_.size());
    auto const& tiles = (*tiles_)[static_cast<std::size_t>(panels())];
    gemm_tile<T> t = {};
    t.count = 1;
    t.a_row = k;
    t.b = of.copy + first;
    t.b_panel = kernel_->width;
    t.columns = width();
    t.c_row = t.from_row = t.more_row = c_row;
    std::ptrdiff_t const next = 2 * width() * std::ptrdiff_t(sizeof(T));
    for (std::ptrdiff_t at = 0, depth = block_depth(k, block); at < k; at += t.k) {
      t.k = std::min(depth, k - at);
      bool const is_last = at + t.k == k;
      t.a = of.w + at;
      t.b_places = taps_.data() + at;
      t.c = c;
      t.beta = at == 0 ? T(0) : T(1);
      t.bias = at == 0 ? of.bias : nullptr;
      t.more = is_last ? more : nullptr;
      t.relu = is_last && of.after.relu;
      // The hardware does not foresee lines of other channels.
      for (std::ptrdiff_t i = 0; i < t.k; i += 2) prefetch(t.b + t.b_places[i], next);
      for (std::ptrdiff_t tile = 0; tile != rows_.count; ++tile) {
        std::ptrdiff_t const height = rows_.size(tile);
        t.from = t.c;
        tiles[static_cast<std::size_t>(height)](t);
        t.a += height * k;
        t.c += height * c_row;
        if (t.bias != nullptr) t.bias += height;
        if (t.more != nullptr) t.more += height * c_row;
      }
    }
  }

  gemm_kernel<T> const* kernel_ = &tiles_for<T>();
  gemm_tile_table<T> const* tiles_ = &placed_tiles_for<T>();
  even_parts rows_;  // tiles of units
  image_columns columns_;
  std::span<std::ptrdiff_t const> taps_;
  std::int64_t count_;  // windows
};

}  // namespace detail

/// Computes y = relu(bias + w * columns + addend) of one image in `groups` groups of channels and of units, where w is
/// [units, taps in the channels of a group], bias nullptr or [units], and y and addend are [units, windows]. A sum runs
/// over k in order, in blocks that follow from k alone: results do not depend on the number of threads.
template <backend B, class T>
  requires(!B::on_device)
void multiply_image(padded_image const& image, T const* copy, std::int64_t groups, std::int64_t units, T const* w,
                    T const* bias, detail::gemm_epilogue<T> const& after, T* y) {
  auto const count = static_cast<std::int64_t>(image.geometry().count());
  auto const k = static_cast<std::int64_t>(image.taps().size());
  std::int64_t const m = units / groups;
  if (m == 0 || count == 0) return;
  detail::image_product<T> const product(image, m);
  constexpr std::ptrdiff_t task_steps = 8;
  detail::even_parts const blocks(product.steps(), detail::parts_for(product.steps(), task_steps));
  bool const parallel = detail::is_shared<B>(m * count * k * groups);
  detail::for_each_task<B>(groups * blocks.count, parallel, [&](std::ptrdiff_t task) {
    std::ptrdiff_t const group = task / blocks.count;
    std::ptrdiff_t const block = task - group * blocks.count;
    std::int64_t const unit = group * m;
    detail::image_operands<T> const part = {
        w + unit * k,
        copy + group * (image.channels() / groups) * image.plane(),
        bias == nullptr ? nullptr : bias + unit,
        {after.addend == nullptr ? nullptr : after.addend + unit * count, after.relu},
        y + unit * count};
    detail::gemm_scratch<detail::one_thread_of<B>, T> scratch(product.scratch());
    std::ptrdiff_t const first = blocks.first(block);
    for (std::ptrdiff_t step = first; step != first + blocks.size(block); ++step)
      product.multiply(step * product.width(), part, scratch.data());
  });
}

}  // namespace plait
