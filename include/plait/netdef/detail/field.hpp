// Field descriptors of NetDef messages: type-erased access to members, so that readers, writers and comparison are
// compiled once and not per field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/detail/symbols.hpp>
#include <plait/netdef/model.hpp>

namespace plait::netdef_schema {

enum class value_kind : std::uint8_t {
  symbol,
  string,
  boolean,
  int32,
  uint32,
  int64,
  float32,
  float64,
  tensor_type,
  message,
  unknown,  ///< fields that the model does not have
};

template <class T>
inline constexpr value_kind kind_of = [] {
  if constexpr (std::is_same_v<T, symbol>) return value_kind::symbol;
  if constexpr (std::is_same_v<T, std::string>) return value_kind::string;
  if constexpr (std::is_same_v<T, bool>) return value_kind::boolean;
  if constexpr (std::is_same_v<T, std::int32_t>) return value_kind::int32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return value_kind::uint32;
  if constexpr (std::is_same_v<T, std::int64_t>) return value_kind::int64;
  if constexpr (std::is_same_v<T, float>) return value_kind::float32;
  if constexpr (std::is_same_v<T, double>) return value_kind::float64;
  if constexpr (std::is_same_v<T, plait::tensor_type>) return value_kind::tensor_type;
  if constexpr (std::is_same_v<T, unknown_field>) return value_kind::unknown;
  return value_kind::message;
}();

/// Returns the wire type of a value that is not packed.
constexpr std::uint8_t wire_type_of(value_kind kind) {
  switch (kind) {
    case value_kind::float32:
      return 5;
    case value_kind::float64:
      return 1;
    case value_kind::symbol:
    case value_kind::string:
    case value_kind::message:
    case value_kind::unknown:
      return 2;
    case value_kind::boolean:
    case value_kind::int32:
    case value_kind::uint32:
    case value_kind::int64:
    case value_kind::tensor_type:
      break;
  }
  return 0;
}

enum class message_kind : std::uint8_t {
  net,
  op,
  argument,
  device,
  tensor,
  qtensor,
  segment,
  partition,
  backend,
  map_entry,
  none,  ///< not a message
};

template <class T>
inline constexpr message_kind message_kind_of = [] {
  if constexpr (std::is_same_v<T, netdef>) return message_kind::net;
  if constexpr (std::is_same_v<T, op_def>) return message_kind::op;
  if constexpr (std::is_same_v<T, arg_def>) return message_kind::argument;
  if constexpr (std::is_same_v<T, device_def>) return message_kind::device;
  if constexpr (std::is_same_v<T, tensor_def>) return message_kind::tensor;
  if constexpr (std::is_same_v<T, qtensor_def>) return message_kind::qtensor;
  if constexpr (std::is_same_v<T, segment_def>) return message_kind::segment;
  if constexpr (std::is_same_v<T, partition_def>) return message_kind::partition;
  if constexpr (std::is_same_v<T, backend_def>) return message_kind::backend;
  if constexpr (std::is_same_v<T, map_entry_def>) return message_kind::map_entry;
  return message_kind::none;
}();

/// View of the values of a member, which are contiguous: none or one if the member is singular.
struct value_list {
  void const* data = nullptr;
  std::size_t size = 0;

  bool empty() const { return size == 0; }
  template <class T>
  std::span<T const> as() const {
    return {static_cast<T const*>(data), size};
  }
};

/// Traits of a member: the type of one value, and whether it holds several.
template <class Member>
struct member_traits {
  using value_type = typename Member::value_type;
  static constexpr bool repeated = true;
};
template <>
struct member_traits<symbol> {
  using value_type = symbol;
  static constexpr bool repeated = false;
};
template <class T>
struct member_traits<std::optional<T>> {
  using value_type = T;
  static constexpr bool repeated = false;
};
template <class T>
struct member_traits<box<T>> {
  using value_type = T;
  static constexpr bool repeated = false;
};

template <class Member>
inline constexpr bool is_plain_list = false;
template <class T>
inline constexpr bool is_plain_list<std::vector<T>> =
    kind_of<T> != value_kind::symbol && kind_of<T> != value_kind::message;

template <class Member>
value_list values_of(Member const& member) {
  if constexpr (member_traits<Member>::repeated)
    return member.size() == 0 ? value_list{} : value_list{&member[0], member.size()};
  else
    return member.has_value() ? value_list{&*member, 1} : value_list{};
}
inline value_list values_of(symbol const& member) { return {&member, member ? std::size_t{1} : 0}; }

/// Returns where a value of a member is stored: the value of a singular member, created unless it is present; a new
/// value of a list of symbols or messages; the list itself, a std::vector, of other values.
template <class Member>
void* add_value(Member& member) {
  if constexpr (is_plain_list<Member>) {
    return &member;
  } else if constexpr (member_traits<Member>::repeated) {
    return &member.emplace_back();
  } else {
    if (!member.has_value()) member.emplace();
    return &*member;
  }
}
inline void* add_value(symbol& member) { return &member; }

/// Formats of a field that its type does not determine.
struct field_format {
  std::string_view old_name = {};  ///< an earlier spelling that readers accept
  bool bytes = false;              ///< JSON writes a string as base64
  bool packed = false;             ///< encoding of repeated numbers in the binary format; readers accept both
  bool device_names = false;       ///< older files hold the name of a device type
};

/// Returns the first eight bytes of a name as one number, which tells most fields of a message apart.
constexpr std::uint64_t name_prefix(std::string_view name) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i != 8 && i != name.size(); ++i)
    prefix |= static_cast<std::uint64_t>(static_cast<unsigned char>(name[i])) << (8 * i);
  return prefix;
}

