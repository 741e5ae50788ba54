// Implicit GEMM convolution: the right operand is packed straight from a padded copy of the image, without im2col.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>
#include <plait/exec/detail/kernels/gemm_tiles.hpp>
#include <plait/exec/detail/kernels/packed_gemm.hpp>
#include <plait/exec/detail/kernels/padded_image.hpp>

namespace plait {

/// Computes y = relu(beta * y + w * columns + addend) of one image in `groups` groups of channels and of units, where w
/// is [units, channels of a group × taps], and y and addend are [units, windows]. Uses the backend's own GEMM: results
/// do not depend on the number of threads. Memory for packing comes from the backend's pool.
template <backend B, class T>
  requires(!B::on_device)
void multiply_image(padded_image const& image, T const* copy, std::int64_t groups, std::int64_t units, T const* w, T* y,
                    T beta, detail::gemm_epilogue<T> const& after) {
  constexpr std::ptrdiff_t block_size = (std::ptrdiff_t{1} << 18) / std::ptrdiff_t(sizeof(T));  // a share of L2
  detail::gemm_kernel<T> const& kernel = detail::tiles_for<T>();
  std::ptrdiff_t const width = kernel.width;
  std::ptrdiff_t const count = image.columns();
  std::ptrdiff_t const channels = image.channels() / groups;
  std::ptrdiff_t const k = channels * image.taps();
  std::ptrdiff_t const m = units / groups;
  std::ptrdiff_t const panels = kernel.panels(count);
  std::ptrdiff_t const fit = std::max<std::ptrdiff_t>(4, block_size / std::max<std::ptrdiff_t>(1, k * width));
  detail::even_parts const blocks(panels, detail::parts_for(panels, fit));
  bool const parallel = detail::is_shared<B>(m * count * k * groups);
  detail::for_each_task<B>(groups * blocks.count, parallel, [=, &kernel, &image](std::ptrdiff_t task) {
    using one = detail::one_thread_of<B>;
    std::ptrdiff_t const group = task / blocks.count;
    std::ptrdiff_t const block = task - group * blocks.count;
    detail::gemm_scratch<one, T> packed(blocks.size(block) * width * k + image.slack);
    std::ptrdiff_t const first = blocks.first(block) * width;
    std::ptrdiff_t const last = std::min(count, first + blocks.size(block) * width);
    T const* const from = copy + group * channels * image.plane();
    for (std::ptrdiff_t column = first; column < last; column += width)
      image.pack(from, channels, column, std::min(width, last - column), width, packed.data() + (column - first) * k);
    std::ptrdiff_t const at = group * m * count + first;
    detail::multiply_packed<one>(kernel,
                                 {m, last - first, k, w + group * m * k, k, 1, nullptr, 0, 0, y + at, count, T(1), beta,
                                  nullptr, 0, after.addend == nullptr ? nullptr : after.addend + at, count, after.relu},
                                 packed.data());
  });
}

}  // namespace plait
