// Export rules of remainders, bits and shifts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/export/rules/indexing.hpp>

namespace plait {
namespace detail::onnx_out {

/// FloorMod and TruncMod. Mod of floats has the sign of the dividend only.
inline void onnx_export_remainder(onnx_export_context& c) {
  std::string const a = c.input(0);
  std::string const b = onnx_second_operand(c);
  bool const truncates = c.type() == "TruncMod";
  if (truncates || !is_onnx_float(c.type_of(a)))
    return c.give(0, "Mod", {a, b}, {onnx_attr("fmod", truncates ? 1 : 0)});
  std::string const rest = c.step("Mod", {a, b}, {onnx_attr("fmod", 1)});
  std::string const zero = c.number(0, a);
  std::string const opposite = c.step("Xor", {c.step("Less", {rest, zero}), c.step("Less", {b, zero})});
  std::string const left = c.step("Not", {c.step("Equal", {rest, zero})});
  c.give(0, "Where", {c.step("And", {left, opposite}), c.step("Add", {rest, b}), rest});
}

inline void onnx_export_bitwise(onnx_export_context& c) {
  std::string const a = c.input(0);
  if (c.type_of(a) == onnx_type::boolean) return onnx_export_binary(c, c.type().substr(7).c_str());
  onnx_require_opset(c, 18, "bits of integers");
  onnx_export_binary(c, c.type().c_str());
}

/// ShiftLeft and ShiftRight of signed integers, which BitShift does not take, as products and floored quotients.
inline void onnx_export_shift(onnx_export_context& c) {
  std::string const a = c.input(0);
  onnx_type const type = c.type_of(a);
  std::int64_t const bits = type == onnx_type::int64 ? 64 : 32;
  std::string const by = onnx_cast(c, onnx_second_operand(c), onnx_type::int64);
  std::string const is_inside = c.step(
      "And", {c.step("Less", {by, onnx_int64(c, bits)}), c.step("Not", {c.step("Less", {by, onnx_int64(c, 0)})})});
  std::vector<std::int64_t> powers;
  for (std::int64_t k = 0; k != bits; ++k) powers.push_back(static_cast<std::int64_t>(std::uint64_t{1} << k));
  std::string const table = c.constant(std::move(powers), "powers");
  auto const power = [&](std::string const& at) { return onnx_cast(c, c.step("Gather", {table, at}), type); };
  if (c.type() == "ShiftLeft") {
    std::string const moved = c.step("Mul", {a, power(c.step("Where", {is_inside, by, onnx_int64(c, 0)}))});
    return c.give(0, "Where", {is_inside, moved, c.number(0, a)});
  }
  // ⌊a / 2^by⌋ for a negative a is -1 - ⌊(-1 - a) / 2^by⌋. Two quotients, as the greatest power is no signed integer.
  std::string const count = c.step("Where", {is_inside, by, onnx_int64(c, bits - 1)});
  std::string const half = c.step("Div", {count, onnx_int64(c, 2)});
  std::string const minus_one = c.number(-1, a);
  std::string const is_negative = c.step("Less", {a, c.number(0, a)});
  std::string const positive = c.step("Where", {is_negative, c.step("Sub", {minus_one, a}), a});
  std::string const quotient =
      c.step("Div", {c.step("Div", {positive, power(half)}), power(c.step("Sub", {count, half}))});
  c.give(0, "Where", {is_negative, c.step("Sub", {minus_one, quotient}), quotient});
}

}  // namespace detail::onnx_out

inline void add_onnx_integers_export(onnx_export_rules& rules) {
  rules.set("FloorMod", detail::onnx_out::onnx_export_remainder);
  rules.set("TruncMod", detail::onnx_out::onnx_export_remainder);
  for (char const* type : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"})
    rules.set(type, detail::onnx_out::onnx_export_bitwise);
  for (char const* type : {"ShiftLeft", "ShiftRight"}) rules.set(type, detail::onnx_out::onnx_export_shift);
}

}  // namespace plait