/// Field of a message. Functions take the message as `void*`; those of the cold fields of an op, the op.
struct field_descriptor {
  std::uint32_t number;
  std::string_view name;
  std::uint64_t prefix;       ///< see name_prefix()
  std::uint64_t prefix_mask;  ///< mask of the bytes of a prefix that belong to the name
  field_format format;
  value_kind kind;
  message_kind child;      ///< kind of message that the field holds
  std::uint8_t wire_type;  ///< see wire_type_of()
  bool repeated;
  bool rare;            ///< a cold field of an op
  std::size_t size_of;  ///< size of a value in memory
  value_list (*values)(void const* message);
  void* (*add)(void* message);  ///< see add_value()

  constexpr bool is_message() const { return kind == value_kind::message; }
  constexpr bool is_named() const { return kind == value_kind::tensor_type || format.device_names; }

  /// Stores a value of the field's type: appends it if the field is repeated, and replaces that of a singular field.
  template <class T>
  void store(void* message, T value) const {
    if constexpr (!std::is_same_v<T, symbol>)
      if (repeated) return list<T>(message).push_back(std::move(value));
    *static_cast<T*>(add(message)) = std::move(value);
  }
  /// Returns the list of a repeated field whose values are neither symbols nor messages.
  template <class T>
  std::vector<T>& list(void* message) const {
    return *static_cast<std::vector<T>*>(add(message));
  }
};

template <auto Member>
struct member_access;
template <class Holder, class T, T Holder::*Member>
struct member_access<Member> {
  using traits = member_traits<T>;
  static constexpr bool rare = std::is_same_v<Holder, op_extras>;

  static value_list values(void const* message) {
    if constexpr (rare) {
      extras_box const& extras = static_cast<op_def const*>(message)->rare;
      return extras ? values_of((*extras).*Member) : value_list{};
    } else {
      return values_of(static_cast<Holder const*>(message)->*Member);
    }
  }
  static void* add(void* message) {
    if constexpr (rare)
      return add_value(static_cast<op_def*>(message)->edit_extras().*Member);
    else
      return add_value(static_cast<Holder*>(message)->*Member);
  }
};

template <auto Member>
constexpr field_descriptor field_of(std::uint32_t number, std::string_view name, field_format format = {}) {
  using access = member_access<Member>;
  using type = typename access::traits::value_type;
  return {.number = number,
          .name = name,
          .prefix = name_prefix(name),
          .prefix_mask = name.size() < 8 ? (std::uint64_t{1} << (8 * name.size())) - 1 : ~std::uint64_t{0},
          .format = format,
          .kind = kind_of<type>,
          .child = message_kind_of<type>,
          .wire_type = wire_type_of(kind_of<type>),
          .repeated = access::traits::repeated,
          .rare = access::rare,
          .size_of = sizeof(type),
          .values = &access::values,
          .add = &access::add};
}

/// Calls f with a span of values that are not messages.
template <class F>
decltype(auto) visit_values(value_kind kind, value_list values, F&& f) {
  switch (kind) {
    case value_kind::symbol:
      return f(values.as<symbol>());
    case value_kind::boolean:
      return f(values.as<bool>());
    case value_kind::int32:
      return f(values.as<std::int32_t>());
    case value_kind::uint32:
      return f(values.as<std::uint32_t>());
    case value_kind::int64:
      return f(values.as<std::int64_t>());
    case value_kind::float32:
      return f(values.as<float>());
    case value_kind::float64:
      return f(values.as<double>());
    case value_kind::tensor_type:
      return f(values.as<plait::tensor_type>());
    case value_kind::string:
    case value_kind::message:
    case value_kind::unknown:
      break;
  }
  return f(values.as<std::string>());
}

}  // namespace plait::netdef_schema
