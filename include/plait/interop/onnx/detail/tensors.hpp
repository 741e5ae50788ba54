// Tensor values of ONNX models: decoding of TensorProto, and tensors of one number.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait {

namespace detail {

/// Returns true for the floating-point types of 16 bits.
constexpr bool is_half(onnx_type type) { return type == onnx_type::float16 || type == onnx_type::bfloat16; }

/// Returns the type as which elements are computed: float32 for floats of 16 bits, else the type itself.
constexpr onnx_type computed_type(onnx_type type) { return is_half(type) ? onnx_type::float32 : type; }

/// Returns the value of a float of 16 bits, exactly.
inline float half_value(onnx_type type, std::uint16_t bits) {
  if (type == onnx_type::bfloat16) return std::bit_cast<float>(std::uint32_t{bits} << 16);
  int const exponent = bits >> 10 & 0x1f;
  std::uint32_t const fraction = bits & 0x3ffu;
  std::uint32_t const sign = std::uint32_t{bits} >> 15 << 31;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  float const magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                        : std::ldexp(static_cast<float>(fraction | 0x400u), exponent - 25);
  return sign != 0 ? -magnitude : magnitude;
}

/// Returns true if the runtime has tensors of an element type.
constexpr bool has_runtime_type(onnx_type type) {
  constexpr onnx_type held[] = {onnx_type::float32, onnx_type::float64, onnx_type::int32, onnx_type::int64,
                                onnx_type::boolean, onnx_type::uint8,   onnx_type::int8,  onnx_type::int16,
                                onnx_type::uint16,  onnx_type::uint32,  onnx_type::uint64};
  return std::ranges::find(held, type) != std::end(held);
}

/// Thrown for a tensor that cannot be decoded, because it is unsupported or because it is malformed.
struct onnx_tensor_refusal {
  std::string reason;
  bool is_unsupported;
};

/// Decoder of one tensor.
class onnx_elements {
 public:
  explicit onnx_elements(onnx_tensor const& t) : t_(t) {}

  /// Returns the tensor's value. Throws onnx_tensor_refusal.
  tensor_value take() const {
    auto const count = element_count(t_.dims);
    if (!count) fail("has an invalid shape");
    if (t_.external)
      throw onnx_tensor_refusal{"is stored in another file, which is read only with the file of the model", true};
    tensor_value made{t_.dims, elements()};
    if (made.size() != *count)
      fail("has " + std::to_string(made.size()) + " elements, where its shape has " + std::to_string(*count));
    return made;
  }

 private:
  [[noreturn]] static void fail(std::string why) { throw onnx_tensor_refusal{std::move(why), false}; }

  tensor_value::storage elements() const {
    switch (t_.type) {
      case onnx_type::float32:
        return list<float>(t_.floats);
      case onnx_type::float64:
        return list<double>(t_.doubles);
      case onnx_type::int8:
        return list<std::int8_t>(t_.int32s);
      case onnx_type::int16:
        return list<std::int16_t>(t_.int32s);
      case onnx_type::int32:
        return list<std::int32_t>(t_.int32s);
      case onnx_type::int64:
        return list<std::int64_t>(t_.int64s);
      case onnx_type::uint8:
        return list<std::uint8_t>(t_.int32s);
      case onnx_type::uint16:
        return list<std::uint16_t>(t_.int32s);
      case onnx_type::uint32:
        return list<std::uint32_t>(t_.uint64s);
      case onnx_type::uint64:
        return list<std::uint64_t>(t_.uint64s);
      case onnx_type::boolean:
        return list<bool>(t_.int32s);
      case onnx_type::float16:
      case onnx_type::bfloat16: {
        std::vector<float> made;
        for (std::uint16_t const bits : list<std::uint16_t>(t_.int32s)) made.push_back(half_value(t_.type, bits));
        return made;
      }
      case onnx_type::string:
        return t_.strings;
      default:
        throw onnx_tensor_refusal{"is of a type that plait does not hold", true};
    }
  }

