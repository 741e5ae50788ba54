// Builders of ONNX attributes and scalars.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/encode.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait::detail::onnx_out {

inline onnx_attribute onnx_attr(std::string_view name, std::int64_t value) {
  onnx_attribute made;
  made.name = name;
  made.i = value;
  return made;
}
inline onnx_attribute onnx_attr(std::string_view name, int value) {
  return onnx_attr(name, static_cast<std::int64_t>(value));
}
inline onnx_attribute onnx_attr(std::string_view name, float value) {
  onnx_attribute made;
  made.name = name;
  made.f = value;
  return made;
}
inline onnx_attribute onnx_attr(std::string_view name, char const* value) {
  onnx_attribute made;
  made.name = name;
  made.s = value;
  return made;
}
inline onnx_attribute onnx_attr(std::string_view name, std::vector<std::int64_t> value) {
  onnx_attribute made;
  made.name = name;
  made.ints = std::move(value);
  return made;
}
inline onnx_attribute onnx_attr(std::string_view name, std::vector<std::string> value) {
  onnx_attribute made;
  made.name = name;
  made.strings = std::move(value);
  return made;
}
inline onnx_attribute onnx_attr(std::string_view name, tensor_value const& value) {
  onnx_attribute made;
  made.name = name;
  made.t = encode_onnx(value);
  return made;
}
inline onnx_attribute onnx_attr(std::string_view name, onnx_graph_def value) {
  onnx_attribute made;
  made.name = name;
  made.g = std::move(value);
  return made;
}

/// Returns `count` elements of a number, as a tensor of a shape; of float32 where the runtime lacks the type.
inline tensor_value onnx_numbers(onnx_type type, double value, std::vector<std::int64_t> dims, std::size_t count) {
  switch (type) {
    case onnx_type::float64:
      return {std::move(dims), std::vector<double>(count, value)};
    case onnx_type::int32:
      return {std::move(dims), std::vector<std::int32_t>(count, static_cast<std::int32_t>(value))};
    case onnx_type::int64:
      return {std::move(dims), std::vector<std::int64_t>(count, static_cast<std::int64_t>(value))};
    case onnx_type::boolean:
      return {std::move(dims), std::vector<bool>(count, value != 0)};
    case onnx_type::uint8:
      return {std::move(dims), std::vector<std::uint8_t>(count, static_cast<std::uint8_t>(value))};
    default:
      return {std::move(dims), std::vector<float>(count, static_cast<float>(value))};
  }
}
inline tensor_value onnx_number(onnx_type type, double value) { return onnx_numbers(type, value, {}, 1); }

}  // namespace plait::detail::onnx_out
