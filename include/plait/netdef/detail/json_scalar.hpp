// Values of protobuf's JSON mapping: what a JSON scalar means for a field of a given type.
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

/// A scalar as it stands in the document. `text` is the content of a string or the token of a number.
struct json_scalar {
  enum class kind : std::uint8_t { boolean, number, string };
  kind is;
  bool truth = false;
  std::string_view text = {};
};

/// All of `text` as a number; nothing if it is no such number, or one out of range.
template <class T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  auto const [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

template <std::integral T>
std::optional<T> json_integer(json_scalar const& scalar) {
  if (scalar.is == json_scalar::kind::boolean) return std::nullopt;
  std::string_view const text = scalar.text;
  if (auto const value = whole_number<T>(text)) return value;
  if (scalar.is == json_scalar::kind::string) return std::nullopt;
  if (text == "-0") return T{0};
  // 1.0 and 1e18 are integers too; protobuf goes through a double, as here.
  if (text.find_first_of(".eE") == text.npos) return std::nullopt;
  auto const real = whole_number<double>(text);
  double const end = std::ldexp(1.0, std::numeric_limits<T>::digits);  // the maximum need not be a double
  if (!real || std::trunc(*real) != *real || *real >= end) return std::nullopt;
  if (*real < static_cast<double>(std::numeric_limits<T>::min())) return std::nullopt;
  return static_cast<T>(*real);
}

template <std::floating_point T>
std::optional<T> json_real(json_scalar const& scalar) {
  if (scalar.is == json_scalar::kind::boolean) return std::nullopt;
  if (scalar.is == json_scalar::kind::string) {
    if (scalar.text == "NaN") return std::numeric_limits<T>::quiet_NaN();
    if (scalar.text == "Infinity") return std::numeric_limits<T>::infinity();
    if (scalar.text == "-Infinity") return -std::numeric_limits<T>::infinity();
    // from_chars would also take words.
    std::size_t const sign = scalar.text.starts_with('-') ? 1 : 0;
    if (scalar.text.size() == sign || scalar.text[sign] < '0' || scalar.text[sign] > '9') return std::nullopt;
  }
  T value{};
  char const* const end = scalar.text.data() + scalar.text.size();
  auto const [stop, problem] = std::from_chars(scalar.text.data(), end, value);
  if (stop != end || problem == std::errc::invalid_argument) return std::nullopt;
  if (problem == std::errc{}) return value;
  if (!is_tiny_decimal(scalar.text)) return std::nullopt;
  return scalar.text.starts_with('-') ? -T{0} : T{0};
}

/// Base64, of either alphabet, padded or not.
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
