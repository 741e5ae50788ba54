// Constants, shapes and element types, as rules for ONNX operators make them.
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

/// Element types as a set.
class onnx_types {
 public:
  constexpr onnx_types(std::initializer_list<onnx_type> types) {
    for (onnx_type const each : types) bits_ |= std::uint32_t{1} << static_cast<unsigned>(each);
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
inline constexpr onnx_types onnx_numbers_and_bytes{onnx_type::float32, onnx_type::float64, onnx_type::int32,
                                                   onnx_type::int64, onnx_type::uint8};
inline constexpr onnx_types onnx_host_types{onnx_type::float32, onnx_type::float64, onnx_type::int32,
                                            onnx_type::int64,   onnx_type::uint8,   onnx_type::boolean};

/// Reports an input of other types than those that the ops of the rule compute. One whose type is not known passes: its
/// run checks it.
inline void require_type(onnx_context const& c, std::size_t i, onnx_types types) {
  onnx_type const type = c.type(i);
  if (type == onnx_type::undefined || types.has(type)) return;
  c.unsupported("input '" + c.node().inputs[i] + "' is " + to_string(type) + ", which is computed for " + types.text() +
                " only");
}

inline bool is_integer(onnx_type type) { return type == onnx_type::int32 || type == onnx_type::int64; }

/// One as ConstantFill's argument, for elements of some type.
inline net_argument onnx_one(onnx_type type) {
  if (type == onnx_type::boolean || is_integer(type)) return {"value", 1};
  return {"value", 1.0f};
}

/// "2x3", "?" for an extent that is not known; "a scalar".
inline std::string dims_text(std::vector<std::int64_t> const& dims) {
  std::string made;
  for (std::int64_t const extent : dims)
    made += (made.empty() ? "" : "x") + (extent < 0 ? std::string("?") : std::to_string(extent));
  return dims.empty() ? "a scalar" : made;
}
/// "input 'x' (2x3)".
inline std::string input_text(onnx_context const& c, std::size_t i) {
  return "input '" + c.node().inputs[i] + '\'' + (c.dims(i) ? " (" + dims_text(*c.dims(i)) + ')' : "");
}

/// The shape two shapes broadcast to, as far as it is known. Reports those that do not.
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
/// Reports an input that is known to have another shape than one that broadcasts to `to` without changing it.
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
/// Whether all extents of a shape are known.
inline bool is_known(onnx_dims const& dims) {
  return dims && std::ranges::none_of(*dims, [](std::int64_t extent) { return extent < 0; });
}
/// Reports an input that is known to have another shape; -1 stands for any extent. `what` names what it should be.
inline void require_dims(onnx_context const& c, std::size_t i, std::vector<std::int64_t> const& wanted,
                         std::string_view what) {
  if (!c.dims(i)) return;
  auto const& dims = *c.dims(i);
  bool fits = dims.size() == wanted.size();
  for (std::size_t axis = 0; fits && axis != dims.size(); ++axis)
    fits = dims[axis] == wanted[axis] || dims[axis] < 0 || wanted[axis] < 0;
  if (!fits) c.unsupported(input_text(c, i) + " should be " + dims_text(wanted) + ", " + std::string(what));
}
/// Reports an input that is known to have another number of axes.
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
/// An input that must have a number of axes. Where the number is known only when the net runs, Transpose checks it.
inline std::string input_of_rank(onnx_context const& c, std::size_t i, std::size_t rank) {
  require_rank(c, i, rank, rank);
  if (c.dims(i)) return c.input(i);
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  return c.step("Transpose", {c.input(i)}, {{"axes", axes}});
}
/// Reports an input that is known not to be one number: a scalar or a list of one, or with `any_rank` more axes.
inline void require_scalar(onnx_context const& c, std::size_t i, bool any_rank = false) {
  if (!c.dims(i)) return;
  bool const one = std::ranges::all_of(*c.dims(i), [](std::int64_t x) { return x == 1 || x < 0; });
  if (!one || (!any_rank && c.dims(i)->size() > 1)) c.unsupported(input_text(c, i) + " should be one number");
}

inline bool known_alike(onnx_dims const& a, onnx_dims const& b) { return a == b && is_known(a); }

/// Axes of which no extent is known; nothing for a number of them that no tensor has.
inline onnx_dims unknown_extents(onnx_dims const& list) {
  if (!list || list->size() != 1 || list->front() < 0 || list->front() > 8) return std::nullopt;
  return std::vector<std::int64_t>(static_cast<std::size_t>(list->front()), -1);
}

/// The axes of a list, counted from the front. Reports one that a tensor of `rank` axes does not have and, if they must
/// be `distinct`, one that is given twice in any spelling.
inline std::vector<std::int64_t> axes_of(onnx_context const& c, std::vector<std::int64_t> axes, std::size_t rank,
                                         bool distinct) {
  auto const count = static_cast<std::int64_t>(rank);
  for (std::size_t k = 0; k != axes.size(); ++k) {
    if (axes[k] < -count || axes[k] >= count)
      c.unsupported("axis " + std::to_string(axes[k]) + " is not there, of " + std::to_string(rank) + " axes");
    if (axes[k] < 0) axes[k] += count;
    if (distinct && std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(k), axes[k]) !=
                        axes.begin() + static_cast<std::ptrdiff_t>(k))
      c.unsupported("axis " + std::to_string(axes[k]) + " is given twice");
  }
  return axes;
}

/// Axes that are counted from the end, or from the beginning, by a tensor of so many axes.
inline std::vector<std::int64_t> from_front(std::vector<std::int64_t> axes, std::size_t rank) {
  for (std::int64_t& axis : axes)
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
  return axes;
}

/// What a list of integers is that older versions of an operator have as an attribute, newer ones as input `i`; nothing
/// where the node has neither.
inline std::optional<std::vector<std::int64_t>> list_attribute_or_input(onnx_context const& c, std::string_view name,
                                                                        std::size_t i, std::size_t least_rank = 1) {
  if (c.has(name)) return c.integers(name);
  if (!c.has_input(i)) return std::nullopt;
  require_rank(c, i, least_rank, 1);
  return c.known_integers(i, name);
}

/// The places `first` up to `last` of axis 0 of a constant.
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
