// Conversion rules for ONNX's quantised operators: QuantizeLinear, DequantizeLinear, and products of 8-bit integers.
//
// Products of integers are those of MatMulInteger and ConvInteger, which are exact modulo 2^32.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/dynamic_quantisation.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/rules/matmul_and_conv.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

inline constexpr onnx_types onnx_bytes{onnx_type::int8, onnx_type::uint8};
inline constexpr onnx_types onnx_quantised{onnx_type::int8, onnx_type::uint8, onnx_type::int16, onnx_type::uint16};

// ---- QuantizeLinear, DequantizeLinear
// Returns the arguments of both ops. Reports scales that do not fit `axis` and `block_size`, as far as shapes are
// known.
inline std::vector<net_argument> onnx_quantised_axis(onnx_context const& c) {
  std::int64_t const block = c.integer("block_size", 0);
  if (block < 0) c.unsupported("block_size is " + std::to_string(block));
  std::int64_t const axis = c.integer("axis", 1);
  if (c.opset() < 13) {
    require_scalar(c, 1);
  } else if (block == 0) {
    require_rank(c, 1, 0, 1);
    if (c.dims(1) && c.dims(1)->size() == 1 && c.dims(1)->front() > 1 && c.dims(0))
      require_dims(c, 1, {(*c.dims(0))[c.axis(0, axis)]}, "a scale for each place of the axis");
  } else if (c.dims(0)) {
    std::vector<std::int64_t> wanted = *c.dims(0);
    std::int64_t& extent = wanted[c.axis(0, axis)];
    if (extent > 0) extent = (extent - 1) / block + 1;
    require_dims(c, 1, wanted, "a scale for each block");
  }
  std::vector<net_argument> made{{"axis", axis}};
  if (block != 0) made.emplace_back("block_size", block);
  return made;
}

inline void onnx_quantize_linear(onnx_context const& c) {
  auto arguments = onnx_quantised_axis(c);
  onnx_type const listed = static_cast<onnx_type>(c.integer("output_dtype", 0));
  onnx_type const type = c.has_input(2) ? c.type(2) : listed == onnx_type::undefined ? onnx_type::uint8 : listed;
  if (c.has_input(2) && listed != onnx_type::undefined && type != onnx_type::undefined && type != listed)
    c.unsupported("output_dtype is not the type of the zero point");
  if (type != onnx_type::undefined && !onnx_quantised.has(type))
    c.unsupported("it quantises to " + to_string(type) + ", which is computed for " + onnx_quantised.text() + " only");
  onnx_type const precision = computed_type(static_cast<onnx_type>(c.integer("precision", 0)));
  if (precision != onnx_type::undefined && precision != onnx_type::float32)
    c.unsupported("a precision other than float32");
  std::string x = c.input(0);
  if (is_integer(c.type(0))) x = c.step("Cast", {x}, {{"to", require_runtime_type(c, onnx_type::float32)}});
  std::string const zero = c.has_input(2) ? c.input(2) : c.constant_blob(onnx_filled(type, {}, 0), "zero_point");
  c.add("QuantizeLinear", {x, c.input(1), zero}, {c.output(0)}, std::move(arguments));
  c.set_type(0, type);
  c.set_dims(0, c.dims(0));
}

/// Returns the elements of a constant of integers.
inline std::vector<std::int64_t> onnx_wide_elements(tensor_value const& value) {
  return std::visit(
      []<class T>(std::vector<T> const& elements) -> std::vector<std::int64_t> {
        if constexpr (std::is_integral_v<T>)
          return {elements.begin(), elements.end()};
        else
          return {};
      },
      value.data);
}

