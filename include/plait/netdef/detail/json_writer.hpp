// NetDef writer for protobuf's JSON mapping.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/core/detail/utf8.hpp>
#include <plait/netdef/detail/enumeration_names.hpp>
#include <plait/netdef/detail/expressible.hpp>
#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/detail/json_names.hpp>
#include <plait/netdef/detail/json_reader.hpp>
#include <plait/netdef/detail/message_walk.hpp>
#include <plait/netdef/detail/output_buffer.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/detail/write_options.hpp>
#include <plait/netdef/model.hpp>

namespace plait {
namespace detail {

/// Accepts unknown fields from text, too, if they mean the same in JSON.
inline constexpr format_rules json_format{
    .name = "JSON",
    .distinct_names = true,
    .can_write_text = [](std::string_view text) { return is_utf8(text); },
    .can_write_field =
        [](netdef_schema::message_descriptor const& type, unknown_field const& field) {
          return field.number == 0 && json_field(type, field.name) == type.fields.size() && is_utf8(field.name) &&
                 is_json(field.data);
        },
};

class json_writer {
 public:
  json_writer(output_buffer& out, write_options const& options) : out_(out), options_(options) {}

  void run(netdef const& net) {
    out_ << '{';
    message_walk(*this).run(net);
    close('}');
    if (options_.indent != 0) out_ << '\n';
  }

  void value(netdef_schema::field_descriptor const& field, netdef_schema::value_list values, netdef const& net) {
    key(field);
    if (field.repeated) open('[');
    netdef_schema::visit_values(field.kind, values, [&](auto each_of) {
      for (auto const& each : each_of) {
        if (field.repeated) next();
        scalar(each, net, field.format.bytes);
      }
    });
    if (field.repeated) close(']');
  }
  void begin(netdef_schema::field_descriptor const& field, std::size_t index, std::size_t) {
    if (index == 0) key(field);
    if (field.repeated && index == 0) open('[');
    if (field.repeated) next();
    open('{');
  }
  void end(netdef_schema::field_descriptor const& field, std::size_t index, std::size_t count) {
    close('}');
    if (field.repeated && index + 1 == count) close(']');
  }
  void unknown(netdef_schema::message_descriptor const& type, std::span<unknown_field const> fields) {
    std::vector<bool> const can = expressible(json_format, type, fields);
    for (std::size_t i = 0; i != fields.size(); ++i) {
      if (!can[i]) continue;
      next();
      quoted(fields[i].name);
      colon();
      out_ << fields[i].data;
    }
  }

 private:
  void key(netdef_schema::field_descriptor const& field) {
    bool const old = options_.legacy_names && !field.format.old_name.empty();
    std::string_view const name = old ? field.format.old_name : field.name;
    next();
    out_ << '"';
    if (options_.proto_names)
      out_ << name;
    else
      for_each_camel(name, [&](char c) { return out_ << c, true; });
    out_ << '"';
    colon();
  }
  void colon() { out_ << (options_.indent == 0 ? std::string_view(":") : std::string_view(": ")); }
  void open(char bracket) {
    out_ << bracket;
    ++depth_;
    empty_ = true;
  }
  void close(char bracket) {
    --depth_;
    if (!empty_) new_line();
    empty_ = false;
    out_ << bracket;
  }
  void next() {
    if (!empty_) out_ << ',';
    empty_ = false;
    new_line();
  }
  void new_line() {
    if (options_.indent == 0) return;
    out_ << '\n';
    out_.fill(depth_ * options_.indent, ' ');
  }

  template <class T>
  void scalar(T const& value, netdef const& net, bool bytes) {
    if constexpr (std::is_same_v<T, bool>) {
      out_ << std::string_view(value ? "true" : "false");
    } else if constexpr (std::is_same_v<T, tensor_type>) {
      std::string_view const known = tensor_type_name(value);
      if (known.empty())
        out_ << static_cast<std::int32_t>(value);
      else
        out_ << '"' << known << '"';
    } else if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value))
        out_ << std::string_view("\"NaN\"");
      else if (std::isinf(value))
        out_ << std::string_view(value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
      else
        number(value);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      out_ << '"' << value << '"';  // many readers of JSON only have doubles
    } else if constexpr (std::is_integral_v<T>) {
      out_ << value;
    } else if (bytes) {
      base64(text_of(value, net));
    } else {
      quoted(text_of(value, net));
    }
  }

  // JSON readers with integers drop the sign of -0, and protobuf's Python reader compares a float with the largest one
  // as a double: 3.4028235e+38, the shortest decimal of that, is larger.
  template <std::floating_point T>
  void number(T value) {
    if (value == 0 && std::signbit(value))
      out_ << std::string_view("-0.0");
    else if (std::abs(value) == std::numeric_limits<T>::max())
      out_ << static_cast<double>(value);
    else
      out_ << value;
  }

  void quoted(std::string_view text) {
    out_ << '"';
    std::size_t from = 0;
    for (std::size_t i = 0; i != text.size(); ++i) {
      auto const c = static_cast<unsigned char>(text[i]);
      if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7F) continue;
      out_ << text.substr(from, i - from) << '\\';
      from = i + 1;
      constexpr std::string_view special = "\n\r\t\b\f\"\\";
      if (std::size_t const known = special.find(text[i]); known != special.npos)
        out_ << "nrtbf\"\\"[known];
      else
        out_ << std::string_view("u00") << hex(c >> 4) << hex(c & 15u);
    }
    out_ << text.substr(from) << '"';
  }
  static char hex(unsigned digit) { return "0123456789abcdef"[digit]; }

  void base64(std::string_view bytes) {
    constexpr char const* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out_ << '"';
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
      std::uint32_t three = 0;
      for (std::size_t k = 0; k != 3; ++k)
        three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
      char four[4];
      for (unsigned k = 0; k != 4; ++k) four[k] = letters[(three >> (18 - 6 * k)) & 63];
      if (i + 2 >= bytes.size()) four[3] = '=';
      if (i + 1 >= bytes.size()) four[2] = '=';
      out_ << std::string_view(four, 4);
    }
    out_ << '"';
  }

  output_buffer& out_;
  write_options const& options_;
  std::size_t depth_ = 1;
  bool empty_ = true;  // the innermost list or object has no element yet
};

inline void write_json(output_buffer& out, netdef const& net, write_options const& options) {
  check_expressible(json_format, net, options);
  json_writer(out, options).run(net);
  out.flush();
}

}  // namespace detail

/// Writes a net in protobuf's JSON mapping: 64-bit integers and bytes (base64) as strings, infinities and NaN as
/// strings, tensor types by name. Equal nets give equal text; no document is built in memory. Linear. Throws net_error
/// before anything is written if JSON cannot express the net: names that are not UTF-8, and see write_options; failures
/// of the stream are left in its state.
inline void write_netdef_json(std::ostream& out, netdef const& net, write_options const& options = {}) {
  detail::output_buffer buffered(out);
  detail::write_json(buffered, net, options);
}

/// Returns the net in protobuf's JSON mapping as a string; throws like write_netdef_json().
[[nodiscard]] inline std::string to_json(netdef const& net, write_options const& options = {}) {
  detail::output_buffer collected;
  detail::write_json(collected, net, options);
  return collected.take();
}

}  // namespace plait
