// NetDef reader for protobuf's text format (".pbtxt"), several times as fast as protobuf's own parser: one pass over
// the source, no token stream, names interned straight from the source.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/enumeration_names.hpp>
#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/detail/read_budget.hpp>
#include <plait/netdef/detail/read_options.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/detail/text_scanner.hpp>
#include <plait/netdef/model.hpp>

namespace plait {
namespace detail {

class text_reader : text_scanner {
 public:
  text_reader(std::string_view source, read_options const& options)
      : text_scanner(source, options.limits), options_(options), budget_(options.limits) {}

  netdef read() {
    netdef net;
    skip_mark();
    stack_.push_back({netdef_schema::mutable_message(net), &net, begin_, 0, 0, nullptr});
    while (!stack_.empty()) read_fields(stack_.back().message);
    return net;
  }

  /// Returns true if the source is the value of a field, of the model or unknown, and nothing else.
  bool is_value() {
    try {
      skip_space();
      skip_value(true);
      skip_space();
      return at_end();
    } catch (parse_error const&) {
      return false;
    }
  }

  /// Returns true if the source is the name of a field or an extension.
  bool is_name() {
    try {
      any_name();
      return at_end();
    } catch (parse_error const&) {
      return false;
    }
  }

 private:
  using field_descriptor = netdef_schema::field_descriptor;
  using value_kind = netdef_schema::value_kind;

  struct frame {
    netdef_schema::mutable_message message;
    netdef* net;  // whose symbol table the message uses
    char const* start;
    char close;                    // 0 for the document itself
    std::size_t last_field;        // see read_name()
    field_descriptor const* list;  // the field of which it is an element in [{…}, {…}]; nullptr if it is none
    std::uint32_t given = 0;       // bit i: singular field i has a value
  };

  // Reads fields until the message ends or a message within it begins; the loop in read() continues from there.
  void read_fields(netdef_schema::mutable_message const message) {
    netdef& net = *stack_.back().net;
    char const close = stack_.back().close;
    for (;;) {
      skip_space();
      if (at_end()) {
        if (close != 0) fail(stack_.back().start, "the message is not terminated");
        return stack_.pop_back();
      }
      if (*at_ == close && close != 0) return end_message();
      char const* const start = at_;
      field_descriptor const* const known = read_name(message.type->fields, stack_.back().last_field);
      if (known != nullptr) {
        if (read_field(*known, message.at, net, {start, static_cast<std::size_t>(at_ - start)})) return;
      } else {
        at_ = start;
        read_unknown(message);
      }
    }
  }

  // Reads the name of a known field; returns nullptr if it is unknown. Searches from field `last` of a message, the one
  // found before: values of a repeated field follow one another, and files usually have the fields in the order of the
  // schema.
  field_descriptor const* read_name(std::span<field_descriptor const> fields, std::size_t& last) {
    if (std::endian::native == std::endian::little && end_ - at_ > 8) {
      std::uint64_t prefix;
      std::memcpy(&prefix, at_, 8);
      for (std::size_t tried = 0; tried != fields.size(); ++tried) {
        field_descriptor const& each = fields[last];
        if ((prefix & each.prefix_mask) == each.prefix && accept_name(each.name)) return &each;
        last = last + 1 == fields.size() ? 0 : last + 1;
      }
    }
    std::string_view const name = identifier();
    if (name.empty() && *at_ != '[') fail(at_, "expected a field name");
    for (last = 0; last != fields.size(); ++last)
      if (name == fields[last].name || (!name.empty() && name == fields[last].format.old_name)) return &fields[last];
    last = 0;
    return nullptr;
  }

  // Reads a name whose prefix, see name_prefix(), is at the cursor.
  bool accept_name(std::string_view name) {
    if (name.size() > 8) {
      std::string_view const rest(at_, static_cast<std::size_t>(end_ - at_));
      if (rest.size() == name.size() || !rest.starts_with(name)) return false;
    }
    if (char_class::is(at_[name.size()], char_class::word)) return false;
    at_ += name.size();
    return true;
  }

