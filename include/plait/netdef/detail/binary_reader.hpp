// NetDef reader for protobuf's binary wire format (".pb").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/detail/read_budget.hpp>
#include <plait/netdef/detail/read_options.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/model.hpp>

namespace plait {
namespace detail {

class binary_reader {
 public:
  binary_reader(std::string_view source, read_options const& options)
      : source_(source), options_(options), budget_(options.limits) {
    if (source.size() > options.limits.max_bytes) fail(0, size_message);
  }

  netdef read() {
    netdef net;
    stack_.push_back(
        {netdef_schema::mutable_message(net), &net, protozero::pbf_reader(source_.data(), source_.size())});
    try {
      while (!stack_.empty()) read_fields(stack_.back().message);
    } catch (protozero::unknown_pbf_wire_type_exception const&) {
      fail(field_start_, "groups and unknown wire types are not supported");
    } catch (protozero::end_of_buffer_exception const&) {
      fail(field_start_, "the field is longer than its message");
    } catch (protozero::exception const&) {
      fail(field_start_, "malformed field");
    }
    return net;
  }

 private:
  using field_descriptor = netdef_schema::field_descriptor;
  using value_kind = netdef_schema::value_kind;

  struct frame {
    netdef_schema::mutable_message message;
    netdef* net;  // whose symbol table the message uses
    protozero::pbf_reader reader;
  };

  [[noreturn]] static void fail(std::size_t offset, std::string_view message) {
    throw parse_error({offset, 0, 0}, message);
  }
  [[noreturn]] void out_of_memory() const { fail(field_start_, memory_message); }

  std::size_t offset(protozero::pbf_reader const& reader) const {
    return static_cast<std::size_t>(reader.data().data() - source_.data());
  }

  // Reads fields until the message ends or a message within it begins; the loop in read() continues from there.
  void read_fields(netdef_schema::mutable_message const message) {
    netdef& net = *stack_.back().net;
    protozero::pbf_reader& reader = stack_.back().reader;
    for (;;) {
      field_start_ = offset(reader);
      check_tag(reader.data());
      if (!reader.next()) return stack_.pop_back();
      field_descriptor const* const known = find_field(*message.type, reader.tag());
      if (known == nullptr || !has_valid_type(*known, reader.wire_type())) {
        read_unknown(message, reader);
      } else if (known->is_message()) {
        return open(*known, message.at, net, reader.get_view());
      } else {
        read_values(*known, message.at, net, reader);
      }
    }
  }

  // TRAP: protozero truncates tags and lengths to 32 bits. A truncated tag may be that of another field, and a
  // truncated length may fit where the real one exceeds the message.
  void check_tag(protozero::data_view rest) const {
    char const* const at = rest.data();
    bool const are_short = rest.size() >= 2 && ((at[0] | at[1]) & 0x80) == 0;
    if (!are_short && !rest.empty()) check_long_tag(at, at + rest.size());
  }
  // Not inlined, so that check_tag() is.
  [[gnu::noinline]] void check_long_tag(char const* at, char const* end) const {
    auto const read = [&] {
      char const* const start = at;
      std::uint64_t const number = protozero::decode_varint(&at, end);
      if (at - start > 5 || number > std::numeric_limits<std::uint32_t>::max()) fail(field_start_, "malformed field");
      return number;
    };
    if ((read() & 7) == static_cast<std::uint64_t>(protozero::pbf_wire_type::length_delimited)) read();
  }

  static field_descriptor const* find_field(netdef_schema::message_descriptor const& type, std::uint32_t number) {
    // Most numbers are consecutive from 1.
    for (std::size_t i = std::min<std::size_t>(number, type.fields.size()); i != 0; --i) {
      field_descriptor const& field = type.fields[i - 1];
      if (field.number <= number) return field.number == number ? &field : nullptr;
    }
    return nullptr;
  }

  // With any other wire type, a field is an unknown one, as in protobuf.
  static bool has_valid_type(field_descriptor const& field, protozero::pbf_wire_type type) {
    return static_cast<std::uint8_t>(type) == field.wire_type ||
           (field.repeated && type == protozero::pbf_wire_type::length_delimited);
  }

  // Reads a value, or a list of packed ones.
  void read_values(field_descriptor const& field, void* message, netdef& net, protozero::pbf_reader& reader) {
    if (!budget_.charge_extras(field, message)) out_of_memory();
    switch (field.kind) {
      case value_kind::symbol:
        do {
          symbol made;
          if (!budget_.intern(net, text_of(reader.get_view()), made)) out_of_memory();
          store(field, message, made);
        } while (next_has_same_tag(field, reader));
        return;
      case value_kind::string: {
        std::string_view const text = text_of(reader.get_view());
        if (!budget_.charge(text.size())) out_of_memory();
        return store(field, message, std::string(text));
      }
      case value_kind::float32:
        return read_fixed<float>(field, message, reader);
      case value_kind::float64:
        return read_fixed<double>(field, message, reader);
      case value_kind::boolean:
        return read_varints<bool>(field, message, reader);
      case value_kind::int32:
        return read_varints<std::int32_t>(field, message, reader);
      case value_kind::uint32:
        return read_varints<std::uint32_t>(field, message, reader);
      case value_kind::int64:
        return read_varints<std::int64_t>(field, message, reader);
      case value_kind::tensor_type:
        return read_varints<tensor_type>(field, message, reader);
      case value_kind::message:
      case value_kind::unknown:
        break;
    }
  }

  static std::string_view text_of(protozero::data_view view) { return {view.data(), view.size()}; }

