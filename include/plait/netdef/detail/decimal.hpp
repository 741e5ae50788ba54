// Decimal numbers that a floating point type cannot hold.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace plait::detail {

/// Of a decimal number (with sign, point, exponent or not) that is out of range: whether it is too close to zero rather
/// than too far from it. std::from_chars reports both alike.
inline bool is_tiny_decimal(std::string_view number) {
  std::int64_t point = 0;  // digits before the point, or minus the zeros behind it before the first other digit
  bool fraction = false, found = false;
  std::size_t i = number.starts_with('-') ? 1 : 0;
  for (; i != number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
    if (number[i] == '.') {
      fraction = true;
    } else if (!found && number[i] == '0') {
      if (fraction) --point;
    } else {
      if (!fraction) ++point;
      found = true;
    }
  }
  std::int64_t exponent = 0;
  if (i != number.size()) {
    ++i;
    bool const down = i != number.size() && number[i] == '-';
    if (i != number.size() && (number[i] == '-' || number[i] == '+')) ++i;
    auto const read = std::from_chars(number.data() + i, number.data() + number.size(), exponent);
    if (read.ec == std::errc::result_out_of_range) return down;
    if (down) exponent = -exponent;
  }
  return !found || exponent < -point;
}

}  // namespace plait::detail
