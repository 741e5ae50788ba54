// Constants and shapes, as rules for ONNX operators make them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/context.hpp>
#include <plait/interop/onnx/model.hpp>
#include <plait/net/parameter.hpp>

namespace plait::detail {

using onnx_dims = onnx_context::dims_type;

/// A number as a tensor of some type; float for types that the runtime does not have.
inline tensor_value onnx_filled(onnx_type type, std::vector<std::int64_t> dims, double value) {
  auto const count = element_count(dims).value_or(0);
  switch (type) {
    case onnx_type::float64:
      return {std::move(dims), std::vector<double>(count, value)};
    case onnx_type::int32:
      return {std::move(dims), std::vector<std::int32_t>(count, static_cast<std::int32_t>(value))};
    case onnx_type::int64:
      return {std::move(dims), std::vector<std::int64_t>(count, static_cast<std::int64_t>(value))};
    case onnx_type::boolean:
      return {std::move(dims), std::vector<bool>(count, value != 0)};
    case onnx_type::uint8:
      return {std::move(dims), std::vector<std::uint8_t>(count, static_cast<std::uint8_t>(value))};
    default:
      return {std::move(dims), std::vector<float>(count, static_cast<float>(value))};
  }
}
inline tensor_value onnx_list(std::vector<std::int64_t> elements) {
  auto const count = static_cast<std::int64_t>(elements.size());
  return {{count}, std::move(elements)};
}

/// The type as Caffe2 numbers it, where the runtime has it.
inline std::optional<std::int64_t> runtime_type(onnx_type type) {
  switch (type) {
    case onnx_type::float32:
      return 1;
    case onnx_type::int32:
      return 2;
    case onnx_type::boolean:
      return 5;
    case onnx_type::uint8:
      return 6;
    case onnx_type::int64:
      return 10;
    case onnx_type::float16:
      return 12;
    case onnx_type::float64:
      return 13;
    default:
      return std::nullopt;
  }
}
inline std::int64_t require_runtime_type(onnx_context const& c, onnx_type type) {
  if (auto const found = runtime_type(type)) return *found;
  if (type == onnx_type::undefined) c.unsupported("the type of its elements must be known before the model is run");
  c.unsupported("the runtime has no " + to_string(type));
}

inline bool is_integer(onnx_type type) { return type == onnx_type::int32 || type == onnx_type::int64; }

/// One as ConstantFill's argument, for elements of some type.
inline net_argument onnx_one(onnx_type type) {
  if (type == onnx_type::boolean || is_integer(type)) return {"value", 1};
  return {"value", 1.0f};
}

/// The shape two shapes broadcast to, as far as it is known.
inline onnx_dims broadcast(onnx_dims const& a, onnx_dims const& b) {
  if (!a || !b) return std::nullopt;
  std::size_t const rank = std::max(a->size(), b->size());
  std::vector<std::int64_t> made(rank);
  auto const extent = [&](std::vector<std::int64_t> const& dims, std::size_t axis) {
    std::size_t const missing = rank - dims.size();
    return axis < missing ? 1 : dims[axis - missing];
  };
  for (std::size_t axis = 0; axis != rank; ++axis) {
    std::int64_t const left = extent(*a, axis);
    std::int64_t const right = extent(*b, axis);
    made[axis] = left == 1 ? right : right == 1 || left == right ? left : std::max(left, right);
  }
  return made;
}
inline bool known_alike(onnx_dims const& a, onnx_dims const& b) {
  return a && a == b && std::ranges::find(*a, -1) == a->end();
}

/// Axes of which no extent is known; nothing for a number of them that no tensor has.
inline onnx_dims unknown_extents(onnx_dims const& list) {
  if (!list || list->size() != 1 || list->front() < 0 || list->front() > 8) return std::nullopt;
  return std::vector<std::int64_t>(static_cast<std::size_t>(list->front()), -1);
}

/// Axes that are counted from the end, or from the beginning, by a tensor of so many axes.
inline std::vector<std::int64_t> from_front(std::vector<std::int64_t> axes, std::size_t rank) {
  for (std::int64_t& axis : axes)
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
  return axes;
}

/// What a list of integers is that older versions of an operator have as an attribute, newer ones as input `i`; nothing
/// where the node has neither.
inline std::optional<std::vector<std::int64_t>> listed(onnx_context const& c, std::string_view name, std::size_t i) {
  if (c.has(name)) return c.integers(name);
  if (c.has_input(i)) return c.known_integers(i, name);
  return std::nullopt;
}

/// The places `first` up to `last` of axis 0 of a constant.
inline tensor_value part_of(tensor_value const& whole, std::int64_t first, std::int64_t last) {
  tensor_value made{whole.shape, {}};
  made.shape[0] = last - first;
  std::int64_t const count = whole.shape[0];
  std::visit(
      [&](auto const& elements) {
        auto const row = count == 0 ? 0 : static_cast<std::int64_t>(elements.size()) / count;
        made.data =
            std::remove_cvref_t<decltype(elements)>(elements.begin() + first * row, elements.begin() + last * row);
      },
      whole.data);
  return made;
}

}  // namespace plait::detail
