// Helpers of ONNX conversion rules: constants, element types, shape inference and checks of operands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/context.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait::detail {

using onnx_dims = onnx_context::dims_type;

inline tensor_value onnx_list(std::vector<std::int64_t> elements) {
  auto const count = static_cast<std::int64_t>(elements.size());
  return {{count}, std::move(elements)};
}

/// Returns the number, in arguments of ops, of the type as which a type is computed; nothing if the runtime lacks it.
inline std::optional<std::int64_t> runtime_type(onnx_type type) {
  switch (computed_type(type)) {
    case onnx_type::float32:
      return 1;
    case onnx_type::int32:
      return 2;
    case onnx_type::boolean:
      return 5;
    case onnx_type::uint8:
      return 6;
    case onnx_type::int8:
      return 7;
    case onnx_type::uint16:
      return 8;
    case onnx_type::int16:
      return 9;
    case onnx_type::int64:
      return 10;
    case onnx_type::float64:
      return 13;
    case onnx_type::uint32:
      return 112;
    case onnx_type::uint64:
      return 113;
    default:
      return std::nullopt;
  }
}
/// Returns the number of a type in arguments of ops. Reports a type that the runtime lacks, or that is unknown.
inline std::int64_t require_runtime_type(onnx_context const& c, onnx_type type) {
  if (auto const found = runtime_type(type)) return *found;
  if (type == onnx_type::undefined) c.unsupported("the type of its elements must be known before the model is run");
  c.unsupported("the runtime has no " + to_string(type));
}

/// Set of element types.
class onnx_types {
 public:
  constexpr onnx_types(std::initializer_list<onnx_type> types) {
    for (onnx_type const each : types) bits_ |= std::uint32_t{1} << static_cast<unsigned>(each);
  }
  friend constexpr onnx_types operator|(onnx_types a, onnx_types b) {
    a.bits_ |= b.bits_;
    return a;
  }
  constexpr bool has(onnx_type type) const { return (bits_ >> static_cast<unsigned>(type) & 1) != 0; }
  std::string text() const {
    std::string made;
    for (unsigned number = 0; number != 17; ++number)
      if (has(onnx_type{static_cast<std::int32_t>(number)}))
        made += (made.empty() ? "" : ", ") + to_string(onnx_type{static_cast<std::int32_t>(number)});
    return made;
  }

 private:
  std::uint32_t bits_ = 0;
};
inline constexpr onnx_types onnx_floats{onnx_type::float32, onnx_type::float64};
inline constexpr onnx_types onnx_numbers{onnx_type::float32, onnx_type::float64, onnx_type::int32, onnx_type::int64};
/// Numbers that onnx_widened() widens to types of the same order: all but uint64.
inline constexpr onnx_types onnx_numbers_and_bytes{onnx_type::float32, onnx_type::float64, onnx_type::int32,
                                                   onnx_type::int64,   onnx_type::uint8,   onnx_type::int8,
                                                   onnx_type::uint16,  onnx_type::int16,   onnx_type::uint32};
inline constexpr onnx_types onnx_host_types = onnx_numbers_and_bytes | onnx_types{onnx_type::boolean};

/// Reports an input whose type the ops of the rule do not compute. An unknown type passes: the run checks it.
inline void require_type(onnx_context const& c, std::size_t i, onnx_types types) {
  onnx_type const type = c.type(i);
  if (type == onnx_type::undefined || types.has(type)) return;
  c.unsupported("input '" + c.node().inputs[i] + "' is " + to_string(type) + ", which is computed for " + types.text() +
                " only");
}

/// Returns true for the integers of 8 and 16 bits.
inline bool is_short_integer(onnx_type type) {
  return type == onnx_type::uint8 || type == onnx_type::int8 || type == onnx_type::uint16 || type == onnx_type::int16;
}
inline bool is_integer(onnx_type type) { return type == onnx_type::int32 || type == onnx_type::int64; }

/// Returns ConstantFill's argument for the value 1 of an element type.
inline net_argument onnx_one(onnx_type type) {
  if (type == onnx_type::boolean || is_integer(type)) return {"value", 1};
  return {"value", 1.0f};
}

/// Returns a shape as text: "2x3", with "?" for an unknown extent, or "a scalar".
inline std::string dims_text(std::vector<std::int64_t> const& dims) {
  std::string made;
  for (std::int64_t const extent : dims)
    made += (made.empty() ? "" : "x") + (extent < 0 ? std::string("?") : std::to_string(extent));
  return dims.empty() ? "a scalar" : made;
}
/// Returns an input as text: "input 'x' (2x3)", without the shape if it is unknown.
inline std::string input_text(onnx_context const& c, std::size_t i) {
  return "input '" + c.node().inputs[i] + '\'' + (c.dims(i) ? " (" + dims_text(*c.dims(i)) + ')' : "");
}

