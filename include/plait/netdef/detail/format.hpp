// Format detection of NetDef documents (text, JSON or binary) by content, since suffixes of real files mislead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

enum class netdef_format : std::uint8_t { text, json, binary };

[[nodiscard]] constexpr std::string_view to_string(netdef_format format) {
  return format == netdef_format::text ? "text" : format == netdef_format::json ? "json" : "binary";
}

/// Returns the most plausible format of a document from its first bytes; text if it is empty. O(size) at worst, usually
/// O(1).
///
/// JSON begins with '{' followed by '"' or '}'; no document in the text format begins with '{'. A binary NetDef begins
/// with a tag (0x0A, the field `name`, in nearly all files), a text NetDef with a comment or a field name. Since 0x0A
/// is also a newline, and tags of unknown fields may be letters, the bytes after it decide: text has no control
/// characters, and ':', '{', '<' or white space follow its first word.
[[nodiscard]] constexpr netdef_format detect_format(std::string_view document) {
  constexpr std::string_view white = " \t\r\n\v\f";
  if (document.starts_with("\xEF\xBB\xBF")) document.remove_prefix(3);
  std::size_t at = document.find_first_not_of(white);
  if (at == document.npos) return netdef_format::text;
  if (document[at] == '{') {
    std::size_t const next = document.find_first_not_of(white, at + 1);
    if (next == document.npos || document[next] == '"' || document[next] == '}') return netdef_format::json;
  }
  // Skips comments up to the first word. A comment with a control character is not text.
  while (at != document.size() && document[at] == '#') {
    std::size_t const line = document.find('\n', at);
    for (char c : document.substr(at, line == document.npos ? line : line - at))
      if (static_cast<unsigned char>(c) < 0x20 && white.find(c) == white.npos) return netdef_format::binary;
    at = line == document.npos ? document.size() : document.find_first_not_of(white, line);
    if (at == document.npos) return netdef_format::text;
  }
  if (at == document.size()) return netdef_format::text;
  std::size_t const word = at;
  while (at != document.size() &&
         (('a' <= document[at] && document[at] <= 'z') || document[at] == '_' ||
          ('0' <= document[at] && document[at] <= '9') || ('A' <= document[at] && document[at] <= 'Z')))
    ++at;
  if (at == word) return document[at] == '[' ? netdef_format::text : netdef_format::binary;
  at = document.find_first_not_of(white, at);
  if (at == document.npos) return netdef_format::text;
  bool const field = document[at] == ':' || document[at] == '{' || document[at] == '<' || document[at] == '#';
  return field ? netdef_format::text : netdef_format::binary;
}

}  // namespace plait
