// Convolution of integers: GEMM whose panels of windows are packed from a padded copy of the image.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>
#include <plait/exec/detail/kernels/image_gemm.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/integer_gemm.hpp>
#include <plait/exec/detail/kernels/padded_image.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

/// Packs the elements of `width` windows, from the places of the first: pairs of taps, the last with itself if they are
/// odd. Not inlined: clang would warn about the loop there (PLAIT_KERNELS_BEGIN).
PLAIT_NO_INLINE inline void pack_windows(std::int16_t* to, std::int16_t const* from,
                                         std::span<std::ptrdiff_t const> taps, std::ptrdiff_t width) {
  for (std::size_t tap = 0; tap < taps.size(); tap += 2, to += 2 * width) {
    std::int16_t const* const even = from + taps[tap];
    std::int16_t const* const odd = from + taps[tap + 1 < taps.size() ? tap + 1 : tap];
    PLAIT_INDEPENDENT
    for (std::ptrdiff_t j = 0; j < width; ++j) {
      to[2 * j] = even[j];
      to[2 * j + 1] = odd[j];
    }
  }
}

/// Computes a convolution of one image from its padded copy, in groups like multiply_image(): y = bias + w * x, with
/// widened weights w, and without a bias if that is nullptr.
template <backend B>
void multiply_integer_image(padded_image const& image, std::int16_t const* copy, std::int64_t groups,
                            std::int64_t units, std::int16_t const* w, std::int32_t const* bias, std::int32_t* y) {
  constexpr std::ptrdiff_t steps_of_task = 8;
  integer_kernel const& kernel = integer_tiles_here();
  auto const taps = image.taps();
  auto const count = static_cast<std::ptrdiff_t>(image.geometry().count());
  auto const k = static_cast<std::ptrdiff_t>(taps.size());
  std::ptrdiff_t const m = units / groups;
  if (m == 0 || count == 0) return;
  std::ptrdiff_t const pairs = integer_pairs(k);
  std::ptrdiff_t const width = kernel.width;
  image_columns const columns(image);
  std::ptrdiff_t const steps = parts_for(columns.count(), width);
  std::ptrdiff_t const blocks = parts_for(steps, steps_of_task);
  for_each_task<B>(groups * blocks, is_shared<B>(m * count * k * groups), [&](std::ptrdiff_t task) {
    std::ptrdiff_t const group = task / blocks;
    std::int16_t const* const from = copy + group * (image.channels() / groups) * image.plane();
    gemm_scratch<one_thread_of<B>, std::int16_t, 32768> panel(pairs * width * 2);
    gemm_scratch<one_thread_of<B>, std::int32_t> edge(m * width);
    std::ptrdiff_t const last = std::min(steps, (task % blocks + 1) * steps_of_task);
    for (std::ptrdiff_t step = task % blocks * steps_of_task; step != last; ++step) {
      std::ptrdiff_t const first = step * width;
      pack_windows(panel.data(), from + first, taps, width);
      std::int64_t const at = columns.window_of(first, width);
      bool const apart = at < 0;
      std::int32_t* const part = y + group * m * count;
      multiply_panel<std::int16_t>(
          kernel,
          {pairs, w + group * m * pairs * 2, pairs * 2, panel.data(), apart ? edge.data() : part + at,
           apart ? width : count, width, bias == nullptr ? nullptr : bias + group * m},
          m);
      if (!apart) continue;
      columns.for_each_line(first, first + width, [&](std::int64_t column, std::int64_t window, std::int64_t size) {
        for (std::ptrdiff_t unit = 0; unit != m; ++unit)
          std::copy_n(edge.data() + unit * width + column - first, size, part + unit * count + window);
      });
    }
  });
}

}  // namespace plait::detail

PLAIT_KERNELS_END
