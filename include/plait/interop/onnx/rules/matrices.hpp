// Rules for ONNX operators that multiply matrices, and for those of images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/values.hpp>
#include <plait/interop/onnx/rules.hpp>
#include <plait/interop/onnx/rules/elements.hpp>

namespace plait {
namespace detail {

inline void onnx_mat_mul(onnx_context const& c) {
  onnx_dims const& a = c.dims(0);
  onnx_dims const& b = c.dims(1);
  if (a && b && a->size() == 1 && b->size() == 1) {  // a number, of which BatchMatMul makes a vector
    c.add("ReduceSum", {c.step("Mul", {c.input(0), c.input(1)})}, {c.output(0)}, {{"keepdims", 0}});
    c.set_type(0, c.type(0));
    return c.set_dims(0, std::vector<std::int64_t>());
  }
  std::vector<net_argument> arguments;
  bool const matrices = a && b && a->size() == 2 && b->size() == 2;  // which have a gradient, too
  if (!matrices) arguments.emplace_back("broadcast", 1);
  c.add(matrices ? "MatMul" : "BatchMatMul", {c.input(0), c.input(1)}, {c.output(0)}, std::move(arguments));
  c.set_type(0, c.type(0));
  if (!a || !b || a->size() < 2 || b->size() < 2) return;
  onnx_dims dims = broadcast(std::vector<std::int64_t>(a->begin(), a->end() - 2),
                             std::vector<std::int64_t>(b->begin(), b->end() - 2));
  dims->push_back((*a)[a->size() - 2]);
  dims->push_back(b->back());
  c.set_dims(0, std::move(dims));
}

// Whether C of Gemm is a row for each column of the product: then the whole is a fully connected layer.
inline bool is_bias(onnx_context const& c, bool transposed) {
  if (!c.has_input(2) || !c.dims(2) || c.dims(2)->size() != 1 || !c.dims(1) || c.dims(1)->size() != 2) return false;
  std::int64_t const columns = (*c.dims(1))[transposed ? 0 : 1];
  return columns >= 0 && c.dims(2)->front() == columns;
}

inline void onnx_gemm(onnx_context const& c) {
  float const alpha = c.real("alpha", 1);
  float const beta = c.real("beta", 1);
  bool const left = c.integer("transA", 0) != 0;
  bool const right = c.integer("transB", 0) != 0;
  if (alpha == 1 && beta == 1 && !left && is_bias(c, right)) {
    c.add(right ? "FC" : "FCTransposed", {c.input(0), c.input(1), c.input(2)}, {c.output(0)});
  } else {
    bool const adds = c.has_input(2) && beta != 0;
    std::string product = adds || alpha != 1 ? c.temporary("product") : c.output(0);
    c.add("MatMul", {c.input(0), c.input(1)}, {product}, {{"trans_a", left}, {"trans_b", right}});
    if (alpha != 1) {
      std::string const scaled = adds ? c.temporary("scaled") : c.output(0);
      c.add("Scale", {product}, {scaled}, {{"scale", alpha}});
      product = scaled;
    }
    if (adds) {
      std::string const bias = beta == 1 ? c.input(2) : c.step("Scale", {c.input(2)}, {{"scale", beta}});
      c.add("Add", {product, bias}, {c.output(0)}, onnx_old_broadcast(c));
    }
  }
  c.set_type(0, c.type(0));
  auto const extent = [&](std::size_t i, std::size_t axis) {
    return c.dims(i) && c.dims(i)->size() == 2 ? (*c.dims(i))[axis] : -1;
  };
  c.set_dims(0, std::vector<std::int64_t>{extent(0, left ? 1 : 0), extent(1, right ? 0 : 1)});
}

// Where windows are; `weights` is the input whose axes from the third on are a window, 0 for none.
inline std::vector<net_argument> onnx_window_arguments(onnx_context const& c, std::size_t weights) {
  std::vector<net_argument> made;
  std::vector<std::int64_t> kernels = c.integers("kernel_shape");
  if (kernels.empty()) {
    if (weights == 0) c.unsupported("kernel_shape is missing");
    std::size_t const rank = c.rank(weights);
    for (std::size_t axis = 2; axis < rank; ++axis) {
      kernels.push_back((*c.dims(weights))[axis]);
      if (kernels.back() < 0) c.unsupported("the extents of a window must be known before the model is run");
    }
  }
  made.emplace_back("kernels", kernels);
  if (c.has("strides")) made.emplace_back("strides", c.integers("strides"));
  if (c.has("dilations")) made.emplace_back("dilations", c.integers("dilations"));
  std::string const automatic = c.text("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER")
    made.emplace_back("legacy_pad", 2);
  else if (automatic == "SAME_LOWER")
    c.unsupported("auto_pad SAME_LOWER");
  else if (automatic != "NOTSET" && automatic != "VALID")
    c.unsupported("auto_pad " + automatic);
  else if (automatic == "NOTSET" && c.has("pads"))
    made.emplace_back("pads", c.integers("pads"));
  return made;
}

inline void set_windows(onnx_context const& c) {
  c.set_type(0, c.type(0));
  if (c.dims(0)) c.set_dims(0, std::vector<std::int64_t>(c.dims(0)->size(), -1));
}

inline void onnx_conv(onnx_context const& c) {
  auto arguments = onnx_window_arguments(c, 1);
  arguments.emplace_back("group", c.integer("group", 1));
  c.add("Conv", c.inputs(), {c.output(0)}, std::move(arguments));
  set_windows(c);
}

inline void onnx_pool(onnx_context const& c, char const* type) {
  if (c.integer("ceil_mode", 0) != 0) c.unsupported("windows that end behind the padding (ceil_mode)");
  if (c.wants(1)) c.unsupported("the places of the maxima");
  auto arguments = onnx_window_arguments(c, 0);
  if (c.has("count_include_pad")) arguments.emplace_back("count_include_pad", c.integer("count_include_pad", 0));
  c.add(type, {c.input(0)}, {c.output(0)}, std::move(arguments));
  set_windows(c);
}

// Of images, around height and width.
inline void onnx_pad(onnx_context const& c) {
  std::vector<std::int64_t> const pads =
      c.opset() < 11 ? c.integers(c.opset() < 2 ? "paddings" : "pads") : c.known_integers(1, "the pads");
  double value = c.real("value", 0);
  if (c.opset() >= 11 && c.has_input(2)) {
    auto const known = c.known_number(2);
    if (!known) c.unsupported("the value of the margin must be known before the model is run");
    value = *known;
  }
  if (c.rank(0) != 4 || pads.size() != 8 || pads[0] != 0 || pads[1] != 0 || pads[4] != 0 || pads[5] != 0 ||
      c.has_input(3))
    c.unsupported("only height and width of images (four axes) can have a margin");
  c.add("PadImage", {c.input(0)}, {c.output(0)},
        {{"pads", {pads[2], pads[3], pads[6], pads[7]}}, {"mode", c.text("mode", "constant")}, {"value", value}});
  set_windows(c);
}

inline void onnx_global_pool(onnx_context const& c, char const* type) {
  c.add(type, {c.input(0)}, {c.output(0)}, {{"global_pooling", 1}});
  set_windows(c);
}

}  // namespace detail

inline void add_onnx_matrix_rules(onnx_rules& rules) {
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