  // Reads a known field; returns true if it opened a nested message.
  bool read_field(field_descriptor const& field, void* message, netdef& net, std::string_view name) {
    if (!budget_.charge_extras(field, message)) fail(name.data(), memory_message);
    if (!field.repeated) {
      static_assert(netdef_schema::max_fields <= std::numeric_limits<std::uint32_t>::digits);
      frame& here = stack_.back();
      std::uint32_t const bit = std::uint32_t{1} << here.last_field;
      if ((here.given & bit) != 0) fail(name.data(), "field '" + std::string(name) + "' occurs twice");
      here.given |= bit;
    }
    skip_space();
    if (accept(':'))
      skip_space();
    else if (!field.is_message())
      fail(at_, "expected ':' after '" + std::string(name) + "'");

    bool const list = field.repeated && accept('[');
    if (list) {
      skip_space();
      if (accept(']')) return skip_separator(), false;
    }
    if (field.is_message()) {
      open(field, message, net, list);
      return true;
    }
    for (;;) {
      if (field.repeated && !budget_.charge(field.size_of)) fail(at_, memory_message);
      read_value(field, message, net);
      if (!list) break;
      skip_space();
      if (accept(']')) break;
      if (!accept(',')) fail(at_, "expected ',' or ']'");
      skip_space();
    }
    skip_separator();
    return false;
  }

  void skip_separator() {
    skip_space();
    if (!accept(',')) accept(';');
  }

  void read_value(field_descriptor const& field, void* message, netdef& net) {
    char const* const start = at_;
    switch (field.kind) {
      case value_kind::symbol: {
        symbol made;
        if (!budget_.intern(net, string(buffer_), made)) fail(start, memory_message);
        return field.store(message, made);
      }
      case value_kind::string: {
        std::string text(string(buffer_));
        if (!budget_.charge(text.size())) fail(start, memory_message);
        return field.store(message, std::move(text));
      }
      case value_kind::boolean:
        return field.store(message, boolean());
      case value_kind::float32:
        return field.store(message, real<float>());
      case value_kind::float64:
        return field.store(message, real<double>());
      case value_kind::tensor_type:
        return field.store(message, static_cast<tensor_type>(named_integer(field)));
      case value_kind::int32:
        return field.store(message, field.is_named() ? named_integer(field) : integer<std::int32_t>());
      case value_kind::uint32:
        return field.store(message, integer<std::uint32_t>());
      case value_kind::int64:
        return field.store(message, integer<std::int64_t>());
      case value_kind::message:
      case value_kind::unknown:
        break;
    }
  }

  // Reads a number or the name of one.
  std::int32_t named_integer(field_descriptor const& field) {
    char const* const start = at_;
    std::string_view const name = identifier();
    if (name.empty()) return integer<std::int32_t>();
    auto const number = named_number(field, name);
    if (!number) fail(start, "'" + std::string(name) + "' is not a known value of " + std::string(field.name));
    return *number;
  }

  // Opens a nested message, at '{' or '<'.
  void open(field_descriptor const& field, void* parent, netdef& net, bool in_list) {
    char const* const start = at_;
    char const close = accept('{') ? '}' : accept('<') ? '>' : '\0';
    if (close == 0) fail(at_, "expected '{'");
    if (stack_.size() > budget_.max_depth()) fail(start, depth_message);
    if (!budget_.charge_message(field)) fail(start, memory_message);
    if (options_.op_positions != nullptr && stack_.size() == 1 && field.child == netdef_schema::message_kind::op)
      options_.op_positions->push_back(position(start));
    netdef_schema::mutable_message const made(field, parent);
    stack_.push_back({made, made.net(&net), start, close, 0, in_list ? &field : nullptr});
  }

  void end_message() {
    ++at_;
    field_descriptor const* const list = stack_.back().list;
    stack_.pop_back();
    if (list == nullptr) return skip_separator();
    skip_space();
    if (accept(']')) return skip_separator();
    if (!accept(',')) fail(at_, "expected ',' or ']'");
    skip_space();
    open(*list, stack_.back().message.at, *stack_.back().net, true);
  }

  // ---- unknown fields: checked for syntax, kept verbatim

