// Lines of an index tensor over a data tensor of the same rank: offsets of both along one axis.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/strided_copy.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/detail/shape_context.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

/// Lines of an index tensor: all places of its axes but the last and, if it is another one, the indexed axis. A line
/// has `count` indices along the indexed axis for each of `columns` places of the last axis.
struct element_lines {
  std::size_t lines = 1;
  std::size_t count = 0;
  std::size_t columns = 1;
  std::int64_t bound = 0;      ///< extent of the data along the indexed axis
  std::int64_t data_step = 1;  ///< stride of the data along the indexed axis
  std::int64_t list_step = 1;  ///< stride of the indices along the indexed axis
  strides extent = {};         ///< extents of a line's place; 1 for the axes within a line
  strides data_stride = {};
  strides list_stride = {};

  element_lines() = default;
  /// Checks the indices in input `list` against the data, input 0, and throws shape_error unless they have the same
  /// rank, and no larger extents along the other axes.
  element_lines(shape_context const& c, std::size_t list, std::int64_t at) {
    c.expect_type<std::int32_t, std::int64_t>(list);
    c.expect_rank(0, 1);
    shape const& data = c.dims(0);
    shape const& indices = c.dims(list);
    c.expect_rank(list, data.rank(), data.rank());
    std::size_t const axis = c.axis(0, at);
    std::size_t const last = data.rank() - 1;
    extent.fill(1);
    for (std::size_t a = 0; a != data.rank(); ++a) {
      c.expect(a == axis || indices[a] <= data[a], list, "have an extent of at most ", data[a], " in axis ", a,
               ", as the data");
      if (a == axis || a == last) continue;
      extent[a] = indices[a];
      data_stride[a] = data.size_from(a + 1);
      list_stride[a] = indices.size_from(a + 1);
      lines *= static_cast<std::size_t>(indices[a]);
    }
    count = static_cast<std::size_t>(indices[axis]);
    columns = axis == last ? 1 : static_cast<std::size_t>(indices[last]);
    bound = data[axis];
    data_step = data.size_from(axis + 1);
    list_step = indices.size_from(axis + 1);
  }

  /// Computes the offsets of a line's first element in the data and in the indices.
  PLAIT_HOST_DEVICE constexpr void find(std::size_t line, std::int64_t& data_at, std::int64_t& list_at) const {
    auto i = static_cast<std::int64_t>(line);
    data_at = 0;
    list_at = 0;
    // Constant indices only: a device copies arrays that variables index to memory, for each thread.
    for (std::size_t axis = shape::max_rank; axis-- != 0;) {
      if (extent[axis] == 1) continue;
      std::int64_t const place = take_place(i, extent[axis]);
      data_at += place * data_stride[axis];
      list_at += place * list_stride[axis];
    }
  }
};

}  // namespace plait::detail

PLAIT_KERNELS_END
