// Broadcasting arguments of binary ops: alignment of the second operand to the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/broadcast.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>

namespace plait {

/// Without arguments, shapes broadcast to each other as in numpy; with broadcast=1 as in Caffe2: B is broadcast to the
/// shape of A, aligned to A's last axes or to those from `axis` on (or from the one that `axis_str` names by its letter
/// in `order`), or has one element, in any shape. With whole_axes=1 also, all axes of B have A's extents. An axis
/// without broadcast=1, which Caffe2 ignored, must be the one that numpy's rule gives.
class broadcast_arguments {
 public:
  static op_schema& describe(op_schema& schema) {
    return schema.argument("broadcast", std::int64_t{0}, "1: B is repeated to A's shape; 0: as numpy broadcasts")
        .argument("axis", std::int64_t{-1}, "the axis of A that B's first axis faces")
        .argument("axis_str", std::string(), "instead of axis: a letter of order")
        .argument("order", std::string("NCHW"), "the letters of A's axes")
        .argument("whole_axes", std::int64_t{0}, "with broadcast=1: B is repeated along axes that it lacks only");
  }

  /// `enabled` implies broadcast=1.
  explicit broadcast_arguments(op_arguments const& a, bool enabled = false)
      : enabled_(enabled || a.flag("broadcast")), whole_axes_(a.flag("whole_axes")), axis_(a.integer("axis")) {
    std::string const& letter = a.text("axis_str");
    if (letter.empty()) return;
    if (axis_ != -1) a.fail("axis_str", "cannot be given beside axis");
    std::size_t const found = a.text("order").find(letter);
    if (letter.size() != 1 || found == std::string::npos)
      a.fail("axis_str", "is '" + letter + "', which should be one letter of order '" + a.text("order") + '\'');
    axis_ = static_cast<std::int64_t>(found);
  }

  /// Predicate for op_schema::rows_independent: B has rows like A, or is broadcast along them.
  static bool rows_independent(op_arguments const& a, std::size_t rows) {
    broadcast_arguments const how(a);
    if (rows == 2) return !how.enabled_ || how.axis_ < 1;
    return rows == 1 && how.enabled_ && is_inner_axis(how.axis_);
  }

  /// Shape of the result, and shape of B with extents of 1 appended so that the last axes are aligned.
  struct shapes {
    shape result;
    shape right;
  };
  /// Throws shape_error.
  shapes match(shape const& a, shape const& b) const {
    auto const spare = static_cast<std::int64_t>(a.rank()) - static_cast<std::int64_t>(b.rank());
    if (!enabled_) {
      if (axis_ != -1 && spare > 0 && axis_ != spare && b.size() != 1)
        shape_context::fail("a tensor of " + to_string(b) + " faces " + to_string(a) + " from axis " +
                            std::to_string(axis_) + " on with broadcast=1 only");
      return {broadcast_shape(a, b), b};
    }
    if (b.size() == 1 && !whole_axes_) return {a, {}};
    std::int64_t const axis = axis_ == -1 ? spare : axis_;
    if (spare < 0 || axis < 0 || axis > spare || (whole_axes_ && b.rank() == 0)) refuse(a, b);
    for (std::size_t i = 0; whole_axes_ && i != b.rank(); ++i)
      if (b[i] != a[i + static_cast<std::size_t>(axis)]) refuse(a, b);
    shape right = b;
    while (right.rank() + static_cast<std::size_t>(axis) != a.rank()) right.push_back(1);
    for (std::size_t i = 0; i != right.rank(); ++i)
      if (right[i] != 1 && right[i] != a[i + static_cast<std::size_t>(axis)]) refuse(a, b);
    return {a, right};
  }

 private:
  [[noreturn]] void refuse(shape const& a, shape const& b) const {
    shape_context::fail("a tensor of " + to_string(b) + " cannot be repeated to " + to_string(a) +
                        (axis_ == -1 ? "" : " from axis " + std::to_string(axis_) + " on"));
  }

  bool enabled_;
  bool whole_axes_;
  std::int64_t axis_;
};

}  // namespace plait
