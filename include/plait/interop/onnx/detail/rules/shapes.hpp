// Conversion rules for ONNX's shape operators: Constant, Shape, Reshape, Squeeze, Transpose, Expand, Tile, Range.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/subgraphs.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

// ---- constants
inline void onnx_constant(onnx_context const& c) {
  if (c.node().attributes.size() != 1) c.unsupported("it must have one attribute, its value");
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

// Returns the shape that a constant input lists. Reports extents below `least`.
inline std::vector<std::int64_t> shape_of(onnx_context const& c, std::size_t i, std::int64_t least) {
  std::vector<std::int64_t> made = c.known_integers(i, "the shape");
  for (std::int64_t const extent : made)
    if (extent < least) c.unsupported("a shape cannot have an extent of " + std::to_string(extent));
  return made;
}

inline void onnx_constant_of_shape(onnx_context const& c) {
  tensor_value value{{1}, std::vector<float>{0}};
  if (onnx_tensor const* const t = c.tensor("value")) value = value_of(*t);
  onnx_type const type = onnx_type_of(value.type());
  std::vector<net_argument> arguments{{"input_as_shape", 1}, {"dtype", require_runtime_type(c, type)}};
  if (value.size() != 1 || value.shape.size() > 1) c.unsupported("its value must have one element");
  require_rank(c, 0, 1, 1);
  // Arguments are floats or integers; any other double becomes a factor.
  std::optional<double> factor;
  std::visit(
      [&]<class T>(std::vector<T> const& elements) {
        if constexpr (std::same_as<T, double>) {
          bool const fits = is_float(elements[0]);
          if (!fits) factor = elements[0];
          arguments.emplace_back("value", fits ? elements[0] : 1.0);
        } else if constexpr (std::is_arithmetic_v<T>) {
          arguments.emplace_back("value", static_cast<T>(elements[0]));
        }
      },
      value.data);
  if (factor) {
    std::string const ones = c.step("ConstantFill", {c.input(0)}, std::move(arguments));
    c.add("Mul", {ones, c.constant_blob(onnx_filled(type, {}, *factor), "value")}, {c.output(0)});
  } else {
    c.add("ConstantFill", {c.input(0)}, {c.output(0)}, std::move(arguments));
  }
  c.set_type(0, type);
  if (c.constant(0) != nullptr) static_cast<void>(shape_of(c, 0, 0));
  c.set_dims(0, c.listed_dims(0));
}

inline void onnx_shape(onnx_context const& c) {
  if (!c.has("start") && !c.has("end")) {
    c.add("Shape", {c.input(0)}, {c.output(0)});
    if (c.dims(0)) c.set_dims(0, std::vector<std::int64_t>{static_cast<std::int64_t>(c.dims(0)->size())});
  } else if (!c.dims(0)) {  // StridedSlice counts negative bounds from the end and clamps them, too
    std::int64_t const end = c.integer("end", std::numeric_limits<std::int64_t>::max());
    c.add("StridedSlice", {c.step("Shape", {c.input(0)})}, {c.output(0)},
          {{"starts", {c.integer("start", 0)}}, {"ends", {end}}});
    c.set_dims(0, std::vector<std::int64_t>{-1});
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

// ---- reshapes
// Reports a shape that the input cannot be reshaped to, as far as its extents are known.
inline void check_reshape(onnx_context const& c, std::vector<std::int64_t> const& shape) {
  if (std::ranges::count(shape, -1) > 1) c.unsupported("a shape can have one -1 only");
  std::vector<std::int64_t> wanted = shape;
  for (std::size_t axis = 0; axis != wanted.size(); ++axis) {
    if (wanted[axis] < -1) c.unsupported("a shape cannot have an extent of " + std::to_string(wanted[axis]));
    if (wanted[axis] != 0 || !c.dims(0)) continue;
    if (axis >= c.dims(0)->size())
      c.unsupported("the shape has a 0 for axis " + std::to_string(axis) + ", which " + input_text(c, 0) +
                    " does not have");
    wanted[axis] = (*c.dims(0))[axis];
  }
  if (!is_known(c.dims(0))) return;
  auto const have = element_count(*c.dims(0));
  bool const open = std::ranges::find(wanted, -1) != wanted.end();
  std::ranges::replace(wanted, -1, std::int64_t{1});
  auto const asked = element_count(wanted);
  if (!have || !asked || (open ? *asked == 0 || *have % *asked != 0 : *have != *asked))
    c.unsupported(input_text(c, 0) + " cannot be reshaped to " + dims_text(shape));
}

// Returns the dims of an input reshaped to `shape`. An extent that the others and the number of elements determine is
// known.
inline onnx_dims reshaped_dims(onnx_context const& c, onnx_dims shape, bool allows_zeros) {
  if (!shape) return std::nullopt;
  for (std::size_t axis = 0; axis != shape->size(); ++axis)
    if ((*shape)[axis] == 0 && !allows_zeros)
      (*shape)[axis] = c.dims(0) && axis < c.dims(0)->size() ? (*c.dims(0))[axis] : -1;
  if (std::ranges::count(*shape, -1) != 1 || !is_known(c.dims(0))) return shape;
  auto const open = std::ranges::find(*shape, -1);
  *open = 1;
  auto const rest = element_count(*shape);
  auto const count = element_count(*c.dims(0));
  *open = rest && count && *rest != 0 && *count % *rest == 0 && *count / *rest <= std::size_t{1} << 40
              ? static_cast<std::int64_t>(*count / *rest)
              : -1;
  return shape;
}

// Reshape with allowzero, to a shape that has zeros or may have some: a tensor without elements, if it has. Gather
// refuses an input that has elements, by reading index 0 alone.
inline void reshape_with_zeros(onnx_context const& c, std::optional<std::vector<std::int64_t>> const& shape) {
  if (shape && std::ranges::find(*shape, -1) != shape->end()) c.unsupported("a shape with both 0 and -1 (allowzero)");
  if (shape && is_known(c.dims(0)) && element_count(*c.dims(0)) != std::size_t{0})
    c.unsupported(input_text(c, 0) + " cannot be reshaped to " + dims_text(*shape));
  std::int64_t const type = require_runtime_type(c, c.type(0));
  bool const real = c.type(0) == onnx_type::float32 || c.type(0) == onnx_type::float64;
  net_argument const none = real ? net_argument("value", 0.0f) : net_argument("value", 0);
  std::vector<std::string> const read{c.input(0), c.input(1), c.constant_blob(onnx_list({0}), "zero")};
  std::string const made = c.output(0);
  auto const fill = [&](net_builder& net) {
    for (std::string const& name : read) static_cast<void>(onnx_capture(net, name));
    auto const count = net.op("Size", net.blob(read[0]), c.temporary("size"));
    net.op("Gather", {net.blob(read[2]), count}, c.temporary("none"));
    net.op("ConstantFill", net.blob(read[1]), made, {{"input_as_shape", 1}, {"dtype", type}, none});
  };
  if (shape) {
    fill(c.net());
  } else {
    net_builder empty(c.temporary("empty"));
    fill(empty);
    empty.external_outputs(made);
    net_builder full(c.temporary("full"));
    for (std::size_t const i : {0U, 1U}) static_cast<void>(onnx_capture(full, read[i]));
    full.op_n("Reshape", {read[0], read[1]}, {made, c.temporary("old_shape")});
    full.external_outputs(made);
    std::string const one = c.constant_blob(onnx_filled(c.type(1), {1}, 1), "one");
    std::string const all = c.temporary("extents");
    c.add("Concat", {read[1], one}, {all, c.temporary("lengths")}, {{"axis", 0}});
    std::string const least = c.step("ReduceMin", {c.step("Abs", {all})}, {{"keepdims", 0}});
    std::string const zero = c.constant_blob(onnx_filled(c.type(1), {}, 0), "zero");
    onnx_add_if(c.net(), c.training(), c.step("EQ", {least, zero}), empty.take(), full.take(), {made});
  }
  c.set_type(0, c.type(0));
  c.set_dims(0, reshaped_dims(c, c.listed_dims(1), true));
}

inline void onnx_reshape(onnx_context const& c) {
  auto const shape = c.opset() < 5              ? std::optional(c.integers("shape"))
                     : c.constant(1) != nullptr ? std::optional(c.known_integers(1, "the shape"))
                                                : std::nullopt;
  bool const zeros = c.integer("allowzero", 0) != 0;
  if (c.opset() >= 5) require_rank(c, 1, 1, 1);
  if (zeros && (!shape || std::ranges::find(*shape, 0) != shape->end())) return reshape_with_zeros(c, shape);
  if (shape) {
    check_reshape(c, *shape);
    c.add("Reshape", {c.input(0)}, {c.output(0), c.temporary("old_shape")}, {{"shape", *shape}});
  } else {
    c.add("Reshape", {c.input(0), c.input(1)}, {c.output(0), c.temporary("old_shape")});
  }
  c.set_type(0, c.type(0));
  c.set_dims(0, reshaped_dims(c, shape ? onnx_dims(known_extents(*shape)) : c.listed_dims(1), false));
}

inline void onnx_flatten(onnx_context const& c) {
  std::int64_t const axis = c.integer("axis", 1);
  if (axis < 0 && c.opset() < 11) c.unsupported("a negative axis");
  std::vector<std::int64_t> dims{-1, -1};
  if (c.dims(0)) {
    auto const rank = static_cast<std::int64_t>(c.dims(0)->size());
    if (axis < -rank || axis > rank) c.unsupported(input_text(c, 0) + " has no axis " + std::to_string(axis));
    auto const split = c.dims(0)->begin() + (axis < 0 ? axis + rank : axis);
    auto const product = [](auto first, auto last) {
      auto const count = element_count(std::vector<std::int64_t>(first, last));
      return count && *count <= std::size_t{1} << 40 ? static_cast<std::int64_t>(*count) : -1;
    };
    dims = {product(c.dims(0)->begin(), split), product(split, c.dims(0)->end())};
  }
  c.add("Flatten", {c.input(0)}, {c.output(0)}, {{"axis", axis}});
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

inline void onnx_squeeze(onnx_context const& c) {
  auto axes = list_attribute_or_input(c, "axes", 1);
  bool const has_list = axes.has_value();
  if (!axes) {
    if (!is_known(c.dims(0))) {  // all axes of extent 1, whichever these are
      c.add("Squeeze", {c.input(0)}, {c.output(0)});
      return c.set_type(0, c.type(0));
    }
    axes.emplace();
    for (std::size_t axis = 0; axis != c.dims(0)->size(); ++axis)
      if ((*c.dims(0))[axis] == 1) axes->push_back(static_cast<std::int64_t>(axis));
  }
  bool const counts_back = std::ranges::any_of(*axes, [](std::int64_t axis) { return axis < 0; });
  if (counts_back && c.opset() < 11) c.unsupported("a negative axis");
  if (c.dims(0)) axes = axes_of(c, *axes, c.dims(0)->size(), false);
  if (axes->empty() && has_list) c.unsupported("the list of axes is empty");
  if (axes->empty()) return c.forward(0, 0);
  if (c.dims(0))
    for (std::int64_t const axis : *axes)
      if (std::int64_t const extent = (*c.dims(0))[static_cast<std::size_t>(axis)]; extent >= 0 && extent != 1)
        c.unsupported("axis " + std::to_string(axis) + " of " + input_text(c, 0) + " does not have the extent 1");
  c.add("Squeeze", {c.input(0)}, {c.output(0)}, {{"dims", *axes}});
  c.set_type(0, c.type(0));
  if (!c.dims(0)) return;
  std::vector<std::int64_t> dims;
  for (std::size_t axis = 0; axis != c.dims(0)->size(); ++axis)
    if (std::ranges::find(*axes, static_cast<std::int64_t>(axis)) == axes->end()) dims.push_back((*c.dims(0))[axis]);
  c.set_dims(0, std::move(dims));
}

inline void onnx_unsqueeze(onnx_context const& c) {
  auto axes = list_attribute_or_input(c, "axes", 1, 0);  // also a scalar, as in ONNX's own tests
  if (!axes) c.unsupported("the axes are missing");
  bool const counts_back = std::ranges::any_of(*axes, [](std::int64_t axis) { return axis < 0; });
  if (counts_back && c.opset() < 11) c.unsupported("a negative axis");
  axes = distinct_axes(c, *axes, c.dims(0) ? std::optional(c.dims(0)->size() + axes->size()) : std::nullopt);
  if (axes->empty()) return c.forward(0, 0);
  c.add("ExpandDims", {c.input(0)}, {c.output(0)}, {{"dims", *axes}});
  c.set_type(0, c.type(0));
  if (!c.dims(0)) return;
  std::vector<std::int64_t> dims = *c.dims(0);
  std::ranges::sort(*axes);
  for (std::int64_t const axis : *axes) dims.insert(dims.begin() + axis, 1);
  c.set_dims(0, std::move(dims));
}

inline void onnx_transpose(onnx_context const& c) {
  std::vector<net_argument> arguments;
  onnx_dims dims = c.dims(0);
  if (c.has("perm")) {
    auto const order = c.integers("perm");
    if ((order.empty() || c.dims(0)) && order.size() != c.rank(0))
      c.unsupported("perm has " + std::to_string(order.size()) + " axes, where " + input_text(c, 0) + " has " +
                    std::to_string(c.rank(0)));
    if (std::ranges::any_of(order, [](std::int64_t axis) { return axis < 0; }))
      c.unsupported("perm has a negative axis");
    static_cast<void>(axes_of(c, order, order.size(), true));
    if (!order.empty()) arguments.emplace_back("axes", order);
    for (std::size_t axis = 0; dims && axis != order.size(); ++axis)
      (*dims)[axis] = (*c.dims(0))[static_cast<std::size_t>(order[axis])];
  } else if (dims) {
    std::ranges::reverse(*dims);
  }
  c.add("Transpose", {c.input(0)}, {c.output(0)}, std::move(arguments));
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

inline void onnx_expand(onnx_context const& c) {
  require_type(c, 0, onnx_host_types | onnx_types{onnx_type::uint64});
  require_rank(c, 1, 1, 1);
  if (c.constant(1) != nullptr) static_cast<void>(shape_of(c, 1, 0));
  onnx_dims dims = broadcast(c, c.dims(0), c.listed_dims(1));
  onnx_type const type = onnx_widened_type(c.type(0));
  onnx_narrowed(c, [&](std::string const& made) {
    std::string const ones = c.step("ConstantFill", {c.input(1)},
                                    {onnx_one(type), {"input_as_shape", 1}, {"dtype", require_runtime_type(c, type)}});
    c.add("Mul", {onnx_widened(c, 0), ones}, {made});
  });
  c.set_type(0, c.type(0));
  if (dims) c.set_dims(0, std::move(dims));
}

// Tile by repeats that are known at run time, of an input whose rank is known.
inline void tile_by_blob(onnx_context const& c) {
  std::size_t const rank = c.rank(0);
  require_dims(c, 1, {static_cast<std::int64_t>(rank)}, "a number of repeats for each axis");
  std::vector<std::int64_t> ones(rank, 1);
  // Split refuses repeats of another number.
  std::vector<std::string> repeats;
  for (std::size_t axis = 0; axis != rank; ++axis) repeats.push_back(c.temporary("repeats"));
  if (rank != 0) c.add("Split", {c.input(1)}, repeats, {{"axis", 0}, {"split", ones}});
  std::string tiled = c.input(0);
  for (std::size_t axis = 0; axis != rank; ++axis)
    tiled = c.step("Tile", {tiled, repeats[axis]}, {{"axis", static_cast<std::int64_t>(axis)}});
  c.add("Copy", {tiled}, {c.output(0)});
  c.set_type(0, c.type(0));
  c.set_dims(0, std::vector<std::int64_t>(rank, -1));
}

// Tile: if the rank is known only at run time, a Transpose checks that it equals the number of repeats.
inline void onnx_tile(onnx_context const& c) {
  if (c.opset() < 6) c.unsupported("Tile before version 6 of the operators");
  require_rank(c, 1, 1, 1);
  if (c.constant(1) == nullptr && c.dims(0)) return tile_by_blob(c);
  auto const repeats = c.known_integers(1, "the repeats");
  if (repeats.size() > max_rank) c.unsupported("it has more than " + std::to_string(max_rank) + " repeats");
  if (c.dims(0) && c.dims(0)->size() != repeats.size())
    c.unsupported("it has " + std::to_string(repeats.size()) + " repeats for " + input_text(c, 0));
  if (std::ranges::any_of(repeats, [](std::int64_t count) { return count < 0; })) c.unsupported("a repeat is negative");
  std::string tiled = c.dims(0) || repeats.empty() ? c.input(0) : input_of_rank(c, 0, repeats.size());
  if (repeats.empty() && !c.dims(0)) c.unsupported("it has no repeats");
  for (std::size_t axis = 0; axis != repeats.size(); ++axis)
    if (repeats[axis] != 1) tiled = c.step("Tile", {tiled}, {{"tiles", repeats[axis]}, {"axis", axis}});
  c.add("Copy", {tiled}, {c.output(0)});
  c.set_type(0, c.type(0));
  std::vector<std::int64_t> dims = c.dims(0) ? *c.dims(0) : std::vector<std::int64_t>(repeats.size(), -1);
  for (std::size_t axis = 0; axis != dims.size(); ++axis)
    if (dims[axis] > std::int64_t{1} << 20 || repeats[axis] > std::int64_t{1} << 20)
      dims[axis] = -1;
    else if (dims[axis] >= 0)
      dims[axis] *= repeats[axis];
  c.set_dims(0, std::move(dims));
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
    detail::require_type(c, 0, detail::onnx_numbers);
    for (std::size_t i = 0; i != 3; ++i) detail::require_scalar(c, i, true);
    if (c.known_number(2) == 0.0) c.unsupported("the step is 0");
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
}

}  // namespace plait
