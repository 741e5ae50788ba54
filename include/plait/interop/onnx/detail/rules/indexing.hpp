// Conversion rules for ONNX's indexing operators: GatherElements, GatherND and their scatters, OneHot, NonZero,
// Compress, Trilu, EyeLike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/composition.hpp>
#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/rules/extents.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

// Reports constant indices out of the range of an axis of input 0.
inline void check_constant_indices(onnx_context const& c, std::size_t axis) {
  if (c.constant(1) == nullptr || !c.dims(0) || (*c.dims(0))[axis] < 0) return;
  std::int64_t const extent = (*c.dims(0))[axis];
  for (std::int64_t const at : c.known_integers(1, "the indices"))
    if (at < -extent || at >= extent)
      c.unsupported("axis " + std::to_string(axis) + " of " + input_text(c, 0) + " has no index " + std::to_string(at));
}

// Checks data and indices of an operator on single elements, and returns the argument `axis`.
inline std::vector<net_argument> element_axis(onnx_context const& c) {
  require_rank(c, 0, 1);
  std::int64_t const axis = c.integer("axis", 0);
  if (c.dims(0)) {
    check_constant_indices(c, c.axis(0, axis));
    require_rank(c, 1, c.rank(0), c.rank(0));
  }
  return {{"axis", axis}};
}

inline void onnx_gather_elements(onnx_context const& c) {
  auto arguments = element_axis(c);
  c.add("GatherElements", {c.input(0), c.input(1)}, {c.output(0)}, std::move(arguments));
  c.set_type(0, c.type(0));
  c.set_dims(0, c.dims(1));
}

// Adds the argument `reduction`, which only numbers have.
inline void add_reduction(onnx_context const& c, std::vector<net_argument>& arguments) {
  std::string const reduction = c.text("reduction", "none");
  if (reduction == "none") return;
  if (reduction != "add" && reduction != "mul" && reduction != "max" && reduction != "min")
    c.unsupported("attribute 'reduction' is '" + reduction + "', which should be none, add, mul, max or min");
  require_type(c, 0, onnx_numbers_and_bytes);
  arguments.emplace_back("reduction", reduction);
}

inline void onnx_scatter_elements(onnx_context const& c) {
  auto arguments = element_axis(c);
  if (c.dims(1)) require_dims(c, 2, *c.dims(1), "as the indices are");
  add_reduction(c, arguments);
  c.add("ScatterElements", {c.input(0), c.input(1), c.input(2)}, {c.output(0)}, std::move(arguments));
  c.as_input(0, 0);
}

// Returns the shape of the slices that tuples of indices name, as far as it is known. Reports tuples that are too long.
inline onnx_dims tuple_dims(onnx_context const& c, std::size_t batches) {
  require_rank(c, 0, batches + 1);
  require_rank(c, 1, batches + 1);
  if (!c.dims(0) || !c.dims(1) || c.dims(1)->back() < 0) return std::nullopt;
  std::int64_t const length = c.dims(1)->back();
  auto const most = static_cast<std::int64_t>(c.rank(0) - batches);
  if (length < 1 || length > most)
    c.unsupported("the tuples in " + input_text(c, 1) + " have " + std::to_string(length) +
                  " indices, where they should have 1 to " + std::to_string(most));
  std::vector<std::int64_t> dims(c.dims(1)->begin(), c.dims(1)->end() - 1);
  dims.insert(dims.end(), c.dims(0)->begin() + static_cast<std::ptrdiff_t>(batches) + length, c.dims(0)->end());
  if (dims.size() > max_rank) c.unsupported("the slices have more than " + std::to_string(max_rank) + " axes");
  return dims;
}