/// Returns the constant (x - zero) * scale, with one scale or zero point for all, or one for each place of an axis;
/// nothing for operands that are not constants of such shapes. A null `scale` is 1, and a null `zero` 0.
inline std::optional<tensor_value> onnx_dequantised(tensor_value const* x, tensor_value const* scale,
                                                    tensor_value const* zero, std::int64_t axis) {
  if (x == nullptr || (zero != nullptr && zero->type() != x->type())) return std::nullopt;
  auto const* const scales = scale == nullptr ? nullptr : std::get_if<std::vector<float>>(&scale->data);
  if (scale != nullptr && scales == nullptr) return std::nullopt;
  auto const rank = static_cast<std::int64_t>(x->shape.size());
  if (axis < 0) axis += rank;
  std::size_t places = 1;
  std::size_t inner = 1;
  for (tensor_value const* const each : {scale, zero}) {
    if (each == nullptr || (each->size() == 1 && each->shape.size() < 2)) continue;
    if (axis < 0 || axis >= rank || each->shape != std::vector{x->shape[static_cast<std::size_t>(axis)]})
      return std::nullopt;
    places = each->size();
  }
  if (places != 1)
    for (std::int64_t a = axis + 1; a < rank; ++a)
      inner *= static_cast<std::size_t>(x->shape[static_cast<std::size_t>(a)]);
  std::vector<std::int64_t> const zeros = zero == nullptr ? std::vector<std::int64_t>{0} : onnx_wide_elements(*zero);
  std::vector<float> made(x->size());
  bool const integers = std::visit(
      [&]<class T>(std::vector<T> const& elements) {
        if constexpr (std::is_integral_v<T>)
          for (std::size_t i = 0; i != made.size(); ++i) {
            std::size_t const place = i / inner % places;
            float const factor = scales == nullptr ? 1.0f : (*scales)[scales->size() == 1 ? 0 : place];
            std::int64_t const less = zeros[zeros.size() == 1 ? 0 : place];
            made[i] = static_cast<float>(static_cast<std::int64_t>(elements[i]) - less) * factor;
          }
        return std::is_integral_v<T>;
      },
      x->data);
  if (!integers) return std::nullopt;
  return tensor_value{x->shape, std::move(made)};
}

inline void onnx_dequantize_linear(onnx_context const& c) {
  require_type(c, 0, {onnx_type::int8, onnx_type::uint8, onnx_type::int16, onnx_type::uint16, onnx_type::int32});
  auto arguments = onnx_quantised_axis(c);
  if (onnx_type const listed = computed_type(static_cast<onnx_type>(c.integer("output_dtype", 0)));
      listed != onnx_type::undefined && listed != onnx_type::float32 && listed != c.type(1))
    c.unsupported("output_dtype is not the type of the scale");
  if (c.integer("block_size", 0) == 0 && c.constant(0) != nullptr && c.constant(1) != nullptr &&
      (!c.has_input(2) || c.constant(2) != nullptr))
    if (auto made = onnx_dequantised(c.constant(0), c.constant(1), c.has_input(2) ? c.constant(2) : nullptr,
                                     c.integer("axis", 1)))
      return c.set_constant(0, std::move(*made));
  std::vector<std::string> operands{c.input(0), c.input(1)};
  if (c.has_input(2)) operands.push_back(c.input(2));
  c.add("DequantizeLinear", operands, {c.output(0)}, std::move(arguments));
  c.set_type(0, c.type(1));
  c.set_dims(0, c.dims(0));
}

inline void onnx_dynamic_quantize_linear(onnx_context const& c) {
  require_type(c, 0, {onnx_type::float32});
  onnx_dynamic_quantisation const made = onnx_quantise_dynamically(
      c.input(0), [&](tensor_value value) { return c.constant_blob(std::move(value), "number"); },
      [&](char const* type, std::vector<std::string> const& inputs, std::vector<net_argument> arguments) {
        return c.step(type, inputs, std::move(arguments));
      });
  c.add("Copy", {made.y}, {c.output(0)});
  c.add("Copy", {made.scale}, {c.output(1)});
  c.add("Copy", {made.zero_point}, {c.output(2)});
  c.set_type(0, onnx_type::uint8);
  c.set_dims(0, c.dims(0));
  c.set_type(1, onnx_type::float32);
  c.set_type(2, onnx_type::uint8);
  for (std::size_t const o : {1U, 2U}) c.set_dims(o, std::vector<std::int64_t>());
}

// ---- products of integers
/// Operand of a product: inputs of the node, and the axis of the result's columns or channels, for which it may have
/// one zero point each; npos: none.
struct onnx_integer_operand {
  std::size_t value;
  std::size_t zero_point;
  std::size_t axis = npos;
};

// Returns the constant zero point of an operand, nullptr if it is none.
inline tensor_value const* known_zero_point(onnx_context const& c, onnx_integer_operand const& at) {
  return c.has_input(at.zero_point) ? c.constant(at.zero_point) : nullptr;
}
inline bool has_zero_point(onnx_context const& c, onnx_integer_operand const& at) { return c.has_input(at.zero_point); }

