// Extents at run time for ONNX rules: blobs with the extent of an axis, its places, and its reversal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plait/interop/onnx/detail/values.hpp>

namespace plait::detail {

/// Returns a scalar blob, int64, with the extent of an axis of a blob, counted from the end if negative.
inline std::string onnx_extent(onnx_context const& c, std::string const& x, std::int64_t axis) {
  std::string const place = c.constant_blob({{}, std::vector<std::int64_t>{axis}}, "axis");
  return c.step("Gather", {c.step("Shape", {x}), place}, {{"wrap_indices", 1}});
}
/// Returns a blob, int64, with the places 0, 1, … of an axis of a blob.
inline std::string onnx_places(onnx_context const& c, std::string const& x, std::int64_t axis) {
  return c.step("Range", {onnx_extent(c, x, axis)});
}
/// Returns a scalar blob, int64, with a number.
inline std::string onnx_scalar(onnx_context const& c, std::int64_t value, char const* ending) {
  return c.constant_blob({{}, std::vector<std::int64_t>{value}}, ending);
}
/// Returns input i, cast to int64 if it is of another type.
inline std::string onnx_as_int64(onnx_context const& c, std::size_t i) {
  if (c.type(i) == onnx_type::int64) return c.input(i);
  return c.step("Cast", {c.input(i)}, {{"to", *runtime_type(onnx_type::int64)}});
}

}  // namespace plait::detail
