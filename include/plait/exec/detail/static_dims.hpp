// Shapes that are known to the compiler, and how operands broadcast to them.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <plait/net/detail/traced_net.hpp>

namespace plait {

/// Extents of a tensor as a template argument: plait::dims{2, 16}.
struct dims {
  static constexpr std::size_t most = 4;
  std::array<std::uint32_t, most> extents = {};
  std::size_t rank = 0;

  constexpr dims() = default;
  template <std::integral... Extents>
    requires(sizeof...(Extents) != 0 && sizeof...(Extents) <= most)
  constexpr dims(Extents... of) : extents{static_cast<std::uint32_t>(of)...}, rank(sizeof...(of)) {}

  constexpr std::size_t size() const { return size_to(rank); }
  constexpr std::size_t size_to(std::size_t axis) const {
    std::size_t made = 1;
    for (std::size_t i = 0; i != axis; ++i) made *= extents[i];
    return made;
  }
  /// Returns the extent of an axis counted from the last, 1 for axes that there are not.
  constexpr std::uint32_t from_last(std::size_t axis) const { return axis < rank ? extents[rank - 1 - axis] : 1; }
  constexpr std::size_t columns() const { return from_last(0); }
  constexpr std::size_t rows() const { return rank == 0 ? 1 : size_to(rank - 1); }
  friend constexpr bool operator==(dims const&, dims const&) = default;
};

namespace detail {

/// Returns what an operand of an element-wise op of a shape varies with, nothing if it does not broadcast to it.
constexpr std::optional<std::uint8_t> axes_of_operand(dims const& operand, dims const& whole) {
  std::uint8_t axes = cell_constant;
  for (std::size_t i = 0; i != dims::most; ++i) {
    if (operand.from_last(i) != whole.from_last(i) && operand.from_last(i) != 1) return std::nullopt;
    if (operand.from_last(i) != 1) axes |= i == 0 ? cell_columns : cell_rows;
  }
  if (operand.size() == whole.size()) return cell_elements;
  if (axes == cell_elements || (axes == cell_rows && operand.size() != whole.rows())) return std::nullopt;
  return axes;
}

/// Returns the shape that operands broadcast to, as in numpy.
constexpr std::optional<dims> broadcast_dims(dims const& a, dims const& b) {
  dims made = a.rank >= b.rank ? a : b;
  for (std::size_t i = 0; i != made.rank; ++i) {
    std::uint32_t const x = a.from_last(i);
    std::uint32_t const y = b.from_last(i);
    if (x != y && x != 1 && y != 1) return std::nullopt;
    made.extents[made.rank - 1 - i] = x == 1 ? y : x;
  }
  return made;
}

}  // namespace detail

}  // namespace plait