/// Returns the shape that two shapes broadcast to, as far as it is known. Reports incompatible shapes.
inline onnx_dims broadcast(onnx_context const& c, onnx_dims const& a, onnx_dims const& b) {
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
    if (left != right && left != 1 && right != 1 && left >= 0 && right >= 0)
      c.unsupported("shapes " + dims_text(*a) + " and " + dims_text(*b) + " do not broadcast");
    made[axis] = left == 1 ? right : right == 1 || left == right ? left : std::max(left, right);
  }
  return made;
}
/// Reports an input that does not broadcast unidirectionally to `to`, as far as the shapes are known.
inline void require_broadcasts_to(onnx_context const& c, std::size_t i, onnx_dims const& to) {
  if (!c.dims(i) || !to) return;
  auto const& dims = *c.dims(i);
  bool fits = dims.size() <= to->size();
  for (std::size_t k = 1; fits && k <= dims.size(); ++k) {
    std::int64_t const own = dims[dims.size() - k];
    std::int64_t const other = (*to)[to->size() - k];
    fits = own == other || own == 1 || own < 0 || other < 0;
  }
  if (!fits) c.unsupported(input_text(c, i) + " does not broadcast to " + dims_text(*to));
}
/// Returns true if all extents of a shape are known.
inline bool is_known(onnx_dims const& dims) {
  return dims && std::ranges::none_of(*dims, [](std::int64_t extent) { return extent < 0; });
}
/// Reports an input whose known shape differs from `wanted`, where -1 matches any extent. `what` describes `wanted` in
/// the message.
inline void require_dims(onnx_context const& c, std::size_t i, std::vector<std::int64_t> const& wanted,
                         std::string_view what) {
  if (!c.dims(i)) return;
  auto const& dims = *c.dims(i);
  bool fits = dims.size() == wanted.size();
  for (std::size_t axis = 0; fits && axis != dims.size(); ++axis)
    fits = dims[axis] == wanted[axis] || dims[axis] < 0 || wanted[axis] < 0;
  if (!fits) c.unsupported(input_text(c, i) + " should be " + dims_text(wanted) + ", " + std::string(what));
}
/// Reports an input whose known rank is outside of `least` to `most`.
inline void require_rank(onnx_context const& c, std::size_t i, std::size_t least,
                         std::size_t most = static_cast<std::size_t>(-1)) {
  if (!c.dims(i)) return;
  std::size_t const rank = c.dims(i)->size();
  if (rank < least || rank > most)
    c.unsupported(input_text(c, i) + " should have " +
                  (least == most                          ? std::to_string(least)
                   : most == static_cast<std::size_t>(-1) ? "at least " + std::to_string(least)
                                                          : std::to_string(least) + " to " + std::to_string(most)) +
                  " axes");
}
/// Returns an input that must have a rank. If the rank is known only at run time, an identity Transpose checks it.
inline std::string input_of_rank(onnx_context const& c, std::size_t i, std::size_t rank) {
  require_rank(c, i, rank, rank);
  if (c.dims(i)) return c.input(i);
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  return c.step("Transpose", {c.input(i)}, {{"axes", axes}});
}
/// Reports an input that is known to have more than one element, or, without `any_rank`, more than one axis.
inline void require_scalar(onnx_context const& c, std::size_t i, bool any_rank = false) {
  if (!c.dims(i)) return;
  bool const one = std::ranges::all_of(*c.dims(i), [](std::int64_t x) { return x == 1 || x < 0; });
  if (!one || (!any_rank && c.dims(i)->size() > 1)) c.unsupported(input_text(c, i) + " should be one number");
}

/// Returns true if two shapes are fully known and equal.
inline bool known_alike(onnx_dims const& a, onnx_dims const& b) { return a == b && is_known(a); }

/// Normalises negative axes. Reports an axis out of range for `rank` and, if they must be `distinct`, a repeated one,
/// in any spelling.
inline std::vector<std::int64_t> axes_of(onnx_context const& c, std::vector<std::int64_t> axes, std::size_t rank,
                                         bool distinct) {
  auto const count = static_cast<std::int64_t>(rank);
  for (std::size_t k = 0; k != axes.size(); ++k) {
    if (axes[k] < -count || axes[k] >= count)
      c.unsupported("axis " + std::to_string(axes[k]) + " is out of range for " + std::to_string(rank) + " axes");
    if (axes[k] < 0) axes[k] += count;
    if (distinct && std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(k), axes[k]) !=
                        axes.begin() + static_cast<std::ptrdiff_t>(k))
      c.unsupported("axis " + std::to_string(axes[k]) + " is repeated");
  }
  return axes;
}

/// Normalises negative axes, each listed once, of a tensor of `rank` axes. Those of an unknown rank stay as they are:
/// the op places them.
inline std::vector<std::int64_t> distinct_axes(onnx_context const& c, std::vector<std::int64_t> axes,
                                               std::optional<std::size_t> rank) {
  if (rank) return axes_of(c, std::move(axes), *rank, true);
  std::vector<std::int64_t> sorted = axes;
  std::ranges::sort(sorted);
  if (auto const twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    c.unsupported("axis " + std::to_string(*twice) + " is repeated");
  for (std::int64_t const axis : axes)
    if (axis < -static_cast<std::int64_t>(max_rank) || axis >= static_cast<std::int64_t>(max_rank))
      c.unsupported("axis " + std::to_string(axis) + " is out of range");
  return axes;
}

/// Normalises negative axes for a tensor of `rank` axes, without a check.
inline std::vector<std::int64_t> from_front(std::vector<std::int64_t> axes, std::size_t rank) {
  for (std::int64_t& axis : axes)
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
  return axes;
}

/// Returns a list of integers that is an attribute in older versions of an operator and input `i` in newer ones;
/// nothing if the node has neither.
inline std::optional<std::vector<std::int64_t>> list_attribute_or_input(onnx_context const& c, std::string_view name,
                                                                        std::size_t i, std::size_t least_rank = 1) {
  if (c.has(name)) return c.integers(name);
  if (!c.has_input(i)) return std::nullopt;
  require_rank(c, i, least_rank, 1);
  return c.known_integers(i, name);
}

/// Returns the rows [first, last) of a constant: a slice along axis 0.
inline tensor_value slice_rows(tensor_value const& whole, std::int64_t first, std::int64_t last) {
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
