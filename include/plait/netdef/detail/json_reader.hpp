// NetDef reader for protobuf's JSON mapping, on the SAX interface of nlohmann/json.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/field_traits.hpp>
#include <plait/netdef/detail/json_names.hpp>
#include <plait/netdef/detail/json_scalar.hpp>
#include <plait/netdef/detail/read_budget.hpp>
#include <plait/netdef/detail/read_options.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/model.hpp>

namespace plait {
namespace detail {

/// SAX handler of nlohmann's parser that builds the net; no DOM, no recursion. The events carry no positions, so the
/// source is passed through an iterator that records how far the parser has read.
class json_reader {
 public:
  json_reader(std::string_view source, read_options const& options)
      : source_(source), options_(options), budget_(options.limits), locate_(source) {
    if (source.size() > options.limits.max_bytes) fail(source.data(), size_message);
  }

  netdef read() {
    at_ = token_end_ = source_.data();
    if (source_.starts_with("\xEF\xBB\xBF")) token_end_ += 3;
    char const* const end = at_ + source_.size();
    // The message of nlohmann's parser for empty input depends on its version.
    if (token_end_ == end) fail(end, "unexpected end of input");
    nlohmann::json::sax_parse(cursor{at_, &at_}, cursor{end, &at_}, this);
    // TRAP: nlohmann's parser takes a NUL byte for the end of the input, whatever follows.
    at_ = end;
    if (char const* const rest = begin_token(); rest != end) fail(rest, nul_message);
    return std::move(root_);
  }

  // ---- nlohmann's SAX interface
  bool null() {
    char const* const start = begin_token();
    end_token();
    if (skipping_) return skipped(start, 0);
    if (stack_.empty() || stack_.back().in_list) fail(start, "null is not a value here");
    return true;
  }
  bool boolean(bool value) { return scalar({json_scalar::kind::boolean, value, {}}); }
  bool number_integer(std::int64_t) { return number(); }
  bool number_unsigned(std::uint64_t) { return number(); }
  bool number_float(double, std::string const&) { return number(); }
  bool string(std::string& value) { return scalar({json_scalar::kind::string, false, value}); }
  template <class Binary>
  bool binary(Binary&) {
    return false;  // not in JSON text
  }

  bool start_object(std::size_t) {
    char const* const start = begin_token();
    end_token();
    if (skipping_) {
      skipped_objects_.push_back(++object_count_);
      return skipped(start, 1);
    }
    if (stack_.empty()) {
      push(&root_, root_);
      return true;
    }
    frame const parent = stack_.back();
    if (parent.field->open == nullptr) wrong_value(start);
    if (parent.field->repeated && !parent.in_list) fail(start, "expected a list");
    if (stack_.size() > budget_.max_depth()) fail(start, depth_message);
    (this->*parent.field->open)(parent.message, *parent.net, start);
    return true;
  }
  bool end_object() {
    end_token();
    if (skipping_) {
      skipped_objects_.pop_back();
      return skipped(nullptr, -1);
    }
    stack_.pop_back();
    return true;
  }
  bool start_array(std::size_t) {
    char const* const start = begin_token();
    end_token();
    if (skipping_) return skipped(start, 1);
    if (stack_.empty() || !stack_.back().field->repeated || stack_.back().in_list) wrong_value(start);
    stack_.back().in_list = true;
    return true;
  }
  bool end_array() {
    end_token();
    if (skipping_) return skipped(nullptr, -1);
    stack_.back().in_list = false;
    return true;
  }

  bool key(std::string& name) {
    char const* const start = begin_token();
    end_token();
    if (skipping_) {
      expect_new_name(skipped_objects_.back(), name, start);
      return true;
    }
    frame& here = stack_.back();
    here.field = std::visit([&](auto const* message) { return this->find(*message, name, start); }, here.message);
    if (here.field != nullptr) return true;
    if (options_.unknown == unknown_fields::reject) fail(start, no_field(name));
    expect_new_name(here.object, name, start);
    skipping_ = true;
    skip_depth_ = 0;
    unknown_name_ = name;
    unknown_at_ = static_cast<std::size_t>(start - source_.data());
    return true;
  }

  template <class Exception>
  bool parse_error(std::size_t read, std::string const&, Exception const& problem) {
    // The text behind "[json.exception…] parse error at line 1, column 2: ".
    std::string_view text = problem.what();
    if (std::size_t const id = text.find("] "); id != text.npos) text.remove_prefix(id + 2);
    if (text.starts_with("parse error at"))
      if (std::size_t const place = text.find(": "); place != text.npos) text.remove_prefix(place + 2);
    std::size_t const at = std::min(read == 0 ? 0 : read - 1, source_.size());
    // The parser takes a NUL byte outside of strings for the end of the input.
    fail(at, at != source_.size() && source_[at] == '\0' ? nul_message : text.substr(0, 200));
  }

