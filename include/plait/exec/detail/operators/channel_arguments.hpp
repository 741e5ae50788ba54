// Arguments of operators on images with channels: the order of axes, groups of channels.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/shape_context.hpp>

namespace plait::detail {

/// Returns true if argument `order` is NHWC (channels are the last axis), false if it is NCHW (the second).
inline bool channels_are_last(op_arguments const& a) {
  bool const last = a.text("order") == "NHWC";
  if (!last && a.text("order") != "NCHW") a.fail("order", "should be NCHW or NHWC");
  return last;
}

/// Returns the argument `group`, which must be positive.
inline std::int64_t group_argument(op_arguments const& a) {
  std::int64_t const groups = a.integer("group");
  if (groups < 1) a.fail("group", "is less than 1");
  return groups;
}

/// Input 0 as items × channels × places, or items × places × channels, for images of any number of axes.
struct image_extents {
  std::size_t items = 0;
  std::size_t channels = 0;
  std::size_t places = 0;

  /// Throws shape_error for fewer than two axes.
  static image_extents of(shape_context const& c, bool channels_last) {
    c.expect_rank(0, 2);
    shape const& dims = c.dims(0);
    std::size_t const axis = channels_last ? dims.rank() - 1 : 1;
    std::int64_t const places = channels_last ? dims.size(1, axis) : dims.size_from(2);
    return {static_cast<std::size_t>(dims[0]), static_cast<std::size_t>(dims[axis]), static_cast<std::size_t>(places)};
  }
};

}  // namespace plait::detail
