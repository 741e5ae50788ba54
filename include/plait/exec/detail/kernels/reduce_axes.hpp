// Reductions of a tensor along any of its axes: one reduction of rows or columns per group of adjacent axes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include <plait/exec/detail/kernels/reduce.hpp>
#include <plait/exec/detail/shape.hpp>

namespace plait {

/// Flags by axis.
using axis_mask = std::array<bool, shape::max_rank>;

/// Returns the axes along which a tensor of shape `part` is broadcast to `whole`, aligned at their last axes: those
/// that the gradient is summed over.
[[nodiscard]] inline axis_mask repeated_axes(shape const& whole, shape const& part) {
  axis_mask made = {};
  for (std::size_t i = 0; i != whole.rank(); ++i) {
    std::size_t const axis = whole.rank() - 1 - i;
    made[axis] = i >= part.rank() || part[part.rank() - 1 - i] != whole[axis];
  }
  return made;
}

/// Steps of a reduction, from [outer, n, inner] to [outer, inner] each, the last group of axes first. Intermediate
/// results are in scratch memory.
class reduction_axes {
 public:
  struct step {
    std::size_t outer = 1;
    std::size_t n = 1;
    std::size_t inner = 1;
    std::size_t results() const noexcept { return outer * inner; }
    std::size_t partials() const noexcept {
      return inner == 1 ? row_partials(outer, n) : column_partials(outer, n, inner);
    }
  };

  reduction_axes() = default;
  reduction_axes(shape const& dims, axis_mask const& reduced, std::size_t element_bytes) {
    std::size_t outer = static_cast<std::size_t>(dims.size());
    std::size_t inner = 1;
    bool any_empty = false;
    for (std::size_t axis = 0; axis != dims.rank(); ++axis) {
      if (reduced[axis]) count_ *= static_cast<std::size_t>(dims[axis]);
      any_empty = any_empty || dims[axis] == 0;
    }
    for (std::size_t last = dims.rank(); last != 0;) {
      std::size_t first = last - 1;
      while (first != 0 && reduced[first - 1] == reduced[last - 1]) --first;
      auto const extent = static_cast<std::size_t>(dims.size(first, last));
      outer = any_empty ? static_cast<std::size_t>(dims.size_to(first)) : outer / extent;
      if (!reduced[first])
        inner *= extent;
      else if (extent != 1)
        steps_[size_++] = {outer, extent, inner};
      last = first;
    }
    if (size_ == 0) steps_[size_++] = {1, 1, static_cast<std::size_t>(dims.size())};

    std::size_t const alignment = 64 / element_bytes;
    auto const aligned = [&](std::size_t count) { return (count + alignment - 1) / alignment * alignment; };
    std::size_t partials = 0;
    for (std::size_t s = 0; s != size_; ++s) {
      partials = std::max(partials, steps_[s].partials());
      if (s + 1 != size_) between_[s % 2] = std::max(between_[s % 2], aligned(steps_[s].results()));
    }
    scratch_ = between_[0] + between_[1] + partials;
  }

  /// Returns the number of elements per result.
  std::size_t count() const noexcept { return count_; }
  std::size_t size() const noexcept { return size_; }
  step const& operator[](std::size_t s) const { return steps_[s]; }
  /// Elements of scratch memory, and offsets in it of the results of step s, not the last, and of the partial results.
  std::size_t scratch() const noexcept { return scratch_; }
  std::size_t place_after(std::size_t s) const noexcept { return s % 2 == 0 ? 0 : between_[0]; }
  std::size_t place_of_partials() const noexcept { return between_[0] + between_[1]; }

 private:
  std::array<step, shape::max_rank> steps_ = {};
  std::size_t size_ = 0;
  std::size_t count_ = 1;
  std::array<std::size_t, 2> between_ = {};
  std::size_t scratch_ = 0;
};

namespace detail {

template <backend B, class R, class T, class Map>
void reduce_step(reduction_axes::step const& s, T const* x, Map map, T* out, T* partials) {
  if (s.inner == 1)
    reduce_rows<B, R, T>(s.outer, s.n, mapped_rows<T, Map>{x, s.n, map}, out, partials);
  else
    reduce_columns<B, R>(x, s.outer, s.n, s.inner, map, out, partials);
}

}  // namespace detail

/// Reduces map(x[j]) of all j of the i-th result to out[i], in row-major order of the axes that are left.
template <backend B, class R, class T, class Map>
void reduce_axes(reduction_axes const& axes, T const* x, Map map, T* out, T* scratch) {
  T* const partials = scratch + axes.place_of_partials();
  auto const to = [&](std::size_t s) { return s + 1 == axes.size() ? out : scratch + axes.place_after(s); };
  detail::reduce_step<B, R>(axes[0], x, map, to(0), partials);
  for (std::size_t s = 1; s != axes.size(); ++s)
    detail::reduce_step<B, R, T>(axes[s], to(s - 1), as_it_is{}, to(s), partials);
}

}  // namespace plait