  template <class T, class Stored>
  std::vector<T> list(std::vector<Stored> const& stored) const {
    if (t_.raw.empty()) {
      std::vector<T> made;
      made.reserve(stored.size());
      for (Stored const each : stored) {
        if constexpr (std::integral<T> && !std::same_as<T, bool>)
          if (!std::in_range<T>(each)) fail("has an element " + std::to_string(each) + ", out of range for its type");
        made.push_back(static_cast<T>(each));
      }
      return made;
    }
    using unit = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;
    if (t_.raw.size() % sizeof(unit) != 0) fail("has " + std::to_string(t_.raw.size()) + " bytes");
    std::vector<unit> bytes(t_.raw.size() / sizeof(unit));
    std::memcpy(bytes.data(), t_.raw.data(), t_.raw.size());
    if constexpr (std::endian::native != std::endian::little) {
      for (unit& each : bytes) {
        auto* const first = reinterpret_cast<unsigned char*>(&each);
        std::reverse(first, first + sizeof each);
      }
    }
    if constexpr (std::same_as<T, bool>)
      return {bytes.begin(), bytes.end()};
    else
      return bytes;
  }

  onnx_tensor const& t_;
};

/// Returns a tensor filled with a number; of float where the runtime lacks the type.
inline tensor_value onnx_filled(onnx_type type, std::vector<std::int64_t> dims, double value) {
  auto const count = element_count(dims).value_or(0);
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
    case onnx_type::int8:
      return {std::move(dims), std::vector<std::int8_t>(count, static_cast<std::int8_t>(value))};
    case onnx_type::uint16:
      return {std::move(dims), std::vector<std::uint16_t>(count, static_cast<std::uint16_t>(value))};
    case onnx_type::int16:
      return {std::move(dims), std::vector<std::int16_t>(count, static_cast<std::int16_t>(value))};
    case onnx_type::uint32:
      return {std::move(dims), std::vector<std::uint32_t>(count, static_cast<std::uint32_t>(value))};
    case onnx_type::uint64:
      return {std::move(dims), std::vector<std::uint64_t>(count, static_cast<std::uint64_t>(value))};
    default:
      return {std::move(dims), std::vector<float>(count, static_cast<float>(value))};
  }
}

}  // namespace detail

/// Returns the value of a tensor; floats of 16 bits become float32. Throws net_error naming the tensor if its elements
/// do not fill its shape, are external data, or have a type that tensor_value lacks, such as complex numbers.
[[nodiscard]] inline tensor_value value_of(onnx_tensor const& tensor) {
  try {
    return detail::onnx_elements(tensor).take();
  } catch (detail::onnx_tensor_refusal const& why) {
    throw net_error("plait: tensor '" + tensor.name + "' (" + to_string(tensor.type) + ") " + why.reason, {},
                    tensor.name);
  }
}

/// Returns ONNX's number of an element type, undefined for a type that ONNX lacks.
[[nodiscard]] constexpr onnx_type onnx_type_of(element_type type) noexcept {
  switch (type) {
    case element_type::float32:
      return onnx_type::float32;
    case element_type::float64:
      return onnx_type::float64;
    case element_type::int8:
      return onnx_type::int8;
    case element_type::int16:
      return onnx_type::int16;
    case element_type::int32:
      return onnx_type::int32;
    case element_type::int64:
      return onnx_type::int64;
    case element_type::uint8:
      return onnx_type::uint8;
    case element_type::uint16:
      return onnx_type::uint16;
    case element_type::uint32:
      return onnx_type::uint32;
    case element_type::uint64:
      return onnx_type::uint64;
    case element_type::boolean:
      return onnx_type::boolean;
    case element_type::string:
      return onnx_type::string;
    case element_type::float16:
      return onnx_type::float16;
    case element_type::bfloat16:
      return onnx_type::bfloat16;
    default:
      return onnx_type::undefined;
  }
}

}  // namespace plait
