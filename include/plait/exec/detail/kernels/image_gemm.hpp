// Indirect convolution: GEMM whose tiles read the right operand in a padded copy of the image, at offsets listed by
// tap, without im2col and packing (M. Dukhan, "The Indirect Convolution Algorithm", 2019).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <plait/core/detail/prefetch.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/convolution_operands.hpp>
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
  // Returns the first window of `size` columns if all are windows of one line, else -1.
  std::int64_t window_of(std::int64_t first, std::int64_t size) const {
    digits left = {first};
    std::int64_t const o2 = left.next(extent[2]);
    std::int64_t const o1 = left.next(extent[1]);
    return left.rest < out[0] && o1 < out[1] && o2 + size <= out[2] ? (left.rest * out[1] + o1) * out[2] + o2 : -1;
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

// Product of one group. The operand x is the padded copy.
template <class T>
class image_product {
 public:
  image_product(padded_image const& image, std::int64_t m)
      : rows_(row_tiles(m, kernel_->loose_rows)),
        columns_(image),
        taps_(image.taps()),
        count_(static_cast<std::int64_t>(image.geometry().count())),
        depth_(block_depth(static_cast<std::ptrdiff_t>(taps_.size()), block)) {}

  // Returns the number of elements of scratch memory for a range of tiles.
  std::ptrdiff_t scratch() const { return 2 * together() * units() * width(); }
  // Returns the number of tiles of columns.
  std::ptrdiff_t steps() const { return parts_for(columns_.count(), width()); }
  // Returns the number of steps at a time: those whose lines stay in L1, so that rows of w are read for all of them.
  std::ptrdiff_t together() const {
    return std::clamp<std::ptrdiff_t>(2 * block / std::max(depth_, std::ptrdiff_t{1}), 1, most_together);
  }

  // Computes the tiles of columns [first, last), at most together().
  void multiply(std::ptrdiff_t first, std::ptrdiff_t last, convolution_operands<T> const& of, T* scratch) const {
    step steps[most_together];
    std::ptrdiff_t const count = last - first;
    for (std::ptrdiff_t i = 0; i != count; ++i)
      steps[i] = place((first + i) * width(), of, scratch + 2 * i * units() * width());
    auto const k = static_cast<std::ptrdiff_t>(taps_.size());
    std::ptrdiff_t at = 0;
    do {  // also without taps
      multiply_block(at, std::min(depth_, k - at), of, {steps, static_cast<std::size_t>(count)});
      at += depth_;
    } while (at < k);
    for (step const& each : std::span(steps, static_cast<std::size_t>(count)))
      if (each.apart)
        for_each_line(each, [&](std::int64_t column, std::int64_t window, std::int64_t size) {
          copy_rows(each.c + column, width(), of.y + window, count_, size);
        });
  }

 private:
  static constexpr std::ptrdiff_t block = 192;  // taps whose lines stay in L1, with rows of w
  static constexpr std::ptrdiff_t most_together = 16;

  // Columns of a tile: their place in y or, if they are not consecutive there, in scratch memory.
  struct step {
    std::ptrdiff_t first;
    T* c;
    T const* more;
    std::ptrdiff_t c_row;  // of more, too
    bool apart;            // in scratch memory
  };

  // Returns the number of columns of a tile.
  std::ptrdiff_t width() const { return panels() * kernel_->width; }
  std::ptrdiff_t panels() const { return kernel_->wide_panels[static_cast<std::size_t>(rows_.size(0))]; }
  std::ptrdiff_t units() const { return rows_.first(rows_.count); }

  template <class F>
  void for_each_line(step const& of, F const& f) const {
    columns_.for_each_line(of.first, of.first + width(), [&](std::int64_t column, std::int64_t at, std::int64_t size) {
      f(column - of.first, at, size);
    });
  }
  void copy_rows(T const* from, std::int64_t from_row, T* to, std::int64_t to_row, std::int64_t size) const {
    for (std::ptrdiff_t i = units(); i != 0; --i, from += from_row, to += to_row)
      for (std::int64_t j = 0; j != size; ++j) to[j] = from[j];
  }

  step place(std::ptrdiff_t first, convolution_operands<T> const& of, T* scratch) const {
    T const* const addend = of.addend;
    step made = {first, scratch, nullptr, width(), true};
    if (std::int64_t const at = columns_.window_of(first, width()); at >= 0) {
      made.c = of.y + at;
      made.more = addend == nullptr ? nullptr : addend + at;
      made.c_row = count_;
      made.apart = false;
    } else if (addend != nullptr) {
      T* const more = scratch + units() * width();
      for_each_line(made, [&](std::int64_t column, std::int64_t from, std::int64_t size) {
        copy_rows(addend + from, count_, more + column, width(), size);
      });
      made.more = more;
    }
    return made;
  }

  // Adds the taps [first, first + depth).
  void multiply_block(std::ptrdiff_t first, std::ptrdiff_t depth, convolution_operands<T> const& of,
                      std::span<step const> steps) const {
    auto const& tiles = (*tiles_)[static_cast<std::size_t>(panels())];
    auto const k = static_cast<std::ptrdiff_t>(taps_.size());
    bool const is_last = first + depth == k;
    gemm_tile<T> t = {};
    t.count = 1;
    t.k = depth;
    t.a_row = k;
    t.b_panel = kernel_->width;
    t.b_places = taps_.data() + first;
    t.columns = width();
    t.beta = first == 0 ? T(0) : T(1);
    t.relu = is_last && of.relu;
    // The hardware does not foresee lines of other channels.
    std::ptrdiff_t const next = static_cast<std::ptrdiff_t>(steps.size()) * width() * std::ptrdiff_t(sizeof(T));
    for (step const& each : steps)
      for (std::ptrdiff_t i = 0; i < depth; i += 2) prefetch(of.x + each.first + t.b_places[i], next);
    for (std::ptrdiff_t tile = 0; tile != rows_.count; ++tile) {
      std::ptrdiff_t const row = rows_.first(tile);
      t.a = of.w + row * k + first;
      t.bias = first == 0 && of.bias != nullptr ? of.bias + row : nullptr;
      for (step const& each : steps) {
        t.b = of.x + each.first;
        t.c = each.c + row * each.c_row;
        t.from = t.c;
        t.c_row = t.from_row = t.more_row = each.c_row;
        t.more = is_last && each.more != nullptr ? each.more + row * each.c_row : nullptr;
        tiles[static_cast<std::size_t>(rows_.size(tile))](t);
      }
    }
  }

  gemm_kernel<T> const* kernel_ = &tiles_for<T>();
  gemm_tile_table<T> const* tiles_ = &placed_tiles_for<T>();
  even_parts rows_;  // tiles of units
  image_columns columns_;
  std::span<std::ptrdiff_t const> taps_;
  std::int64_t count_;    // windows
  std::ptrdiff_t depth_;  // taps at a time
};

}  // namespace detail

