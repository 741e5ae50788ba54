// Export rules of operators on images: convolution, pooling, padding, resizing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>

namespace plait {
namespace detail::onnx_out {

/// Returns a permutation that moves the last axis behind the first, or back.
inline std::vector<std::int64_t> onnx_channel_order(std::size_t rank, bool to_first) {
  std::vector<std::int64_t> perm{0};
  auto const last = static_cast<std::int64_t>(rank) - 1;
  if (to_first) perm.push_back(last);
  for (std::int64_t axis = to_first ? 1 : 2; axis < (to_first ? last : last + 1); ++axis) perm.push_back(axis);
  if (!to_first && rank > 1) perm.push_back(1);
  return perm;
}

/// Returns images with their channels in axis 1. Those of unknown rank are of height and width: others are refused.
inline std::string onnx_images(onnx_export_context const& c, std::string const& x, std::size_t rank = 4) {
  return c.channels_last() ? c.transpose(x, onnx_channel_order(c.rank(x).value_or(rank), true)) : x;
}
/// Defines output 0 by images with their channels in axis 1.
inline void onnx_give_images(onnx_export_context& c, std::string_view type, std::vector<std::string> inputs,
                             std::vector<onnx_attribute> with, std::size_t rank = 4) {
  if (!c.channels_last()) return c.give(0, type, std::move(inputs), std::move(with));
  std::string const made = c.step(type, std::move(inputs), std::move(with));
  c.give(0, "Transpose", {made}, {onnx_attr("perm", onnx_channel_order(c.rank(made).value_or(rank), false))});
}

/// Returns a list argument in its forms: <name>s for all axes, <name> for each, <name>_h and <name>_w; empty if there
/// is none.
inline std::vector<std::int64_t> onnx_extents(onnx_export_context const& c, std::string const& name, std::size_t axes) {
  std::vector<std::int64_t> list = c.integers(name + 's');
  if (list.size() == 1) list.assign(axes, list.front());
  if (!list.empty()) return list;
  if (c.has(name)) return std::vector<std::int64_t>(axes, c.integer(name, 0));
  if (c.has(name + "_h") || c.has(name + "_w")) return {c.integer(name + "_h", 1), c.integer(name + "_w", 1)};
  return {};
}
inline std::vector<std::int64_t> onnx_pads(onnx_export_context const& c, std::size_t axes) {
  std::vector<std::int64_t> list = c.integers("pads");
  if (list.size() == 1) list.assign(2 * axes, list.front());
  if (!list.empty()) return list;
  if (c.has("pad")) return std::vector<std::int64_t>(2 * axes, c.integer("pad", 0));
  for (char const* side : {"pad_t", "pad_l", "pad_b", "pad_r"})
    if (c.has(side))
      return {c.integer("pad_t", 0), c.integer("pad_l", 0), c.integer("pad_b", 0), c.integer("pad_r", 0)};
  return std::vector<std::int64_t>(2 * axes, 0);
}

/// Windows of a convolution or pooling, as ONNX's attributes.
struct onnx_export_windows {
  std::vector<onnx_attribute> attributes;
  std::size_t rank = 4;
};

/// Reads the windows over `x`, whose channels are in axis 1, of an op whose weights are `w`, empty for none.
inline onnx_export_windows onnx_windows_over(onnx_export_context const& c, std::string const& x, std::string const& w) {
  onnx_export_windows made;
  std::vector<std::int64_t> const listed = c.integers("kernels");
  if (auto const rank = c.rank(x))
    made.rank = *rank;
  else if (!w.empty() && c.rank(w))
    made.rank = *c.rank(w);
  else if (listed.size() > 1)
    made.rank = listed.size() + 2;
  if (made.rank < 3) c.unsupported("its input has no spatial axes");
  std::size_t const axes = made.rank - 2;
  std::vector<std::int64_t> const kernel = onnx_extents(c, "kernel", axes);
  std::vector<std::int64_t> strides = onnx_extents(c, "stride", axes);
  std::vector<std::int64_t> dilations = onnx_extents(c, "dilation", axes);
  std::vector<std::int64_t> pads = onnx_pads(c, axes);
  if (kernel.empty()) c.unsupported("it has no kernel");
  if (strides.empty()) strides.assign(axes, 1);
  if (dilations.empty()) dilations.assign(axes, 1);
  if (kernel.size() != axes || strides.size() != axes || dilations.size() != axes || pads.size() != 2 * axes)
    c.unsupported("its windows are not of " + std::to_string(axes) + " axes, as its input is");
  std::int64_t const legacy = c.integer("legacy_pad", 0);
  bool ceils = false;
  if (legacy == 1) std::ranges::fill(pads, 0);
  if (legacy == 3) {
    // Windows may end behind the padding: explicit where the extents are known.
    auto const known = c.known_dims(x);
    for (std::size_t axis = 0; axis != axes; ++axis) {
      std::int64_t& tail = pads[axes + axis];
      tail = pads[axis];
      std::int64_t const reach = dilations[axis] * (kernel[axis] - 1) + 1;
      if (!known) {
        ceils = ceils || strides[axis] != 1;
        continue;
      }
      std::int64_t const extent = (*known)[axis + 2];
      std::int64_t const head = pads[axis];
      std::int64_t const whole = extent + head + tail - reach;
      std::int64_t const windows = whole / strides[axis] + 1;
      if (whole > 0 && whole % strides[axis] != 0 && (head == 0 || windows * strides[axis] < extent + head))
        tail = windows * strides[axis] + reach - extent - head;
    }
    if (ceils && (!w.empty() || c.type() != "MaxPool"))
      c.unsupported("the extents of its input are unknown, on which the padding of legacy_pad 3 depends",
                    "list the shapes of inputs in the options");
  }
  made.attributes = {onnx_attr("kernel_shape", kernel), onnx_attr("strides", strides)};
  if (legacy == 2)
    made.attributes.push_back(onnx_attr("auto_pad", c.integer("same_lower", 0) != 0 ? "SAME_LOWER" : "SAME_UPPER"));
  else
    made.attributes.push_back(onnx_attr("pads", pads));
  if (std::ranges::any_of(dilations, [](std::int64_t each) { return each != 1; })) {
    if (c.type() == "AveragePool" && c.opset() < 19) c.unsupported("AveragePool with dilations", "opset 19 or later");
    made.attributes.push_back(onnx_attr("dilations", dilations));
  }
  if (w.empty() && c.integer("ceil_mode", 0) != 0) ceils = true;
  if (ceils) made.attributes.push_back(onnx_attr("ceil_mode", 1));
  return made;
}

inline void onnx_export_conv(onnx_export_context& c) {
  std::vector<std::string> inputs = c.inputs();
  std::size_t const rank = c.rank(inputs[1]).value_or(4);
  inputs[0] = onnx_images(c, inputs[0], rank);
  inputs[1] = onnx_images(c, inputs[1], rank);
  onnx_export_windows windows = onnx_windows_over(c, inputs[0], inputs[1]);
  windows.attributes.push_back(onnx_attr("group", c.integer("group", 1)));
  onnx_give_images(c, "Conv", std::move(inputs), std::move(windows.attributes), windows.rank);
}

/// ConvInteger, whose bias becomes a sum.
inline void onnx_export_conv_integer(onnx_export_context& c) {
  std::vector<std::string> inputs = c.inputs();
  std::string const bias = inputs.size() == 5 ? inputs[4] : std::string();
  inputs.resize(std::min<std::size_t>(inputs.size(), 4));
  onnx_export_windows windows = onnx_windows_over(c, inputs[0], inputs[1]);
  windows.attributes.push_back(onnx_attr("group", c.integer("group", 1)));
  if (bias.empty()) return c.give(0, "ConvInteger", std::move(inputs), std::move(windows.attributes));
  std::vector<std::int64_t> column(c.rank(inputs[1]).value_or(4) - 1, 1);
  column[0] = -1;
  c.give(0, "Add", {c.step("ConvInteger", std::move(inputs), std::move(windows.attributes)), c.reshape(bias, column)});
}

inline void onnx_export_conv_transpose(onnx_export_context& c) {
  std::vector<std::string> inputs = c.inputs();
  if (c.channels_last()) c.unsupported("ConvTranspose of images in the order NHWC", "the order NCHW");
  if (c.integer("legacy_pad", 0) != 0) c.unsupported("ConvTranspose with legacy_pad", "explicit pads");
  onnx_export_windows windows = onnx_windows_over(c, inputs[0], inputs[1]);
  if (auto const more = onnx_extents(c, "adj", windows.rank - 2); !more.empty())
    windows.attributes.push_back(onnx_attr("output_padding", more));
  windows.attributes.push_back(onnx_attr("group", c.integer("group", 1)));
  c.give(0, "ConvTranspose", std::move(inputs), std::move(windows.attributes));
}

inline void onnx_export_pool(onnx_export_context& c) {
  std::string const x = onnx_images(c, c.input(0));
  if (c.integer("global_pooling", 0) != 0) return onnx_give_images(c, "Global" + c.type(), {x}, {});
  onnx_export_windows windows = onnx_windows_over(c, x, "");
  if (c.type() == "AveragePool" && c.integer("count_include_pad", 0) != 0) {
    if (c.integer("legacy_pad", 0) == 3) c.unsupported("count_include_pad with legacy_pad 3", "explicit pads");
    windows.attributes.push_back(onnx_attr("count_include_pad", 1));
  }
  onnx_give_images(c, c.type(), {x}, std::move(windows.attributes), windows.rank);
}

inline void onnx_export_pad_image(onnx_export_context& c) {
  std::string const x = c.input(0);
  std::vector<std::int64_t> const p = onnx_pads(c, 2);
  if (p.size() != 4) c.unsupported("its pads are not of two axes");
  std::vector<std::int64_t> const pads = c.channels_last()
                                             ? std::vector<std::int64_t>{0, p[0], p[1], 0, 0, p[2], p[3], 0}
                                             : std::vector<std::int64_t>{0, 0, p[0], p[1], 0, 0, p[2], p[3]};
  std::string const mode = c.text("mode", "constant");
  std::vector<std::string> inputs{x, c.constant(pads, "pads")};
  if (mode == "constant" && c.real("value", 0) != 0) inputs.push_back(c.number(c.real("value", 0), x));
  c.give(0, "Pad", std::move(inputs), {onnx_attr("mode", mode.c_str())});
  if (c.rank(x) == 4U) {
    std::vector<std::int64_t> dims = *c.dims(x);
    for (std::size_t axis = 0; axis != 4; ++axis)
      if (dims[axis] >= 0) dims[axis] += pads[axis] + pads[axis + 4];
    c.set_dims(c.output(0), dims);
  } else {
    c.set_dims(c.output(0), std::vector<std::int64_t>(4, -1));
  }
}

inline void onnx_export_resize(onnx_export_context& c, bool nearest) {
  std::string const x = c.input(0);
  float const h = c.real("height_scale", 1);
  float const w = c.real("width_scale", 1);
  if (c.input_count() > 1) c.unsupported("scales that are an input", "the arguments height_scale and width_scale");
  std::vector<float> const scales = c.channels_last() ? std::vector<float>{1, h, w, 1} : std::vector<float>{1, 1, h, w};
  std::vector<onnx_attribute> with{
      onnx_attr("mode", nearest ? "nearest" : "linear"),
      onnx_attr("coordinate_transformation_mode", nearest ? "asymmetric" : "align_corners")};
  if (nearest) with.push_back(onnx_attr("nearest_mode", "floor"));
  c.give(0, "Resize", {x, "", c.constant(tensor_value{{4}, scales}, "scales")}, std::move(with));
  std::vector<std::int64_t> dims(4, -1);
  if (c.rank(x) == 4U)
    for (std::size_t axis = 0; axis != 4; ++axis)
      if ((*c.dims(x))[axis] >= 0)
        dims[axis] = static_cast<std::int64_t>(static_cast<float>((*c.dims(x))[axis]) * scales[axis]);
  c.set_dims(c.output(0), std::move(dims));
}

inline void onnx_export_channel_shuffle(onnx_export_context& c) {
  std::string const x = onnx_images(c, c.input(0));
  std::size_t const rank = c.rank(x).value_or(4);
  std::int64_t const group = c.integer("group", 1);
  std::string const places = c.step("Slice", {c.step("Shape", {x}), c.constant(std::vector<std::int64_t>{2}),
                                              c.constant(std::vector<std::int64_t>{static_cast<std::int64_t>(rank)})});
  std::string const split =
      c.step("Concat", {c.constant(std::vector<std::int64_t>{0, group, -1}), places}, {onnx_attr("axis", 0)});
  std::vector<std::int64_t> perm{0, 2, 1};
  for (std::size_t axis = 3; axis <= rank; ++axis) perm.push_back(static_cast<std::int64_t>(axis));
  std::string const shuffled = c.transpose(c.step("Reshape", {x, split}), perm);
  onnx_give_images(c, "Reshape", {shuffled, c.shape_of(x)}, {}, rank);
  if (!c.channels_last()) c.set_dims(c.output(0), c.dims(x));
}

inline void onnx_export_channel_move(onnx_export_context& c, bool to_first) {
  std::size_t const rank = c.rank(c.input(0)).value_or(4);
  c.give(0, "Transpose", {c.input(0)}, {onnx_attr("perm", onnx_channel_order(rank, to_first))});
}

}  // namespace detail::onnx_out

inline void add_onnx_windows_export(onnx_export_rules& rules) {
  using context = onnx_export_context;
  rules.set("Conv", detail::onnx_out::onnx_export_conv);
  rules.set("ConvInteger", detail::onnx_out::onnx_export_conv_integer);
  rules.set("ConvTranspose", detail::onnx_out::onnx_export_conv_transpose);
  rules.set("MaxPool", detail::onnx_out::onnx_export_pool);
  rules.set("AveragePool", detail::onnx_out::onnx_export_pool);
  rules.set("PadImage", detail::onnx_out::onnx_export_pad_image);
  rules.set("ResizeNearest", [](context& c) { detail::onnx_out::onnx_export_resize(c, true); });
  rules.set("UpsampleBilinear", [](context& c) { detail::onnx_out::onnx_export_resize(c, false); });
  rules.set("ChannelShuffle", detail::onnx_out::onnx_export_channel_shuffle);
  rules.set("NCHW2NHWC", [](context& c) { detail::onnx_out::onnx_export_channel_move(c, false); });
  rules.set("NHWC2NCHW", [](context& c) { detail::onnx_out::onnx_export_channel_move(c, true); });
}

}  // namespace plait
