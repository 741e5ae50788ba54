// Whether bytes are UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plait/core/cxx20.hpp>

namespace plait {

/// Strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
constexpr bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i != text.size();) {
    std::uint32_t const lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    if (lead < 0xC2 || lead > 0xF4) return false;
    std::size_t const trail = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    if (text.size() - i < trail) return false;
    std::uint32_t code = lead & (0x3Fu >> trail);
    for (std::size_t k = 0; k != trail; ++k) {
      std::uint32_t const next = static_cast<unsigned char>(text[i++]);
      if ((next & 0xC0) != 0x80) return false;
      code = code << 6 | (next & 0x3F);
    }
    if (trail == 2 && (code < 0x800 || (0xD800 <= code && code < 0xE000))) return false;
    if (trail == 3 && (code < 0x10000 || code > 0x10FFFF)) return false;
  }
  return true;
}

}  // namespace plait
