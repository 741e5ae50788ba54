// UTF-8 validation, and escaping of text that is not printable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

namespace detail {
/// Returns the length of the code point at the front, 1 to 4 bytes; 0 if the bytes are not UTF-8 or the text is empty.
/// Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
constexpr std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  std::uint32_t const lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  std::size_t const trail = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  if (text.size() <= trail) return 0;
  std::uint32_t code = lead & (0x3Fu >> trail);
  for (std::size_t k = 1; k <= trail; ++k) {
    std::uint32_t const next = static_cast<unsigned char>(text[k]);
    if ((next & 0xC0) != 0x80) return 0;
    code = code << 6 | (next & 0x3F);
  }
  if (trail == 2 && (code < 0x800 || (0xD800 <= code && code < 0xE000))) return 0;
  if (trail == 3 && (code < 0x10000 || code > 0x10FFFF)) return 0;
  return trail + 1;
}
}  // namespace detail

/// Returns true if the text is UTF-8. Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
constexpr bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    std::size_t const length = detail::utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// Returns the text as one line of UTF-8: escapes each byte that is not UTF-8, and each byte of a control character
/// (U+0000 to U+001F and U+007F to U+009F), as \xNN. All else is unchanged, backslashes included: printable text is
/// returned as it is. O(text).
[[nodiscard]] inline std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string made;
  made.reserve(text.size());
  while (!text.empty()) {
    auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    std::size_t length = detail::utf8_length(text);
    bool const control =
        length == 1 ? byte(0) < 0x20 || byte(0) == 0x7F : length == 2 && byte(0) == 0xC2 && byte(1) < 0xA0;
    if (length != 0 && !control) {
      made.append(text.substr(0, length));
    } else {
      if (length == 0) length = 1;
      for (std::size_t i = 0; i != length; ++i) {
        made += "\\x";
        made += digits[byte(i) >> 4];
        made += digits[byte(i) & 15];
      }
    }
    text.remove_prefix(length);
  }
  return made;
}

}  // namespace plait
