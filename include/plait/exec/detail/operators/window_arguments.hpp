// Arguments of ops that slide windows over images (convolution, pooling, padding), with the names of Caffe2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/detail/kernels/windows.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>

namespace plait::detail {

// Limit of extents, so that products of two do not overflow.
inline constexpr std::int64_t largest_extent = (std::int64_t{1} << 31) - 1;

inline bool any_outside(std::vector<std::int64_t> const& list, std::int64_t least) {
  return std::ranges::any_of(list, [=](std::int64_t x) { return x < least || x > largest_extent; });
}

/// Reads a number for each axis of an image: from a list, one number for all axes, or two for height and width.
inline std::vector<std::int64_t> read_extents(op_arguments const& a, std::string_view name, std::string_view list,
                                              std::int64_t least, std::int64_t fallback) {
  std::vector<std::int64_t> made = a.integers(list);
  std::string const h = std::string(name) + "_h";
  std::string const w = std::string(name) + "_w";
  if (made.empty()) {
    if (a.has(name)) {
      made = {a.integer(name)};
    } else if (a.has(h) || a.has(w)) {
      if (!a.has(h) || !a.has(w)) a.fail(a.has(h) ? w : h, "is missing");
      made = {a.integer(h), a.integer(w)};
    } else {
      made = {fallback};
    }
  }
  if (any_outside(made, least))
    a.fail(a.integers(list).empty() ? name : list, "is less than " + std::to_string(least) + " or very large");
  return made;
}

/// Reads the padding before each axis, then after each: a list, one number for all, or four for the sides of an image.
inline std::vector<std::int64_t> read_pads(op_arguments const& a, std::int64_t least = 0) {
  std::vector<std::int64_t> made = a.integers("pads");
  if (made.empty()) {
    if (a.has("pad")) {
      made = {a.integer("pad")};
    } else {
      for (char const* const side : {"pad_t", "pad_l", "pad_b", "pad_r"}) made.push_back(a.integer(side));
    }
  }
  if (any_outside(made, least)) a.fail("pads", least == 0 ? "are negative or very large" : "are very large");
  if (std::ranges::all_of(made, [](std::int64_t x) { return x == 0; })) made = {0};
  return made;
}

/// Returns number `at` of a list that has `wanted`, or one for all, for the images of an input.
inline std::int64_t extent_of(shape_context const& c, std::size_t input, std::vector<std::int64_t> const& list,
                              std::size_t at, std::size_t wanted, std::string_view name) {
  if (list.size() != 1 && list.size() != wanted)
    c.fail("argument '" + std::string(name) + "' has " + std::to_string(list.size()) + " numbers where " +
           to_string(c.input(input)) + " asks for " + std::to_string(wanted));
  return list.size() == 1 ? list.front() : list[at];
}

/// Adds arguments for a number of each axis, as read_extents reads them.
inline void describe_extents(op_schema& schema, std::string const& name, std::string const& list,
                             std::string const& what, std::int64_t fallback) {
  schema.argument(list, std::vector<std::int64_t>(), what + ", by axis")
      .argument(name, fallback, "the same for all axes")
      .argument(name + "_h", fallback, "by height")
      .argument(name + "_w", fallback, "by width");
}

/// Which outputs a gradient of a convolution has, of dW, [db], [dX].
struct convolution_gradients {
  explicit convolution_gradients(op_arguments const& a)
      : with_bias(!a.flag("no_bias") && a.output_count() > 1), with_x(a.output_count() == (with_bias ? 3 : 2)) {
    if (a.flag("no_bias") && a.output_count() == 3) a.fail("no_bias", "leaves no more than two outputs");
  }
  std::size_t x() const noexcept { return with_bias ? 2 : 1; }  ///< number of the output dX
  bool with_bias;
  bool with_x;
};
inline op_schema& describe_convolution_gradients(op_schema& schema) {
  return schema.inputs(3)
      .outputs(1, 3)
      .argument("no_bias", std::int64_t{0}, "whether there was no b, so that there is no db")
      .describe("outputs dW, db, dX; or dW, db; or dW, and with no_bias dW, dX (inputs X, W, dY)");
}

inline bool read_channels_last(op_arguments const& a) {
  if (a.text("order") != "NCHW" && a.text("order") != "NHWC") a.fail("order", "must be NCHW or NHWC");
  return a.text("order") == "NHWC";
}

inline op_schema& describe_pads(op_schema& schema) {
  return schema.argument("pads", std::vector<std::int64_t>(), "padding before each axis, then after each")
      .argument("pad", std::int64_t{0}, "the same for all sides")
      .argument("pad_t", std::int64_t{0}, "at the top")
      .argument("pad_l", std::int64_t{0}, "at the left")
      .argument("pad_b", std::int64_t{0}, "at the bottom")
      .argument("pad_r", std::int64_t{0}, "at the right")
      .argument("order", std::string("NCHW"), "NCHW or NHWC, of any number of axes between or after N and C");
}

inline op_schema& describe_windows(op_schema& schema) {
  describe_extents(schema, "kernel", "kernels", "extents of a window", 0);
  describe_extents(schema, "stride", "strides", "from one window to the next", 1);
  describe_extents(schema, "dilation", "dilations", "from one tap of a window to the next", 1);
  return describe_pads(schema)
      .argument("legacy_pad", std::int64_t{0},
                "1: no padding; 2: as many windows as there are places, by stride; 3: windows may end behind the tail")
      .argument("same_lower", std::int64_t{0}, "whether legacy_pad 2 has the larger half of the padding in front")
      .argument("ceil_mode", std::int64_t{0}, "whether a last window that begins before the tail may end behind it")
      .ignored_in_caffe2("same_lower")
      .ignored_in_caffe2("ceil_mode")
      .argument("global_pooling", std::int64_t{0}, "whether there is one window, of all places, whatever the kernel");
}

/// Windows over an input of one to three spatial axes.
class window_arguments {
 public:
  explicit window_arguments(op_arguments const& a)
      : global_(a.flag("global_pooling")),
        // Nets converted from Caffe have kernel 0 then.
        kernel_(global_ ? std::vector<std::int64_t>{1} : read_extents(a, "kernel", "kernels", 1, 1)),
        stride_(read_extents(a, "stride", "strides", 1, 1)),
        dilation_(read_extents(a, "dilation", "dilations", 1, 1)),
        pads_(read_pads(a)),
        legacy_(a.integer("legacy_pad")),
        lower_(a.flag("same_lower")),
        ceil_(a.flag("ceil_mode")),
        last_(read_channels_last(a)) {
    if (legacy_ < 0 || legacy_ > 3) a.fail("legacy_pad", "must be 0, 1, 2 or 3");
    auto const others = [](std::vector<std::int64_t> const& list, std::int64_t usual) {
      return std::ranges::any_of(list, [usual](std::int64_t x) { return x != usual; });
    };
    if ((legacy_ == 1 || legacy_ == 2) && others(pads_, 0))
      a.fail("legacy_pad", "decides on the padding, which is given besides");
    if (global_ && (others(pads_, 0) || others(stride_, 1) || others(dilation_, 1)))
      a.fail("global_pooling", "makes one window, but a pad, stride or dilation is given");
    if (!global_ && a.integers("kernels").empty() && !a.has("kernel") && !a.has("kernel_h"))
      a.fail("kernel", "is missing");
  }