 private:
  struct field_access {
    std::string_view name;
    bool repeated;
    void (json_reader::*set)(message_pointer, netdef&, json_scalar const&, char const* start);  // nullptr: a message
    void (json_reader::*open)(message_pointer, netdef&, char const* start);  // nullptr: not a message
  };
  struct frame {
    message_pointer message;
    netdef* net;         // whose symbol table the message uses
    std::size_t object;  // its number among the objects of the document
    field_access const* field = nullptr;
    std::uint32_t given = 0;  // bit i: field i of the message has occurred, also as null or an empty list
    bool in_list = false;
  };
  struct cursor {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = char const*;
    using reference = char const&;
    char const* at;
    char const** reached;
    char const& operator*() const { return *at; }
    cursor& operator++() {
      *reached = ++at;
      return *this;
    }
    cursor operator++(int) {
      cursor const before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(cursor const& a, cursor const& b) { return a.at == b.at; }
    friend bool operator!=(cursor const& a, cursor const& b) { return a.at != b.at; }
  };

  static constexpr std::string_view nul_message = "unexpected NUL byte";

  void push(message_pointer message, netdef& net) { stack_.push_back({message, &net, ++object_count_}); }

  [[noreturn]] void fail(std::size_t offset, std::string_view message) {
    throw plait::parse_error(locate_(offset), message);
  }
  [[noreturn]] void fail(char const* where, std::string_view message) {
    fail(static_cast<std::size_t>(where - source_.data()), message);
  }
  [[noreturn]] void wrong_value(char const* start) {
    if (stack_.empty()) fail(start, "expected an object");
    fail(start, "this is not a value of field '" + std::string(stack_.back().field->name) + "'");
  }
  std::string no_field(std::string_view name) const {
    return std::visit([](auto const* m) { return std::string(message_name<std::remove_cvref_t<decltype(*m)>>); },
                      stack_.back().message) +
           " has no field '" + std::string(name) + "'";
  }

  // ---- token positions: the parser is behind a token when it reports it, and one character further after a number

  char const* begin_token() const {
    char const* start = token_end_;
    while (start != at_ &&
           (*start == ' ' || *start == '\n' || *start == '\r' || *start == '\t' || *start == ',' || *start == ':'))
      ++start;
    return start;
  }
  void end_token() { token_end_ = at_; }

  bool number() {
    char const* const start = begin_token();
    char const* end = start;
    while (end != at_ &&
           (('0' <= *end && *end <= '9') || *end == '-' || *end == '+' || *end == '.' || (*end | 0x20) == 'e'))
      ++end;
    return scalar({json_scalar::kind::number, false, {start, static_cast<std::size_t>(end - start)}}, end);
  }

  bool scalar(json_scalar const& value, char const* end = nullptr) {
    char const* const start = begin_token();
    token_end_ = end != nullptr ? end : at_;
    if (skipping_) return skipped(start, 0);
    if (stack_.empty() || stack_.back().field->set == nullptr) wrong_value(start);
    frame const here = stack_.back();
    if (here.field->repeated && !here.in_list) fail(start, "expected a list");
    (this->*here.field->set)(here.message, *here.net, value, start);
    return true;
  }

  // ---- unknown fields, kept verbatim

  bool skipped(char const* start, int step) {
    if (skip_depth_ == 0) unknown_from_ = start;
    skip_depth_ += step;
    if (skip_depth_ > 0) {
      if (stack_.size() + static_cast<std::size_t>(skip_depth_) > budget_.max_depth() + 1)
        fail(token_end_ - 1, depth_message);
      return true;
    }
    skipping_ = false;
    auto const size = static_cast<std::size_t>(token_end_ - unknown_from_);
    if (!budget_.charge(sizeof(unknown_field) + unknown_name_.size() + size)) fail(unknown_from_, memory_message);
    if (options_.diagnostics != nullptr)
      options_.diagnostics->push_back({locate_(unknown_at_), no_field(unknown_name_) + "; kept"});
    std::visit(
        [&](auto* message) {
          if (!budget_.charge_extras(true, *message)) fail(unknown_from_, memory_message);
          netdef_schema::unknown_fields_of(*message).push_back({0, std::move(unknown_name_), {unknown_from_, size}});
        },
        stack_.back().message);
    return true;
  }

  // Throws parse_error if an object repeats an unknown name.
  void expect_new_name(std::size_t object, std::string_view name, char const* start) {
    if (!budget_.charge(name.size() + 96)) fail(start, memory_message);
    if (!unknown_names_.insert(std::to_string(object).append(1, ':').append(name)).second) fail_twice(name, start);
  }
  [[noreturn]] void fail_twice(std::string_view name, char const* start) {
    fail(start, "field '" + std::string(name) + "' occurs twice");
  }

  // ---- fields of the model

