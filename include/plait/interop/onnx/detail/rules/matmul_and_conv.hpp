// Conversion rules for ONNX's matrix products and image operators: MatMul, Gemm, Conv, ConvTranspose, pooling.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

// Reports inner extents of a product that are known to differ.
inline void require_inner(onnx_context const& c, std::int64_t a, std::int64_t b) {
  if (a >= 0 && b >= 0 && a != b)
    c.unsupported(input_text(c, 0) + " and " + input_text(c, 1) + " have inner extents " + std::to_string(a) + " and " +
                  std::to_string(b));
}

// MatMul of two operands that may be vectors, whose product is a scalar, where BatchMatMul gives a vector of one
// element: Reshape drops its axis then.
inline void mat_mul_of_unknown_ranks(onnx_context const& c) {
  std::string const one = c.constant_blob({{1}, std::vector<std::int64_t>{1}}, "one");
  auto const is_vector = [&](std::size_t i) {
    if (c.dims(i)) return std::string();
    return c.step("EQ", {c.step("Shape", {c.step("Shape", {c.input(i)})}), one});
  };
  std::string const first = is_vector(0);
  std::string const second = is_vector(1);
  std::string const both = first.empty() ? second : second.empty() ? first : c.step("And", {first, second});
  std::string const product = c.step("BatchMatMul", {c.input(0), c.input(1)}, {{"broadcast", 1}});
  std::string const start = c.step("Cast", {both}, {{"to", *runtime_type(onnx_type::int64)}});
  std::string const end = c.constant_blob({{1}, std::vector<std::int64_t>{static_cast<std::int64_t>(max_rank)}}, "end");
  std::string const shape = c.step("StridedSlice", {c.step("Shape", {product}), start, end});
  c.add("Reshape", {product, shape}, {c.output(0), c.temporary("old_shape")});
  c.set_type(0, c.type(0));
}

inline void onnx_mat_mul(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  for (std::size_t const i : {0U, 1U}) require_rank(c, i, 1);
  onnx_dims const& a = c.dims(0);
  onnx_dims const& b = c.dims(1);
  if (a && b) require_inner(c, a->back(), (*b)[b->size() - (b->size() == 1 ? 1 : 2)]);
  if (a && b && a->size() == 1 && b->size() == 1) {  // a dot product: a scalar, where BatchMatMul gives a vector
    c.add("ReduceSum", {c.step("Mul", {c.input(0), c.input(1)})}, {c.output(0)}, {{"keepdims", 0}});
    c.set_type(0, c.type(0));
    return c.set_dims(0, std::vector<std::int64_t>());
  }
  auto const may_be_vector = [](onnx_dims const& dims) { return !dims || dims->size() == 1; };
  if (may_be_vector(a) && may_be_vector(b)) return mat_mul_of_unknown_ranks(c);
  std::vector<net_argument> arguments;
  bool const matrices = a && b && a->size() == 2 && b->size() == 2;  // MatMul has a gradient, too
  if (!matrices) arguments.emplace_back("broadcast", 1);
  c.add(matrices ? "MatMul" : "BatchMatMul", {c.input(0), c.input(1)}, {c.output(0)}, std::move(arguments));
  c.set_type(0, c.type(0));
  if (!a || !b || a->size() < 2 || b->size() < 2) return;
  onnx_dims dims = broadcast(c, std::vector<std::int64_t>(a->begin(), a->end() - 2),
                             std::vector<std::int64_t>(b->begin(), b->end() - 2));
  dims->push_back((*a)[a->size() - 2]);
  dims->push_back(b->back());
  c.set_dims(0, std::move(dims));
}

// Returns true if C of Gemm is a bias vector, one element per output column: then Gemm is a fully connected layer.
inline bool is_bias(onnx_context const& c, bool transposed) {
  if (!c.has_input(2) || !c.dims(2) || c.dims(2)->size() != 1 || !c.dims(1) || c.dims(1)->size() != 2) return false;
  std::int64_t const columns = (*c.dims(1))[transposed ? 0 : 1];
  return columns >= 0 && c.dims(2)->front() == columns;
}

