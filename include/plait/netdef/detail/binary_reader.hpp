// NetDef reader for protobuf's binary wire format (".pb").
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/field_traits.hpp>
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
    stack_.push_back({&net, &net, protozero::pbf_reader(source_.data(), source_.size())});
    try {
      while (!stack_.empty()) std::visit([this](auto* message) { this->read_fields(*message); }, stack_.back().message);
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
  struct frame {
    message_pointer message;
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
  template <class Message>
  void read_fields(Message& message) {
    netdef& net = *stack_.back().net;
    protozero::pbf_reader& reader = stack_.back().reader;
    for (;;) {
      field_start_ = offset(reader);
      check_tag(reader.data());
      if (!reader.next()) return stack_.pop_back();
      bool opened = false;
      if (!read_known(message, net, reader, opened, std::make_index_sequence<field_count<Message>>()))
        read_unknown(message, reader);
      if (opened) return;
    }
  }

  // TRAP: protozero truncates tags and lengths to 32 bits. A truncated tag may be that of another field, and a
  // truncated length may fit where the real one exceeds the message.
  void check_tag(protozero::data_view rest) const {
    if (rest.empty()) return;
    char const* at = rest.data();
    char const* const end = at + rest.size();
    auto const read = [&] {
      char const* const start = at;
      std::uint64_t const number = protozero::decode_varint(&at, end);
      if (at - start > 5 || number > std::numeric_limits<std::uint32_t>::max()) fail(field_start_, "malformed field");
      return number;
    };
    if ((read() & 7) == static_cast<std::uint64_t>(protozero::pbf_wire_type::length_delimited)) read();
  }

  template <class Message, std::size_t... I>
  bool read_known(Message& message, netdef& net, protozero::pbf_reader& reader, bool& opened,
                  std::index_sequence<I...>) {
    std::uint32_t const number = reader.tag();
    bool known = false;
    static_cast<void>(((number == field_at<Message, I>.number &&
                        (known = read_field<Message, I>(message, net, reader, opened), true)) ||
                       ...));
    return known;
  }

  // Reads a field and returns true if it has a valid wire type. With any other wire type it is an unknown field, as in
  // protobuf.
  template <class Message, std::size_t I>
  bool read_field(Message& message, netdef& net, protozero::pbf_reader& reader, bool& opened) {
    using traits = member_traits<member_t<Message, I>>;
    using type = typename traits::value_type;
    using protozero::pbf_wire_type;
    if (!budget_.charge_extras(field_at<Message, I>.rare, message)) out_of_memory();
    auto& member = field_at<Message, I>.in(message);

    if constexpr (netdef_message<type>) {
      if (reader.wire_type() != pbf_wire_type::length_delimited) return false;
      open<type>(member, net, reader.get_view());
      return opened = true;
    } else if constexpr (std::is_same_v<type, symbol> || std::is_same_v<type, std::string>) {
      if (reader.wire_type() != pbf_wire_type::length_delimited) return false;
      protozero::data_view const view = reader.get_view();
      std::string_view const text(view.data(), view.size());
      if constexpr (std::is_same_v<type, symbol>) {
        symbol made;
        if (!budget_.intern(net, text, made)) out_of_memory();
        assign(member, made);
      } else {
        if (!budget_.charge(text.size())) out_of_memory();
        assign(member, std::string(text));
      }
      return true;
    } else {
      constexpr pbf_wire_type wire = std::is_same_v<type, float>    ? pbf_wire_type::fixed32
                                     : std::is_same_v<type, double> ? pbf_wire_type::fixed64
                                                                    : pbf_wire_type::varint;
      if (traits::repeated && reader.wire_type() == pbf_wire_type::length_delimited) {
        if constexpr (traits::repeated) read_packed<type>(member, reader.get_view());
        return true;
      }
      if (reader.wire_type() != wire) return false;
      if constexpr (wire == pbf_wire_type::fixed32)
        assign(member, reader.get_float());
      else if constexpr (wire == pbf_wire_type::fixed64)
        assign(member, reader.get_double());
      else
        assign(member, from_varint<type>(reader.get_uint64()));
      return true;
    }
  }

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
  template <class Member, class T>
  void assign(Member& member, T&& value) {
    if constexpr (member_traits<Member>::repeated) {
      if (!budget_.charge(sizeof(typename member_traits<Member>::value_type))) out_of_memory();
      member.push_back(std::forward<T>(value));
    } else {
      member = std::forward<T>(value);
    }
  }

  template <class T>
  void read_packed(std::vector<T>& member, protozero::data_view view) {
    char const* at = view.data();
    char const* const end = at + view.size();
    if constexpr (std::is_floating_point_v<T>) {
      if (view.size() % sizeof(T) != 0) fail(field_start_, "malformed field");
      if (!budget_.charge(view.size())) out_of_memory();
      for (protozero::const_fixed_iterator<T> it(at), stop(end); it != stop; ++it) member.push_back(*it);
    } else {
      while (at != end) {
        if (!budget_.charge(sizeof(T))) out_of_memory();
        member.push_back(from_varint<T>(protozero::decode_varint(&at, end)));
      }
    }
  }

  // Opens a nested message; a second occurrence of a singular message is merged into the first.
  template <class Child, class Member>
  void open(Member& member, netdef& net, protozero::data_view content) {
    if (stack_.size() > budget_.max_depth()) fail(field_start_, depth_message);
    Child* child;
    if constexpr (member_traits<Member>::repeated) {
      if (!budget_.charge_message<Child>()) out_of_memory();
      if constexpr (std::is_same_v<Child, op_def>)
        if (options_.op_positions != nullptr && stack_.size() == 1)
          options_.op_positions->push_back({field_start_, 0, 0});
      child = &member.emplace_back();
    } else {
      if (!has_value(member)) {
        if (!budget_.charge_message<Child>()) out_of_memory();
        member.emplace();
      }
      child = &*member;
    }
    netdef* scope = &net;
    if constexpr (std::is_same_v<Child, netdef>) scope = child;
    stack_.push_back({child, scope, protozero::pbf_reader(content)});
  }

  template <class Message>
  void read_unknown(Message& message, protozero::pbf_reader& reader) {
    std::string const name = "field " + std::to_string(reader.tag());
    if (options_.unknown == unknown_fields::reject)
      fail(field_start_, std::string(message_name<Message>) + " has no " + name);
    std::uint32_t const number = reader.tag();
    reader.skip();
    std::size_t const size = offset(reader) - field_start_;
    if (!budget_.charge_extras(true, message) || !budget_.charge(sizeof(unknown_field) + size)) out_of_memory();
    netdef_schema::unknown_fields_of(message).push_back({number, {}, std::string(source_.substr(field_start_, size))});
    if (options_.diagnostics != nullptr)
      options_.diagnostics->push_back(
          {{field_start_, 0, 0}, std::string(message_name<Message>) + " has no " + name + "; kept"});
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
