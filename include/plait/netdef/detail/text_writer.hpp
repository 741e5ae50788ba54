// NetDef writer for protobuf's text format (".pbtxt").
#pragma once

#include <charconv>
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

#include <plait/netdef/detail/enumeration_names.hpp>
#include <plait/netdef/detail/expressible.hpp>
#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/detail/message_walk.hpp>
#include <plait/netdef/detail/output_buffer.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/detail/write_options.hpp>
#include <plait/netdef/model.hpp>

namespace plait {
namespace detail {

/// Accepts unknown fields from JSON, too, if they mean the same in text.
inline constexpr format_rules text_format{
    .name = "text",
    .distinct_names = false,
    .can_write_text = nullptr,
    .can_write_field =
        [](netdef_schema::message_descriptor const&, unknown_field const& field) {
          return field.number == 0 && is_text_field(field.name, field.data);
        },
};

class text_writer {
 public:
  text_writer(output_buffer& out, write_options const& options) : out_(out), options_(options) {}

  void value(netdef_schema::field_descriptor const& field, netdef_schema::value_list values, netdef const& net) {
    netdef_schema::visit_values(field.kind, values, [&](auto each_of) {
      for (auto const& each : each_of) {
        out_.fill(2 * depth_, ' ');
        out_ << name(field) << ": ";
        scalar(each, net);
        out_ << '\n';
      }
    });
  }
  void begin(netdef_schema::field_descriptor const& field, std::size_t, std::size_t) {
    out_.fill(2 * depth_++, ' ');
    out_ << name(field) << " {\n";
  }
  void end(netdef_schema::field_descriptor const&, std::size_t, std::size_t) {
    out_.fill(2 * --depth_, ' ');
    out_ << "}\n";
  }
  void unknown(netdef_schema::message_descriptor const& type, std::span<unknown_field const> fields) {
    std::vector<bool> const can = expressible(text_format, type, fields);
    for (std::size_t i = 0; i != fields.size(); ++i) {
      if (!can[i]) continue;
      out_.fill(2 * depth_, ' ');
      out_ << fields[i].name << ": " << fields[i].data << '\n';
    }
  }

 private:
  std::string_view name(netdef_schema::field_descriptor const& field) const {
    return options_.legacy_names && !field.format.old_name.empty() ? field.format.old_name : field.name;
  }

  void scalar(bool value, netdef const&) { out_ << std::string_view(value ? "true" : "false"); }
  void scalar(tensor_type value, netdef const&) {
    std::string_view const known = tensor_type_name(value);
    if (known.empty())
      out_ << static_cast<std::int32_t>(value);
    else
      out_ << known;
  }
  template <class T>
  void scalar(T const& value, netdef const& net) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value))
        out_ << std::string_view("nan");
      else if (std::isinf(value))
        out_ << std::string_view(value < 0 ? "-inf" : "inf");
      else
        number(value);
    } else if constexpr (std::is_integral_v<T>) {
      out_ << value;
    } else {
      quoted(text_of(value, net));
    }
  }

  // Writes a finite number as protobuf does: by printf's %g with the digits that every decimal of the type keeps, or
  // with 9 or 17 digits if these do not round-trip. TRAP: protobuf takes strtof's ERANGE for a failure, so that a
  // subnormal float always has 9 digits, but a double need not have 17.
  template <std::floating_point T>
  void number(T value) {
    char digits[40];
    auto const print = [&](int precision) {
      auto const printed = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, precision);
      return std::string_view(digits, printed.ptr);
    };
    std::string_view text = print(std::numeric_limits<T>::digits10);
    T parsed{};
    std::from_chars(text.data(), text.data() + text.size(), parsed);
    bool const subnormal = std::is_same_v<T, float> && std::fpclassify(value) == FP_SUBNORMAL;
    if (parsed != value || subnormal) text = print(std::numeric_limits<T>::max_digits10);
    out_ << text;
  }

  // Escapes everything but printable ASCII, as protobuf does: by letter, or else in three octal digits.
  void quoted(std::string_view text) {
    out_ << '"';
    std::size_t from = 0;
    for (std::size_t i = 0; i != text.size(); ++i) {
      auto const c = static_cast<unsigned char>(text[i]);
      if (0x20 <= c && c < 0x7F && c != '"' && c != '\'' && c != '\\') continue;
      out_ << text.substr(from, i - from) << '\\';
      from = i + 1;
      constexpr std::string_view special = "\n\r\t\"'\\";
      if (std::size_t const known = special.find(text[i]); known != special.npos)
        out_ << "nrt\"'\\"[known];
      else
        out_ << static_cast<char>('0' + (c >> 6)) << static_cast<char>('0' + ((c >> 3) & 7))
             << static_cast<char>('0' + (c & 7));
    }
    out_ << text.substr(from) << '"';
  }

  output_buffer& out_;
  write_options const& options_;
  std::size_t depth_ = 0;
};

inline void write_text(output_buffer& out, netdef const& net, write_options const& options) {
  check_expressible(text_format, net, options);
  text_writer writer(out, options);
  message_walk(writer).run(net);
  out.flush();
}

}  // namespace detail

/// Writes a net with the bytes of protobuf's TextFormat: one field per line, two spaces per level, fields by number.
/// Equal nets give equal text. Linear. Throws net_error before anything
/// is written if the text format cannot express the net (see write_options); failures of the stream are left in its
/// state.
inline void write_netdef_text(std::ostream& out, netdef const& net, write_options const& options = {}) {
  detail::output_buffer buffered(out);
  detail::write_text(buffered, net, options);
}

/// Returns the net in protobuf's text format as a string; throws like write_netdef_text().
[[nodiscard]] inline std::string to_text(netdef const& net, write_options const& options = {}) {
  detail::output_buffer collected;
  detail::write_text(collected, net, options);
  return collected.take();
}

}  // namespace plait