// Returns true if C is known to broadcast to the product's shape.
inline bool has_fitting_bias(onnx_context const& c, std::vector<std::int64_t> const& product) {
  if (!c.dims(2) || c.dims(2)->size() > 2) return false;
  auto const& dims = *c.dims(2);
  for (std::size_t axis = 0; axis != dims.size(); ++axis)
    if (dims[axis] != 1 && (dims[axis] < 0 || dims[axis] != product[axis + 2 - dims.size()])) return false;
  return true;
}

inline void onnx_gemm(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  float const alpha = c.real("alpha", 1);
  float const beta = c.real("beta", 1);
  bool const left = c.integer("transA", 0) != 0;
  bool const right = c.integer("transB", 0) != 0;
  std::string const a = input_of_rank(c, 0, 2);
  std::string const b = input_of_rank(c, 1, 2);
  auto const extent = [&](std::size_t i, std::size_t axis) { return c.dims(i) ? (*c.dims(i))[axis] : -1; };
  require_inner(c, extent(0, left ? 0 : 1), extent(1, right ? 1 : 0));
  std::vector<std::int64_t> const dims{extent(0, left ? 1 : 0), extent(1, right ? 0 : 1)};
  bool const adds = c.has_input(2) && beta != 0;
  if (c.has_input(2)) {
    if (c.opset() >= 7)
      require_broadcasts_to(c, 2, dims);
    else if (c.integer("broadcast", 0) == 0)
      require_dims(c, 2, dims, "as the product is");
    else
      require_rank(c, 2, 0, 2);
  }
  if (alpha == 1 && beta == 1 && !left && is_bias(c, right)) {
    c.add(right ? "FC" : "FCTransposed", {a, b, c.input(2)}, {c.output(0)});
  } else {
    std::string product = adds || alpha != 1 ? c.temporary("product") : c.output(0);
    c.add("MatMul", {a, b}, {product}, {{"trans_a", left}, {"trans_b", right}});
    if (alpha != 1) {
      std::string const scaled = adds ? c.temporary("scaled") : c.output(0);
      c.add("Scale", {product}, {scaled}, {{"scale", alpha}});
      product = scaled;
    }
    if (adds) {
      std::string const bias = beta == 1 ? c.input(2) : c.step("Scale", {c.input(2)}, {{"scale", beta}});
      if (has_fitting_bias(c, dims)) {
        c.add("Add", {product, bias}, {c.output(0)}, onnx_old_broadcast(c));
      } else {  // Sum refuses a C that broadcasts beyond the product's shape
        std::string const ones = c.step("ConstantFill", {product}, {{"value", 1.0f}});
        c.add("Sum", {product, c.step("Mul", {ones, bias}, onnx_old_broadcast(c))}, {c.output(0)});
      }
    }
  }
  c.set_type(0, c.type(0));
  c.set_dims(0, dims);
}

/// Sliding windows over the spatial axes of images, from the third axis on.
struct onnx_windows {
  std::vector<net_argument> arguments;
  onnx_dims dims;  ///< spatial output extents, as far as they are known
};

// Returns a list attribute with one number for each spatial axis or, if `sides` is 2, with those before all axes and
// then those after them.
inline std::vector<std::int64_t> window_list(onnx_context const& c, std::string_view name, std::size_t axes,
                                             std::int64_t least, std::size_t sides = 1) {
  std::vector<std::int64_t> const made = c.integers(name);
  if (made.size() != axes * sides)
    c.unsupported(std::string(name) + " has " + std::to_string(made.size()) + " numbers for windows of " +
                  std::to_string(axes) + " axes");
  for (std::int64_t const each : made)
    if (each < least || each > std::numeric_limits<std::int32_t>::max())
      c.unsupported(std::string(name) + " has " + std::to_string(each) + ", which is below " + std::to_string(least) +
                    " or too large");
  return made;
}

