// NetDef reader for protobuf's JSON mapping, on the SAX interface of nlohmann/json.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <plait/core/detail/symbols.hpp>
#include <plait/core/errors.hpp>
#include <plait/netdef/detail/enumeration_names.hpp>
#include <plait/netdef/detail/field.hpp>
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
    parse();
    return std::move(root_);
  }

  /// Returns true if the source is a JSON document, of any content.
  bool is_document() {
    syntax_only_ = skipping_ = true;
    try {
      parse();
      return true;
    } catch (plait::parse_error const&) {
      return false;
    }
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
      stack_.push_back({netdef_schema::mutable_message(root_), &root_, ++object_count_});
      return true;
    }
    frame const& parent = stack_.back();
    if (!parent.field->is_message()) wrong_value(start);
    if (parent.field->repeated && !parent.in_list) fail(start, "expected a list");
    if (stack_.size() > budget_.max_depth()) fail(start, depth_message);
    open(*parent.field, parent.message.at, *parent.net, start);
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
    here.field = find(here, name, start);
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
  using field_descriptor = netdef_schema::field_descriptor;
  using value_kind = netdef_schema::value_kind;

  struct frame {
    netdef_schema::mutable_message message;
    netdef* net;         // whose symbol table the message uses
    std::size_t object;  // its number among the objects of the document
    netdef_schema::field_descriptor const* field = nullptr;
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

  void parse() {
    at_ = token_end_ = source_.data();
    if (source_.starts_with("\xEF\xBB\xBF")) token_end_ += 3;
    char const* const end = at_ + source_.size();
    // The message of nlohmann's parser for empty input depends on its version.
    if (token_end_ == end) fail(end, "unexpected end of input");
    nlohmann::json::sax_parse(cursor{at_, &at_}, cursor{end, &at_}, this);
    // TRAP: nlohmann's parser takes a NUL byte for the end of the input, whatever follows.
    at_ = end;
    if (char const* const rest = begin_token(); rest != end) fail(rest, nul_message);
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
    if (stack_.empty() || stack_.back().field->is_message()) wrong_value(start);
    frame const& here = stack_.back();
    if (here.field->repeated && !here.in_list) fail(start, "expected a list");
    if (!budget_.charge_extras(*here.field, here.message.at)) fail(start, memory_message);
    if (here.field->repeated && !budget_.charge(here.field->size_of)) fail(start, memory_message);
    read_value(*here.field, here.message.at, *here.net, value, start);
    return true;
  }

  // ---- errors

  static constexpr std::string_view nul_message = "unexpected NUL byte";

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
    return std::string(stack_.back().message.type->name) + " has no field '" + std::string(name) + "'";
  }

  // ---- unknown fields, kept verbatim

  bool skipped(char const* start, int step) {
    if (syntax_only_) return true;
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
    netdef_schema::mutable_message const& message = stack_.back().message;
    if (!budget_.charge_extras(message.type->unknown, message.at)) fail(unknown_from_, memory_message);
    message.add_unknown({0, std::move(unknown_name_), {unknown_from_, size}});
    return true;
  }

  // Throws parse_error if an object repeats an unknown name.
  void expect_new_name(std::size_t object, std::string_view name, char const* start) {
    if (syntax_only_) return;
    if (!budget_.charge(name.size() + 96)) fail(start, memory_message);
    std::size_t const before = unknown_names_.size();
    unknown_names_.intern(std::to_string(object).append(1, ':').append(name));
    if (unknown_names_.size() == before) fail_twice(name, start);
  }
  [[noreturn]] void fail_twice(std::string_view name, char const* start) {
    fail(start, "field '" + std::string(name) + "' occurs twice");
  }

  // ---- fields of the model

  field_descriptor const* find(frame& here, std::string_view name, char const* start) {
    netdef_schema::message_descriptor const& type = *here.message.type;
    std::size_t const index = json_field(type, name);
    if (index == type.fields.size()) return nullptr;
    static_assert(netdef_schema::max_fields <= std::numeric_limits<std::uint32_t>::digits);
    std::uint32_t const bit = std::uint32_t{1} << index;
    if ((here.given & bit) != 0) fail_twice(name, start);
    here.given |= bit;
    return &type.fields[index];
  }

  void open(field_descriptor const& field, void* parent, netdef& net, char const* start) {
    if (!budget_.charge_message(field)) fail(start, memory_message);
    if (options_.op_positions != nullptr && stack_.size() == 1 && field.child == netdef_schema::message_kind::op)
      options_.op_positions->push_back(locate_(static_cast<std::size_t>(start - source_.data())));
    netdef_schema::mutable_message const made(field, parent);
    stack_.push_back({made, made.net(&net), ++object_count_});
  }

  void read_value(field_descriptor const& field, void* message, netdef& net, json_scalar const& value,
                  char const* start) {
    auto const store = [&](auto const& number) {
      if (!number) wrong_value(start);
      field.store(message, *number);
    };
    switch (field.kind) {
      case value_kind::symbol: {
        if (value.is != json_scalar::kind::string) wrong_value(start);
        symbol made;
        if (!budget_.intern(net, value.text, made)) fail(start, memory_message);
        return field.store(message, made);
      }
      case value_kind::string: {
        if (value.is != json_scalar::kind::string) wrong_value(start);
        if (!budget_.charge(value.text.size())) fail(start, memory_message);
        if (!field.format.bytes) return field.store(message, std::string(value.text));
        auto bytes = base64_decode(value.text);
        if (!bytes) fail(start, "this is not base64");
        return field.store(message, *std::move(bytes));
      }
      case value_kind::boolean:
        if (value.is != json_scalar::kind::boolean) wrong_value(start);
        return field.store(message, value.truth);
      case value_kind::float32:
        return store(json_real<float>(value));
      case value_kind::float64:
        return store(json_real<double>(value));
      case value_kind::tensor_type:
        return field.store(message, static_cast<tensor_type>(named_integer(field, value, start)));
      case value_kind::int32:
        return field.is_named() ? field.store(message, named_integer(field, value, start))
                                : store(json_integer<std::int32_t>(value));
      case value_kind::uint32:
        return store(json_integer<std::uint32_t>(value));
      case value_kind::int64:
        return store(json_integer<std::int64_t>(value));
      case value_kind::message:
      case value_kind::unknown:
        break;
    }
  }

  std::int32_t named_integer(field_descriptor const& field, json_scalar const& value, char const* start) {
    auto number = json_integer<std::int32_t>(value);
    if (!number && value.is == json_scalar::kind::string) number = named_number(field, value.text);
    if (!number) wrong_value(start);
    return *number;
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
  bool syntax_only_ = false;
  bool skipping_ = false;
  int skip_depth_ = 0;
  std::string unknown_name_;
  std::size_t unknown_at_ = 0;
  char const* unknown_from_ = nullptr;
  std::vector<std::size_t> skipped_objects_;
  symbol_table unknown_names_;  // object:name
};

/// Returns true if a text is a JSON document, without a byte order mark.
inline bool is_json(std::string_view text) {
  read_options options;
  options.limits.max_bytes = text.size();
  return !text.starts_with('\xEF') && json_reader(text, options).is_document();
}

}  // namespace detail

/// Reads a net from protobuf's JSON mapping: names in lowerCamel or as in the proto, numbers quoted or not, integers
/// also with a point or an exponent, bytes as base64, infinities and NaN as strings, enumerations by name or number,
/// null for absent. Integers beyond 2^53 are exact, too. A name that occurs twice in one object is an error, whatever
/// its values. Linear time. Throws parse_error with line and column; see read_options for the limits.
[[nodiscard]] inline netdef read_netdef_json(std::string_view source, read_options const& options = {}) {
  return detail::json_reader(source, options).read();
}

}  // namespace plait
