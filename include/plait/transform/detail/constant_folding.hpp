// Constant folding: evaluates ops with constant inputs, for the op types that init nets consist of.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/arguments.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

struct constant_options {
  /// Largest number of elements of one ConstantFill; results are kept in memory.
  std::size_t max_elements = std::size_t{1} << 28;
};

namespace detail {

// Returns the element type with a number of TensorProto.DataType, as in a fill's `dtype` and in Cast's `to`.
inline std::optional<element_type> element_type_from_number(std::int64_t number) {
  switch (number) {
    case 1:
      return element_type::float32;
    case 2:
      return element_type::int32;
    case 4:
      return element_type::string;
    case 5:
      return element_type::boolean;
    case 6:
      return element_type::uint8;
    case 7:
      return element_type::int8;
    case 8:
      return element_type::uint16;
    case 9:
      return element_type::int16;
    case 10:
      return element_type::int64;
    case 13:
      return element_type::float64;
    default:
      return std::nullopt;
  }
}

// Calls f with an empty vector of a type's elements.
template <class F>
auto with_elements(element_type type, F&& f) {
  switch (type) {
    case element_type::float32:
      return f(std::vector<float>());
    case element_type::float64:
      return f(std::vector<double>());
    case element_type::int8:
      return f(std::vector<std::int8_t>());
    case element_type::int16:
      return f(std::vector<std::int16_t>());
    case element_type::int32:
      return f(std::vector<std::int32_t>());
    case element_type::int64:
      return f(std::vector<std::int64_t>());
    case element_type::uint8:
      return f(std::vector<std::uint8_t>());
    case element_type::uint16:
      return f(std::vector<std::uint16_t>());
    case element_type::boolean:
      return f(std::vector<bool>());
    default:
      return f(std::vector<std::string>());
  }
}

// Returns true if a number is representable as a T: in range, and not NaN for an integer.
template <class T, class From>
bool is_representable(From number) {
  if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>) {
    return true;
  } else if constexpr (std::is_floating_point_v<From>) {
    // Both bounds are powers of two and so exact in double.
    double const low = static_cast<double>(std::numeric_limits<T>::min());
    double const end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    double const whole = std::trunc(static_cast<double>(number));
    return whole >= low && whole < end;
  } else {
    auto const wide = static_cast<std::int64_t>(number);
    return wide >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
           wide <= static_cast<std::int64_t>(std::numeric_limits<T>::max());
  }
}

template <class N, class Op>
class constant_op {
 public:
  constant_op(N const& n, Op const& op, std::size_t index, std::span<tensor_value const* const> inputs,
              constant_options const& options)
      : n_(n), op_(op), index_(index), inputs_(inputs), options_(options), type_(op_type(n, op)) {}

  // Returns nullopt for unknown op types.
  std::optional<tensor_value> result() const {
    if (type_ == "ConstantFill") return constant_fill();
    if (type_ == "GivenTensorFill") return given(dtype(element_type::float32));
    if (type_ == "GivenTensorDoubleFill") return given(element_type::float64);
    if (type_ == "GivenTensorBoolFill") return given(element_type::boolean);
    if (type_ == "GivenTensorInt16Fill") return given(element_type::int16);
    if (type_ == "GivenTensorIntFill") return given(element_type::int32);
    if (type_ == "GivenTensorInt64Fill") return given(element_type::int64);
    if (type_ == "GivenTensorStringFill") return given(element_type::string);
    if (type_ == "GivenTensorByteStringToUInt8Fill") return given_bytes();
    if (type_ == "Int8GivenTensorFill") return quantised(bytes_argument());
    if (type_ == "Int8GivenIntTensorFill") return quantised(integers<std::int32_t>());
    for (std::string_view copy : {"Copy", "CopyCPUToGPU", "CopyGPUToCPU", "CopyFromCPUInput", "CopyOnDeviceLike",
                                  "Alias", "EnsureCPUOutput", "EnsureDense", "StopGradient"})
      if (type_ == copy) return input(0);
    if (type_ == "Scale") return scale();
    if (type_ == "Negative") return map([](float x) { return -x; });
    if (type_ == "Add" || type_ == "Sum") return combine(std::plus<float>());
    if (type_ == "Sub") return combine(std::minus<float>());
    if (type_ == "Mul") return combine(std::multiplies<float>());
    if (type_ == "Div") return combine(std::divides<float>());
    if (type_ == "Cast") return cast();
    return std::nullopt;
  }

