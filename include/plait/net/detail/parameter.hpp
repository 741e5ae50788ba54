// Tensor and parameter values: plain data, independent of a runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <plait/core/detail/element_type.hpp>
#include <plait/net/mutation.hpp>

namespace plait {

/// Affine quantisation: number = scale * (integer - zero_point).
struct quantisation {
  float scale = 1;
  std::int32_t zero_point = 0;
  friend bool operator==(quantisation const&, quantisation const&) = default;
};

/// A dense, row-major tensor. It may be ill-formed (element_count(shape) elements are not required until it is used);
/// check with is_well_formed.
struct tensor_value {
  using storage = std::variant<std::vector<float>, std::vector<double>, std::vector<std::int8_t>,
                               std::vector<std::int16_t>, std::vector<std::int32_t>, std::vector<std::int64_t>,
                               std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<bool>,
                               std::vector<std::string>, std::vector<std::uint32_t>, std::vector<std::uint64_t>>;

  std::vector<std::int64_t> shape;  ///< empty for a scalar
  storage data;
  std::optional<quantisation> quantised = {};

  [[nodiscard]] element_type type() const noexcept {
    if (std::holds_alternative<std::vector<std::uint32_t>>(data)) return element_type::uint32;
    if (std::holds_alternative<std::vector<std::uint64_t>>(data)) return element_type::uint64;
    return static_cast<element_type>(data.index());
  }
  [[nodiscard]] std::size_t size() const {
    return std::visit([](auto const& elements) { return elements.size(); }, data);
  }
  friend bool operator==(tensor_value const&, tensor_value const&) = default;
};

/// Returns the number of elements of a shape, 1 for a scalar; nullopt if a dimension is negative or the product exceeds
/// the range of std::size_t.
[[nodiscard]] constexpr std::optional<std::size_t> element_count(std::span<std::int64_t const> shape) noexcept {
  for (std::int64_t dimension : shape)
    if (dimension == 0) return 0;
  std::size_t count = 1;
  for (std::int64_t dimension : shape) {
    if (dimension < 0 || static_cast<std::uint64_t>(dimension) > std::numeric_limits<std::size_t>::max() / count)
      return std::nullopt;
    count *= static_cast<std::size_t>(dimension);
  }
  return count;
}

/// Returns true if the number of a tensor's elements is that of its shape.
[[nodiscard]] inline bool is_well_formed(tensor_value const& tensor) {
  return element_count(tensor.shape) == tensor.size();
}

/// A named blob and its value, as an init net produces it.
struct parameter {
  std::string name;
  tensor_value value;
  std::optional<device_spec> device = {};  ///< that holds it; absent: unspecified
  friend bool operator==(parameter const&, parameter const&) = default;
};

}  // namespace plait