/// Computes a convolution of one image from its padded copy, in `groups` groups of channels and of units; of.x is not
/// read. A sum runs over the taps in order, in blocks that follow from their number alone: results do not depend on the
/// number of threads.
template <backend B, class T>
  requires(!B::on_device)
void multiply_image(padded_image const& image, T const* copy, std::int64_t groups, std::int64_t units,
                    convolution_operands<T> const& of) {
  auto const count = static_cast<std::int64_t>(image.geometry().count());
  auto const k = static_cast<std::int64_t>(image.taps().size());
  std::int64_t const m = units / groups;
  if (m == 0 || count == 0) return;
  detail::image_product<T> const product(image, m);
  std::ptrdiff_t const together = product.together();
  std::ptrdiff_t const task_steps = std::max<std::ptrdiff_t>(8, together);
  detail::even_parts const blocks(product.steps(), detail::parts_for(product.steps(), task_steps));
  bool const parallel = detail::is_shared<B>(m * count * k * groups);
  detail::for_each_task<B>(groups * blocks.count, parallel, [&](std::ptrdiff_t task) {
    std::ptrdiff_t const group = task / blocks.count;
    std::ptrdiff_t const block = task - group * blocks.count;
    std::int64_t const unit = group * m;
    convolution_operands<T> const part = {copy + group * (image.channels() / groups) * image.plane(),
                                          of.w + unit * k,
                                          of.bias == nullptr ? nullptr : of.bias + unit,
                                          of.addend == nullptr ? nullptr : of.addend + unit * count,
                                          of.relu,
                                          of.y + unit * count};
    detail::gemm_scratch<detail::one_thread_of<B>, T> scratch(product.scratch());
    std::ptrdiff_t const last = blocks.first(block) + blocks.size(block);
    for (std::ptrdiff_t step = blocks.first(block); step < last; step += together)
      product.multiply(step, std::min(step + together, last), part, scratch.data());
  });
}

}  // namespace plait