// Decodes kernel_shape, strides, dilations, pads and auto_pad. `weights` is the input whose spatial axes are the
// kernel, 0 for none. If the rank of the images is unknown, the op checks it against the weights or the lists, except
// for lists of one number, which it applies to all axes.
inline onnx_windows onnx_windows_of(onnx_context const& c, std::size_t weights) {
  require_rank(c, 0, 3);
  std::vector<std::int64_t> kernels = c.integers("kernel_shape");
  if (kernels.empty()) {
    if (weights == 0) c.unsupported("kernel_shape is missing");
    std::size_t const rank = c.rank(weights);
    for (std::size_t axis = 2; axis < rank; ++axis) {
      kernels.push_back((*c.dims(weights))[axis]);
      if (kernels.back() < 0) c.unsupported("the extents of a window must be known before the model is run");
    }
  } else {
    kernels = window_list(c, "kernel_shape", c.dims(0) ? c.rank(0) - 2 : kernels.size(), 1);
  }
  std::size_t const axes = kernels.size();
  if (c.dims(0) && c.rank(0) != axes + 2)
    c.unsupported(input_text(c, 0) + " should have " + std::to_string(axes + 2) + " axes, as its windows do");
  if (axes > 3) c.unsupported("windows of more than three axes");
  onnx_windows made;
  made.arguments.emplace_back("kernels", kernels);
  std::vector<std::int64_t> strides(axes, 1);
  std::vector<std::int64_t> dilations(axes, 1);
  std::vector<std::int64_t> pads(2 * axes, 0);
  if (c.has("strides")) made.arguments.emplace_back("strides", strides = window_list(c, "strides", axes, 1));
  if (c.has("dilations")) made.arguments.emplace_back("dilations", dilations = window_list(c, "dilations", axes, 1));
  if (c.has("pads")) pads = window_list(c, "pads", axes, 0, 2);
  std::string const automatic = c.text("auto_pad", "NOTSET");
  bool const same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!same && automatic != "NOTSET" && automatic != "VALID") c.unsupported("auto_pad " + automatic);
  // ONNX Runtime accepts pads of 0 for pooling, and converters write them.
  bool const padded = std::ranges::any_of(pads, [](std::int64_t each) { return each != 0; });
  if (automatic != "NOTSET" && (padded || (weights != 0 && c.has("pads"))))
    c.unsupported("pads beside auto_pad " + automatic);
  bool const ceils = c.integer("ceil_mode", 0) != 0;
  if (ceils) made.arguments.emplace_back("ceil_mode", 1);
  if (same) made.arguments.emplace_back("legacy_pad", 2);
  if (automatic == "SAME_LOWER") made.arguments.emplace_back("same_lower", 1);
  if (!same && c.has("pads")) made.arguments.emplace_back("pads", pads);
  made.dims.emplace();
  for (std::size_t axis = 0; axis != axes; ++axis) {
    if (weights == 0 && std::max(pads[axis], pads[axes + axis]) >= kernels[axis])
      c.unsupported("a pad of axis " + std::to_string(axis + 2) + " is no smaller than the window");
    std::int64_t const extent = c.dims(0) ? (*c.dims(0))[axis + 2] : -1;
    std::int64_t const stride = strides[axis];
    std::int64_t const reach = dilations[axis] * (kernels[axis] - 1) + 1;
    std::int64_t const whole = extent + pads[axis] + pads[axes + axis];
    if (extent >= 0 && !same && whole < reach)
      c.unsupported("a window of extent " + std::to_string(reach) + " exceeds axis " + std::to_string(axis + 2) +
                    " of " + input_text(c, 0) + " with its pads");
    std::int64_t const rest = whole - reach;
    bool const more = ceils && !same && rest % stride != 0 && (rest / stride + 1) * stride < extent + pads[axis];
    made.dims->push_back(extent < 0 ? -1 : same ? (extent + stride - 1) / stride : rest / stride + 1 + (more ? 1 : 0));
  }
  return made;
}

// Sets the output's type and shape: batch, channels, spatial extents.
inline void set_windows(onnx_context const& c, std::int64_t channels, onnx_dims const& places) {
  c.set_type(0, c.type(0));
  std::vector<std::int64_t> dims{c.dims(0) ? c.dims(0)->front() : -1, channels};
  dims.insert(dims.end(), places->begin(), places->end());
  c.set_dims(0, std::move(dims));
}

