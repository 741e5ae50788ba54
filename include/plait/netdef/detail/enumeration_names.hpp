// Names of tensor types and device types in text and JSON.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/model.hpp>

namespace plait::netdef_schema {

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

namespace plait::detail {

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

/// Returns the number of a name that the values of a field may have.
inline std::optional<std::int32_t> named_number(netdef_schema::field_descriptor const& field, std::string_view name) {
  return field.format.device_names ? device_type_number(name) : tensor_type_number(name);
}

/// Returns the name of a tensor type; empty for numbers without one.
inline std::string_view tensor_type_name(tensor_type wanted) {
  for (auto const& [type, text] : netdef_schema::tensor_type_names)
    if (type == wanted) return text;
  return {};
}

}  // namespace plait::detail
