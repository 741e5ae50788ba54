// Scatter-add along an axis: accumulates elements at listed indices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Indices for scatter_axis: one list for all vectors along the axis or, with a stride, one list per outer index.
/// Negative indices count from the end of the n.
template <class I>
struct listed_place {
  I const* list;
  std::size_t stride;
  std::int64_t n;
  PLAIT_HOST_DEVICE std::int64_t operator()(std::size_t outer, std::size_t i, std::size_t) const {
    auto const at = static_cast<std::int64_t>(list[outer * stride + i]);
    return at < 0 ? at + n : at;
  }
};

/// Indices for scatter_axis: one per element.
template <class I>
struct own_place {
  I const* list;
  std::size_t count;
  std::size_t inner;
  PLAIT_HOST_DEVICE std::int64_t operator()(std::size_t outer, std::size_t i, std::size_t column) const {
    return static_cast<std::int64_t>(list[(outer * count + i) * inner + column]);
  }
};

namespace detail {

// Task: scatters `Width` columns; 1 if each thread has one.
template <class T, class Place, std::size_t Width>
struct scattered_columns {
  T* to;
  T const* from;
  Place place;
  std::size_t n;
  std::size_t count;
  std::size_t inner;
  std::size_t strips;
  PLAIT_HOST_DEVICE void operator()(std::size_t task) const {
    std::size_t const outer = task / strips;
    std::size_t const first = task % strips * Width;
    std::size_t const last = inner - first < Width ? inner : first + Width;
    T* const out = to + outer * n * inner;
    T const* const in = from + outer * count * inner;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = first; c < last; ++c) out[r * inner + c] = T(0);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = first; c < last; ++c) {
        std::int64_t const at = place(outer, i, c);
        if (at >= 0) out[static_cast<std::size_t>(at) * inner + c] += in[i * inner + c];
      }
  }
};

}  // namespace detail

/// Computes to [outer, n, inner]: each element of from [outer, count, inner] is added at index place(o, i, c) of the
/// middle axis, in ascending order of i. Elements of `to` without summands are 0; elements of `from` with a negative
/// index are skipped.
template <backend B, class T, class Place>
void scatter_axis(T* to, T const* from, Place const& place, std::size_t outer, std::size_t n, std::size_t count,
                  std::size_t inner) {
  if (inner == 0) return;
  constexpr std::size_t width = B::on_device ? 1 : 256;
  std::size_t const strips = (inner + width - 1) / width;
  for_each_row<B>(outer * strips, (n + 2 * count) * std::min(width, inner),
                  detail::scattered_columns<T, Place, width>{to, from, place, n, count, inner, strips});
}

}  // namespace plait

PLAIT_KERNELS_END
