// Conversion rules for quantised operators of com.microsoft, which ONNX Runtime's quantisation writes: element-wise ops
// and pools between dequantised operands, and products with an epilogue.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/composition.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/fused.hpp>
#include <plait/interop/onnx/detail/rules/quantisation.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

/// Operands of a node that are quantised: a tensor, its scale and its zero point, which may be omitted and is 0 then.
class onnx_quantised_operands {
 public:
  explicit onnx_quantised_operands(onnx_context const& c) : c_(c), g_(c) {}

  /// Returns the value of the tensor x, dequantised.
  std::string value(std::size_t x, std::size_t scale, std::size_t zero) const {
    require_type(c_, x, onnx_bytes);
    require_scalar(c_, scale);
    onnx_composition::names operands{g_.input(x), g_.input(scale)};
    if (c_.has_input(zero)) operands.push_back(g_.input(zero));
    return g_("DequantizeLinear", std::move(operands));
  }
  /// Quantises x to output 0, of the type of the zero point or of input `like`.
  void write(std::string const& x, std::size_t scale, std::size_t zero, std::size_t like) const {
    require_scalar(c_, scale);
    std::string point;
    if (c_.has_input(zero)) {
      point = g_.input(zero);
    } else {
      if (!onnx_bytes.has(c_.type(like))) c_.unsupported("the type of '" + c_.node().inputs[like] + "' must be known");
      point = g_.constant(onnx_filled(c_.type(like), {}, 0));
    }
    g_.make(0, "QuantizeLinear", {x, g_.input(scale), point});
  }

 private:
  onnx_context const& c_;
  onnx_composition g_;
};

// QLinearAdd, QLinearMul: A, B and the result with scale and zero point each.
inline void onnx_qlinear_binary(onnx_context const& c, char const* type) {
  onnx_quantised_operands const q(c);
  q.write(onnx_composition(c)(type, {q.value(0, 1, 2), q.value(3, 4, 5)}), 6, 7, 0);
}
// Functions of one operand: x, and the scales and zero points of x and of the result.
inline void onnx_qlinear_unary(onnx_context const& c, char const* type, std::vector<onnx_attribute> arguments) {
  onnx_quantised_operands const q(c);
  q.write(onnx_composition(c)(type, {q.value(0, 1, 2)}, std::move(arguments)), 3, 4, 0);
}
inline void onnx_qlinear_pool(onnx_context const& c, char const* type) {
  if (c.integer("channels_last", 0) != 0) c.unsupported("channels_last");
  onnx_qlinear_unary(c, type, onnx_attributes_but(c, {"channels_last"}));
}
// QLinearSoftmax: along the axis, or, before version 13, along it and all axes that follow.
inline void onnx_qlinear_softmax(onnx_context const& c) {
  onnx_quantised_operands const q(c);
  onnx_composition const g(c);
  std::int64_t const axis = c.integer("axis", -1);
  std::string const x = q.value(0, 1, 2);
  std::string made;
  if (c.integer("opset", 13) >= 13) {
    made = g("Softmax", {x}, {onnx_argument("axis", axis)});
  } else {
    std::string const rows = g("Flatten", {x}, {onnx_argument("axis", axis)});
    made = g("Reshape", {g("Softmax", {rows}, {onnx_argument("axis", std::int64_t{1})}), g("Shape", {x})});
  }
  q.write(made, 3, 4, 0);
}
// QLinearConcat: scale and zero point of the result, then those of each tensor behind it.
inline void onnx_qlinear_concat(onnx_context const& c) {
  onnx_quantised_operands const q(c);
  onnx_composition::names parts;
  for (std::size_t i = 2; i + 1 < c.input_count(); i += 3) parts.push_back(q.value(i, i + 1, i + 2));
  if (parts.empty()) c.unsupported("nothing to concatenate");
  q.write(onnx_composition(c).concat(std::move(parts), c.integer("axis", 0)), 0, 1, 2);
}
inline void onnx_qlinear_where(onnx_context const& c) {
  onnx_quantised_operands const q(c);
  onnx_composition const g(c);
  q.write(g("Where", {g.input(0), q.value(1, 2, 3), q.value(4, 5, 6)}), 7, 8, 1);
}

