// Export rules of padding and interpolation along any axes, and of quantisation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/indexing.hpp>
#include <plait/interop/onnx/detail/export/rules/shapes.hpp>

namespace plait {
namespace detail::onnx_out {

/// Returns pads of some axes as those of all axes of a value: heads, then tails.
inline std::vector<std::int64_t> onnx_pads_of_axes(onnx_export_context const& c, std::string const& x,
                                                   std::vector<std::int64_t> const& pads,
                                                   std::vector<std::int64_t> const& axes) {
  auto const rank = static_cast<std::int64_t>(c.known_rank(x));
  std::vector<std::int64_t> made(static_cast<std::size_t>(2 * rank), 0);
  if (pads.size() != 2 * axes.size()) c.unsupported("its pads and axes do not fit");
  for (std::size_t k = 0; k != axes.size(); ++k) {
    std::int64_t const axis = axes[k] < 0 ? axes[k] + rank : axes[k];
    if (axis < 0 || axis >= rank) c.unsupported("its input has no axis " + std::to_string(axes[k]));
    made[static_cast<std::size_t>(axis)] = pads[k];
    made[static_cast<std::size_t>(axis + rank)] = pads[k + axes.size()];
  }
  return made;
}

/// Pad: inputs X, [pads unless an argument], [value], [axes].
inline void onnx_export_pad(onnx_export_context& c) {
  std::string const x = c.input(0);
  std::string const mode = c.text("mode", "constant");
  if (mode == "wrap") onnx_require_opset(c, 19, "cyclic padding");
  std::vector<std::int64_t> const axes = c.integers("axes");
  bool const listed = c.has("pads");
  std::size_t const value = listed ? 1 : 2;
  std::vector<std::string> inputs{x};
  if (!listed)
    inputs.push_back(onnx_as_int64(c, c.input(1)));
  else if (axes.empty())
    inputs.push_back(c.constant(c.integers("pads"), "pads"));
  else
    inputs.push_back(c.constant(onnx_pads_of_axes(c, x, c.integers("pads"), axes), "pads"));
  bool const has_axes = c.input_count() > 3 || (!listed && !axes.empty());
  if (has_axes) onnx_require_opset(c, 18, "pads of some axes that are an input");
  if (c.input_count() > value)
    inputs.push_back(c.reshape(c.input(value), {}));
  else if (has_axes)
    inputs.emplace_back();
  if (has_axes) inputs.push_back(c.input_count() > 3 ? c.input(3) : onnx_axes(c, axes));
  std::optional<std::vector<std::int64_t>> const pads = c.elements(inputs[1]);
  c.give(0, "Pad", std::move(inputs), {onnx_attr("mode", mode.c_str())});
  onnx_shape dims = c.dims(x);
  if (has_axes || !pads || !dims || pads->size() != 2 * dims->size()) return;
  for (std::size_t axis = 0; axis != dims->size(); ++axis)
    if (std::int64_t& extent = (*dims)[axis]; extent >= 0) extent += (*pads)[axis] + (*pads)[axis + dims->size()];
  c.set_dims(c.output(0), std::move(dims));
}

/// Resize: inputs X, [extents of integers or factors of float, unless arguments].
inline void onnx_export_resize_axes(onnx_export_context& c) {
  std::string const x = c.input(0);
  std::vector<std::int64_t> const axes = c.integers("axes");
  std::string const places = c.text("coordinate_transformation_mode", "half_pixel");
  if (places == "tf_half_pixel_for_nn")
    c.unsupported("places of tf_half_pixel_for_nn, which version 13 has removed", "half_pixel or asymmetric");
  if (places == "half_pixel_symmetric") onnx_require_opset(c, 19, "places of half_pixel_symmetric");
  std::string const mode = c.text("mode", "nearest");
  std::vector<onnx_attribute> with{onnx_attr("mode", mode.c_str()),
                                   onnx_attr("coordinate_transformation_mode", places.c_str())};
  if (mode == "nearest")
    with.push_back(onnx_attr("nearest_mode", c.text("nearest_mode", "round_prefer_floor").c_str()));
  if (mode == "cubic") with.push_back(onnx_attr("cubic_coeff_a", c.real("cubic_coeff_a", -0.75F)));
  if (c.integer("exclude_outside", 0) != 0) with.push_back(onnx_attr("exclude_outside", 1));
  if (places == "tf_crop_and_resize")
    with.push_back(onnx_attr("extrapolation_value", c.real("extrapolation_value", 0)));
  if (c.integer("antialias", 0) != 0) {
    onnx_require_opset(c, 18, "antialiasing");
    with.push_back(onnx_attr("antialias", 1));
  }
  if (std::string const policy = c.text("keep_aspect_ratio_policy", "stretch"); policy != "stretch") {
    onnx_require_opset(c, 18, "extents that keep the aspect ratio");
    with.push_back(onnx_attr("keep_aspect_ratio_policy", policy.c_str()));
  }
  std::vector<float> const region = c.reals("roi");
  auto const list = [&](std::vector<float> values, char const* ending) {
    auto const count = std::ssize(values);
    return c.constant(tensor_value{{count}, std::move(values)}, ending);
  };
  std::string scales;
  std::string sizes;
  if (c.input_count() > 1)
    (is_onnx_float(c.type_of(c.input(1))) ? scales : sizes) = c.input(1);
  else if (c.has("scales"))
    scales = list(c.reals("scales"), "scales");
  else
    sizes = c.constant(c.integers("sizes"), "sizes");
  if (!sizes.empty()) sizes = onnx_as_int64(c, sizes);
  if (!axes.empty()) {
    onnx_require_opset(c, 18, "extents of some axes");
    with.push_back(onnx_attr("axes", axes));
  }
  std::vector<std::string> inputs{x, region.empty() ? std::string() : list(region, "roi"), scales};
  if (!sizes.empty()) inputs.push_back(sizes);
  c.give(0, "Resize", std::move(inputs), std::move(with));
}

/// QuantizeLinear and DequantizeLinear.
inline void onnx_export_quantisation(onnx_export_context& c) {
  std::vector<onnx_attribute> with{onnx_attr("axis", c.integer("axis", 1))};
  if (std::int64_t const block = c.integer("block_size", 0); block != 0) {
    onnx_require_opset(c, 21, "scales of blocks");
    with.push_back(onnx_attr("block_size", block));
  }
  std::vector<std::string> inputs = c.inputs();
  // One scale is a scalar.
  auto const known = c.known_dims(inputs[1]);
  if (known && known->size() == 1 && known->front() == 1 && c.integer("block_size", 0) == 0)
    for (std::size_t i = 1; i != inputs.size(); ++i) inputs[i] = c.reshape(inputs[i], {});
  onnx_type const narrow = c.type_of(c.type() == "QuantizeLinear" ? inputs[2] : inputs[0]);
  if (narrow == onnx_type::int16 || narrow == onnx_type::uint16) onnx_require_opset(c, 21, "quantisation to 16 bits");
  c.give(0, c.type(), std::move(inputs), std::move(with));
}

}  // namespace detail::onnx_out

inline void add_onnx_resizing_export(onnx_export_rules& rules) {
  rules.set("Pad", detail::onnx_out::onnx_export_pad);
  rules.set("Resize", detail::onnx_out::onnx_export_resize_axes);
  rules.set("QuantizeLinear", detail::onnx_out::onnx_export_quantisation);
  rules.set("DequantizeLinear", detail::onnx_out::onnx_export_quantisation);
}

}  // namespace plait
