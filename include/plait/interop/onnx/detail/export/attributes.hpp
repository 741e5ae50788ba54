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

}  // namespace plait::detail::onnx_out