// ---- products
// Returns a matrix, with its axes exchanged if the attribute says so.
inline std::string onnx_turned(onnx_context const& c, std::size_t i, char const* attribute) {
  onnx_composition const g(c);
  require_rank(c, i, 2, 2);
  return c.integer(attribute, 0) != 0 ? g.transpose(g.input(i), {1, 0}) : g.input(i);
}
// QGemm: alpha A B + C of integers, with a scale for all columns of B or one for each; the result is quantised if its
// scale is given, else float.
inline void onnx_qgemm(onnx_context const& c) {
  onnx_composition const g(c);
  std::string sums =
      g("MatMulInteger", {onnx_turned(c, 0, "transA"), onnx_turned(c, 3, "transB"), g.input(2), g.input(5)});
  if (c.has_input(6)) sums = g("Add", {sums, g.input(6)});
  sums = g.cast(sums, onnx_type::float32);
  std::string factor = g("Mul", {g.input(1), g.input(4)});
  if (float const alpha = c.real("alpha", 1); alpha != 1)
    factor = g("Mul", {factor, g.number(onnx_type::float32, static_cast<double>(alpha))});
  if (!c.has_input(7)) return g.make(0, "Mul", {sums, factor});
  std::string const scaled = g("Mul", {sums, g("Div", {factor, g.input(7)})});
  g.make(0, "QuantizeLinear", {scaled, g.number(onnx_type::float32, 1), g.input(8)});
}
// Writes a product of integers less their zero points, times `factor`, plus input `bias`, as float to output 0.
inline void onnx_scaled_product(onnx_context const& c, onnx_composition::names operands, std::string const& factor,
                                std::size_t bias) {
  onnx_composition const g(c);
  std::string const sums = g.cast(g("MatMulInteger", std::move(operands)), onnx_type::float32);
  if (!c.has_input(bias)) return g.make(0, "Mul", {sums, factor});
  g.make(0, "Add", {g("Mul", {sums, factor}), g.input(bias)});
}
inline std::string onnx_input_or_none(onnx_context const& c, std::size_t i) {
  return c.has_input(i) ? onnx_composition(c).input(i) : std::string();
}
inline void onnx_mat_mul_integer_to_float(onnx_context const& c) {
  onnx_composition const g(c);
  onnx_scaled_product(c, {g.input(0), g.input(1), onnx_input_or_none(c, 4), onnx_input_or_none(c, 5)},
                      g("Mul", {g.input(2), g.input(3)}), 6);
}
inline void onnx_dynamic_quantize_mat_mul(onnx_context const& c) {
  onnx_composition const g(c);
  auto const a = g.nodes("DynamicQuantizeLinear", {g.input(0)}, 3);
  onnx_scaled_product(c, {a[0], g.input(1), a[2], onnx_input_or_none(c, 3)}, g("Mul", {a[1], g.input(2)}), 4);
}

