// Export rules of operators that join, cut and reshape tensors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/normalization.hpp>

namespace plait {
namespace detail::onnx_out {

inline std::int64_t onnx_join_axis(onnx_export_context const& c) {
  if (c.has("axis")) return c.integer("axis", 1);
  return c.channels_last() ? 3 : 1;
}
inline std::string onnx_as_int64(onnx_export_context const& c, std::string const& x) {
  if (c.type_of(x) == onnx_type::int64) return x;
  std::string const made = c.step("Cast", {x}, {onnx_attr("to", static_cast<std::int64_t>(onnx_type::int64))});
  if (c.elements(x)) c.exporter().types().set_integers(made, *c.elements(x));
  return made;
}

inline void onnx_export_concat(onnx_export_context& c) {
  std::int64_t const axis = onnx_join_axis(c);
  std::vector<std::string> inputs = c.inputs();
  bool const added = c.integer("add_axis", 0) != 0;
  if (added)
    for (std::string& each : inputs) each = c.step("Unsqueeze", {each, onnx_axes(c, {axis})});
  c.give(0, "Concat", inputs, {onnx_attr("axis", axis)});
  if (c.output_count() < 2) return;
  std::vector<std::string> extents;
  for (std::string const& each : inputs)
    extents.push_back(c.step("Gather", {c.step("Shape", {each}), onnx_axes(c, {axis})}));
  std::string const list = c.step("Concat", extents, {onnx_attr("axis", 0)});
  c.give(1, "Cast", {list}, {onnx_attr("to", static_cast<std::int64_t>(onnx_type::int32))});
}

inline void onnx_export_split(onnx_export_context& c) {
  std::int64_t const axis = onnx_join_axis(c);
  std::vector<std::string> inputs{c.input(0)};
  std::vector<onnx_attribute> with{onnx_attr("axis", axis)};
  std::size_t const count = c.op().outputs.size();
  if (c.input_count() > 1) {
    inputs.push_back(onnx_as_int64(c, c.input(1)));
  } else if (auto const split = c.integers("split"); !split.empty()) {
    inputs.push_back(c.constant(split, "split"));
  } else if (c.opset() >= 18) {
    with.push_back(onnx_attr("num_outputs", static_cast<std::int64_t>(count)));
  }
  bool const dropped = c.integer("add_axis", 0) != 0;
  std::vector<std::string> outputs;
  for (std::size_t o = 0; o != count; ++o) outputs.push_back(dropped ? c.temporary("part") : c.output(o));
  c.add("Split", std::move(inputs), outputs, std::move(with));
  if (dropped)
    for (std::size_t o = 0; o != count; ++o) c.give(o, "Squeeze", {outputs[o], onnx_axes(c, {axis})});
}

// Moves bounds of Slice to those of ONNX: a negative one counts from one past the end.
inline std::string onnx_slice_bounds(onnx_export_context const& c, std::vector<std::int64_t> bounds) {
  for (std::int64_t& each : bounds)
    if (each < 0) each = each == -1 ? std::numeric_limits<std::int64_t>::max() : each + 1;
  return c.constant(std::move(bounds), "bounds");
}
inline void onnx_export_slice(onnx_export_context& c) {
  std::string const x = c.input(0);
  if (c.input_count() > 2) {
    auto const bound = [&](std::size_t i) {
      std::string const at = onnx_as_int64(c, c.input(i));
      if (c.elements(at)) return onnx_slice_bounds(c, *c.elements(at));
      std::string const zero = c.number(0, at);
      std::string const one = c.number(1, at);
      std::string const behind = c.step("Add", {c.step("Shape", {x}), one});
      return c.step("Where", {c.step("Less", {at, zero}), c.step("Add", {at, behind}), at});
    };
    std::string const starts = bound(1);
    return c.give(0, "Slice", {x, starts, bound(2)});
  }
  std::vector<std::int64_t> const starts = c.integers("starts");
  std::vector<std::int64_t> const ends = c.integers("ends");
  std::vector<std::int64_t> axes;
  for (std::size_t axis = 0; axis != starts.size(); ++axis) axes.push_back(static_cast<std::int64_t>(axis));
  if (axes.empty() || ends.size() != starts.size()) c.unsupported("its starts and ends do not fit");
  c.give(0, "Slice", {x, onnx_slice_bounds(c, starts), onnx_slice_bounds(c, ends), onnx_axes(c, axes)});
}

// StridedSlice has the semantics of ONNX's Slice; only an empty list of axes or steps is left out there.
inline void onnx_export_strided_slice(onnx_export_context& c) {
  std::vector<std::string> inputs{c.input(0)};
  if (c.input_count() > 1) {
    for (std::size_t i = 1; i != c.input_count(); ++i) inputs.push_back(onnx_as_int64(c, c.input(i)));
    return c.give(0, "Slice", std::move(inputs));
  }
  std::vector<std::int64_t> const starts = c.integers("starts");
  std::vector<std::int64_t> axes = c.integers("axes");
  std::vector<std::int64_t> steps = c.integers("steps");
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), std::int64_t{0});
  }
  if (steps.empty()) steps.assign(starts.size(), 1);
  for (auto const& list : {starts, c.integers("ends"), axes, steps}) inputs.push_back(c.constant(list));
  c.give(0, "Slice", std::move(inputs));
}

