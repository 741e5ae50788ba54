// Conversion rules for ONNX operators that change extents: Pad, Resize, Upsample.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

// Reports pads that do not fit the input, and adds them to its extents.
inline void add_pads(onnx_context const& c, std::vector<std::int64_t> const& pads,
                     std::vector<std::int64_t> const& axes, std::string_view mode, std::vector<std::int64_t>& dims) {
  for (std::size_t k = 0; k != axes.size(); ++k) {
    std::int64_t const head = pads[k];
    std::int64_t const tail = pads[k + axes.size()];
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (head > most || head < -most || tail > most || tail < -most) c.unsupported("a pad is too large");
    std::int64_t& extent = dims[static_cast<std::size_t>(axes[k])];
    if (extent < 0) continue;
    if (mode == "reflect" && std::max(head, tail) >= std::max<std::int64_t>(extent, 1))
      c.unsupported("a reflected margin of axis " + std::to_string(axes[k]) + " is no smaller than that of " +
                    input_text(c, 0));
    if ((mode == "edge" || mode == "wrap") && extent == 0 && head + tail > 0)
      c.unsupported("axis " + std::to_string(axes[k]) + " of " + input_text(c, 0) + " has nothing to repeat");
    if (extent + head + tail < 0)
      c.unsupported("more is cut off axis " + std::to_string(axes[k]) + " than " + input_text(c, 0) + " has");
    extent += head + tail;
  }
}