  template <class T>
  static T from_varint(std::uint64_t value) {
    if constexpr (std::is_same_v<T, bool>)
      return value != 0;
    else if constexpr (std::is_enum_v<T>)
      return static_cast<T>(static_cast<std::int32_t>(value));
    else
      return static_cast<T>(value);  // the low bits, as protobuf does
  }

  // Appends to a repeated field; overwrites a singular one, so that the last value counts.
  template <class T>
  void store(field_descriptor const& field, void* message, T value) {
    if (field.repeated && !budget_.charge(sizeof(T))) out_of_memory();
    field.store(message, std::move(value));
  }

  // Moves to the next field if its tag, of one byte, is that of this field.
  bool next_has_same_tag(field_descriptor const& field, protozero::pbf_reader& reader) {
    std::uint32_t const tag = field.number << 3 | static_cast<std::uint32_t>(reader.wire_type());
    protozero::data_view const rest = reader.data();
    if (rest.empty() || static_cast<unsigned char>(rest.data()[0]) != tag) return false;
    field_start_ = offset(reader);
    if (reader.wire_type() == protozero::pbf_wire_type::length_delimited) check_tag(rest);
    return reader.next();
  }

  // Repeated numbers that are not packed follow one another.
  template <class T>
  void read_fixed(field_descriptor const& field, void* message, protozero::pbf_reader& reader) {
    if (reader.wire_type() != protozero::pbf_wire_type::length_delimited) {
      do {
        if constexpr (std::is_same_v<T, float>)
          store(field, message, reader.get_float());
        else
          store(field, message, reader.get_double());
      } while (next_has_same_tag(field, reader));
      return;
    }
    protozero::data_view const view = reader.get_view();
    if (view.size() % sizeof(T) != 0) fail(field_start_, "malformed field");
    if (!budget_.charge(view.size())) out_of_memory();
    std::vector<T>& list = field.list<T>(message);
    for (protozero::const_fixed_iterator<T> it(view.data()), stop(view.data() + view.size()); it != stop; ++it)
      list.push_back(*it);
  }

  template <class T>
  void read_varints(field_descriptor const& field, void* message, protozero::pbf_reader& reader) {
    if (reader.wire_type() != protozero::pbf_wire_type::length_delimited) {
      do store(field, message, from_varint<T>(reader.get_uint64()));
      while (next_has_same_tag(field, reader));
      return;
    }
    protozero::data_view const view = reader.get_view();
    char const* at = view.data();
    char const* const end = at + view.size();
    std::vector<T>& list = field.list<T>(message);
    while (at != end) {
      if (!budget_.charge(sizeof(T))) out_of_memory();
      list.push_back(from_varint<T>(protozero::decode_varint(&at, end)));
    }
  }

  // Opens a nested message; a second occurrence of a singular message is merged into the first.
  void open(field_descriptor const& field, void* parent, netdef& net, protozero::data_view content) {
    if (stack_.size() > budget_.max_depth()) fail(field_start_, depth_message);
    if ((field.repeated || field.values(parent).empty()) && !budget_.charge_message(field)) out_of_memory();
    if (options_.op_positions != nullptr && stack_.size() == 1 && field.child == netdef_schema::message_kind::op)
      options_.op_positions->push_back({field_start_, 0, 0});
    if (field.child == netdef_schema::message_kind::argument && stack_.back().message.type->is_op()) {
      compact_vector<arg_def>& arguments = static_cast<op_def*>(parent)->arg;
      if (arguments.empty()) arguments.reserve(1 + count_siblings(stack_.back().reader));
    }
    netdef_schema::mutable_message const made(field, parent);
    stack_.push_back({made, made.net(&net), protozero::pbf_reader(content)});
  }

  // Returns how many short fields with the same tag follow a message, at most 15, so that the memory reserved for them
  // is bounded.
  static std::size_t count_siblings(protozero::pbf_reader const& reader) {
    std::string_view rest = text_of(reader.data());
    std::uint32_t const tag = reader.tag() << 3 | static_cast<std::uint32_t>(reader.wire_type());
    std::size_t count = 0;
    while (count != 15 && rest.size() >= 2 && static_cast<unsigned char>(rest[0]) == tag) {
      std::size_t const size = static_cast<unsigned char>(rest[1]);
      if (size >= 0x80 || size + 2 > rest.size()) break;
      rest.remove_prefix(size + 2);
      ++count;
    }
    return count;
  }

  [[gnu::noinline]] void read_unknown(netdef_schema::mutable_message const message, protozero::pbf_reader& reader) {
    std::uint32_t const number = reader.tag();
    std::string const problem = std::string(message.type->name) + " has no field " + std::to_string(number);
    if (options_.unknown == unknown_fields::reject) fail(field_start_, problem);
    reader.skip();
    std::size_t const size = offset(reader) - field_start_;
    if (!budget_.charge_extras(message.type->unknown, message.at) || !budget_.charge(sizeof(unknown_field) + size))
      out_of_memory();
    message.add_unknown({number, {}, std::string(source_.substr(field_start_, size))});
    if (options_.diagnostics != nullptr) options_.diagnostics->push_back({{field_start_, 0, 0}, problem + "; kept"});
  }

  std::string_view source_;
  read_options const& options_;
  read_budget budget_;
  std::vector<frame> stack_;
  std::size_t field_start_ = 0;
};

}  // namespace detail

/// Reads a net from protobuf's binary format, with protobuf's semantics: numbers may be packed or not, the last value
/// of a singular field counts, several messages of a singular field are merged, unknown fields are kept. Groups are
/// refused. Linear time. Throws parse_error with a byte offset; see read_options for the limits.
[[nodiscard]] inline netdef read_netdef_binary(std::string_view source, read_options const& options = {}) {
  return detail::binary_reader(source, options).read();
}

}  // namespace plait
