// Operands of constant folding: tensors whose elements may be known in part.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/context.hpp>
#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/interop/onnx/detail/values.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait::detail {

/// An element: `real` of floating-point types, `integer` of the others, or unknown.
struct folded_element {
  std::int64_t integer = 0;
  double real = 0;
  bool is_known = true;
};

/// Tensor in constant folding.
struct folded_tensor {
  onnx_type type = onnx_type::undefined;
  std::vector<std::int64_t> dims = {};
  std::vector<folded_element> cells = {};
};
/// Operands of a node and what its evaluation needs of them.
class onnx_folding_operands {
 public:
  using result = std::optional<std::vector<folded_tensor>>;
  /// Weights whose gates are reordered, and filters that a model computes, are below it.
  static constexpr std::size_t max_elements = std::size_t{1} << 19;
  /// Element types of folded tensors; narrowed() wraps each of these.
  static constexpr onnx_types folded_types{onnx_type::float32, onnx_type::float64, onnx_type::int32,
                                           onnx_type::int64,   onnx_type::uint8,   onnx_type::boolean};

 protected:
  using numbers = std::vector<std::int64_t>;

  explicit onnx_folding_operands(onnx_context const& c) : c_(c) {}

  // ---- operands
  static bool is_real(onnx_type type) { return type == onnx_type::float32 || type == onnx_type::float64; }
  std::string_view op() const { return c_.node().type; }
  // Returns an input; nothing if its type or shape is unknown, or it is too large. Constants of a trained model stay
  // parameters.
  std::optional<folded_tensor> input(std::size_t i) const {
    if (!c_.has_input(i)) return std::nullopt;
    onnx_value const& from = c_.value(i);
    if (!folded_types.has(from.type) || (is_real(from.type) && c_.training())) return std::nullopt;
    folded_tensor made{from.type};
    if (from.constant) {
      if (from.constant->size() > max_elements) return std::nullopt;
      made.dims = from.constant->shape;
      std::visit(
          [&]<class T>(std::vector<T> const& elements) {
            if constexpr (std::is_floating_point_v<T>)
              for (T const each : elements) made.cells.push_back({0, static_cast<double>(each)});
            else if constexpr (std::is_arithmetic_v<T>)
              for (T const each : elements) made.cells.push_back({static_cast<std::int64_t>(each)});
          },
          from.constant->data);
      if (made.cells.size() != from.constant->size()) return std::nullopt;
      return made;
    }
    if (is_real(from.type)) return std::nullopt;
    if (from.known_elements) {
      made.dims = *from.dims;
      for (auto const& each : *from.known_elements) made.cells.push_back({each.value_or(0), 0, each.has_value()});
      return made;
    }
    constexpr std::size_t most_unknown = 64;
    if (!is_known(from.dims)) return std::nullopt;
    auto const count = element_count(*from.dims);
    if (!count || *count > most_unknown) return std::nullopt;
    made.dims = *from.dims;
    made.cells.assign(*count, {0, 0, false});
    return made;
  }
  // Returns the elements of an integer input all of which are known.
  std::optional<numbers> list(std::size_t i) const {
    auto const from = input(i);
    if (!from || !is_integer(from->type)) return std::nullopt;
    numbers made;
    for (folded_element const& each : from->cells) {
      if (!each.is_known) return std::nullopt;
      made.push_back(each.integer);
    }
    return made;
  }
  // Returns a list that is an attribute before version `since`, then input i; nothing if it is not known.
  std::optional<numbers> list(std::string_view name, std::size_t i, std::int64_t since) const {
    if (c_.opset() >= since) return list(i);
    return c_.has(name) ? std::optional(c_.integers(name)) : std::nullopt;
  }
  static std::optional<numbers> axes(std::optional<numbers> const& list, std::size_t rank) {
    if (!list) return std::nullopt;
    numbers made = from_front(*list, rank);
    for (std::int64_t const axis : made)
      if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return std::nullopt;
    std::ranges::sort(made);
    if (std::ranges::adjacent_find(made) != made.end()) return std::nullopt;
    return made;
  }
  static std::optional<std::size_t> axis(std::int64_t at, std::size_t rank) {
    auto const found = axes(numbers{at}, rank);
    return found ? std::optional(static_cast<std::size_t>(found->front())) : std::nullopt;
  }
  static result one(folded_tensor made) {
    std::vector<folded_tensor> all;
    all.push_back(std::move(made));
    return all;
  }
  static std::size_t size_of(numbers const& dims) { return element_count(dims).value_or(max_elements + 1); }
  static std::size_t extent(numbers const& dims, std::size_t axis) { return static_cast<std::size_t>(dims[axis]); }
  // Returns the numbers of elements before, along and behind an axis.
  static std::array<std::size_t, 3> around(numbers const& dims, std::size_t axis) {
    auto const at = dims.begin() + static_cast<std::ptrdiff_t>(axis);
    return {size_of({dims.begin(), at}), extent(dims, axis), size_of({at + 1, dims.end()})};
  }
  // Returns the elements of `from` at the places that `place` maps each index of `dims` to.
  template <class Place>
  static folded_tensor mapped(folded_tensor const& from, numbers dims, Place const& place) {
    folded_tensor made{from.type, std::move(dims)};
    std::size_t const count = size_of(made.dims);
    if (count > max_elements) return {from.type, made.dims, std::vector<folded_element>(count)};  // refused by run()
    std::vector<std::size_t> index(made.dims.size());
    for (std::size_t k = 0; k != count; ++k) {
      for (std::size_t a = made.dims.size(), rest = k; a-- != 0; rest /= extent(made.dims, a))
        index[a] = rest % extent(made.dims, a);
      made.cells.push_back(from.cells[place(index)]);
    }
    return made;
  }
  static std::vector<std::size_t> strides(numbers const& dims) {
    std::vector<std::size_t> made(dims.size(), 1);
    for (std::size_t a = dims.size(); a-- > 1;) made[a - 1] = made[a] * extent(dims, a);
    return made;
  }
  static std::optional<folded_tensor> expanded(folded_tensor const& from, numbers const& dims) {
    if (from.dims.size() > dims.size() || size_of(dims) > max_elements) return std::nullopt;
    std::size_t const missing = dims.size() - from.dims.size();
    for (std::size_t a = 0; a != from.dims.size(); ++a)
      if (from.dims[a] != 1 && from.dims[a] != dims[a + missing]) return std::nullopt;
    auto const steps = strides(from.dims);
    return mapped(from, dims, [&](std::vector<std::size_t> const& index) {
      std::size_t at = 0;
      for (std::size_t a = 0; a != steps.size(); ++a)
        if (from.dims[a] != 1) at += index[a + missing] * steps[a];
      return at;
    });
  }
  static std::optional<numbers> broadcast_dims(numbers const& a, numbers const& b) {
    numbers made(std::max(a.size(), b.size()), 1);
    for (numbers const* each : {&a, &b})
      for (std::size_t k = 1; k <= each->size(); ++k) {
        std::int64_t& to = made[made.size() - k];
        std::int64_t const own = (*each)[each->size() - k];
        if (to != 1 && own != 1 && to != own) return std::nullopt;
        if (own != 1) to = own;
      }
    return made;
  }
  // Wraps an integer to its type, and rounds a number to float.
  static folded_element narrowed(onnx_type type, folded_element cell) {
    switch (type) {
      case onnx_type::int32:
        cell.integer = static_cast<std::int32_t>(cell.integer);
        break;
      case onnx_type::uint8:
        cell.integer = static_cast<std::uint8_t>(cell.integer);
        break;
      case onnx_type::boolean:
        cell.integer = cell.integer != 0;
        break;
      case onnx_type::float32:
        cell.real = static_cast<double>(static_cast<float>(cell.real));
        break;
      default:
        break;
    }
    return cell;
  }

  onnx_context const& c_;
};

}  // namespace plait::detail