// Reports an operand that is not of 8 bits, and a zero point of another type or of a shape that is not supported.
inline void check_integer_operand(onnx_context const& c, onnx_integer_operand const& at) {
  require_type(c, at.value, onnx_bytes);
  if (!has_zero_point(c, at)) return;
  if (c.type(at.zero_point) != onnx_type::undefined && c.type(at.value) != onnx_type::undefined &&
      c.type(at.zero_point) != c.type(at.value))
    c.unsupported("the zero point of '" + c.node().inputs[at.value] + "' has another type");
  if (at.axis == npos) return require_scalar(c, at.zero_point);
  require_rank(c, at.zero_point, 0, 1);
  if (c.dims(at.zero_point) && c.dims(at.zero_point)->size() == 1 && c.dims(at.zero_point)->front() > 1 &&
      c.dims(at.value) && at.axis < c.dims(at.value)->size())
    require_dims(c, at.zero_point, {(*c.dims(at.value))[at.axis]}, "a zero point for each place of the axis");
}

// Returns true if an operand has a zero point that is not known to be zero.
inline bool has_shift(onnx_context const& c, onnx_integer_operand const& at) {
  if (!has_zero_point(c, at)) return false;
  tensor_value const* const known = known_zero_point(c, at);
  return known == nullptr || !std::ranges::all_of(onnx_wide_elements(*known), [](std::int64_t x) { return x == 0; });
}

// Returns the inputs of MatMulInteger or ConvInteger; `bias` is empty, or the name of int32 numbers.
inline std::vector<std::string> integer_factors(onnx_context const& c, onnx_integer_operand const& left,
                                                onnx_integer_operand const& right, std::string const& bias = {}) {
  std::vector<std::string> made;
  for (onnx_integer_operand const* const at : {&left, &right}) {
    check_integer_operand(c, *at);
    made.push_back(c.input(at->value));
  }
  auto const zero_point = [&](onnx_integer_operand const& at) {
    if (has_zero_point(c, at)) return c.input(at.zero_point);
    if (!onnx_bytes.has(c.type(at.value)))
      c.unsupported("the type of '" + c.node().inputs[at.value] + "' must be known");
    return c.constant_blob(onnx_filled(c.type(at.value), {}, 0), "zero_point");
  };
  bool const shifts_right = has_shift(c, right) || !bias.empty();
  if (shifts_right || has_shift(c, left)) made.push_back(zero_point(left));
  if (shifts_right) made.push_back(zero_point(right));
  if (!bias.empty()) made.push_back(bias);
  return made;
}

/// Inputs and shape of a matrix product.
struct onnx_integer_product {
  onnx_integer_operand a;
  onnx_integer_operand b;
  onnx_dims dims = {};

  onnx_integer_product(onnx_context const& c, onnx_integer_operand left, onnx_integer_operand right)
      : a(left), b(right) {
    for (std::size_t const i : {a.value, b.value}) require_rank(c, i, 2);
    std::size_t const rank = c.rank(b.value);
    b.axis = rank - 1;
    auto const& y = *c.dims(b.value);
    std::int64_t const depth = y[rank - 2];
    if (!c.dims(a.value)) return;
    auto const& x = *c.dims(a.value);
    if (depth >= 0 && x.back() >= 0 && x.back() != depth)
      c.unsupported(input_text(c, a.value) + " and " + input_text(c, b.value) + " have inner extents " +
                    std::to_string(x.back()) + " and " + std::to_string(depth));
    dims = broadcast(c, std::vector<std::int64_t>(x.begin(), x.end() - 2),
                     std::vector<std::int64_t>(y.begin(), y.end() - 2));
    dims->push_back(x[x.size() - 2]);
    dims->push_back(y.back());
  }
};

inline void onnx_mat_mul_integer(onnx_context const& c) {
  onnx_integer_product const p(c, {0, 2}, {1, 3});
  c.add("MatMulInteger", integer_factors(c, p.a, p.b), {c.output(0)});
  c.set_type(0, onnx_type::int32);
  c.set_dims(0, p.dims);
}

/// Images and filters of a convolution of integers.
struct onnx_integer_conv {
  onnx_integer_operand x;
  onnx_integer_operand w;
  onnx_windows windows;
  std::int64_t filters = -1;

