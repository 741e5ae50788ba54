// Element types (dtypes) of tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// The first ten are in the order of the alternatives of tensor_value::storage. The numbers are those of plait.h.
enum class element_type : std::uint8_t {
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  boolean,
  string,
  float16,   ///< IEEE 754 binary16
  bfloat16,  ///< the upper half of a binary32
  object,    ///< not a tensor: another object held by a blob
  none,      ///< an unset blob
  uint32,
  uint64,
};

/// Returns NumPy's name of a type; "string", "object" and "nothing" for the types NumPy lacks.
[[nodiscard]] constexpr std::string_view to_string(element_type type) noexcept {
  constexpr std::string_view names[] = {"float32", "float64", "int8",   "int16",  "int32",   "int64",
                                        "uint8",   "uint16",  "bool",   "string", "float16", "bfloat16",
                                        "object",  "nothing", "uint32", "uint64"};
  return names[static_cast<std::size_t>(type)];
}

}  // namespace plait
