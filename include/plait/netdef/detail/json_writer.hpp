// NetDef writer for protobuf's JSON mapping.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include <plait/core/detail/utf8.hpp>
#include <plait/netdef/detail/field_traits.hpp>
#include <plait/netdef/detail/json_names.hpp>
#include <plait/netdef/detail/message_walk.hpp>
#include <plait/netdef/detail/output_buffer.hpp>
#include <plait/netdef/detail/write_options.hpp>
#include <plait/netdef/model.hpp>

namespace plait {
namespace detail {

struct json_format {
  static constexpr bool distinct_names = true;
  static constexpr char const* name = "JSON";
  static bool can_write(std::string_view text) { return is_utf8(text); }
  // Accepts unknown fields from text, too, if they mean the same in JSON.
  template <class Message>
  static bool can_write(unknown_field const& field) {
    return field.number == 0 && json_field<Message>(field.name) == field_count<Message> && is_utf8(field.name) &&
           is_json(field.data);
  }
  // TRAP: nlohmann's parser stops at a NUL byte and skips a byte order mark.
  static bool is_json(std::string_view text) {
    return text.find('\0') == text.npos && !text.starts_with('\xEF') && nlohmann::json::accept(text);
  }
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

  template <class Message, std::size_t I, class Member>
  void value(Member const& member, netdef const& net) {
    constexpr bool repeated = member_traits<Member>::repeated;
    key(name<Message, I>());
    if (repeated) open('[');
    for_each_value(member, [&](auto const& each) {
      if (repeated) next();
      scalar<field_at<Message, I>.holds>(each, net);
    });
    if (repeated) close(']');
  }
  template <class Message, std::size_t I, class Child>
  void begin(Child const&, std::size_t index, std::size_t) {
    constexpr bool repeated = member_traits<member_t<Message, I>>::repeated;
    if (index == 0) key(name<Message, I>());
    if (repeated && index == 0) open('[');
    if (repeated) next();
    open('{');
  }
  template <class Message, std::size_t I>
  void end(std::size_t index, std::size_t count) {
    close('}');
    if (member_traits<member_t<Message, I>>::repeated && index + 1 == count) close(']');
  }
  template <class Message>
  void unknown(std::vector<unknown_field> const& fields) {
    std::vector<bool> const can = expressible<json_format, Message>(fields);
    for (std::size_t i = 0; i != fields.size(); ++i) {
      if (!can[i]) continue;
      next();
      quoted(fields[i].name);
      colon();
      out_ << fields[i].data;
    }
  }

 private:
  template <class Message, std::size_t I>
  std::string_view name() const {
    constexpr auto const& field = field_at<Message, I>;
    bool const old = options_.legacy_names && !field.old_name.empty();
    if (options_.proto_names) return old ? field.old_name : field.name;
    return old ? camel_old_name<Message, I>.view() : camel_name<Message, I>.view();
  }

  void key(std::string_view name) {
    next();
    out_ << '"' << name << '"';
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

  template <netdef_schema::content Holds, class T>
  void scalar(T const& value, netdef const& net) {
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
    } else if constexpr (Holds == netdef_schema::content::bytes) {
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
  check_expressible<json_format>(net, options);
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
