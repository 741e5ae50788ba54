// Encoder of tensor values as ONNX tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/model.hpp>
#include <plait/interop/onnx/detail/tensors.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait::detail::onnx_out {

/// Returns a tensor of the same elements, without a name. value_of() of the result is the value.
inline onnx_tensor encode_onnx(tensor_value const& value) {
  onnx_tensor made;
  made.dims = value.shape;
  made.type = onnx_type_of(value.type());
  std::visit(
      [&]<class T>(std::vector<T> const& elements) {
        if constexpr (std::is_same_v<T, float>)
          made.floats = elements;
        else if constexpr (std::is_same_v<T, double>)
          made.doubles = elements;
        else if constexpr (std::is_same_v<T, std::int64_t>)
          made.int64s = elements;
        else if constexpr (std::is_same_v<T, std::string>)
          made.strings = elements;
        else
          made.int32s.assign(elements.begin(), elements.end());
      },
      value.data);
  return made;
}

/// Returns the elements of a short integer tensor, such as a shape.
inline std::optional<std::vector<std::int64_t>> onnx_integers_of(tensor_value const& value) {
  constexpr std::size_t most = 64;
  return std::visit(
      [&]<class T>(std::vector<T> const& elements) -> std::optional<std::vector<std::int64_t>> {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
          if (elements.size() <= most) return std::vector<std::int64_t>(elements.begin(), elements.end());
        return std::nullopt;
      },
      value.data);
}

}  // namespace plait::detail::onnx_out
