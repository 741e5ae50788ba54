// NetDef reader for protobuf's text format (".pbtxt"), several times as fast as protobuf's own parser: one pass over
// the source, no token stream, names interned straight from the source.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/field_traits.hpp>
#include <plait/netdef/detail/read_budget.hpp>
#include <plait/netdef/detail/read_options.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/detail/text_scanner.hpp>
#include <plait/netdef/model.hpp>

namespace plait {
namespace detail {

/// Returns the first eight bytes of a name as one number; with the length, it tells the fields of a message apart.
constexpr std::uint64_t name_prefix(std::string_view name) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i != 8 && i != name.size(); ++i)
    prefix |= static_cast<std::uint64_t>(static_cast<unsigned char>(name[i])) << (8 * i);
  return prefix;
}

class text_reader : text_scanner {
 public:
  text_reader(std::string_view source, read_options const& options)
      : text_scanner(source, options.limits), options_(options), budget_(options.limits) {}

  netdef read() {
    netdef net;
    skip_mark();
    stack_.push_back({&net, &net, begin_, 0, false, nullptr, {}});
    while (!stack_.empty()) std::visit([this](auto* message) { this->read_fields(*message); }, stack_.back().message);
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
  struct frame {
    message_pointer message;
    netdef* net;  // whose symbol table the message uses
    char const* start;
    char close;    // 0 for the document itself
    bool in_list;  // an element of [{…}, {…}]
    void (text_reader::*open_next)(message_pointer parent, netdef& net);
    message_pointer parent;
  };

  // Reads fields until the message ends or a message within it begins; the loop in read() continues from there.
  template <class Message>
  void read_fields(Message& message) {
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
      std::string_view const name = identifier();
      if (name.empty() && *at_ != '[') fail(at_, "expected a field name");
      bool opened = false;
      if (!read_known(message, net, name, opened, std::make_index_sequence<field_count<Message>>())) {
        at_ = start;
        read_unknown(message);
      }
      if (opened) return;
    }
  }

  std::uint64_t prefix_of(std::string_view name) const {
    if constexpr (std::endian::native == std::endian::little) {
      if (end_ - name.data() >= 8) {
        std::uint64_t prefix;
        std::memcpy(&prefix, name.data(), 8);
        return name.size() >= 8 ? prefix : prefix & ((std::uint64_t{1} << (8 * name.size())) - 1);
      }
    }
    return name_prefix(name);
  }

  template <std::size_t Size>
  static bool same_tail(std::string_view name, std::string_view wanted) {
    if constexpr (Size > 8)
      return std::memcmp(name.data() + 8, wanted.data() + 8, Size - 8) == 0;
    else
      return true;
  }

  template <class Message, std::size_t I>
  static bool is_called(std::string_view name, std::uint64_t prefix) {
    constexpr auto const& field = field_at<Message, I>;
    constexpr std::uint64_t wanted = name_prefix(field.name);
    if (prefix == wanted && name.size() == field.name.size() && same_tail<field.name.size()>(name, field.name))
      return true;
    if constexpr (!field.old_name.empty()) return name == field.old_name;
    return false;
  }

  template <class Message, std::size_t... I>
  bool read_known(Message& message, netdef& net, std::string_view name, bool& opened, std::index_sequence<I...>) {
    std::uint64_t const prefix = prefix_of(name);
    return ((is_called<Message, I>(name, prefix) && (opened = read_field<Message, I>(message, net, name), true)) ||
            ...);
  }

  // Reads a known field; returns true if it opened a nested message.
  template <class Message, std::size_t I>
  bool read_field(Message& message, netdef& net, std::string_view name) {
    constexpr bool repeated = member_traits<member_t<Message, I>>::repeated;
    constexpr bool nested = netdef_message<field_value_t<Message, I>>;
    if (!budget_.charge_extras(field_at<Message, I>.rare, message)) fail(name.data(), memory_message);
    auto& member = field_at<Message, I>.in(message);
    if constexpr (!repeated)
      if (has_value(member)) fail(name.data(), "field '" + std::string(name) + "' occurs twice");
    skip_space();
    if (accept(':'))
      skip_space();
    else if (!nested)
      fail(at_, "expected ':' after '" + std::string(name) + "'");

    bool const list = repeated && accept('[');
    if (list) {
      skip_space();
      if (accept(']')) return skip_separator(), false;
    }
    if constexpr (nested) {
      open<Message, I>(message, net, list);
      return true;
    } else {
      if constexpr (repeated) {
        for (;;) {
          if (!budget_.charge(sizeof(field_value_t<Message, I>))) fail(at_, memory_message);
          member.push_back(value<Message, I>(net));
          if (!list) break;
          skip_space();
          if (accept(']')) break;
          if (!accept(',')) fail(at_, "expected ',' or ']'");
          skip_space();
        }
      } else {
        member = value<Message, I>(net);
      }
      skip_separator();
      return false;
    }
  }