inline void onnx_export_reshape(onnx_export_context& c) {
  std::string const x = c.input(0);
  std::string const shape =
      c.input_count() > 1 ? onnx_as_int64(c, c.input(1)) : c.constant(c.integers("shape"), "shape");
  c.give(0, "Reshape", {x, shape});
  if (c.output_count() < 2) return;
  // The shape before has the type of the new one.
  if (c.input_count() < 2 || c.type_of(c.input(1)) == onnx_type::int64) return c.give(1, "Shape", {x});
  c.give(1, "Cast", {c.step("Shape", {x})}, {onnx_attr("to", static_cast<std::int64_t>(c.type_of(c.input(1))))});
}

inline void onnx_export_tile(onnx_export_context& c) {
  constexpr std::int64_t most = 64;
  std::string const x = c.input(0);
  auto const number = [&](std::size_t i, char const* name, std::int64_t fallback) {
    if (c.input_count() <= i) return c.integer(name, fallback);
    auto const& known = c.elements(c.input(i));
    if (!known || known->size() != 1)
      c.unsupported(std::string(name) + " are an input", std::string("the argument ") + name);
    return known->front();
  };
  std::int64_t const tiles = number(1, "tiles", 1);
  std::int64_t const axis = number(2, "axis", 0);
  if (auto const rank = c.rank(x); rank && tiles >= 0) {
    std::vector<std::int64_t> repeats(*rank, 1);
    std::int64_t const at = axis < 0 ? axis + static_cast<std::int64_t>(*rank) : axis;
    if (at < 0 || at >= static_cast<std::int64_t>(*rank))
      c.unsupported("its input has no axis " + std::to_string(axis));
    repeats[static_cast<std::size_t>(at)] = tiles;
    return c.give(0, "Tile", {x, c.constant(std::move(repeats), "repeats")});
  }
  if (tiles < 1 || tiles > most) c.known_rank(x);
  c.give(0, "Concat", std::vector<std::string>(static_cast<std::size_t>(tiles), x), {onnx_attr("axis", axis)});
}

inline void onnx_export_shape(onnx_export_context& c) {
  std::vector<std::int64_t> const axes = c.integers("axes");
  if (axes.empty()) return c.give(0, "Shape", {c.input(0)});
  c.give(0, "Gather", {c.step("Shape", {c.input(0)}), onnx_axes(c, axes)});
}

