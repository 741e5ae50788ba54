// Conversion rules for ONNX's remainders, bits, rounding, scans and products: Mod, BitShift, Bitwise*, Round, CumSum,
// Hardmax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/rules/extents.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

inline constexpr onnx_types onnx_integers{onnx_type::int32, onnx_type::int64, onnx_type::uint8};

inline void onnx_mod(onnx_context const& c) {
  std::int64_t const fmod = c.integer("fmod", 0);
  if (fmod != 0 && fmod != 1) c.unsupported("attribute 'fmod' is neither 0 nor 1");
  onnx_binary(c, fmod == 1 ? "TruncMod" : "FloorMod", onnx_numbers_and_bytes);
}

// BitShift: shifts of int32 give those of uint8, modulo 256.
inline void onnx_bit_shift(onnx_context const& c) {
  std::string const direction = c.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") c.unsupported("attribute 'direction' is neither LEFT nor RIGHT");
  onnx_binary(c, direction == "LEFT" ? "ShiftLeft" : "ShiftRight", onnx_integers);
}

inline void onnx_bitwise_not(onnx_context const& c) {
  require_type(c, 0, onnx_integers);
  static_cast<void>(require_runtime_type(c, c.type(0)));
  onnx_narrowed(c, [&](std::string const& made) {
    std::string const ones = c.constant_blob(onnx_filled(onnx_widened_type(c.type(0)), {}, -1), "ones");
    c.add("BitwiseXor", {onnx_widened(c, 0), ones}, {made});
  });
  c.as_input(0, 0);
}

// Round, halves to even: the integer below, plus 1 if the rest exceeds a half, or is a half of an odd integer. Integers
// and infinities, which equal the integer below, stay. The rest is inexact between -1 and 0 only, where the integer
// below is odd, so that rounding the rest up to a half has no effect.
inline void onnx_round(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  std::int64_t const type = require_runtime_type(c, c.type(0));
  std::string const half = onnx_number(c, 0.5, "half");
  std::string const below = c.step("Floor", {c.input(0)});
  std::string const rest = c.step("Sub", {c.input(0), below});
  std::string const halved = c.step("Mul", {below, half});
  std::string const is_odd = c.step("NE", {halved, c.step("Floor", {halved})});
  std::string const is_tie = c.step("And", {c.step("EQ", {rest, half}), is_odd});
  std::string const goes_up = c.step("Or", {c.step("GT", {rest, half}), is_tie});
  std::string const rounded = c.step("Add", {below, c.step("Cast", {goes_up}, {{"to", type}})});
  c.add("Where", {c.step("EQ", {below, c.input(0)}), c.input(0), rounded}, {c.output(0)});
  c.as_input(0, 0);
}

// CumSum and CumProd: the axis is an input, constant or not.
inline void onnx_cumulative(onnx_context const& c, char const* type) {
  require_type(c, 0, onnx_numbers);
  require_rank(c, 0, 1);
  require_scalar(c, 1, true);
  std::vector<net_argument> arguments{{"exclusive", c.integer("exclusive", 0) != 0 ? 1 : 0},
                                      {"reverse", c.integer("reverse", 0) != 0 ? 1 : 0}};
  std::vector<std::string> inputs{c.input(0)};
  if (c.constant(1) == nullptr) {
    inputs.push_back(c.input(1));
  } else {
    auto const axis = c.known_integers(1, "the axis");
    if (axis.size() != 1) c.unsupported(input_text(c, 1) + " should be one number");
    if (c.dims(0)) static_cast<void>(c.axis(0, axis.front()));
    arguments.emplace_back("axis", axis.front());
  }
  c.add(type, inputs, {c.output(0)}, std::move(arguments));
  c.as_input(0, 0);
}

// Hardmax: 1 at the first of the greatest elements along the axis, or, before version 13, along all axes from `axis`
// on.
inline void onnx_hardmax(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  std::int64_t const to = require_runtime_type(c, c.type(0));
  bool const old = c.opset() < 13;
  std::int64_t axis = c.integer("axis", old ? 1 : -1);
  if (c.dims(0)) static_cast<void>(c.axis(0, axis));
  std::string const x = old ? c.step("Flatten", {c.input(0)}, {{"axis", axis}}) : c.input(0);
  std::vector<std::int64_t> after;  // new axes of the places, which face the axes of x after `axis`
  if (!old && axis != -1) {
    std::size_t const rank = c.rank(0);
    for (std::size_t a = c.axis(0, axis) + 1; a != rank; ++a)
      after.push_back(static_cast<std::int64_t>(after.size() + 1));
  }
  if (old) axis = 1;
  std::string places = onnx_places(c, x, axis);
  if (!after.empty()) places = c.step("ExpandDims", {places}, {{"dims", after}});
  std::string const greatest = c.step("ArgMax", {x}, {{"axis", axis}, {"keepdims", 1}});
  std::string const hot = c.step("EQ", {greatest, places});
  if (old) {
    c.add("ResizeLike", {c.step("Cast", {hot}, {{"to", to}}), c.input(0)}, {c.output(0)});
  } else {
    c.add("Cast", {hot}, {c.output(0)}, {{"to", to}});
  }
  c.as_input(0, 0);
}

}  // namespace detail

inline void add_onnx_numeric_rules(onnx_rules& rules) {
  rules.set("Mod", detail::onnx_mod);
  rules.set("BitShift", detail::onnx_bit_shift);
  for (char const* type : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"})
    rules.set(type, [type](onnx_context const& c) { detail::onnx_binary(c, type, detail::onnx_integers); });
  rules.set("BitwiseNot", detail::onnx_bitwise_not);
  for (char const* type : {"Asinh", "Acosh", "Atanh"})
    rules.set(type, [type](onnx_context const& c) { detail::onnx_unary(c, type); });
  rules.set("Round", detail::onnx_round);
  rules.set("CumSum", [](onnx_context const& c) { detail::onnx_cumulative(c, "CumSum"); });
  rules.set("CumProd", [](onnx_context const& c) { detail::onnx_cumulative(c, "CumProd"); });
  rules.set("Hardmax", detail::onnx_hardmax);
}

}  // namespace plait
