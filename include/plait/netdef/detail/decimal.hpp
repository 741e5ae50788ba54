// Decimal numbers beyond std::from_chars: integers written with a point or an exponent, and numbers out of range.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

/// Returns true if `text` is a decimal number: an optional sign, digits with an optional point before, among or after
/// them, an optional exponent.
inline bool is_decimal(std::string_view text) {
  auto const accept = [&](std::string_view any) {
    bool const found = !text.empty() && any.find(text[0]) != any.npos;
    if (found) text.remove_prefix(1);
    return found;
  };
  auto const digits = [&] {
    std::size_t const count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  accept("+-");
  std::size_t count = digits();
  if (accept(".")) count += digits();
  if (count == 0) return false;
  if (!accept("eE")) return text.empty();
  accept("+-");
  return digits() != 0 && text.empty();
}

/// Decimal number without leading and trailing zeros: its digits as an integer, ignoring a point among them, times ten
/// to the power of `scale`. Without digits, the number is zero.
struct decimal {
  bool negative = false;
  std::string_view digits;
  std::int64_t scale = 0;    // the power of ten of the last digit
  std::int64_t leading = 0;  // the power of ten of the first digit

  /// Decomposes a number that satisfies is_decimal(). Exponents are clamped to 10^15, beyond which they make no
  /// difference.
  explicit decimal(std::string_view number) {
    negative = number.starts_with('-');
    std::size_t const mark = std::min(number.find_first_of("eE"), number.size());
    std::string_view const mantissa = number.substr(0, mark);
    std::size_t const first = mantissa.find_first_of("123456789");
    if (first == mantissa.npos) return;
    std::size_t const last = mantissa.find_last_of("123456789");
    digits = mantissa.substr(first, last - first + 1);

    auto const point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
    auto const power = [&](std::size_t place) {
      auto const at = static_cast<std::int64_t>(place);
      return at < point ? point - at - 1 : point - at;
    };
    std::int64_t const exponent = mark == number.size() ? 0 : exponent_of(number.substr(mark + 1));
    scale = power(last) + exponent;
    leading = power(first) + exponent;
  }

 private:
  static std::int64_t exponent_of(std::string_view text) {
    constexpr std::int64_t most = 1'000'000'000'000'000;
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int64_t value = 0;
    auto const read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec == std::errc::result_out_of_range) value = text.starts_with('-') ? -most : most;
    return std::clamp(value, -most, most);
  }
};

/// Returns the exact integer value of a decimal number: "1e3", "1.0" and "100e-2" are integers. Nothing if the number
/// has a fraction or is out of the range of T.
template <std::integral T>
std::optional<T> decimal_integer(std::string_view number) {
  decimal const parts(number);
  if (parts.digits.empty()) return T{0};
  if (parts.scale < 0 || parts.leading >= std::numeric_limits<std::uint64_t>::digits10 + 1) return std::nullopt;
  std::uint64_t const most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  std::uint64_t const bound = !parts.negative ? most : std::is_signed_v<T> ? most + 1 : 0;
  std::uint64_t magnitude = 0;
  auto const append = [&](unsigned digit) {
    if (digit > bound || magnitude > (bound - digit) / 10) return false;
    magnitude = magnitude * 10 + digit;
    return true;
  };
  for (char c : parts.digits)
    if (c != '.' && !append(static_cast<unsigned>(c - '0'))) return std::nullopt;
  for (std::int64_t i = 0; i != parts.scale; ++i)
    if (!append(0)) return std::nullopt;
  return static_cast<T>(parts.negative ? 0 - magnitude : magnitude);
}

/// Returns true if a decimal number out of the range of a floating-point type underflows, false if it overflows.
/// std::from_chars reports both alike.
inline bool is_tiny_decimal(std::string_view number) {
  decimal const parts(number);
  return parts.digits.empty() || parts.leading < 0;
}

}  // namespace plait::detail