  void skip_separator() {
    skip_space();
    if (!accept(',')) accept(';');
  }

  template <class Message, std::size_t I>
  field_value_t<Message, I> value(netdef& net) {
    using type = field_value_t<Message, I>;
    char const* const start = at_;
    if constexpr (std::is_same_v<type, symbol>) {
      symbol made;
      if (!budget_.intern(net, string(buffer_), made)) fail(start, memory_message);
      return made;
    } else if constexpr (std::is_same_v<type, std::string>) {
      std::string text(string(buffer_));
      if (!budget_.charge(text.size())) fail(start, memory_message);
      return text;
    } else if constexpr (std::is_same_v<type, bool>) {
      return boolean();
    } else if constexpr (std::is_floating_point_v<type>) {
      return real<type>();
    } else if constexpr (enumeration<Message, I>::named) {
      std::string_view const name = identifier();
      if (name.empty()) return static_cast<type>(integer<std::int32_t>());
      auto const number = enumeration<Message, I>::number(name);
      if (!number)
        fail(start, "'" + std::string(name) + "' is not a known value of " + std::string(field_at<Message, I>.name));
      return static_cast<type>(*number);
    } else {
      return integer<type>();
    }
  }

  // Opens a nested message, at '{' or '<'.
  template <class Message, std::size_t I>
  void open(Message& message, netdef& net, bool in_list) {
    using child = field_value_t<Message, I>;
    char const* const start = at_;
    char const close = accept('{') ? '}' : accept('<') ? '>' : '\0';
    if (close == 0) fail(at_, "expected '{'");
    if (stack_.size() > budget_.max_depth()) fail(start, depth_message);
    if (!budget_.charge_message<child>()) fail(start, memory_message);
    if constexpr (std::is_same_v<child, op_def>)
      if (options_.op_positions != nullptr && stack_.size() == 1) options_.op_positions->push_back(position(start));
    auto& member = field_at<Message, I>.in(message);
    child* made;
    if constexpr (member_traits<member_t<Message, I>>::repeated)
      made = &member.emplace_back();
    else
      made = &member.emplace();
    netdef* scope = &net;
    if constexpr (std::is_same_v<child, netdef>) scope = made;
    stack_.push_back({made, scope, start, close, in_list, &text_reader::open_next<Message, I>, &message});
  }

  template <class Message, std::size_t I>
  void open_next(message_pointer parent, netdef& net) {
    open<Message, I>(*std::get<Message*>(parent), net, true);
  }

  void end_message() {
    ++at_;
    frame const ended = stack_.back();
    stack_.pop_back();
    if (!ended.in_list) return skip_separator();
    skip_space();
    if (accept(']')) return skip_separator();
    if (!accept(',')) fail(at_, "expected ',' or ']'");
    skip_space();
    (this->*ended.open_next)(ended.parent, *stack_.back().net);
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

  template <class Message>
  void read_unknown(Message& message) {
    char const* const start = at_;
    std::string_view const name = any_name();
    if (options_.unknown == unknown_fields::reject)
      fail(start, std::string(message_name<Message>) + " has no field '" + std::string(name) + "'");
    skip_space();
    bool const colon = accept(':');
    skip_space();
    char const* const from = at_;
    char const* const to = skip_value(colon);
    std::size_t const size = static_cast<std::size_t>(to - from);
    if (!budget_.charge_extras(true, message) || !budget_.charge(sizeof(unknown_field) + name.size() + size))
      fail(start, memory_message);
    netdef_schema::unknown_fields_of(message).push_back({0, std::string(name), std::string(from, size)});
    if (options_.diagnostics != nullptr)
      options_.diagnostics->push_back(
          {position(start), std::string(message_name<Message>) + " has no field '" + std::string(name) + "'; kept"});
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