// Pad. Height and width of images of floats become PadImage, whose gradient exists in all modes.
inline void onnx_pad(onnx_context const& c) {
  std::string const mode = c.text("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    c.unsupported("the mode '" + mode + '\'');
  bool const old = c.opset() < 11;
  for (std::size_t const i : {1U, 3U})
    if (!old && c.has_input(i)) require_rank(c, i, 1, 1);
  if (!old && c.has_input(2)) require_scalar(c, 2, true);
  bool const known_axes = old || !c.has_input(3) || c.constant(3) != nullptr;
  bool const known = known_axes && (old || c.constant(1) != nullptr);
  std::optional<double> const number = !old && c.has_input(2) ? c.known_number(2) : std::nullopt;
  std::vector<std::string> inputs{c.input(0)};
  std::vector<net_argument> arguments{{"mode", mode}};
  onnx_dims dims = c.dims(0);
  bool const is_image =
      dims && dims->size() == 4 && (c.type(0) == onnx_type::float32 || c.type(0) == onnx_type::float64);
  if (known) {
    auto const pads = old ? c.integers(c.opset() < 2 ? "paddings" : "pads") : c.known_integers(1, "the pads");
    std::vector<std::int64_t> axes;
    if (!old && c.has_input(3)) axes = c.known_integers(3, "the axes");
    bool const all = axes.empty();
    if (pads.size() % 2 != 0 || (!all && pads.size() != 2 * axes.size()) ||
        (all && dims && pads.size() != 2 * dims->size()))
      c.unsupported("it has " + std::to_string(pads.size()) + " pads for " +
                    (all ? input_text(c, 0) : std::to_string(axes.size()) + " axes"));
    if (all) {
      axes.resize(pads.size() / 2);
      std::iota(axes.begin(), axes.end(), std::int64_t{0});
    }
    if (dims) {
      axes = axes_of(c, std::move(axes), dims->size(), true);
      add_pads(c, pads, axes, mode, *dims);
    }
    double const value = old ? static_cast<double>(c.real("value", 0)) : number.value_or(0);
    bool const constant = mode == "constant" && (old ? value != 0 : c.has_input(2) && number != 0.0);
    if (is_image && mode != "wrap" && (!constant || ((old || number) && is_float(value)))) {
      std::vector<std::int64_t> sides(8, 0);
      for (std::size_t k = 0; k != axes.size(); ++k) {
        sides[static_cast<std::size_t>(axes[k])] = pads[k];
        sides[static_cast<std::size_t>(axes[k]) + 4] = pads[k + axes.size()];
      }
      if (sides[0] == 0 && sides[1] == 0 && sides[4] == 0 && sides[5] == 0) {
        c.add("PadImage", inputs, {c.output(0)},
              {{"pads", {sides[2], sides[3], sides[6], sides[7]}}, {"mode", mode}, {"value", constant ? value : 0.0}});
        c.set_type(0, c.type(0));
        return c.set_dims(0, std::move(dims));
      }
    }
    arguments.emplace_back("pads", pads);
    if (!all) arguments.emplace_back("axes", axes);
    if (constant) inputs.push_back(old ? c.constant_blob(onnx_filled(c.type(0), {}, value), "value") : c.input(2));
  } else {
    inputs.push_back(c.input(1));
    bool const runtime_axes = !known_axes;
    if (mode == "constant" && c.has_input(2)) {
      inputs.push_back(c.input(2));
    } else if (runtime_axes) {
      if (c.type(0) == onnx_type::undefined)
        c.unsupported("the type of its input must be known before the model is run");
      inputs.push_back(c.constant_blob(onnx_filled(c.type(0), {}, 0), "value"));
    }
    if (runtime_axes) inputs.push_back(c.input(3));
    std::vector<std::int64_t> axes;
    if (c.has_input(3) && !runtime_axes) {
      axes = c.known_integers(3, "the axes");
      if (dims) axes = axes_of(c, std::move(axes), dims->size(), true);
      arguments.emplace_back("axes", axes);
    }
    for (std::size_t axis = 0; dims && axis != dims->size(); ++axis)
      if (axes.empty() || std::ranges::find(axes, static_cast<std::int64_t>(axis)) != axes.end()) (*dims)[axis] = -1;
  }
  c.add("Pad", inputs, {c.output(0)}, std::move(arguments));
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

// Adds the factors or extents of Resize and Upsample: an argument if they are known, else the second input of the op.
// Returns the output's shape, as far as it is known.
inline onnx_dims resized_extents(onnx_context const& c, std::size_t i, bool sizes,
                                 std::vector<std::int64_t> const& axes, std::vector<std::string>& inputs,
                                 std::vector<net_argument>& arguments) {
  onnx_dims dims = c.dims(0);
  std::size_t const count = axes.empty() && dims ? dims->size() : axes.size();
  auto const check = [&](std::size_t have) {
    if ((dims || !axes.empty()) && have != count)
      c.unsupported("it has " + std::to_string(have) + (sizes ? " extents for " : " factors for ") +
                    (axes.empty() ? input_text(c, 0) : std::to_string(count) + " axes"));
  };
  auto const extent = [&](std::size_t k) -> std::int64_t& {
    return (*dims)[axes.empty() ? k : static_cast<std::size_t>(axes[k])];
  };
  require_rank(c, i, 1, 1);
  if (c.constant(i) == nullptr) {
    inputs.push_back(c.input(i));
    for (std::size_t k = 0; dims && k != count; ++k) extent(k) = -1;
    return dims;
  }
  if (sizes) {
    std::vector<std::int64_t> const list = c.known_integers(i, "the extents");
    check(list.size());
    for (std::size_t k = 0; k != list.size(); ++k) {
      if (list[k] < 0 || list[k] > std::numeric_limits<std::int32_t>::max())
        c.unsupported("an extent is " + std::to_string(list[k]));
      if (dims) extent(k) = list[k];
    }
    arguments.emplace_back("sizes", list);
    return dims;
  }
  std::vector<float> list;
  if (auto const* const given = std::get_if<std::vector<float>>(&c.constant(i)->data)) list = *given;
  check(list.size());
  for (std::size_t k = 0; k != list.size(); ++k) {
    if (!(list[k] > 0) || !std::isfinite(list[k])) c.unsupported("a factor is not above 0");
    if (!dims || extent(k) < 0) continue;
    float const made = std::floor(static_cast<float>(extent(k)) * list[k]);
    if (made > 0x1p30f) c.unsupported("the result is too large");
    extent(k) = static_cast<std::int64_t>(made);
  }
  // See the kernel of Resize.
  if (c.dims(0) && c.text("coordinate_transformation_mode", "") == "align_corners")
    for (std::size_t k = 0; k != list.size(); ++k) {
      auto const in = static_cast<float>((*c.dims(0))[axes.empty() ? k : static_cast<std::size_t>(axes[k])]);
      if (in >= 0 && in * list[k] != std::floor(in * list[k]))
        c.unsupported("a factor gives no integral extent, between whose corners to interpolate");
    }
  arguments.emplace_back("scales", std::move(list));
  return dims;
}

inline void onnx_resize(onnx_context const& c) {
  std::string const mode = c.text("mode", "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "cubic") c.unsupported("the mode '" + mode + '\'');
  std::vector<std::string> inputs{c.input(0)};
  std::vector<net_argument> arguments{{"mode", mode}};
  if (c.opset() < 11) {  // where places are is not specified: as ONNX Runtime has them
    onnx_dims dims = resized_extents(c, 1, false, {}, inputs, arguments);
    bool const known = c.constant(1) != nullptr;
    auto const* const scales = known ? std::get_if<std::vector<float>>(&c.constant(1)->data) : nullptr;
    if (mode == "nearest" && (scales == nullptr || std::ranges::any_of(*scales, [](float each) { return each < 1; })))
      c.unsupported("version 10 of the operator does not say which place is the nearest in a smaller result");
    if (mode != "nearest") require_type(c, 0, onnx_floats);
    arguments.emplace_back("coordinate_transformation_mode", "asymmetric");
    arguments.emplace_back("nearest_mode", "floor");
    c.add("Resize", inputs, {c.output(0)}, std::move(arguments));
    c.set_type(0, c.type(0));
    return c.set_dims(0, std::move(dims));
  }
  std::string const places = c.text("coordinate_transformation_mode", "half_pixel");
  if (mode != "nearest" || places == "tf_crop_and_resize") require_type(c, 0, onnx_floats);
  arguments.emplace_back("coordinate_transformation_mode", places);
  constexpr std::string_view known[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                        "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};
  if (std::ranges::find(known, places) == std::end(known))
    c.unsupported("the coordinate_transformation_mode '" + places + '\'');
  std::string const nearest = c.text("nearest_mode", "round_prefer_floor");
  if (nearest != "round_prefer_floor" && nearest != "round_prefer_ceil" && nearest != "floor" && nearest != "ceil")
    c.unsupported("the nearest_mode '" + nearest + '\'');
  arguments.emplace_back("nearest_mode", nearest);
  arguments.emplace_back("cubic_coeff_a", c.real("cubic_coeff_a", -0.75f));
  arguments.emplace_back("exclude_outside", c.integer("exclude_outside", 0));
  arguments.emplace_back("extrapolation_value", c.real("extrapolation_value", 0));
  arguments.emplace_back("antialias", c.integer("antialias", 0));
  std::vector<std::int64_t> axes = c.integers("axes");
  if (!axes.empty()) {
    if (c.dims(0)) axes = axes_of(c, std::move(axes), c.dims(0)->size(), true);
    arguments.emplace_back("axes", axes);
  }
  // An empty list is a missing one, as operands in front of another could not be omitted before.
  auto const given = [&](std::size_t i) { return c.has_input(i) && c.dims(i) != std::vector<std::int64_t>{0}; };
  if (given(2) == given(3)) c.unsupported("it must have either scales or sizes");
  std::string const policy = c.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch") {
    if (policy != "not_larger" && policy != "not_smaller")
      c.unsupported("the keep_aspect_ratio_policy '" + policy + '\'');
    if (!given(3)) c.unsupported("the keep_aspect_ratio_policy applies to sizes");
    arguments.emplace_back("keep_aspect_ratio_policy", policy);
  }
  if (places == "tf_crop_and_resize") {
    if (!given(1) || c.constant(1) == nullptr) c.unsupported("the region must be known before the model is run");
    std::vector<float> region;
    if (auto const* const list = std::get_if<std::vector<float>>(&c.constant(1)->data)) region = *list;
    std::size_t const count = !axes.empty() ? axes.size() : c.rank(0);
    if (region.size() != 2 * count) c.unsupported("the region must have two floats for each axis");
    arguments.emplace_back("roi", std::move(region));
  }
  bool const by_sizes = given(3);
  onnx_dims dims = resized_extents(c, by_sizes ? 3 : 2, by_sizes, axes, inputs, arguments);
  if (policy != "stretch" && dims)
    for (std::size_t k = 0; k != dims->size(); ++k)
      if (axes.empty() || std::ranges::find(axes, static_cast<std::int64_t>(k)) != axes.end()) (*dims)[k] = -1;
  c.add("Resize", inputs, {c.output(0)}, std::move(arguments));
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

inline void onnx_upsample(onnx_context const& c) {
  std::string const mode = c.text("mode", "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "bilinear") c.unsupported("the mode '" + mode + '\'');
  if (mode != "nearest") require_type(c, 0, onnx_floats);
  std::vector<std::string> inputs{c.input(0)};
  std::vector<net_argument> arguments{{"mode", mode == "nearest" ? "nearest" : "linear"},
                                      {"coordinate_transformation_mode", "asymmetric"},
                                      {"nearest_mode", "floor"}};
  onnx_dims dims;
  if (c.opset() >= 9) {
    dims = resized_extents(c, 1, false, {}, inputs, arguments);
  } else {
    std::vector<float> scales = c.reals("scales");
    if (c.opset() < 7) scales = {1, 1, c.real("height_scale", 0), c.real("width_scale", 0)};
    if (c.rank(0) != scales.size())
      c.unsupported("it has " + std::to_string(scales.size()) + " factors for " + input_text(c, 0));
    dims = c.dims(0);
    for (std::size_t axis = 0; axis != scales.size(); ++axis) {
      if (!(scales[axis] > 0) || !(scales[axis] < 0x1p20f)) c.unsupported("a factor is not above 0, or too large");
      if ((*dims)[axis] > std::int64_t{1} << 24) (*dims)[axis] = -1;
      if ((*dims)[axis] >= 0)
        (*dims)[axis] = static_cast<std::int64_t>(std::floor(static_cast<float>((*dims)[axis]) * scales[axis]));
    }
    arguments.emplace_back("scales", std::move(scales));
  }
  c.add("Resize", inputs, {c.output(0)}, std::move(arguments));
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

}  // namespace detail

inline void add_onnx_resizing_rules(onnx_rules& rules) {
  rules.set("Pad", detail::onnx_pad);
  rules.set("Resize", detail::onnx_resize);
  rules.set("Upsample", detail::onnx_upsample);
}

}  // namespace plait
