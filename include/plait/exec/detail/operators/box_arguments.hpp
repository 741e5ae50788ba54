// Arguments of operators on boxes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>

namespace plait::detail {

/// Returns an argument that limits a number of boxes; if it is not positive, there is no limit.
inline std::size_t box_limit(op_arguments const& a, std::string_view name) {
  std::int64_t const most = a.integer(name);
  return most > 0 ? static_cast<std::size_t>(most) : std::numeric_limits<std::size_t>::max();
}

/// Adds the arguments by which has_last_pixels decides.
inline op_schema& describe_regression(op_schema& made) {
  return made.argument("legacy_plus_one", std::int64_t{1}, "whether x2 and y2 of a box are pixels of it")
      .argument("correct_transform_coords", std::int64_t{1}, "must be 1: results are boxes of the same convention");
}
/// Returns true if x2 and y2 are the last pixels of a box, not its edges.
inline bool has_last_pixels(op_arguments const& a) {
  if (!a.flag("correct_transform_coords"))
    a.fail("correct_transform_coords", "is 0, which early versions of Caffe2 had; only 1 is supported");
  return a.flag("legacy_plus_one");
}

}  // namespace plait::detail