  onnx_integer_conv(onnx_context const& c, onnx_integer_operand images, onnx_integer_operand weights)
      : x(images), w(weights) {
    w.axis = 0;
    require_rank(c, w.value, 3);
    windows = onnx_windows_of(c, w.value);
    std::int64_t const group = c.integer("group", 1);
    if (group < 1) c.unsupported("group is " + std::to_string(group));
    if (c.dims(w.value)) {
      auto const& dims = *c.dims(w.value);
      filters = dims[0];
      std::vector<std::int64_t> const kernels = c.integers("kernel_shape");
      for (std::size_t axis = 0; axis != kernels.size(); ++axis)
        if (dims.size() != kernels.size() + 2 || (dims[axis + 2] >= 0 && dims[axis + 2] != kernels[axis]))
          c.unsupported("kernel_shape " + dims_text(kernels) + " is not that of " + input_text(c, w.value));
    }
    windows.arguments.emplace_back("group", group);
  }
  void set_dims(onnx_context const& c) const {
    std::vector<std::int64_t> made{c.dims(x.value) ? c.dims(x.value)->front() : -1, filters};
    made.insert(made.end(), windows.dims->begin(), windows.dims->end());
    c.set_dims(0, std::move(made));
  }
};

inline void onnx_conv_integer(onnx_context const& c) {
  onnx_integer_conv conv(c, {0, 2}, {1, 3});
  c.add("ConvInteger", integer_factors(c, conv.x, conv.w), {c.output(0)}, std::move(conv.windows.arguments));
  c.set_type(0, onnx_type::int32);
  conv.set_dims(c);
}

// Quantises sums of int32, of which 1 is the number s_a * s_b, to output 0: inputs `a` and `b` are these scales, the
// input after `b` + 1 the scale of the output and the next one its zero point. The scales of b are for an axis.
inline void write_quantised(onnx_context const& c, std::string const& sums, std::size_t a, std::size_t b,
                            std::int64_t axis) {
  std::size_t const y = b + 2;
  for (std::size_t const i : {a, y, y + 1}) require_scalar(c, i);
  for (std::size_t const i : {a, b, y}) require_type(c, i, {onnx_type::float32});
  require_rank(c, b, 0, 1);
  require_type(c, y + 1, onnx_bytes);
  std::string const factor = c.step("Div", {c.step("Mul", {c.input(a), c.input(b)}), c.input(y)});
  std::string const one = c.constant_blob(onnx_filled(onnx_type::float32, {}, 1), "one");
  c.add("QuantizeLinear", {c.step("DequantizeLinear", {sums, factor}, {{"axis", axis}}), one, c.input(y + 1)},
        {c.output(0)});
  c.set_type(0, c.type(y + 1));
}

inline void onnx_qlinear_mat_mul(onnx_context const& c) {
  onnx_integer_product const p(c, {0, 2}, {3, 5});
  if (c.dims(4) && c.dims(4)->size() == 1 && c.dims(4)->front() > 1)
    require_dims(c, 4, {c.dims(3)->back()}, "a scale for each column");
  write_quantised(c, c.step("MatMulInteger", integer_factors(c, p.a, p.b)), 1, 4, -1);
  c.set_dims(0, p.dims);
}

inline void onnx_qlinear_conv(onnx_context const& c) {
  onnx_integer_conv conv(c, {0, 2}, {3, 5});
  if (c.dims(4) && c.dims(4)->size() == 1 && c.dims(4)->front() > 1)
    require_dims(c, 4, {conv.filters}, "a scale for each filter");
  if (c.has_input(8)) {
    require_type(c, 8, {onnx_type::int32});
    require_dims(c, 8, {conv.filters}, "a number for each filter");
  }
  auto const operands = integer_factors(c, conv.x, conv.w, c.has_input(8) ? c.input(8) : std::string());
  write_quantised(c, c.step("ConvInteger", operands, std::move(conv.windows.arguments)), 1, 4, 1);
  conv.set_dims(c);
}

}  // namespace detail

inline void add_onnx_quantisation_rules(onnx_rules& rules) {
  rules.set("QuantizeLinear", detail::onnx_quantize_linear);
  rules.set("DequantizeLinear", detail::onnx_dequantize_linear);
  rules.set("DynamicQuantizeLinear", detail::onnx_dynamic_quantize_linear);
  rules.set("MatMulInteger", detail::onnx_mat_mul_integer);
  rules.set("ConvInteger", detail::onnx_conv_integer);
  rules.set("QLinearMatMul", detail::onnx_qlinear_mat_mul);
  rules.set("QLinearConv", detail::onnx_qlinear_conv);
}

}  // namespace plait
