// Text of numbers and of DOT strings, also in constant expressions.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

/// Appends an integer in decimal.
template <std::integral Number>
constexpr void append_number(std::string& text, Number number) {
  if constexpr (std::signed_integral<Number>)
    if (number < 0) text += '-';
  std::string digits;
  do {
    int const digit = static_cast<int>(number % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    number = static_cast<Number>(number / 10);
  } while (number != 0);
  text += digits;
}

/// Returns a quoted string of DOT. Escapes quotes, backslashes and newlines and drops other control characters; DOT
/// takes the rest literally.
constexpr std::string dot_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n')
      quoted += "\\n";
    else if (static_cast<unsigned char>(c) >= ' ')
      quoted += c;
  }
  return quoted += '"';
}

}  // namespace plait::detail
