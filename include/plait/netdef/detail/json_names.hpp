// JSON names of NetDef fields in protobuf's mapping: lowerCamel or as in the proto.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <plait/netdef/detail/field_traits.hpp>

namespace plait::detail {

/// Name converted to lowerCamel at compile time; for static storage only.
template <std::size_t Size>
struct camel_text {
  std::array<char, Size> text{};
  std::size_t size = 0;
  constexpr camel_text(std::string_view name) {
    bool upper = false;
    for (char c : name) {
      if (c == '_') {
        upper = true;
        continue;
      }
      text[size++] = upper && 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      upper = false;
    }
  }
  constexpr std::string_view view() const { return {text.data(), size}; }
};

template <class Message, std::size_t I>
inline constexpr camel_text<field_at<Message, I>.name.size() + 1> camel_name{field_at<Message, I>.name};
template <class Message, std::size_t I>
inline constexpr camel_text<field_at<Message, I>.old_name.size() + 1> camel_old_name{field_at<Message, I>.old_name};

/// Returns the index of the field with that JSON name: lowerCamel or as in the proto, current or earlier. Returns
/// field_count if there is none.
template <class Message>
std::size_t json_field(std::string_view name) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    std::size_t found = field_count<Message>;
    static_cast<void>((((name == camel_name<Message, I>.view() || name == field_at<Message, I>.name ||
                         (!field_at<Message, I>.old_name.empty() &&
                          (name == camel_old_name<Message, I>.view() || name == field_at<Message, I>.old_name))) &&
                        (found = I, true)) ||
                       ...));
    return found;
  }(std::make_index_sequence<field_count<Message>>());
}

}  // namespace plait::detail
