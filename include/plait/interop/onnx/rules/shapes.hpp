// Rules for ONNX operators that move elements: shapes, parts, joints, places.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/values.hpp>
#include <plait/interop/onnx/rules.hpp>

namespace plait {
namespace detail {

// ---- constants
inline void onnx_constant(onnx_context const& c) {
  if (onnx_tensor const* const t = c.tensor("value")) return c.set_constant(0, value_of(*t));
  if (c.has("value_float")) return c.set_constant(0, {{}, std::vector<float>{c.real("value_float", 0)}});
  if (c.has("value_int")) return c.set_constant(0, {{}, std::vector<std::int64_t>{c.integer("value_int", 0)}});
  if (c.has("value_floats")) {
    auto list = c.reals("value_floats");
    auto const count = static_cast<std::int64_t>(list.size());
    return c.set_constant(0, {{count}, std::move(list)});
  }
  if (c.has("value_ints")) return c.set_constant(0, onnx_list(c.integers("value_ints")));
  c.unsupported("it has no value that plait holds");
}

inline void onnx_constant_of_shape(onnx_context const& c) {
  tensor_value value{{1}, std::vector<float>{0}};
  if (onnx_tensor const* const t = c.tensor("value")) value = value_of(*t);
  onnx_type const type = onnx_type_of(value.type());
  std::vector<net_argument> arguments{{"input_as_shape", 1}, {"dtype", require_runtime_type(c, type)}};
  bool const has_one = std::visit(
      [&]<class T>(std::vector<T> const& elements) {
        if constexpr (std::is_arithmetic_v<T>) {
          if (elements.size() != 1) return false;
          arguments.emplace_back("value", static_cast<T>(elements[0]));
          return true;
        } else {
          return false;
        }
      },
      value.data);
  if (!has_one) c.unsupported("its value must have one element");
  c.add("ConstantFill", {c.input(0)}, {c.output(0)}, std::move(arguments));
  c.set_type(0, type);
  c.set_dims(0,
             c.constant(0) != nullptr ? known_extents(c.known_integers(0, "the shape")) : unknown_extents(c.dims(0)));
}

inline void onnx_shape(onnx_context const& c) {
  if (!c.has("start") && !c.has("end")) {
    c.add("Shape", {c.input(0)}, {c.output(0)});
    if (c.dims(0)) c.set_dims(0, std::vector<std::int64_t>{static_cast<std::int64_t>(c.dims(0)->size())});
  } else {
    auto const rank = static_cast<std::int64_t>(c.rank(0));
    auto const bound = [&](std::int64_t at) { return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank); };
    std::int64_t const first = bound(c.integer("start", 0));
    std::int64_t const last = std::max(first, bound(c.integer("end", rank)));
    c.add("Slice", {c.step("Shape", {c.input(0)})}, {c.output(0)}, {{"starts", {first}}, {"ends", {last}}});
    c.set_dims(0, std::vector<std::int64_t>{last - first});
  }
  c.set_type(0, onnx_type::int64);
}

// ---- the same elements in other shapes
inline void onnx_reshape(onnx_context const& c) {
  auto const shape = c.opset() < 5              ? std::optional(c.integers("shape"))
                     : c.constant(1) != nullptr ? std::optional(c.known_integers(1, "the shape"))
                                                : std::nullopt;
  bool const zeros = c.integer("allowzero", 0) != 0;
  if (zeros && !shape) c.unsupported("with allowzero the shape must be known before the model is run");
  if (zeros && std::ranges::find(*shape, 0) != shape->end())
    c.unsupported("a shape with zeros that are no axes of the input (allowzero)");
  if (shape) {
    c.add("Reshape", {c.input(0)}, {c.output(0), c.temporary("old_shape")}, {{"shape", *shape}});
    std::vector<std::int64_t> dims = known_extents(*shape);
    for (std::size_t axis = 0; axis != dims.size(); ++axis)
      if (dims[axis] == 0) dims[axis] = c.dims(0) && axis < c.dims(0)->size() ? (*c.dims(0))[axis] : -1;
    c.set_dims(0, std::move(dims));
  } else {
    c.add("Reshape", {c.input(0), c.input(1)}, {c.output(0), c.temporary("old_shape")});
    c.set_dims(0, unknown_extents(c.dims(1)));
  }
  c.set_type(0, c.type(0));
}

inline void onnx_flatten(onnx_context const& c) {
  c.add("Flatten", {c.input(0)}, {c.output(0)}, {{"axis", c.integer("axis", 1)}});
  c.set_type(0, c.type(0));
  c.set_dims(0, std::vector<std::int64_t>{-1, -1});
}

inline void onnx_squeeze(onnx_context const& c) {
  auto axes = listed(c, "axes", 1);
  if (!axes) {
    if (!c.dims(0) || std::ranges::find(*c.dims(0), -1) != c.dims(0)->end())
      c.unsupported("the shape of its input must be known before the model is run, as no axes are given");
    axes.emplace();
    for (std::size_t axis = 0; axis != c.dims(0)->size(); ++axis)
      if ((*c.dims(0))[axis] == 1) axes->push_back(static_cast<std::int64_t>(axis));
  }
  if (std::ranges::any_of(*axes, [](std::int64_t axis) { return axis < 0; })) axes = from_front(*axes, c.rank(0));
  if (axes->empty()) return c.forward(0, 0);
  c.add("Squeeze", {c.input(0)}, {c.output(0)}, {{"dims", *axes}});
  c.set_type(0, c.type(0));
  if (!c.dims(0)) return;
  std::vector<std::int64_t> dims;
  for (std::size_t axis = 0; axis != c.dims(0)->size(); ++axis)
    if (std::ranges::find(*axes, static_cast<std::int64_t>(axis)) == axes->end()) dims.push_back((*c.dims(0))[axis]);
  c.set_dims(0, std::move(dims));
}

inline void onnx_unsqueeze(onnx_context const& c) {
  auto axes = listed(c, "axes", 1);
  if (!axes) c.unsupported("the axes are missing");
  if (std::ranges::any_of(*axes, [](std::int64_t axis) { return axis < 0; }))
    axes = from_front(*axes, c.rank(0) + axes->size());
  if (axes->empty()) return c.forward(0, 0);
  c.add("ExpandDims", {c.input(0)}, {c.output(0)}, {{"dims", *axes}});
  c.set_type(0, c.type(0));
  if (!c.dims(0)) return;
  std::vector<std::int64_t> dims = *c.dims(0);
  std::ranges::sort(*axes);
  for (std::int64_t const axis : *axes)
    if (axis >= 0 && axis <= static_cast<std::int64_t>(dims.size())) dims.insert(dims.begin() + axis, 1);
  c.set_dims(0, std::move(dims));
}

inline void onnx_transpose(onnx_context const& c) {
  auto const order = c.integers("perm");
  std::vector<net_argument> arguments;
  if (c.has("perm")) arguments.emplace_back("axes", order);
  c.add("Transpose", {c.input(0)}, {c.output(0)}, std::move(arguments));
  c.set_type(0, c.type(0));
  if (!c.dims(0)) return;
  std::vector<std::int64_t> dims(c.dims(0)->rbegin(), c.dims(0)->rend());
  if (c.has("perm") && order.size() != dims.size()) c.unsupported("it must list each axis once");
  for (std::size_t axis = 0; axis != order.size(); ++axis) dims[axis] = (*c.dims(0))[c.axis(0, order[axis])];
  c.set_dims(0, std::move(dims));
}

inline void onnx_expand(onnx_context const& c) {
  bool const truth = c.type(0) == onnx_type::boolean;
  std::string const ones =
      c.step("ConstantFill", {c.input(1)},
             {onnx_one(c.type(0)), {"input_as_shape", 1}, {"dtype", require_runtime_type(c, c.type(0))}});
  c.add(truth ? "And" : "Mul", {c.input(0), ones}, {c.output(0)});
  c.set_type(0, c.type(0));
  if (c.constant(1) != nullptr) c.set_dims(0, broadcast(c.dims(0), known_extents(c.known_integers(1, "the shape"))));
}

inline void onnx_tile(onnx_context const& c) {
  if (c.opset() < 6) c.unsupported("Tile before version 6 of the operators");
  auto const repeats = c.known_integers(1, "the repeats");
  std::string tiled = c.input(0);
  for (std::size_t axis = 0; axis != repeats.size(); ++axis)
    if (repeats[axis] != 1) tiled = c.step("Tile", {tiled}, {{"tiles", repeats[axis]}, {"axis", axis}});
  c.add("Copy", {tiled}, {c.output(0)});
  c.set_type(0, c.type(0));
  if (!c.dims(0) || c.dims(0)->size() != repeats.size()) return;
  std::vector<std::int64_t> dims = *c.dims(0);
  for (std::size_t axis = 0; axis != dims.size(); ++axis)
    if (repeats[axis] != 1) dims[axis] = -1;
  c.set_dims(0, std::move(dims));
}

// ---- parts
inline void onnx_concat(onnx_context const& c) {
  std::int64_t const axis = c.integer("axis", 1);
  c.add("Concat", c.inputs(), {c.output(0), c.temporary("extents")}, {{"axis", axis}});
  c.set_type(0, c.type(0));
  if (!c.dims(0)) return;
  std::vector<std::int64_t> dims = *c.dims(0);
  std::size_t const at = c.axis(0, axis);
  for (std::size_t i = 1; i != c.input_count(); ++i) {
    if (!c.dims(i) || c.dims(i)->size() != dims.size() || (*c.dims(i))[at] < 0 || dims[at] < 0)
      dims[at] = -1;
    else
      dims[at] = known_extents({dims[at] + (*c.dims(i))[at]})[0];
  }
  c.set_dims(0, std::move(dims));
}

inline void onnx_split(onnx_context const& c) {
  std::vector<net_argument> arguments{{"axis", c.integer("axis", 0)}};
  std::vector<std::string> inputs{c.input(0)};
  if (c.has("num_outputs")) {
    std::size_t const at = c.axis(0, c.integer("axis", 0));
    std::int64_t const extent = c.dims(0) ? (*c.dims(0))[at] : -1;
    std::int64_t const parts = c.integer("num_outputs", 0);
    if (extent < 0 || parts < 1 || extent % parts != 0)
      c.unsupported("num_outputs must be known to divide the extent of the axis");
  } else if (c.has("split")) {
    arguments.emplace_back("split", c.integers("split"));
  } else if (c.has_input(1)) {
    inputs.push_back(c.input(1));
  }
  c.add("Split", inputs, c.outputs(), std::move(arguments));
  for (std::size_t o = 0; o != c.node().outputs.size(); ++o) {
    c.set_type(o, c.type(0));
    if (c.dims(0)) c.set_dims(o, std::vector<std::int64_t>(c.dims(0)->size(), -1));
  }
}

// Bounds as plait's Slice has them: there -1 is the extent, not one before it.
inline std::int64_t slice_bound(std::int64_t at) {
  return at < 0 && at != std::numeric_limits<std::int64_t>::min() ? at - 1 : at;
}

// The same for bounds that come as a blob, of int32 or int64.
inline std::string slice_bounds(onnx_context const& c, std::size_t i) {
  std::string const zero = c.constant_blob(onnx_filled(c.type(i), {}, 0), "zero");
  bool const wide = c.type(i) == onnx_type::int64;
  double const lowest = wide ? static_cast<double>(std::numeric_limits<std::int64_t>::min())
                             : static_cast<double>(std::numeric_limits<std::int32_t>::min());
  std::string const least = c.constant_blob(onnx_filled(c.type(i), {}, lowest), "least");
  std::string const negative = c.step("LT", {c.input(i), zero});
  std::string const has_one_below = c.step("GT", {c.input(i), least});
  std::string const less =
      c.step("Cast", {c.step("And", {negative, has_one_below})}, {{"to", require_runtime_type(c, c.type(i))}});
  return c.step("Sub", {c.input(i), less});
}

inline void onnx_slice(onnx_context const& c) {
  bool const old = c.opset() < 10;
  bool const known = old || (c.constant(1) != nullptr && c.constant(2) != nullptr);
  auto axes = old              ? (c.has("axes") ? std::optional(c.integers("axes")) : std::nullopt)
              : c.has_input(3) ? std::optional(c.known_integers(3, "the axes"))
                               : std::nullopt;
  if (!old && c.has_input(4) &&
      std::ranges::any_of(c.known_integers(4, "the steps"), [](std::int64_t step) { return step != 1; }))
    c.unsupported("steps other than 1");
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  if (known) {
    starts = old ? c.integers("starts") : c.known_integers(1, "the starts");
    ends = old ? c.integers("ends") : c.known_integers(2, "the ends");
    if (starts.size() != ends.size()) c.unsupported("as many starts as ends must be given");
  }
  std::size_t const count = known  ? starts.size()
                            : axes ? axes->size()
                            : c.dims(1) && c.dims(1)->size() == 1 && c.dims(1)->front() >= 0
                                ? static_cast<std::size_t>(c.dims(1)->front())
                                : 0;
  if (!known && count != 1) c.unsupported("the bounds of several axes must be known before the model is run");
  if (!axes) {
    axes.emplace(count);
    std::iota(axes->begin(), axes->end(), std::int64_t{0});
  }
  if (axes->size() != count) c.unsupported("as many axes as bounds must be given");
  for (std::int64_t& axis : *axes) axis = static_cast<std::int64_t>(c.axis(0, axis));
  onnx_dims dims = c.dims(0);
  std::string part = c.input(0);
  if (!known) {
    std::string first = slice_bounds(c, 1);
    std::string last = slice_bounds(c, 2);
    if (axes->front() != 0) {  // axes before it are whole
      std::vector<std::int64_t> const before{axes->front()};
      first = c.step("Concat", {c.constant_blob(onnx_filled(c.type(1), before, 0), "starts"), first}, {{"axis", 0}});
      last = c.step("Concat", {c.constant_blob(onnx_filled(c.type(2), before, -1), "ends"), last}, {{"axis", 0}});
    }
    c.add("Slice", {part, first, last}, {c.output(0)}, {{"clamp", 1}});
    if (dims) (*dims)[static_cast<std::size_t>(axes->front())] = -1;
  } else {
    for (std::size_t k = 0; k != count; ++k) {
      auto const axis = static_cast<std::size_t>((*axes)[k]);
      std::vector<std::int64_t> first(axis + 1, 0);
      std::vector<std::int64_t> last(axis + 1, -1);
      first[axis] = slice_bound(starts[k]);
      last[axis] = slice_bound(ends[k]);
      if (dims) {
        std::int64_t const extent = (*dims)[axis];
        if (extent >= 0) {
          auto const place = [&](std::int64_t at) {
            return std::clamp(at < 0 ? at + extent : at, std::int64_t{0}, extent);
          };
          std::int64_t const from = place(starts[k]);
          std::int64_t const to = place(ends[k]);
          // Bounds inside stay relative, as an input may be fed that is larger than the model says.
          if (starts[k] < -extent || starts[k] > extent) first[axis] = from;
          if (ends[k] < -extent) last[axis] = to;
          if (to < from) first[axis] = last[axis] = from;
          (*dims)[axis] = std::max(from, to) - from;
        }
      }
      bool const is_inside = dims && (*dims)[axis] >= 0;
      part = c.step("Slice", {part},
                    is_inside ? std::vector<net_argument>{{"starts", first}, {"ends", last}}
                              : std::vector<net_argument>{{"starts", first}, {"ends", last}, {"clamp", 1}});
    }
    c.add("Copy", {part}, {c.output(0)});
  }
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

// Indices may count from the end, if it is not known that they do not.
inline void onnx_gather(onnx_context const& c) {
  std::size_t const axis = c.axis(0, c.integer("axis", 0));
  std::vector<net_argument> arguments;
  if (axis != 0) arguments.emplace_back("axis", static_cast<std::int64_t>(axis));
  if (c.constant(1) == nullptr ||
      std::ranges::any_of(c.known_integers(1, "the indices"), [](std::int64_t at) { return at < 0; }))
    arguments.emplace_back("wrap_indices", 1);
  c.add("Gather", {c.input(0), c.input(1)}, {c.output(0)}, std::move(arguments));
  c.set_type(0, c.type(0));
  if (!c.dims(0) || !c.dims(1)) return;
  std::vector<std::int64_t> dims = *c.dims(0);
  auto const at = dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  dims.insert(at, c.dims(1)->begin(), c.dims(1)->end());
  c.set_dims(0, std::move(dims));
}

inline void onnx_reverse_sequence(onnx_context const& c) {
  std::size_t const time = c.axis(0, c.integer("time_axis", 0));
  std::size_t const batch = c.axis(0, c.integer("batch_axis", 1));
  if (time + batch != 1) c.unsupported("the axes of time and batch must be the first two");
  if (time == 0) {
    c.add("ReversePackedSegs", {c.input(0), c.input(1)}, {c.output(0)});
  } else {
    std::vector<std::int64_t> swapped(c.rank(0));
    std::iota(swapped.begin(), swapped.end(), std::int64_t{0});
    std::swap(swapped[0], swapped[1]);
    std::string const turned = c.step("Transpose", {c.input(0)}, {{"axes", swapped}});
    c.add("Transpose", {c.step("ReversePackedSegs", {turned, c.input(1)})}, {c.output(0)}, {{"axes", swapped}});
  }
  c.as_input(0, 0);
}

inline void onnx_top_k(onnx_context const& c) {
  if (c.integer("largest", 1) == 0) c.unsupported("the smallest elements");
  std::int64_t k = c.integer("k", 0);
  if (c.opset() >= 10) {
    auto const known = c.known_integers(1, "k");
    if (known.size() != 1) c.unsupported("k must be one number");
    k = known.front();
  }
  c.add("TopK", {c.input(0)}, {c.output(0), c.output(1)}, {{"k", k}, {"axis", c.integer("axis", -1)}});
  c.set_type(0, c.type(0));
  c.set_type(1, onnx_type::int64);
}

}  // namespace detail

inline void add_onnx_shape_rules(onnx_rules& rules) {
  rules.set("Constant", detail::onnx_constant);
  rules.set("ConstantOfShape", detail::onnx_constant_of_shape);
  rules.set("Shape", detail::onnx_shape);
  rules.set("Size", [](onnx_context const& c) {
    c.add("Size", {c.input(0)}, {c.output(0)});
    c.set_type(0, onnx_type::int64);
    c.set_dims(0, std::vector<std::int64_t>());
  });
  rules.set("Range", [](onnx_context const& c) {
    c.add("Range", {c.input(0), c.input(1), c.input(2)}, {c.output(0)});
    c.set_type(0, c.type(0));
    c.set_dims(0, std::vector<std::int64_t>{-1});
  });
  rules.set("Reshape", detail::onnx_reshape);
  rules.set("Flatten", detail::onnx_flatten);
  rules.set("Squeeze", detail::onnx_squeeze);
  rules.set("Unsqueeze", detail::onnx_unsqueeze);
  rules.set("Transpose", detail::onnx_transpose);
  rules.set("Expand", detail::onnx_expand);
  rules.set("Tile", detail::onnx_tile);
  rules.set("Concat", detail::onnx_concat);
  rules.set("Split", detail::onnx_split);
  rules.set("Slice", detail::onnx_slice);
  rules.set("Gather", detail::onnx_gather);
  rules.set("ReverseSequence", detail::onnx_reverse_sequence);
  rules.set("TopK", detail::onnx_top_k);
}

}  // namespace plait