  std::string_view any_name() {
    char const* const start = at_;
    if (accept('[')) {
      do {
        skip_space();
        if (url_segment().empty()) fail(at_, "expected the name of an extension");
        skip_space();
      } while (accept('.') || accept('/'));
      if (!accept(']')) fail(at_, "expected ']'");
    } else if (identifier().empty()) {
      fail(at_, "expected a field name");
    }
    return {start, static_cast<std::size_t>(at_ - start)};
  }

  void read_unknown(netdef_schema::mutable_message const message) {
    char const* const start = at_;
    std::string_view const name = any_name();
    if (options_.unknown == unknown_fields::reject)
      fail(start, std::string(message.type->name) + " has no field '" + std::string(name) + "'");
    skip_space();
    bool const colon = accept(':');
    skip_space();
    char const* const from = at_;
    char const* const to = skip_value(colon);
    std::size_t const size = static_cast<std::size_t>(to - from);
    if (!budget_.charge_extras(message.type->unknown, message.at) ||
        !budget_.charge(sizeof(unknown_field) + name.size() + size))
      fail(start, memory_message);
    message.add_unknown({0, std::string(name), std::string(from, size)});
    if (options_.diagnostics != nullptr)
      options_.diagnostics->push_back(
          {position(start), std::string(message.type->name) + " has no field '" + std::string(name) + "'; kept"});
    skip_separator();
  }

  // Skips a value and returns its end.
  char const* skip_value(bool colon) {
    std::string closes;  // closing brackets of the open lists and messages
    for (;;) {
      char const* stop = nullptr;  // end of a value that is complete
      if (looking_at('{') || looking_at('<')) {
        if (closes.size() + stack_.size() > budget_.max_depth()) fail(at_, depth_message);
        closes.push_back(*at_++ == '{' ? '}' : '>');
      } else if (!colon) {
        fail(at_, "expected ':'");
      } else if (looking_at('[') && !closes.ends_with(']')) {
        ++at_;
        closes.push_back(']');
        skip_space();
        if (!looking_at(']')) continue;
      } else {
        stop = skip_scalar();
      }
      // After a value, or at the beginning of a message.
      bool next = false;
      while (!next) {
        if (stop != nullptr && closes.empty()) return stop;
        skip_space();
        if (closes.back() == ']') {
          if (stop != nullptr && accept(',')) {
            skip_space();
            colon = next = true;
            continue;
          }
        } else if (!looking_at(closes.back())) {
          if (stop != nullptr && (accept(',') || accept(';'))) skip_space();
          if (!looking_at(closes.back())) {
            any_name();
            skip_space();
            colon = accept(':');
            skip_space();
            next = true;
            continue;
          }
        }
        if (!accept(closes.back())) fail(at_, std::string("expected '") + closes.back() + "'");
        closes.pop_back();
        stop = at_;
      }
    }
  }

  char const* skip_scalar() {
    if (looking_at('"') || looking_at('\'')) {
      char const* stop = at_;
      for (; looking_at('"') || looking_at('\''); skip_space()) {
        string_literal(buffer_);
        stop = at_;
      }
      return stop;
    }
    if (minus() && looking_at('-')) fail(at_, "expected a value");
    if (!identifier().empty()) return at_;
    if (end_ - at_ > 1 && *at_ == '0' && char_class::is(at_[1], char_class::word) && (at_[1] | 0x20) != 'e')
      integer<std::uint64_t>();
    else
      real<double>();
    return at_;
  }

  read_options const& options_;
  read_budget budget_;
  std::vector<frame> stack_;
  std::string buffer_;
};

/// Returns true if `name: data` is a field in the text format.
inline bool is_text_field(std::string_view name, std::string_view data) {
  read_options options;
  options.limits.max_depth = read_limits::hard_max_depth;
  return text_reader(name, options).is_name() && text_reader(data, options).is_value();
}

}  // namespace detail

/// Reads a net from protobuf's text format. Accepts what protobuf's own parser accepts, except escapes that denote no
/// byte or character: octal ones above \377, halves of surrogate pairs, code points above 10FFFF. In addition, unknown
/// fields are kept, tensor types may have numbers without a name, and device types may have the names they had before
/// 2018. Linear time. Throws parse_error with line and column; see read_options for the limits.
[[nodiscard]] inline netdef read_netdef_text(std::string_view source, read_options const& options = {}) {
  return detail::text_reader(source, options).read();
}

}  // namespace plait