 private:
  net_error bad(std::string const& what) const {
    return net_error("plait: " + op_label(n_, index_) + " cannot be evaluated: " + what, index_);
  }
  template <class T>
  T argument(std::string_view key, T fallback) const {
    return get_argument<T>(n_, op_, index_, key, std::move(fallback));
  }
  bool has(std::string_view key) const { return net_traits_of<N>::has_argument(n_, op_, key); }

  tensor_value const& input(std::size_t slot) const {
    if (slot >= inputs_.size()) raise(bad("it lacks an input"));
    return *inputs_[slot];
  }
  element_type dtype(element_type fallback) const {
    if (!has("dtype")) return fallback;
    auto const number = argument<std::int64_t>("dtype", 0);
    if (auto const type = element_type_from_number(number)) return *type;
    raise(bad("its data type " + std::to_string(number) + " is not an element type of tensors"));
  }

  // Returns a fill's shape: its argument, the shape of its input, or the content of its input.
  std::vector<std::int64_t> shape() const {
    auto dims = argument<std::vector<std::int64_t>>("shape", {});
    if (!inputs_.empty()) {
      if (!dims.empty()) raise(bad("it has both a shape and an input"));
      dims = input(0).shape;
      if (argument<std::int64_t>("input_as_shape", 0) != 0) {
        auto const* given = std::get_if<std::vector<std::int64_t>>(&input(0).data);
        if (given == nullptr || dims.size() != 1) raise(bad("its shape input is not a list of int64"));
        dims = *given;
      }
      auto const extra = argument<std::vector<std::int64_t>>("extra_shape", {});
      dims.insert(dims.end(), extra.begin(), extra.end());
    } else if (has("extra_shape") || argument<std::int64_t>("input_as_shape", 0) != 0) {
      raise(bad("it lacks the input that its arguments refer to"));
    }
    if (!element_count(dims)) raise(bad("its shape is invalid"));
    return dims;
  }
  tensor_value tensor(tensor_value::storage data, std::optional<quantisation> q = {}) const {
    tensor_value made{shape(), std::move(data), q};
    if (!is_well_formed(made))
      raise(bad("it has " + std::to_string(made.size()) + " elements, which does not match its shape"));
    return made;
  }

  template <class T>
  std::vector<T> integers() const {
    std::vector<T> elements;
    for (std::int64_t number : argument<std::vector<std::int64_t>>("values", {})) {
      if (!is_representable<T>(number)) raise(bad("element " + std::to_string(number) + " is out of range"));
      elements.push_back(static_cast<T>(number));
    }
    return elements;
  }
  tensor_value given(element_type type) const {
    return with_elements(type, [&]<class T>(std::vector<T> elements) {
      if constexpr (std::is_same_v<T, float>) {
        elements = argument<std::vector<float>>("values", {});
      } else if constexpr (std::is_same_v<T, double>) {
        auto const values = argument<std::vector<float>>("values", {});
        elements.assign(values.begin(), values.end());
      } else if constexpr (std::is_same_v<T, std::string>) {
        elements = argument<std::vector<std::string>>("values", {});
      } else {
        elements = integers<T>();
      }
      return tensor(std::move(elements));
    });
  }
  tensor_value given_bytes() const {
    auto const values = argument<std::vector<std::string>>("values", {});
    if (values.size() != 1) raise(bad("its values are not one string"));
    return tensor(std::vector<std::uint8_t>(values[0].begin(), values[0].end()));
  }
  std::vector<std::uint8_t> bytes_argument() const {
    auto const values = argument<std::string>("values", {});
    return {values.begin(), values.end()};
  }
  tensor_value quantised(tensor_value::storage data) const {
    auto const zero = argument<std::int64_t>("Y_zero_point", 0);
    if (!is_representable<std::int32_t>(zero)) raise(bad("its zero point is out of range"));
    return tensor(std::move(data), quantisation{argument<float>("Y_scale", 1), static_cast<std::int32_t>(zero)});
  }

