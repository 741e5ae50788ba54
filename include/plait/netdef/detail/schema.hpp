// Schema of NetDef: the fields of every message in one table each, which readers, writers and comparison share. Numbers
// and names are those of caffe2.proto.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plait/netdef/model.hpp>

namespace plait::netdef_schema {

/// Content of a string field: the text format escapes both, JSON writes bytes as base64.
enum class content { text, bytes };
/// Encoding of repeated numbers in the binary format: plain or packed. Readers accept both for every such field.
enum class layout { plain, packed };

/// Field of Message, stored in Holder: the message itself or its cold fields.
template <class Message, class T, class Holder = Message>
struct field {
  std::uint32_t number;
  std::string_view name;
  T Holder::*member;
  content holds = content::text;
  layout wire = layout::plain;
  std::string_view old_name = {};  // an earlier spelling that readers accept

  static constexpr bool rare = !std::is_same_v<Holder, Message>;
  constexpr T& in(Message& message) const { return holder(message).*member; }
  constexpr T const& in(Message const& message) const { return holder(message).*member; }

 private:
  static constexpr auto& holder(auto& message) {
    if constexpr (!rare)
      return message;
    else if constexpr (std::is_const_v<std::remove_reference_t<decltype(message)>>)
      return message.extras();
    else
      return message.edit_extras();
  }
};
template <class Message, class T, class... Rest>
field(std::uint32_t, std::string_view, T Message::*, Rest...) -> field<Message, T>;
template <class T>
field(std::uint32_t, std::string_view, T op_extras::*) -> field<op_def, T, op_extras>;

/// Returns the unknown fields of a message.
template <class Message>
auto& unknown_fields_of(Message& message) {
  if constexpr (requires { message.unknown; })
    return message.unknown;
  else if constexpr (std::is_const_v<Message>)
    return message.extras().unknown;
  else
    return message.edit_extras().unknown;
}

/// schema<Message>::fields is a tuple of field objects by increasing number: the order in which writers, like those of
/// protobuf, emit them.
template <class Message>
struct schema;

template <>
struct schema<device_def> {
  static constexpr std::tuple fields{
      field{1, "device_type", &device_def::device_type},
      field{2, "device_id", &device_def::device_id, content::text, layout::plain, "cuda_gpu_id"},
      field{3, "random_seed", &device_def::random_seed},
      field{4, "node_name", &device_def::node_name},
      field{5, "numa_node_id", &device_def::numa_node_id},
      field{6, "extra_info", &device_def::extra_info},
  };
};

template <>
struct schema<segment_def> {
  static constexpr std::tuple fields{
      field{1, "begin", &segment_def::begin},
      field{2, "end", &segment_def::end},
  };
};

template <>
struct schema<tensor_def> {
  static constexpr std::tuple fields{
      field{1, "dims", &tensor_def::dims},
      field{2, "data_type", &tensor_def::data_type},
      field{3, "float_data", &tensor_def::float_data, content::text, layout::packed},
      field{4, "int32_data", &tensor_def::int32_data, content::text, layout::packed},
      field{5, "byte_data", &tensor_def::byte_data, content::bytes},
      field{6, "string_data", &tensor_def::string_data, content::bytes},
      field{7, "name", &tensor_def::name},
      field{8, "device_detail", &tensor_def::device_detail},
      field{9, "double_data", &tensor_def::double_data, content::text, layout::packed},
      field{10, "int64_data", &tensor_def::int64_data, content::text, layout::packed},
      field{11, "segment", &tensor_def::segment},
      field{13, "raw_data", &tensor_def::raw_data, content::bytes},
      field{15, "data_format", &tensor_def::data_format},
  };
};

template <>
struct schema<qtensor_def> {
  static constexpr std::tuple fields{
      field{1, "dims", &qtensor_def::dims},
      field{2, "precision", &qtensor_def::precision},
      field{3, "scale", &qtensor_def::scale},
      field{4, "bias", &qtensor_def::bias},
      field{5, "is_signed", &qtensor_def::is_signed},
      field{6, "data", &qtensor_def::data, content::text, layout::packed},
      field{7, "name", &qtensor_def::name},
      field{8, "data_type", &qtensor_def::data_type},
      field{9, "scales", &qtensor_def::scales},
      field{10, "biases", &qtensor_def::biases},
      field{11, "axis", &qtensor_def::axis},
      field{12, "is_multiparam", &qtensor_def::is_multiparam},
  };
};

template <>
struct schema<map_entry_def> {
  static constexpr std::tuple fields{
      field{1, "key", &map_entry_def::key},
      field{2, "val", &map_entry_def::val},
  };
};

template <>
struct schema<backend_def> {
  static constexpr std::tuple fields{
      field{1, "backend_name", &backend_def::backend_name},
      field{2, "option", &backend_def::option},
  };
};

template <>
struct schema<partition_def> {
  static constexpr std::tuple fields{
      field{1, "name", &partition_def::name},
      field{2, "device_id", &partition_def::device_id},
      field{3, "extra_info", &partition_def::extra_info},
      field{4, "backend_options", &partition_def::backend_options},
  };
};

template <>
struct schema<arg_def> {
  static constexpr std::tuple fields{
      field{1, "name", &arg_def::name},
      field{2, "f", &arg_def::f},
      field{3, "i", &arg_def::i},
      field{4, "s", &arg_def::s, content::bytes},
      field{5, "floats", &arg_def::floats},
      field{6, "ints", &arg_def::ints},
      field{7, "strings", &arg_def::strings, content::bytes},
      field{8, "n", &arg_def::n},
      field{9, "nets", &arg_def::nets},
      field{10, "t", &arg_def::t},
      field{11, "tensors", &arg_def::tensors},
      field{12, "qtensors", &arg_def::qtensors},
  };
};

template <>
struct schema<op_def> {
  static constexpr std::tuple fields{
      field{1, "input", &op_def::input},
      field{2, "output", &op_def::output},
      field{3, "name", &op_def::name},
      field{4, "type", &op_def::type},
      field{5, "arg", &op_def::arg},
      field{6, "device_option", &op_def::device_option},
      field{7, "engine", &op_extras::engine},
      field{8, "control_input", &op_extras::control_input},
      field{9, "is_gradient_op", &op_extras::is_gradient_op},
      field{10, "debug_info", &op_extras::debug_info},
      field{11, "domain", &op_extras::domain},
      field{12, "op_version", &op_extras::op_version},
  };
};

template <>
struct schema<netdef> {
  static constexpr std::tuple fields{
      field{1, "name", &netdef::name},
      field{2, "op", &netdef::op},
      field{3, "type", &netdef::type},
      field{4, "num_workers", &netdef::num_workers},
      field{5, "device_option", &netdef::device_option},
      field{6, "arg", &netdef::arg},
      field{7, "external_input", &netdef::external_input},
      field{8, "external_output", &netdef::external_output},
      field{9, "partition_info", &netdef::partition_info},
  };
};

/// Names of tensor_type in text and JSON, by number.
inline constexpr std::array<std::pair<tensor_type, std::string_view>, 15> tensor_type_names{{
    {tensor_type::undefined, "UNDEFINED"},
    {tensor_type::float32, "FLOAT"},
    {tensor_type::int32, "INT32"},
    {tensor_type::byte, "BYTE"},
    {tensor_type::string, "STRING"},
    {tensor_type::boolean, "BOOL"},
    {tensor_type::uint8, "UINT8"},
    {tensor_type::int8, "INT8"},
    {tensor_type::uint16, "UINT16"},
    {tensor_type::int16, "INT16"},
    {tensor_type::int64, "INT64"},
    {tensor_type::float16, "FLOAT16"},
    {tensor_type::float64, "DOUBLE"},
    {tensor_type::zero_collision_hash, "ZERO_COLLISION_HASH"},
    {tensor_type::rebatching_buffer, "REBATCHING_BUFFER"},
}};

}  // namespace plait::netdef_schema