// ---- weights of few bits
// Returns number `at` of those of `bits` bits, lowest bits first, that the bytes of a row hold.
inline int onnx_packed_number(std::uint8_t const* row, std::size_t at, std::size_t bits) {
  std::size_t const each = 8 / bits;
  return row[at / each] >> (at % each * bits) & ((1 << bits) - 1);
}
// MatMulNBits: x times the transpose of constant weights N x K, which are dequantised when the model is read. Blocks of
// block_size numbers of a row have one scale and one zero point each.
inline void onnx_mat_mul_few_bits(onnx_context const& c) {
  onnx_composition const g(c);
  static_cast<void>(onnx_known_float(c, 0));
  auto const size = [&](char const* name) {
    std::int64_t const n = c.integer(name, 0);
    if (n < 1 || n > std::int64_t{1} << 31) c.unsupported(std::string(name) + " is " + std::to_string(n));
    return static_cast<std::size_t>(n);
  };
  std::size_t const columns = size("K");
  std::size_t const rows = size("N");
  std::size_t const block = size("block_size");
  std::int64_t const width = c.integer("bits", 4);
  if (width != 2 && width != 4 && width != 8) c.unsupported("weights of " + std::to_string(width) + " bits");
  if (c.has_input(4)) c.unsupported("an order of groups");
  auto const bits = static_cast<std::size_t>(width);
  if (!std::has_single_bit(block) || block < 16) c.unsupported("a block_size of " + std::to_string(block));
  tensor_value const* const packed = c.constant(1);
  tensor_value const* const scale = c.constant(2);
  tensor_value const* const zero = c.has_input(3) ? c.constant(3) : nullptr;
  if (packed == nullptr || scale == nullptr || (c.has_input(3) && zero == nullptr))
    c.unsupported("the weights, their scales and zero points " + std::string(onnx_must_be_known));
  auto const* const bytes = std::get_if<std::vector<std::uint8_t>>(&packed->data);
  auto const* const scales = std::get_if<std::vector<float>>(&scale->data);
  std::size_t const blocks = (columns - 1) / block + 1;
  std::size_t const row_bytes = blocks * (block * bits / 8);
  std::size_t const zero_bytes = (blocks * bits + 7) / 8;
  if (bytes == nullptr || bytes->size() != rows * row_bytes || scales == nullptr || scales->size() != rows * blocks)
    c.unsupported("the weights or their scales do not have the sizes that K, N and block_size say");
  auto const* const points = zero == nullptr ? nullptr : std::get_if<std::vector<std::uint8_t>>(&zero->data);
  auto const* const real_points = zero == nullptr ? nullptr : std::get_if<std::vector<float>>(&zero->data);
  if (zero != nullptr && !(points != nullptr && points->size() == rows * zero_bytes) &&
      !(real_points != nullptr && real_points->size() == rows * blocks))
    c.unsupported("the zero points do not have the size that K, N and block_size say");
  std::vector<float> made(columns * rows);
  for (std::size_t r = 0; r != rows; ++r)
    for (std::size_t k = 0; k != columns; ++k) {
      std::size_t const at = k / block;
      auto less = static_cast<float>(1 << (bits - 1));
      if (points != nullptr) less = static_cast<float>(onnx_packed_number(points->data() + r * zero_bytes, at, bits));
      if (real_points != nullptr) less = (*real_points)[r * blocks + at];
      auto const number = static_cast<float>(onnx_packed_number(bytes->data() + r * row_bytes, k, bits));
      made[k * rows + r] = (number - less) * (*scales)[r * blocks + at];
    }
  std::string const weights =
      g.constant({{static_cast<std::int64_t>(columns), static_cast<std::int64_t>(rows)}, std::move(made)});
  if (!c.has_input(5)) return g.make(0, "MatMul", {g.input(0), weights});
  g.make(0, "Add", {g("MatMul", {g.input(0), weights}), g.input(5)});
}

}  // namespace detail

inline void add_onnx_quantised_fused_rules(onnx_rules& rules) {
  auto const add = [&](char const* type, onnx_rule rule) { rules.set(detail::onnx_microsoft, type, std::move(rule)); };
  add("QLinearAdd", [](onnx_context const& c) { detail::onnx_qlinear_binary(c, "Add"); });
  add("QLinearMul", [](onnx_context const& c) { detail::onnx_qlinear_binary(c, "Mul"); });
  add("QLinearSigmoid", [](onnx_context const& c) { detail::onnx_qlinear_unary(c, "Sigmoid", {}); });
  add("QLinearLeakyRelu", [](onnx_context const& c) {
    detail::onnx_qlinear_unary(c, "LeakyRelu", {detail::onnx_real_argument("alpha", c.real("alpha", 0.01f))});
  });
  add("QLinearAveragePool", [](onnx_context const& c) { detail::onnx_qlinear_pool(c, "AveragePool"); });
  add("QLinearGlobalAveragePool", [](onnx_context const& c) { detail::onnx_qlinear_pool(c, "GlobalAveragePool"); });
  add("QLinearSoftmax", detail::onnx_qlinear_softmax);
  add("QLinearConcat", detail::onnx_qlinear_concat);
  add("QLinearWhere", detail::onnx_qlinear_where);
  add("QGemm", detail::onnx_qgemm);
  add("MatMulIntegerToFloat", detail::onnx_mat_mul_integer_to_float);
  add("DynamicQuantizeMatMul", detail::onnx_dynamic_quantize_mat_mul);
  add("MatMulNBits", detail::onnx_mat_mul_few_bits);
  // Rules of ONNX itself, for more types, in a version whose scales have an axis.
  for (char const* type : {"QuantizeLinear", "DequantizeLinear"})
    add(type, [type](onnx_context const& c) {
      onnx_context const own(c.converter(), c.node(), 13);
      std::string_view(type) == "QuantizeLinear" ? detail::onnx_quantize_linear(own)
                                                 : detail::onnx_dequantize_linear(own);
    });
}

}  // namespace plait
