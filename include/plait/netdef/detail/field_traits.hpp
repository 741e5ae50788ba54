// Type traits of NetDef fields (message, repeated, enumeration), for generic readers and writers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/core/detail/box.hpp>
#include <plait/core/detail/compact_vector.hpp>
#include <plait/core/detail/small_vector.hpp>
#include <plait/core/detail/symbols.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/model.hpp>

namespace plait::detail {

template <class T>
concept netdef_message = requires { netdef_schema::schema<T>::fields; };

/// Traits of a member: value_type is the type of one value, repeated is true if the member holds several.
template <class Member>
struct member_traits;
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
template <class T>
struct member_traits<std::vector<T>> {
  using value_type = T;
  static constexpr bool repeated = true;
};
template <class T>
struct member_traits<compact_vector<T>> {
  using value_type = T;
  static constexpr bool repeated = true;
};
template <class T, std::uint32_t N>
struct member_traits<small_vector<T, N>> {
  using value_type = T;
  static constexpr bool repeated = true;
};

template <class Message>
inline constexpr std::size_t field_count =
    std::tuple_size_v<std::remove_cvref_t<decltype(netdef_schema::schema<Message>::fields)>>;

template <class Message, std::size_t I>
inline constexpr auto const& field_at = std::get<I>(netdef_schema::schema<Message>::fields);

template <class Message, std::size_t I>
using member_t = std::remove_cvref_t<decltype(field_at<Message, I>.in(std::declval<Message&>()))>;

template <class Message, std::size_t I>
using field_value_t = typename member_traits<member_t<Message, I>>::value_type;

/// Returns true if a singular member is present.
template <class T>
bool has_value(T const& member) {
  return static_cast<bool>(member);
}
template <class T>
bool has_value(std::optional<T> const& member) {
  return member.has_value();
}

/// Pointer to a message of any type, for the explicit stacks of readers and writers.
template <class... Message>
struct message_list {
  using pointer = std::variant<Message*...>;
  using const_pointer = std::variant<Message const*...>;
};
using all_messages = message_list<netdef, op_def, arg_def, device_def, tensor_def, qtensor_def, segment_def,
                                  partition_def, backend_def, map_entry_def>;
using message_pointer = all_messages::pointer;
using const_message_pointer = all_messages::const_pointer;

/// Protobuf name of a message, for error messages.
template <class Message>
inline constexpr std::string_view message_name = "NetDef";
template <>
inline constexpr std::string_view message_name<op_def> = "OperatorDef";
template <>
inline constexpr std::string_view message_name<arg_def> = "Argument";
template <>
inline constexpr std::string_view message_name<device_def> = "DeviceOption";
template <>
inline constexpr std::string_view message_name<tensor_def> = "TensorProto";
template <>
inline constexpr std::string_view message_name<qtensor_def> = "QTensorProto";
template <>
inline constexpr std::string_view message_name<segment_def> = "TensorProto.Segment";
template <>
inline constexpr std::string_view message_name<partition_def> = "PartitionInfo";
template <>
inline constexpr std::string_view message_name<backend_def> = "BackendOptions";
template <>
inline constexpr std::string_view message_name<map_entry_def> = "MapFieldEntry";

/// Names of device types, by number. The field was an enumeration until 2018, so that older files hold names; since
/// then it is a number with constants called PROTO_CPU and so on. Both spellings are read; numbers are written, which
/// all readers accept.
inline constexpr std::array<std::string_view, 11> device_type_names{
    "CPU", "CUDA", "MKLDNN", "OPENGL", "OPENCL", "IDEEP", "HIP", "FPGA", "MSNPU", "XLA", "MLC"};

inline std::optional<std::int32_t> device_type_number(std::string_view name) {
  if (name.starts_with("PROTO_")) name.remove_prefix(6);
  for (std::size_t i = 0; i != device_type_names.size(); ++i)
    if (device_type_names[i] == name) return static_cast<std::int32_t>(i);
  return std::nullopt;
}

inline std::optional<std::int32_t> tensor_type_number(std::string_view name) {
  for (auto const& [type, text] : netdef_schema::tensor_type_names)
    if (text == name) return static_cast<std::int32_t>(type);
  return std::nullopt;
}

/// Returns the name of a tensor type; empty for numbers without one.
inline std::string_view tensor_type_name(tensor_type wanted) {
  for (auto const& [type, text] : netdef_schema::tensor_type_names)
    if (type == wanted) return text;
  return {};
}

/// Enumeration traits of a field: `named` is true if its values may be spelled as names, number() returns the number of
/// a name.
template <class Message, std::size_t I>
struct enumeration {
  static constexpr bool device = std::is_same_v<Message, device_def> && field_at<Message, I>.number == 1;
  static constexpr bool named = device || std::is_same_v<field_value_t<Message, I>, tensor_type>;
  static std::optional<std::int32_t> number(std::string_view name) {
    return device ? device_type_number(name) : tensor_type_number(name);
  }
};

}  // namespace plait::detail
