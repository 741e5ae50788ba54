// JSON scalars of protobuf's mapping: conversion to integers, floats and bytes.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <plait/netdef/detail/decimal.hpp>

namespace plait::detail {

/// Scalar of a JSON document. `text` is the content of a string or the token of a number.
struct json_scalar {
  enum class kind : std::uint8_t { boolean, number, string };
  kind is;
  bool truth = false;
  std::string_view text = {};
};

/// Returns the exact integer value of a number or a quoted number; "1e3" and "1.0" are integers.
template <std::integral T>
std::optional<T> json_integer(json_scalar const& scalar) {
  if (scalar.is == json_scalar::kind::boolean || !is_decimal(scalar.text)) return std::nullopt;
  return decimal_integer<T>(scalar.text);
}

template <std::floating_point T>
std::optional<T> json_real(json_scalar const& scalar) {
  if (scalar.is == json_scalar::kind::boolean) return std::nullopt;
  std::string_view text = scalar.text;
  if (!is_decimal(text)) {
    if (scalar.is != json_scalar::kind::string) return std::nullopt;
    if (text == "NaN") return std::numeric_limits<T>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<T>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<T>::infinity();
    return std::nullopt;
  }
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{}) return value;
  if (!is_tiny_decimal(text)) return std::nullopt;
  return text.starts_with('-') ? -T{0} : T{0};
}

/// Decodes base64 in either alphabet, padded or not. Returns nothing if `text` is malformed.
inline std::optional<std::string> base64_decode(std::string_view text) {
  static constexpr std::array<std::int8_t, 256> values = [] {
    std::array<std::int8_t, 256> made{};
    made.fill(-1);
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    for (std::size_t i = 0; i != letters.size(); ++i)
      made[static_cast<unsigned char>(letters[i])] = static_cast<std::int8_t>(i);
    made['+'] = made['-'] = 62;
    made['/'] = made['_'] = 63;
    return made;
  }();
  if (text.size() % 4 == 0)
    for (int i = 0; i != 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (char c : text) {
    std::int8_t const value = values[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xFFFFFF;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>(bits >> count & 0xFF));
    }
  }
  return bytes;
}

}  // namespace plait::detail
