// Element types of the runtime's tensors, by their C++ types.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <plait/core/detail/element_type.hpp>

namespace plait {

/// IEEE 754 binary16, as bits: host code only moves it.
struct float16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(float16, float16) = default;
};
/// The upper half of a binary32, as bits.
struct bfloat16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(bfloat16, bfloat16) = default;
};

template <class T>
concept element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int8_t> ||
                  std::same_as<T, std::int16_t> || std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
                  std::same_as<T, bool> || std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t> ||
                  std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t> || std::same_as<T, float16> ||
                  std::same_as<T, bfloat16>;

template <element T>
inline constexpr element_type element_type_of = [] {
  if constexpr (std::same_as<T, float>) return element_type::float32;
  if constexpr (std::same_as<T, double>) return element_type::float64;
  if constexpr (std::same_as<T, std::int8_t>) return element_type::int8;
  if constexpr (std::same_as<T, std::int16_t>) return element_type::int16;
  if constexpr (std::same_as<T, std::int32_t>) return element_type::int32;
  if constexpr (std::same_as<T, std::int64_t>) return element_type::int64;
  if constexpr (std::same_as<T, bool>) return element_type::boolean;
  if constexpr (std::same_as<T, std::uint8_t>) return element_type::uint8;
  if constexpr (std::same_as<T, std::uint16_t>) return element_type::uint16;
  if constexpr (std::same_as<T, std::uint32_t>) return element_type::uint32;
  if constexpr (std::same_as<T, std::uint64_t>) return element_type::uint64;
  if constexpr (std::same_as<T, float16>) return element_type::float16;
  if constexpr (std::same_as<T, bfloat16>) return element_type::bfloat16;
}();

/// Returns the bytes of an element; 0 for strings, which the runtime lacks, and for types of blobs without a tensor.
[[nodiscard]] constexpr std::size_t size_of(element_type type) noexcept {
  constexpr std::size_t sizes[] = {4, 8, 1, 2, 4, 8, 1, 2, 1, 0, 2, 2, 0, 0, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

/// Calls f with a value-initialised element of the type. Returns false if the type is none of Ts.
template <element... Ts, class F>
constexpr bool visit_type(element_type type, F&& f) {
  return ((type == element_type_of<Ts> && (static_cast<void>(f(Ts{})), true)) || ...);
}

/// Calls f with a zero of the unsigned integer type of the element's size.
template <class F>
void visit_word(element_type type, F&& f) {
  switch (size_of(type)) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

}  // namespace plait