inline void onnx_export_has_elements(onnx_export_context& c) {
  std::string some;
  for (std::string const& each : c.inputs()) {
    std::string const size = c.step("Size", {each});
    std::string const one = c.step("Greater", {size, c.number(0, size)});
    some = some.empty() ? one : c.step("Or", {some, one});
  }
  if (c.type() == "IsEmpty") return c.give(0, "Not", {some});
  c.forward(0, some);
}

/// MergeDim and PrependDim: reshapes that keep the last axes.
inline void onnx_export_first_axes(onnx_export_context& c) {
  bool const merges = c.type() == "MergeDim";
  std::string const x = c.input(0);
  std::string const others =
      c.step("Slice", {c.step("Shape", {x}), c.constant(std::vector<std::int64_t>{merges ? 2 : 1}),
                       c.constant(std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()})});
  std::string const first =
      c.constant(merges ? std::vector<std::int64_t>{-1} : std::vector<std::int64_t>{c.integer("dim_size", 1), -1});
  c.give(0, "Reshape", {x, c.step("Concat", {first, others}, {onnx_attr("axis", 0)})});
  auto const rank = c.rank(x);
  if (rank && *rank > 1) c.set_dims(c.output(0), std::vector<std::int64_t>(merges ? *rank - 1 : *rank + 1, -1));
}

}  // namespace detail::onnx_out

inline void add_onnx_shapes_export(onnx_export_rules& rules) {
  using context = onnx_export_context;
  rules.set("Concat", detail::onnx_out::onnx_export_concat);
  rules.set("DepthConcat", detail::onnx_out::onnx_export_concat);
  rules.set("Split", detail::onnx_out::onnx_export_split);
  rules.set("Slice", detail::onnx_out::onnx_export_slice);
  rules.set("StridedSlice", detail::onnx_out::onnx_export_strided_slice);
  rules.set("Reshape", detail::onnx_out::onnx_export_reshape);
  rules.set("Tile", detail::onnx_out::onnx_export_tile);
  rules.set("Shape", detail::onnx_out::onnx_export_shape);
  rules.set("Size", [](context& c) { c.give(0, "Size", {c.input(0)}); });
  rules.set("HasElements", detail::onnx_out::onnx_export_has_elements);
  rules.set("IsEmpty", detail::onnx_out::onnx_export_has_elements);
  rules.set("MergeDim", detail::onnx_out::onnx_export_first_axes);
  rules.set("PrependDim", detail::onnx_out::onnx_export_first_axes);
  rules.set("Flatten", [](context& c) {
    c.give(0, "Flatten", {c.input(0)}, {detail::onnx_out::onnx_attr("axis", c.integer("axis", 1))});
  });
  rules.set("FlattenToVec", [](context& c) {
    c.give(0, "Reshape", {c.input(0), c.constant(std::vector<std::int64_t>{-1}, "shape")});
  });
  rules.set("ResizeLike", [](context& c) {
    c.give(0, "Reshape", {c.input(0), c.shape_of(c.input(1))});
    c.set_dims(c.output(0), c.dims(c.input(1)));
  });
  rules.set("Squeeze", [](context& c) {
    std::vector<std::string> inputs{c.input(0)};
    if (auto axes = c.integers("dims"); !axes.empty())
      inputs.push_back(detail::onnx_out::onnx_axes(c, std::move(axes)));
    c.give(0, "Squeeze", std::move(inputs));
  });
  rules.set("ExpandDims", [](context& c) {
    c.give(0, "Unsqueeze", {c.input(0), detail::onnx_out::onnx_axes(c, c.integers("dims"))});
  });
  rules.set("Transpose", [](context& c) {
    std::vector<onnx_attribute> with;
    if (auto axes = c.integers("axes"); !axes.empty())
      with.push_back(detail::onnx_out::onnx_attr("perm", std::move(axes)));
    c.give(0, "Transpose", {c.input(0)}, std::move(with));
  });
}

}  // namespace plait