inline void onnx_conv(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  require_rank(c, 1, 3);
  onnx_windows windows = onnx_windows_of(c, 1);
  std::int64_t const group = c.integer("group", 1);
  if (group < 1) c.unsupported("group is " + std::to_string(group));
  std::int64_t filters = -1;
  if (c.dims(1)) {
    auto const& w = *c.dims(1);
    filters = w[0];
    std::vector<std::int64_t> const kernels = c.integers("kernel_shape");
    for (std::size_t axis = 0; axis != kernels.size(); ++axis)
      if (w.size() != kernels.size() + 2 || (w[axis + 2] >= 0 && w[axis + 2] != kernels[axis]))
        c.unsupported("kernel_shape " + dims_text(kernels) + " is not that of " + input_text(c, 1));
    if (c.dims(0) && w[1] >= 0 && (*c.dims(0))[1] >= 0 &&
        (w[1] > (std::int64_t{1} << 40) / group || (*c.dims(0))[1] != w[1] * group))
      c.unsupported(input_text(c, 0) + " does not have the channels of " + input_text(c, 1) + " in " +
                    std::to_string(group) + " groups");
    if (filters >= 0 && filters % group != 0)
      c.unsupported("the filters of " + input_text(c, 1) + " do not make " + std::to_string(group) + " groups");
  }
  if (c.has_input(2)) require_dims(c, 2, {filters}, "a number for each filter");
  windows.arguments.emplace_back("group", group);
  c.add("Conv", c.inputs(), {c.output(0)}, std::move(windows.arguments));
  set_windows(c, filters, windows.dims);
}

// ConvTranspose: output_shape and auto_pad become padding, for which the extents must be known. What the padding cannot
// reach follows the last window.
inline void onnx_conv_transpose(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  require_rank(c, 1, 3, 5);
  std::size_t const axes = c.rank(1) - 2;
  require_rank(c, 0, axes + 2, axes + 2);
  auto const& w = *c.dims(1);
  std::int64_t const group = c.integer("group", 1);
  if (group < 1) c.unsupported("group is " + std::to_string(group));
  if (c.dims(0) && (*c.dims(0))[1] >= 0 && w[0] >= 0) {
    if ((*c.dims(0))[1] != w[0]) c.unsupported(input_text(c, 0) + " does not have the channels of " + input_text(c, 1));
    if (w[0] % group != 0) c.unsupported("the channels do not make " + std::to_string(group) + " groups");
  }
  auto const list = [&](std::string_view name, std::int64_t fallback, std::int64_t least, std::size_t sides = 1) {
    return c.has(name) ? window_list(c, name, axes, least, sides) : std::vector<std::int64_t>(axes * sides, fallback);
  };
  std::vector<std::int64_t> kernels(w.begin() + 2, w.end());
  if (c.has("kernel_shape")) {
    std::vector<std::int64_t> const listed = list("kernel_shape", 0, 1);
    for (std::size_t axis = 0; axis != axes; ++axis)
      if (kernels[axis] >= 0 && kernels[axis] != listed[axis])
        c.unsupported("kernel_shape " + dims_text(listed) + " is not that of " + input_text(c, 1));
    kernels = listed;
  }
  if (!is_known(kernels)) c.unsupported("the extents of a window must be known before the model is run");
  std::vector<std::int64_t> const strides = list("strides", 1, 1);
  std::vector<std::int64_t> const dilations = list("dilations", 1, 1);
  std::vector<std::int64_t> more = list("output_padding", 0, 0);
  std::vector<std::int64_t> pads = list("pads", 0, 0, 2);
  std::string const automatic = c.text("auto_pad", "NOTSET");
  bool const same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!same && automatic != "NOTSET" && automatic != "VALID") c.unsupported("auto_pad " + automatic);
  if (automatic != "NOTSET" && c.has("pads")) c.unsupported("pads beside auto_pad " + automatic);
  std::vector<std::int64_t> dims{c.dims(0) ? c.dims(0)->front() : -1, -1};
  if (w[1] >= 0 && w[1] <= (std::int64_t{1} << 40) / group) dims[1] = w[1] * group;
  std::vector<std::int64_t> wanted;
  if (c.has("output_shape")) {
    wanted = c.integers("output_shape");
    if (wanted.size() == axes + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);  // PyTorch lists all axes
    if (wanted.size() != axes) c.unsupported("output_shape does not have an extent for each of the spatial axes");
  }
  for (std::size_t axis = 0; axis != axes; ++axis) {
    std::int64_t const extent = c.dims(0) ? (*c.dims(0))[axis + 2] : -1;
    std::int64_t const reach = dilations[axis] * (kernels[axis] - 1) + 1;
    if (extent > std::numeric_limits<std::int32_t>::max()) c.unsupported(input_text(c, 0) + " is too large");
    if (!wanted.empty() || same) {
      if (extent < 0 && !wanted.empty())
        c.unsupported("the extents of the input must be known before the model is run, as output_shape is given");
      // With auto_pad alone the extent is that of the input times the stride, whatever it is.
      std::int64_t const total = wanted.empty() ? reach + more[axis] - strides[axis]
                                                : (extent - 1) * strides[axis] + reach + more[axis] - wanted[axis];
      if (!wanted.empty() && wanted[axis] < 1) c.unsupported("output_shape has an extent below 1");
      std::int64_t const cut = std::max<std::int64_t>(total, 0);
      more[axis] += cut - total;
      pads[axis] = automatic == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
      pads[axes + axis] = cut - pads[axis];
    }
    std::int64_t const made = (extent - 1) * strides[axis] + reach + more[axis] - pads[axis] - pads[axes + axis];
    if (extent >= 0 && made < 1) c.unsupported("the padding cuts off all of axis " + std::to_string(axis + 2));
    dims.push_back(extent < 0 ? -1 : made);
  }
  if (c.has_input(2)) require_dims(c, 2, {dims[1]}, "a number for each channel");
  c.add("ConvTranspose", c.inputs(), {c.output(0)},
        {{"kernels", kernels},
         {"strides", strides},
         {"dilations", dilations},
         {"adjs", more},
         {"pads", pads},
         {"group", group}});
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