  bool channels_last() const noexcept { return last_; }

  /// Returns the number of spatial axes, if the kernel lists 2 or 3 extents; else 0.
  std::size_t axes() const noexcept { return kernel_.size() == 2 || kernel_.size() == 3 ? kernel_.size() : 0; }

  /// Throws shape_error unless an input has images of so many spatial axes; 0: one to three.
  void expect_images(shape_context const& c, std::size_t input, std::size_t axes) const {
    if (axes == 0) return c.expect_rank(input, 3, 5);
    std::string names = last_ ? "N" : "N×C";
    for (char const axis : std::string_view("DHW").substr(3 - axes)) names += std::string("×") + axis;
    c.expect_rank(input, axes + 2, axes + 2, last_ ? names + "×C" : names);
  }

  /// Returns the windows over an input. Throws shape_error if none fit.
  windows infer(shape_context const& c, std::size_t input) const {
    expect_images(c, input, axes());
    shape const& dims = c.dims(input);
    std::size_t const rank = dims.rank() - 2;
    windows made;
    for (std::size_t axis = 0; axis != rank; ++axis) {
      std::size_t const at = made.in.size() - rank + axis;
      std::int64_t const extent = dims[axis + (last_ ? 1 : 2)];
      made.in[at] = extent;
      made.kernel[at] = global_ ? extent : extent_of(c, input, kernel_, axis, rank, "kernels");
      made.stride[at] = global_ ? 1 : extent_of(c, input, stride_, axis, rank, "strides");
      made.dilation[at] = global_ ? 1 : extent_of(c, input, dilation_, axis, rank, "dilations");
      std::int64_t head = global_ ? 0 : extent_of(c, input, pads_, axis, 2 * rank, "pads");
      std::int64_t tail = global_ ? 0 : extent_of(c, input, pads_, rank + axis, 2 * rank, "pads");
      std::int64_t const reach = made.dilation[at] * (made.kernel[at] - 1) + 1;
      std::int64_t const stride = made.stride[at];
      std::int64_t more = 0;
      if (legacy_ == 1) {
        head = tail = 0;
      } else if (legacy_ == 2) {
        std::int64_t const windows = (extent + stride - 1) / stride;
        std::int64_t const needed = std::max<std::int64_t>(0, (windows - 1) * stride + reach - extent);
        head = (needed + (lower_ ? 1 : 0)) / 2;
        tail = needed - head;
      } else if (legacy_ == 3) {
        tail = head;
        // One more window, if it begins before the tail.
        std::int64_t const whole = extent + head + tail - reach;
        more = whole > 0 && whole % stride != 0 && (head == 0 || (whole / stride + 1) * stride < extent + head) ? 1 : 0;
      }
      if (ceil_ && legacy_ != 3) {
        std::int64_t const whole = extent + head + tail - reach;
        more = whole > 0 && whole % stride != 0 && (whole / stride + 1) * stride < extent + head ? 1 : 0;
      }
      c.expect(extent > 0 && extent + head + tail >= reach, input, "have, with padding, ", reach,
               " places for a window in axis ", axis + (last_ ? 1 : 2));
      made.out[at] = (extent + head + tail - reach) / stride + 1 + more;
      made.head[at] = head;
      // Caffe counted what is behind the tail, too.
      made.tail[at] = legacy_ != 3 ? tail : std::max(tail, (made.out[at] - 1) * stride + reach - extent - head);
    }
    return made;
  }

  std::int64_t channels(shape const& dims) const { return last_ ? dims[dims.rank() - 1] : dims[1]; }

  /// Returns the shape of images of `channels` channels whose elements are the windows over images of shape `dims`.
  shape outputs(windows const& w, shape const& dims, std::int64_t channels) const {
    shape made = {dims[0]};
    if (!last_) made.push_back(channels);
    for (std::size_t at = w.out.size() - (dims.rank() - 2); at != w.out.size(); ++at) made.push_back(w.out[at]);
    if (last_) made.push_back(channels);
    return made;
  }

 private:
  bool global_;
  std::vector<std::int64_t> kernel_;
  std::vector<std::int64_t> stride_;
  std::vector<std::int64_t> dilation_;
  std::vector<std::int64_t> pads_;
  std::int64_t legacy_;
  bool lower_;
  bool ceil_;
  bool last_;
};

}  // namespace plait::detail
