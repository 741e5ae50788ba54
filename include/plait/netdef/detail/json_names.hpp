// JSON names of NetDef fields in protobuf's mapping: lowerCamel or as in the proto.
#pragma once

#include <cstddef>
#include <string_view>

#include <plait/netdef/detail/schema.hpp>

namespace plait::detail {

/// Calls put(c) for each character of a name in lowerCamel while it returns true. Returns false if it stopped.
template <class Put>
bool for_each_camel(std::string_view name, Put put) {
  bool upper = false;
  for (char const c : name) {
    if (c != '_' && !put(upper && 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c)) return false;
    upper = c == '_';
  }
  return true;
}

/// Returns true if `text` is a field's name, in lowerCamel or as in the proto.
inline bool is_json_name(std::string_view text, std::string_view name) {
  std::size_t at = 0;
  return text == name ||
         (for_each_camel(name, [&](char c) { return at != text.size() && text[at++] == c; }) && at == text.size());
}

/// Returns the index of the field with that JSON name, current or earlier; the number of fields if there is none.
inline std::size_t json_field(netdef_schema::message_descriptor const& type, std::string_view name) {
  std::size_t i = 0;
  for (; i != type.fields.size(); ++i) {
    netdef_schema::field_descriptor const& each = type.fields[i];
    if (is_json_name(name, each.name)) break;
    if (!each.format.old_name.empty() && is_json_name(name, each.format.old_name)) break;
  }
  return i;
}

}  // namespace plait::detail