// Pools of floats; maxima of bytes are those of the floats that hold them.
inline void onnx_pool(onnx_context const& c, char const* type) {
  bool const of_bytes =
      std::string_view(type) == "MaxPool" && (c.type(0) == onnx_type::int8 || c.type(0) == onnx_type::uint8);
  if (!of_bytes) require_type(c, 0, onnx_floats);
  if (c.wants(1)) c.unsupported("the places of the maxima");
  onnx_windows windows = onnx_windows_of(c, 0);
  if (c.has("count_include_pad"))
    windows.arguments.emplace_back("count_include_pad", c.integer("count_include_pad", 0));
  std::string x = windows.dims->size() == 1 ? input_of_rank(c, 0, 3) : c.input(0);
  if (of_bytes) {
    x = c.step("Cast", {x}, {{"to", require_runtime_type(c, onnx_type::float32)}});
    x = c.step(type, {x}, std::move(windows.arguments));
    c.add("Cast", {x}, {c.output(0)}, {{"to", require_runtime_type(c, c.type(0))}});
  } else {
    c.add(type, {x}, {c.output(0)}, std::move(windows.arguments));
  }
  set_windows(c, c.dims(0) ? (*c.dims(0))[1] : -1, windows.dims);
}

inline void onnx_global_pool(onnx_context const& c, char const* type) {
  require_type(c, 0, onnx_floats);
  require_rank(c, 0, 3, 5);
  c.add(type, {c.input(0)}, {c.output(0)}, {{"global_pooling", 1}});
  c.set_type(0, c.type(0));
  if (!c.dims(0)) return;
  std::vector<std::int64_t> dims = *c.dims(0);
  std::fill(dims.begin() + 2, dims.end(), 1);
  c.set_dims(0, std::move(dims));
}

}  // namespace detail

inline void add_onnx_matmul_and_conv_rules(onnx_rules& rules) {
  rules.set("MatMul", detail::onnx_mat_mul);
  rules.set("Gemm", detail::onnx_gemm);
  rules.set("Conv", detail::onnx_conv);
  rules.set("ConvTranspose", detail::onnx_conv_transpose);
  rules.set("MaxPool", [](onnx_context const& c) { detail::onnx_pool(c, "MaxPool"); });
  rules.set("AveragePool", [](onnx_context const& c) { detail::onnx_pool(c, "AveragePool"); });
  rules.set("GlobalMaxPool", [](onnx_context const& c) { detail::onnx_global_pool(c, "MaxPool"); });
  rules.set("GlobalAveragePool", [](onnx_context const& c) { detail::onnx_global_pool(c, "AveragePool"); });
}

}  // namespace plait
