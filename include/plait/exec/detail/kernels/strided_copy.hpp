// Strided copies: from a tensor of any strides to row-major order, and back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Distances between neighbours along each axis, in elements; 0 repeats one element, negative ones walk backwards.
using strides = std::array<std::int64_t, shape::max_rank>;

/// Returns the strides of contiguous elements, the last axis fastest.
[[nodiscard]] constexpr strides row_major(shape const& dims) {
  strides made = {};
  std::int64_t next = 1;
  for (std::size_t axis = dims.rank(); axis-- != 0; next *= dims[axis]) made[axis] = next;
  return made;
}

namespace detail {

/// Returns i modulo `extent`, the index along an axis, and divides i, which is not negative, by it for the axes before.
/// A 64-bit division takes a device a hundred instructions, so it uses 32 bits where they suffice.
PLAIT_HOST_DEVICE constexpr std::int64_t take_place(std::int64_t& i, std::int64_t extent) {
  if ((static_cast<std::uint64_t>(i | extent) >> 32) != 0) {
    std::int64_t const place = i % extent;
    i /= extent;
    return place;
  }
  auto const low = static_cast<std::uint32_t>(i);
  auto const size = static_cast<std::uint32_t>(extent);
  i = low / size;
  return low % size;
}

// Shape with adjacent axes merged where the strides allow it: fewer divisions per element.
struct strided_layout {
  std::array<std::int64_t, shape::max_rank> extent = {};
  strides from = {};
  int rank = 0;

  constexpr strided_layout(shape const& dims, strides const& source) {
    for (std::size_t axis = 0; axis != dims.rank(); ++axis) {
      if (dims[axis] == 1) continue;
      if (rank != 0 && from[at(rank - 1)] == source[axis] * dims[axis]) {
        extent[at(rank - 1)] *= dims[axis];
        from[at(rank - 1)] = source[axis];
      } else {
        extent[at(rank)] = dims[axis];
        from[at(rank)] = source[axis];
        ++rank;
      }
    }
  }
  static PLAIT_HOST_DEVICE constexpr std::size_t at(int axis) { return static_cast<std::size_t>(axis); }
  // Returns the offset of the i-th element.
  PLAIT_HOST_DEVICE constexpr std::int64_t offset(std::int64_t i) const {
    std::int64_t sum = 0;
    for (std::size_t axis = shape::max_rank; axis-- != 0;) {  // constant indices: see broadcast_layout::find
      if (axis < at(rank)) sum += (axis == 0 ? i : take_place(i, extent[axis])) * from[axis];
    }
    return sum;
  }
};

}  // namespace detail

/// Copies the elements of `dims` at `from`, with the given strides, to `out` in row-major order.
template <backend B, class T>
void copy_strided(T* out, T const* from, shape const& dims, strides const& source) {
  detail::strided_layout const layout(dims, source);
  auto const count = static_cast<std::size_t>(dims.size());
  if (count == 0) return;
  if (layout.rank == 0 || (layout.rank == 1 && layout.from[0] == 1)) return B::copy(out, from, count * sizeof(T));
  if constexpr (B::on_device) {
    for_each_index<B>(
        count, [=] PLAIT_HOST_DEVICE(std::size_t i) { out[i] = from[layout.offset(static_cast<std::int64_t>(i))]; });
  } else {
    auto const last = detail::strided_layout::at(layout.rank - 1);
    std::int64_t const inner = layout.extent[last];
    std::int64_t const step = layout.from[last];
    for_each_row<B>(count / static_cast<std::size_t>(inner), static_cast<std::size_t>(inner), [=](std::size_t row) {
      std::int64_t const first = static_cast<std::int64_t>(row) * inner;
      T const* const source_row = from + layout.offset(first);
      T* const to = out + first;
      PLAIT_INDEPENDENT
      for (std::int64_t i = 0; i < inner; ++i) to[i] = source_row[i * step];
    });
  }
}

/// Copies elements in row-major order to those of `dims` at `out` with the given strides, which must not overlap.
template <backend B, class T>
void copy_to_strided(T* out, strides const& target, T const* from, shape const& dims) {
  detail::strided_layout const layout(dims, target);
  auto const count = static_cast<std::size_t>(dims.size());
  if (count == 0) return;
  if (layout.rank == 0 || (layout.rank == 1 && layout.from[0] == 1)) return B::copy(out, from, count * sizeof(T));
  auto const last = detail::strided_layout::at(layout.rank - 1);
  auto const inner = static_cast<std::size_t>(layout.extent[last]);
  std::int64_t const step = layout.from[last];
  for_each_row_part<B>(count / inner, inner, 1,
                       [=] PLAIT_HOST_DEVICE(std::size_t row, std::size_t first, std::size_t end) {
                         T* const to = out + layout.offset(static_cast<std::int64_t>(row * inner));
                         T const* const source_row = from + row * inner;
                         PLAIT_INDEPENDENT
                         for (std::size_t i = first; i < end; ++i)
                           to[static_cast<std::int64_t>(i) * step] = source_row[i];
                       });
}

/// Dispatches on the size of the element type.
template <backend B>
void copy_strided(void* out, void const* from, element_type type, shape const& dims, strides const& source) {
  visit_word(type, [&]<class Word>(Word) {
    copy_strided<B>(static_cast<Word*>(out), static_cast<Word const*>(from), dims, source);
  });
}

}  // namespace plait

PLAIT_KERNELS_END