inline void onnx_gather_nd(onnx_context const& c) {
  std::int64_t const batches = c.integer("batch_dims", 0);
  if (batches < 0 || batches >= static_cast<std::int64_t>(max_rank))
    c.unsupported("batch_dims is " + std::to_string(batches) + ", which is negative or too large");
  onnx_dims dims = tuple_dims(c, static_cast<std::size_t>(batches));
  c.add("GatherND", {c.input(0), c.input(1)}, {c.output(0)}, {{"batch_dims", batches}});
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

inline void onnx_scatter_nd(onnx_context const& c) {
  if (onnx_dims const wanted = tuple_dims(c, 0)) require_dims(c, 2, *wanted, "a slice for each tuple");
  std::vector<net_argument> arguments;
  add_reduction(c, arguments);
  c.add("ScatterND", {c.input(0), c.input(1), c.input(2)}, {c.output(0)}, std::move(arguments));
  c.as_input(0, 0);
}

// OneHot: compares the indices with the places of a new axis, and gathers the values by the result. Indices below 0
// wrap once; those out of range equal no place.
inline void onnx_one_hot(onnx_context const& c) {
  require_type(c, 0, onnx_numbers_and_bytes);
  require_type(c, 1, onnx_numbers_and_bytes);
  require_scalar(c, 1, true);
  require_dims(c, 2, {2}, "the off value and the on value");
  require_rank(c, 2, 1, 1);
  std::size_t const rank = c.rank(0);
  std::int64_t const axis = c.integer("axis", -1);
  auto const count = static_cast<std::int64_t>(rank) + 1;
  if (axis < -count || axis >= count)
    c.unsupported("axis " + std::to_string(axis) + " is out of range for a result of " + std::to_string(count) +
                  " axes");
  if (rank + 1 > max_rank) c.unsupported("the result has more than " + std::to_string(max_rank) + " axes");
  auto const at = static_cast<std::size_t>(axis < 0 ? axis + count : axis);
  std::int64_t extent = -1;
  std::string depth;
  if (auto const known = c.known_number(1)) {
    if (!(*known >= 1 && *known <= 9e15)) c.unsupported("the depth should be a number of at least 1");
    extent = static_cast<std::int64_t>(*known);
    depth = onnx_scalar(c, extent, "depth");
  } else {
    depth = onnx_as_int64(c, 1);
    if (c.rank(1) != 0) depth = c.step("Reshape", {depth}, {{"shape", std::vector<std::int64_t>()}});
  }
  std::string const indices = onnx_as_int64(c, 0);
  std::string const negative = c.step("LT", {indices, onnx_scalar(c, 0, "zero")});
  std::string const wraps = c.step("Cast", {negative}, {{"to", *runtime_type(onnx_type::int64)}});
  std::string const wrapped = c.step("Add", {indices, c.step("Mul", {wraps, depth})});
  std::string places = c.step("Range", {depth});
  std::vector<std::int64_t> after;
  for (std::size_t a = at; a != rank; ++a) after.push_back(static_cast<std::int64_t>(a - at + 1));
  if (!after.empty()) places = c.step("ExpandDims", {places}, {{"dims", after}});
  std::string const own =
      c.step("ExpandDims", {wrapped}, {{"dims", std::vector<std::int64_t>{static_cast<std::int64_t>(at)}}});
  std::string const hot = c.step("Cast", {c.step("EQ", {own, places})}, {{"to", *runtime_type(onnx_type::int32)}});
  c.add("Gather", {c.input(2), hot}, {c.output(0)});
  c.set_type(0, c.type(2));
  if (!c.dims(0)) return;
  std::vector<std::int64_t> dims = *c.dims(0);
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(at), known_extents({extent})[0]);
  c.set_dims(0, std::move(dims));
}

// Returns a blob, int64, with the places at which a vector of bool is true.
inline std::string true_places(onnx_context const& c, std::string const& mask) {
  std::string const places = c.temporary("places");
  c.add("BooleanMask", {mask, mask}, {c.temporary("unused"), places});
  return places;
}

// NonZero: the flat places of elements, and from them their coordinates: place / stride mod extent. Strides and extents
// of empty tensors, which have no places, are 1 instead of 0. The coordinates of a scalar are empty.
inline void onnx_non_zero(onnx_context const& c) {
  require_type(c, 0, onnx_host_types);
  if (c.type(0) == onnx_type::undefined)
    c.unsupported("the type of its elements must be known before the model is run");
  std::string const mask =
      c.type(0) == onnx_type::boolean ? c.input(0) : c.step("NE", {c.input(0), onnx_number(c, 0, "zero")});
  std::string const places = true_places(c, c.step("FlattenToVec", {mask}));
  std::string const shape = c.step("Shape", {mask});
  std::string const strides = c.step("CumProd", {shape}, {{"exclusive", 1}, {"reverse", 1}});
  std::string const ones = c.step("ConstantFill", {shape}, {{"value", 1}, {"dtype", *runtime_type(onnx_type::int64)}});
  auto const column = [&](std::string const& list) {
    return c.step("ExpandDims", {c.step("Max", {list, ones})}, {{"dims", std::vector<std::int64_t>{1}}});
  };
  std::string const row = c.step("ExpandDims", {places}, {{"dims", std::vector<std::int64_t>{0}}});
  c.add("FloorMod", {c.step("Div", {row, column(strides)}), column(shape)}, {c.output(0)});
  c.set_type(0, onnx_type::int64);
  c.set_dims(0, std::vector<std::int64_t>{c.dims(0) ? static_cast<std::int64_t>(c.rank(0)) : -1, -1});
}

