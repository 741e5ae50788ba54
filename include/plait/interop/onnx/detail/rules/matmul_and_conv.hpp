// Conversion rules for ONNX's matrix products and image operators: MatMul, Gemm, Conv, pooling, Pad.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/values.hpp>
#include <plait/interop/onnx/rules.hpp>

namespace plait {
namespace detail {

// Reports inner extents of a product that are known to differ.
inline void require_inner(onnx_context const& c, std::int64_t a, std::int64_t b) {
  if (a >= 0 && b >= 0 && a != b)
    c.unsupported(input_text(c, 0) + " and " + input_text(c, 1) + " have inner extents " + std::to_string(a) + " and " +
                  std::to_string(b));
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
  if (automatic != "NOTSET" && automatic != "VALID" && automatic != "SAME_UPPER")
    c.unsupported("auto_pad " + automatic);
  // ONNX Runtime accepts pads of 0 for pooling, and converters write them.
  bool const padded = std::ranges::any_of(pads, [](std::int64_t each) { return each != 0; });
  if (automatic != "NOTSET" && (padded || (weights != 0 && c.has("pads"))))
    c.unsupported("pads beside auto_pad " + automatic);
  if (automatic == "SAME_UPPER")
    made.arguments.emplace_back("legacy_pad", 2);
  else if (c.has("pads"))
    made.arguments.emplace_back("pads", pads);
  made.dims.emplace();
  for (std::size_t axis = 0; axis != axes; ++axis) {
    if (weights == 0 && std::max(pads[axis], pads[axes + axis]) >= kernels[axis])
      c.unsupported("a pad of axis " + std::to_string(axis + 2) + " is no smaller than the window");
    std::int64_t const extent = c.dims(0) ? (*c.dims(0))[axis + 2] : -1;
    std::int64_t const stride = strides[axis];
    std::int64_t const reach = dilations[axis] * (kernels[axis] - 1) + 1;
    std::int64_t const whole = extent + pads[axis] + pads[axes + axis];
    if (extent >= 0 && automatic != "SAME_UPPER" && whole < reach)
      c.unsupported("a window of extent " + std::to_string(reach) + " exceeds axis " + std::to_string(axis + 2) +
                    " of " + input_text(c, 0) + " with its pads");
    made.dims->push_back(extent < 0                  ? -1
                         : automatic == "SAME_UPPER" ? (extent + stride - 1) / stride
                                                     : (whole - reach) / stride + 1);
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

inline void onnx_pool(onnx_context const& c, char const* type) {
  require_type(c, 0, onnx_floats);
  if (c.integer("ceil_mode", 0) != 0) c.unsupported("windows that end behind the padding (ceil_mode)");
  if (c.wants(1)) c.unsupported("the places of the maxima");
  onnx_windows windows = onnx_windows_of(c, 0);
  if (c.has("count_include_pad"))
    windows.arguments.emplace_back("count_include_pad", c.integer("count_include_pad", 0));
  std::string const x = windows.dims->size() == 1 ? input_of_rank(c, 0, 3) : c.input(0);
  c.add(type, {x}, {c.output(0)}, std::move(windows.arguments));
  set_windows(c, c.dims(0) ? (*c.dims(0))[1] : -1, windows.dims);
}

// Pads with a constant that PadImage's float argument cannot represent: pads x and a blob of ones with zeros, and
// selects the constant where the padded ones are zero.
inline void onnx_pad_constant(onnx_context const& c, std::string const& x, onnx_type type, std::string const& value,
                              net_argument const& pads, std::string const& made) {
  std::string const padded = c.step("PadImage", {x}, {pads});
  std::string const one = c.step("ConstantFill", {x}, {{"value", 1.0f}, {"dtype", require_runtime_type(c, type)}});
  std::string const inside =
      c.step("Cast", {c.step("PadImage", {one}, {pads})}, {{"to", require_runtime_type(c, onnx_type::boolean)}});
  std::string const ones =
      c.step("ConstantFill", {padded}, {{"value", 1.0f}, {"dtype", require_runtime_type(c, type)}});
  c.add("Where", {inside, padded, c.step("Mul", {ones, value})}, {made});
}

// Pad of the height and width of images. Elements of other types than floats are computed as double.
inline void onnx_pad(onnx_context const& c) {
  require_type(c, 0, {onnx_type::float32, onnx_type::float64, onnx_type::int32, onnx_type::uint8, onnx_type::boolean});
  if (c.opset() >= 11) require_rank(c, 1, 1, 1);
  std::vector<std::int64_t> const pads =
      c.opset() < 11 ? c.integers(c.opset() < 2 ? "paddings" : "pads") : c.known_integers(1, "the pads");
  double value = c.real("value", 0);
  bool known_value = true;
  if (c.opset() >= 11 && c.has_input(2)) {
    require_scalar(c, 2, true);
    auto const known = c.known_number(2);
    known_value = known.has_value();
    if (!known && !is_known(c.dims(2))) c.unsupported("the value of the margin must be known before the model is run");
    value = known.value_or(0);
  }
  std::string const mode = c.text("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge") c.unsupported("the mode '" + mode + '\'');
  if (c.has_input(3)) c.unsupported("axes of pads");
  std::size_t const rank = c.rank(0);
  if (pads.size() != 2 * rank) c.unsupported("it has " + std::to_string(pads.size()) + " pads for " + input_text(c, 0));
  if (rank != 4 || pads[0] != 0 || pads[1] != 0 || pads[4] != 0 || pads[5] != 0)
    c.unsupported("only height and width of images (four axes) can have a margin");
  std::vector<std::int64_t> dims = *c.dims(0);
  for (std::size_t axis = 0; axis != 4; ++axis) {
    std::int64_t const head = pads[axis];
    std::int64_t const tail = pads[axis + 4];
    if (std::max({head, -head, tail, -tail}) > std::numeric_limits<std::int32_t>::max())
      c.unsupported("a pad is too large");
    if (dims[axis] < 0) continue;
    if (mode == "reflect" && std::max(head, tail) >= std::max<std::int64_t>(dims[axis], 1))
      c.unsupported("a reflected margin of axis " + std::to_string(axis) + " is no smaller than that of " +
                    input_text(c, 0));
    dims[axis] += head + tail;
    if (dims[axis] < 0)
      c.unsupported("more is cut off axis " + std::to_string(axis) + " than " + input_text(c, 0) + " has");
  }
  bool const direct =
      c.type(0) == onnx_type::float32 || c.type(0) == onnx_type::float64 || c.type(0) == onnx_type::undefined;
  onnx_type const type = direct ? c.type(0) : onnx_type::float64;
  auto const as = [&](std::string const& x, onnx_type to) {
    return direct ? x : c.step("Cast", {x}, {{"to", require_runtime_type(c, to)}});
  };
  net_argument const sides("pads", {pads[2], pads[3], pads[6], pads[7]});
  std::string const made = direct ? c.output(0) : c.temporary("padded");
  if (mode == "constant" && (!known_value || !is_float(value)))
    onnx_pad_constant(c, as(c.input(0), type), type, as(c.input(2), type), sides, made);
  else
    c.add("PadImage", {as(c.input(0), type)}, {made}, {sides, {"mode", mode}, {"value", value}});
  if (!direct) c.add("Cast", {made}, {c.output(0)}, {{"to", require_runtime_type(c, c.type(0))}});
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
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
  rules.set("MaxPool", [](onnx_context const& c) { detail::onnx_pool(c, "MaxPool"); });
  rules.set("AveragePool", [](onnx_context const& c) { detail::onnx_pool(c, "AveragePool"); });
  rules.set("Pad", detail::onnx_pad);
  rules.set("GlobalMaxPool", [](onnx_context const& c) { detail::onnx_global_pool(c, "MaxPool"); });
  rules.set("GlobalAveragePool", [](onnx_context const& c) { detail::onnx_global_pool(c, "AveragePool"); });
}

}  // namespace plait