  // Without `dtype` the type of the value decides; a string or a list is refused.
  tensor_value constant_fill() const {
    element_type type = element_type::float32;
    if (!has("dtype") && has("value")) {
      auto const value = net_traits_of<N>::argument(n_, op_, "value");
      if (value && std::holds_alternative<std::int64_t>(*value))
        type = element_type::int64;
      else if (!value || !std::holds_alternative<float>(*value))
        raise(bad("its value is not a number"));
    } else {
      type = dtype(element_type::float32);
    }
    std::vector<std::int64_t> dims = shape();
    std::size_t const count = *element_count(dims);
    if (count > options_.max_elements)
      raise(bad("it has more than " + std::to_string(options_.max_elements) + " elements"));
    return with_elements(type, [&]<class T>(std::vector<T> elements) {
      if constexpr (std::is_floating_point_v<T>) {
        elements.assign(count, static_cast<T>(argument<float>("value", 0)));
      } else if constexpr (std::is_same_v<T, std::string>) {
        elements.assign(count, argument<std::string>("value", {}));
      } else {
        auto const number = argument<std::int64_t>("value", 0);
        if (!is_representable<T>(number)) raise(bad("its value is out of range"));
        elements.assign(count, static_cast<T>(number != 0 && std::is_same_v<T, bool> ? 1 : number));
      }
      return tensor_value{std::move(dims), std::move(elements)};
    });
  }

  std::vector<float> const& floats(std::size_t slot) const {
    auto const* elements = std::get_if<std::vector<float>>(&input(slot).data);
    if (elements == nullptr) raise(bad("its input is " + std::string(to_string(input(slot).type())) + ", not float32"));
    return *elements;
  }
  template <class F>
  tensor_value map(F f) const {
    std::vector<float> made(floats(0));
    for (float& x : made) x = f(x);
    return {input(0).shape, std::move(made)};
  }
  tensor_value scale() const {
    float const factor = argument<float>("scale", 1);
    return map([factor](float x) { return x * factor; });
  }
  template <class F>
  tensor_value combine(F f) const {
    std::vector<float> made(floats(0));
    for (std::size_t slot = 1; slot != inputs_.size(); ++slot) {
      std::vector<float> const& other = floats(slot);
      if (input(slot).shape != input(0).shape) raise(bad("its inputs differ in shape"));
      std::ranges::transform(made, other, made.begin(), f);
    }
    return {input(0).shape, std::move(made)};
  }
  tensor_value cast() const {
    std::optional<element_type> to;
    if (has("to")) to = element_type_from_number(argument<std::int64_t>("to", 0));
    if (!to || *to == element_type::string) raise(bad("it casts to a type that is not numeric"));
    return std::visit(
        [&]<class From>(std::vector<From> const& from) -> tensor_value {
          if constexpr (std::is_same_v<From, std::string>) {
            raise(bad("it casts strings"));
          } else {
            return with_elements(*to, [&]<class T>(std::vector<T> made) -> tensor_value {
              if constexpr (!std::is_same_v<T, std::string>) {
                made.reserve(from.size());
                for (From const x : from) {
                  if (!is_representable<T>(x)) raise(bad("an element is out of range of the type it casts to"));
                  if constexpr (std::is_same_v<T, bool>)
                    made.push_back(x != From{});
                  else
                    made.push_back(static_cast<T>(x));
                }
              }
              return {input(0).shape, std::move(made)};
            });
          }
        },
        input(0).data);
  }

  N const& n_;
  Op const& op_;
  std::size_t index_;
  std::span<tensor_value const* const> inputs_;
  constant_options options_;
  std::string_view type_;
};

}  // namespace detail

/// Evaluates op number `index`, which has one output, on constant inputs; returns nullopt for unknown op types. Known
/// are the fills that produce constants, copies, Scale, Negative, Add, Sum, Sub, Mul, Div of float32 tensors of one
/// shape, and Cast between numbers, each as Caffe2 computes it. Throws net_error, with the op, if an op of a known type
/// is ill-formed (a shape that does not fit its values) or depends on something that is not constant or not known.
template <argument_readable_net N, class Op>
[[nodiscard]] std::optional<tensor_value> evaluate_constant_op(N const& n, Op const& op, std::size_t index,
                                                               std::span<tensor_value const* const> inputs,
                                                               constant_options const& options = {}) {
  return detail::constant_op<N, Op>(n, op, index, inputs, options).result();
}

}  // namespace plait
