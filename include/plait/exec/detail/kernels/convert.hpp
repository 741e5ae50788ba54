// Element type conversion for every pair of types, with the same result on every processor.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/element_type.hpp>

namespace plait {

namespace detail {

/// Returns x as a 16-bit float with Mantissa bits after the point: rounded to nearest, ties to even.
template <int Mantissa>
PLAIT_HOST_DEVICE constexpr std::uint16_t narrow_bits(double x) {
  constexpr int bias = (1 << (14 - Mantissa)) - 1;
  constexpr std::uint64_t infinity = std::uint64_t{2 * bias + 1} << Mantissa;
  auto const bits = std::bit_cast<std::uint64_t>(x);
  std::uint64_t const sign = bits >> 63 << 15;
  auto const exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  std::uint64_t const fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 1024 && fraction != 0)  // NaN, quiet
    return static_cast<std::uint16_t>(sign | infinity | (std::uint64_t{1} << (Mantissa - 1)));
  if (exponent > bias) return static_cast<std::uint16_t>(sign | infinity);
  int const below = exponent < 1 - bias ? 1 - bias - exponent : 0;
  int const shift = 52 - Mantissa + below;
  if (shift > 54) return static_cast<std::uint16_t>(sign);
  std::uint64_t const whole = fraction | std::uint64_t{1} << 52;
  std::uint64_t const rest = whole & ((std::uint64_t{1} << shift) - 1);
  std::uint64_t const half = std::uint64_t{1} << (shift - 1);
  std::uint64_t kept = whole >> shift;
  kept += static_cast<std::uint64_t>(rest > half || (rest == half && (kept & 1) != 0));
  // The leading bit of a normal number adds one to the exponent, as rounding up to the next power does.
  std::uint64_t const exponent_bits = below != 0 ? 0 : static_cast<std::uint64_t>(exponent + bias - 1) << Mantissa;
  return static_cast<std::uint16_t>(sign | (exponent_bits + kept));
}

/// Returns the value of such a number.
template <int Mantissa>
PLAIT_HOST_DEVICE constexpr float widen_bits(std::uint16_t bits) {
  constexpr int bias = (1 << (14 - Mantissa)) - 1;
  std::uint32_t const sign = static_cast<std::uint32_t>(bits >> 15) << 31;
  std::uint32_t const magnitude = bits & 0x7fffu;
  std::uint32_t const exponent = magnitude >> Mantissa;
  std::uint32_t const moved = magnitude << (23 - Mantissa);
  if (exponent == 2 * bias + 1) return std::bit_cast<float>(sign | 0x7f800000u | (moved & 0x007fffffu));
  if constexpr (bias == 127) {
    return std::bit_cast<float>(sign | moved);
  } else {
    if (exponent != 0) return std::bit_cast<float>(sign | (moved + (std::uint32_t{127 - bias} << 23)));
    float const small =
        static_cast<float>(magnitude) * std::bit_cast<float>(std::uint32_t{128 - bias - Mantissa} << 23);
    return sign != 0 ? -small : small;
  }
}

}  // namespace detail

/// Converts an element. Floating point to integer: truncates; values out of range become the nearest integer, and NaN
/// 0. To bool: returns true unless x is zero; NaN is true. Between integers: modulo. To floating point: rounds to
/// nearest; 64-bit integers become 16-bit numbers by way of a double.
template <element To, element From>
PLAIT_HOST_DEVICE constexpr To convert(From x) {
  if constexpr (std::same_as<To, From>) {
    return x;
  } else if constexpr (std::same_as<From, float16>) {
    return convert<To>(detail::widen_bits<10>(x.bits));
  } else if constexpr (std::same_as<From, bfloat16>) {
    return convert<To>(detail::widen_bits<7>(x.bits));
  } else if constexpr (std::same_as<To, float16>) {
    return {detail::narrow_bits<10>(static_cast<double>(x))};
  } else if constexpr (std::same_as<To, bfloat16>) {
    return {detail::narrow_bits<7>(static_cast<double>(x))};
  } else if constexpr (std::same_as<To, bool>) {
    return x != From(0);
  } else if constexpr (std::floating_point<From> && std::integral<To>) {
    constexpr From least = static_cast<From>(std::numeric_limits<To>::min());
    constexpr To half = std::numeric_limits<To>::max() / 2 + 1;
    constexpr From end = From(2) * static_cast<From>(half);
    if (x != x) return To(0);
    if (x < least) return std::numeric_limits<To>::min();
    if (x >= end) return std::numeric_limits<To>::max();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace plait