  template <class Message>
  field_access const* find(Message const&, std::string_view name, char const* start) {
    static constexpr auto fields = []<std::size_t... I>(std::index_sequence<I...>) {
      return std::array{access<Message, I>()...};
    }(std::make_index_sequence<field_count<Message>>());
    std::size_t const index = json_field<Message>(name);
    if (index == fields.size()) return nullptr;
    static_assert(fields.size() <= std::numeric_limits<std::uint32_t>::digits);
    std::uint32_t const bit = std::uint32_t{1} << index;
    if ((stack_.back().given & bit) != 0) fail_twice(name, start);
    stack_.back().given |= bit;
    return &fields[index];
  }
  template <class Message, std::size_t I>
  static constexpr field_access access() {
    field_access made{field_at<Message, I>.name, member_traits<member_t<Message, I>>::repeated, nullptr, nullptr};
    if constexpr (netdef_message<field_value_t<Message, I>>)
      made.open = &json_reader::open<Message, I>;
    else
      made.set = &json_reader::set<Message, I>;
    return made;
  }

  template <class Message, std::size_t I>
  void open(message_pointer parent, netdef& net, char const* start) {
    using child = field_value_t<Message, I>;
    if (!budget_.charge_message<child>()) fail(start, memory_message);
    if constexpr (std::is_same_v<child, op_def>)
      if (options_.op_positions != nullptr && stack_.size() == 1)
        options_.op_positions->push_back(locate_(static_cast<std::size_t>(start - source_.data())));
    auto& member = field_at<Message, I>.in(*std::get<Message*>(parent));
    child* made;
    if constexpr (member_traits<member_t<Message, I>>::repeated)
      made = &member.emplace_back();
    else
      made = &member.emplace();
    netdef* scope = &net;
    if constexpr (std::is_same_v<child, netdef>) scope = made;
    push(made, *scope);
  }

  template <class Message, std::size_t I>
  void set(message_pointer parent, netdef& net, json_scalar const& value, char const* start) {
    if (!budget_.charge_extras(field_at<Message, I>.rare, *std::get<Message*>(parent))) fail(start, memory_message);
    auto& member = field_at<Message, I>.in(*std::get<Message*>(parent));
    if constexpr (member_traits<member_t<Message, I>>::repeated) {
      if (!budget_.charge(sizeof(field_value_t<Message, I>))) fail(start, memory_message);
      member.push_back(converted<Message, I>(net, value, start));
    } else {
      member = converted<Message, I>(net, value, start);
    }
  }

  template <class Message, std::size_t I>
  field_value_t<Message, I> converted(netdef& net, json_scalar const& value, char const* start) {
    using type = field_value_t<Message, I>;
    if constexpr (std::is_same_v<type, symbol> || std::is_same_v<type, std::string>) {
      if (value.is != json_scalar::kind::string) wrong_value(start);
      if constexpr (std::is_same_v<type, symbol>) {
        symbol made;
        if (!budget_.intern(net, value.text, made)) fail(start, memory_message);
        return made;
      } else {
        if (!budget_.charge(value.text.size())) fail(start, memory_message);
        if constexpr (field_at<Message, I>.holds == netdef_schema::content::text) return std::string(value.text);
        auto bytes = base64_decode(value.text);
        if (!bytes) fail(start, "this is not base64");
        return *std::move(bytes);
      }
    } else if constexpr (std::is_same_v<type, bool>) {
      if (value.is != json_scalar::kind::boolean) wrong_value(start);
      return value.truth;
    } else if constexpr (std::is_floating_point_v<type>) {
      auto const number = json_real<type>(value);
      if (!number) wrong_value(start);
      return *number;
    } else if constexpr (enumeration<Message, I>::named) {
      auto number = json_integer<std::int32_t>(value);
      if (!number && value.is == json_scalar::kind::string) number = enumeration<Message, I>::number(value.text);
      if (!number) wrong_value(start);
      return static_cast<type>(*number);
    } else {
      auto const number = json_integer<type>(value);
      if (!number) wrong_value(start);
      return *number;
    }
  }

  std::string_view source_;
  read_options const& options_;
  read_budget budget_;
  text_locator locate_;
  netdef root_;
  std::vector<frame> stack_;
  std::size_t object_count_ = 0;
  char const* at_ = nullptr;         // how far the parser has read
  char const* token_end_ = nullptr;  // end of the last token it reported
  bool skipping_ = false;
  int skip_depth_ = 0;
  std::string unknown_name_;
  std::size_t unknown_at_ = 0;
  char const* unknown_from_ = nullptr;
  std::vector<std::size_t> skipped_objects_;
  std::unordered_set<std::string> unknown_names_;
};

}  // namespace detail

/// Reads a net from protobuf's JSON mapping: names in lowerCamel or as in the proto, numbers quoted or not, integers
/// also with a point or an exponent, bytes as base64, infinities and NaN as strings, enumerations by name or number,
/// null for absent. Integers beyond 2^53 are exact, too. A name that occurs twice in one object is an error, whatever
/// its values. Linear time. Throws parse_error with line and column; see read_options for the limits.
[[nodiscard]] inline netdef read_netdef_json(std::string_view source, read_options const& options = {}) {
  return detail::json_reader(source, options).read();
}

}  // namespace plait