// Compress: gathers the places of the axis, or of the flattened input, at which the condition is true.
inline void onnx_compress(onnx_context const& c) {
  require_type(c, 1, {onnx_type::boolean});
  require_rank(c, 1, 1, 1);
  require_rank(c, 0, 1);
  bool const flat = !c.has("axis");
  std::int64_t const axis = c.integer("axis", 0);
  onnx_dims dims = c.dims(0);
  if (flat) {
    dims = std::vector<std::int64_t>{-1};
  } else if (dims) {
    (*dims)[c.axis(0, axis)] = -1;
  }
  std::string const x = flat ? c.step("FlattenToVec", {c.input(0)}) : c.input(0);
  c.add("Gather", {x, true_places(c, c.input(1))}, {c.output(0)}, {{"axis", axis}});
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

// Unique of integers, as a vector and in ascending order: the op gives the elements and their places in these. What is
// scattered to the places gives the first element of each and how many there are.
inline void onnx_unique(onnx_context const& c) {
  require_type(c, 0, {onnx_type::int32, onnx_type::int64});
  if (c.has("axis") && c.rank(0) != 1) c.unsupported("slices along an axis");
  if (c.integer("sorted", 1) == 0) c.unsupported("elements in the order in which they occur");
  std::string const x = c.dims(0) && c.rank(0) == 1 ? c.input(0) : c.step("FlattenToVec", {c.input(0)});
  std::string const narrow = c.temporary("places");
  std::string const elements = c.output(0);
  c.add("Unique", {x}, {elements, narrow});
  c.set_type(0, c.type(0));
  c.set_dims(0, std::vector<std::int64_t>{-1});
  if (!c.wants(1) && !c.wants(2) && !c.wants(3)) return;
  onnx_composition const g(c);
  auto const value = [&](std::string blob, char const* name) {
    onnx_value made;
    made.blob = std::move(blob);
    made.type = onnx_type::int64;
    made.dims = std::vector<std::int64_t>{-1};
    std::string of = c.temporary(name);
    c.converter().set(of, std::move(made));
    return of;
  };
  std::string const places = value(c.step("Cast", {narrow}, {{"to", *runtime_type(onnx_type::int64)}}), "place");
  if (c.wants(2)) g.make(2, "Identity", {places});
  std::string const size = value(c.step("Shape", {elements}), "size");
  std::string const count = g.extent(places, 0);
  std::string const one = g.number(onnx_type::int64, 1);
  std::string const zero = g.number(onnx_type::int64, 0);
  auto const scattered = [&](std::size_t o, std::string const& start, std::string const& updates,
                             char const* reduction) {
    if (!c.wants(o)) return;
    onnx_attribute how;
    how.name = "reduction";
    how.s = reduction;
    g.make(o, "ScatterElements", {g("Expand", {start, size}), places, updates}, {how});
  };
  scattered(1, count, g("Range", {zero, count, one}), "min");
  scattered(3, zero, g("Expand", {one, g("Shape", {places})}), "add");
}

inline void onnx_trilu(onnx_context const& c) {
  require_rank(c, 0, 2);
  std::vector<net_argument> arguments{{"upper", c.integer("upper", 1) != 0 ? 1 : 0}};
  std::vector<std::string> inputs{c.input(0)};
  if (c.has_input(1)) {
    require_scalar(c, 1, true);
    if (c.constant(1) == nullptr) {
      inputs.push_back(c.input(1));
    } else {
      auto const known = c.known_integers(1, "the diagonal");
      if (known.size() != 1) c.unsupported(input_text(c, 1) + " should be one number");
      arguments.emplace_back("k", known.front());
    }
  }
  c.add("Trilu", inputs, {c.output(0)}, std::move(arguments));
  c.as_input(0, 0);
}

// EyeLike: ones that both an upper and a lower triangle keep.
inline void onnx_eye_like(onnx_context const& c) {
  onnx_type const type = c.has("dtype") ? static_cast<onnx_type>(c.integer("dtype", 0)) : c.type(0);
  static_cast<void>(require_runtime_type(c, type));
  if (!onnx_host_types.has(type)) c.unsupported("a result of " + to_string(type));
  onnx_type const wide = onnx_widened_type(type);
  std::int64_t const k = c.integer("k", 0);
  std::string const x = input_of_rank(c, 0, 2);
  std::string const ones = c.step("ConstantFill", {x}, {onnx_one(wide), {"dtype", require_runtime_type(c, wide)}});
  std::string const upper = c.step("Trilu", {ones}, {{"upper", 1}, {"k", k}});
  std::string const made = wide == type ? c.output(0) : c.temporary("wide");
  c.add("Trilu", {upper}, {made}, {{"upper", 0}, {"k", k}});
  if (wide != type) c.add("Cast", {made}, {c.output(0)}, {{"to", require_runtime_type(c, type)}});
  c.set_type(0, type);
  c.set_dims(0, c.dims(0));
}

}  // namespace detail

inline void add_onnx_indexing_rules(onnx_rules& rules) {
  rules.set("GatherElements", detail::onnx_gather_elements);
  rules.set("ScatterElements", detail::onnx_scatter_elements);
  rules.set("Scatter", detail::onnx_scatter_elements);
  rules.set("GatherND", detail::onnx_gather_nd);
  rules.set("ScatterND", detail::onnx_scatter_nd);
  rules.set("OneHot", detail::onnx_one_hot);
  rules.set("NonZero", detail::onnx_non_zero);
  rules.set("Compress", detail::onnx_compress);
  rules.set("Unique", detail::onnx_unique);
  rules.set("Trilu", detail::onnx_trilu);
  rules.set("EyeLike", detail::onnx_eye_like);
}

}  // namespace plait
