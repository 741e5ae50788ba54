// Constant folding of element-wise ONNX operators and of reductions of integers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/context.hpp>
#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/folding_operands.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/interop/onnx/detail/values.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait::detail {

/// Evaluator of one node that computes with elements.
class onnx_folding_arithmetic : public onnx_folding_operands {
 protected:
  using onnx_folding_operands::onnx_folding_operands;

  // ---- element-wise
  result cast() const {
    auto made = input(0);
    auto const to = static_cast<onnx_type>(c_.integer("to", 0));
    if (!made || !folded_types.has(to) || (is_real(to) && c_.training())) return std::nullopt;
    for (folded_element& each : made->cells) {
      if (is_real(made->type) && !is_real(to)) {
        double const limit = to == onnx_type::int64   ? 9007199254740992.0
                             : to == onnx_type::uint8 ? 255.0
                                                      : 2147483647.0;
        if (to == onnx_type::boolean) {
          each.integer = each.real != 0;
        } else {
          if (!(std::abs(each.real) <= limit) || (to == onnx_type::uint8 && each.real < 0)) return std::nullopt;
          each.integer = static_cast<std::int64_t>(each.real);
        }
      } else if (!is_real(made->type) && is_real(to)) {
        each.real = to == onnx_type::float32 ? static_cast<double>(static_cast<float>(each.integer))
                                             : static_cast<double>(each.integer);
      }
      each = narrowed(to, each);
    }
    made->type = to;
    return one(std::move(*made));
  }
  result unary() const {
    auto made = input(0);
    if (!made || (op() == "Not") != (made->type == onnx_type::boolean)) return std::nullopt;
    bool const needs_real = op() == "Floor" || op() == "Ceil" || op() == "Sqrt" || op() == "Sin" || op() == "Cos";
    if (needs_real && !is_real(made->type)) return std::nullopt;
    for (folded_element& each : made->cells) {
      auto const negated = static_cast<std::int64_t>(std::uint64_t{0} - static_cast<std::uint64_t>(each.integer));
      if (op() == "Not") {
        each.integer = each.integer == 0;
      } else if (op() == "Floor") {
        each.real = std::floor(each.real);
      } else if (op() == "Ceil") {
        each.real = std::ceil(each.real);
      } else if (op() == "Sqrt") {
        each.real = std::sqrt(each.real);
      } else if (op() == "Sin") {
        each.real = std::sin(each.real);
      } else if (op() == "Cos") {
        each.real = std::cos(each.real);
      } else if (op() == "Neg") {
        each.real = -each.real;
        each.integer = negated;
      } else {
        each.real = std::abs(each.real);
        if (each.integer < 0) each.integer = negated;
      }
      each = narrowed(made->type, each);
    }
    return one(std::move(*made));
  }
  // Clip of reals by scalars.
  result clip() const {
    auto made = input(0);
    if (!made || !is_real(made->type) || c_.opset() < 11) return std::nullopt;
    for (std::size_t const i : {1U, 2U}) {
      if (!c_.has_input(i)) continue;
      auto const bound = input(i);
      if (!bound || bound->cells.size() != 1) return std::nullopt;
      double const at = bound->cells[0].real;
      for (folded_element& each : made->cells)
        if (i == 1 ? each.real < at : each.real > at) each.real = at;
    }
    return one(std::move(*made));
  }
  // Pow of reals to one small integer.
  result power() const {
    auto made = input(0);
    auto const exponent = input(1);
    if (!made || !is_real(made->type) || !exponent || exponent->cells.size() != 1 || !exponent->dims.empty())
      return std::nullopt;
    folded_element const& by = exponent->cells[0];
    if (!by.is_known) return std::nullopt;
    double const wanted = is_real(exponent->type) ? by.real : static_cast<double>(by.integer);
    if (wanted != 2 && wanted != 3) return std::nullopt;
    for (folded_element& each : made->cells) {
      each.real *= wanted == 2 ? each.real : each.real * each.real;
      each = narrowed(made->type, each);
    }
    return one(std::move(*made));
  }
  // Returns a / b, as IEEE 754 defines it for a divisor of 0.
  static double quotient(double a, double b) {
    if (b != 0) return a / b;
    if (a == 0 || a != a) return std::numeric_limits<double>::quiet_NaN();
    return std::signbit(a) == std::signbit(b) ? std::numeric_limits<double>::infinity()
                                              : -std::numeric_limits<double>::infinity();
  }
  // Returns false for what is not folded, such as a division of integers by zero.
  bool combine(onnx_type type, folded_element const& a, folded_element const& b, folded_element& to) const {
    bool const real = is_real(type);
    auto const x = static_cast<std::uint64_t>(a.integer);
    auto const y = static_cast<std::uint64_t>(b.integer);
    bool const less = real ? a.real < b.real : a.integer < b.integer;
    bool const equal = real ? a.real == b.real : a.integer == b.integer;
    bool const greater = real ? a.real > b.real : a.integer > b.integer;
    if (op() == "Add") {
      to = {static_cast<std::int64_t>(x + y), a.real + b.real};
    } else if (op() == "Sub") {
      to = {static_cast<std::int64_t>(x - y), a.real - b.real};
    } else if (op() == "Mul") {
      to = {static_cast<std::int64_t>(x * y), a.real * b.real};
    } else if (op() == "Div" || op() == "Mod") {
      if (real && op() == "Mod") return false;
      if (!real && (b.integer == 0 || b.integer == -1)) return false;
      to = {0, real ? quotient(a.real, b.real) : 0};
      if (real) return true;
      std::int64_t const rest = a.integer % b.integer;
      bool const follows_dividend = c_.integer("fmod", 0) != 0;
      to.integer = op() == "Div"                                                     ? a.integer / b.integer
                   : rest != 0 && !follows_dividend && (rest < 0) != (b.integer < 0) ? rest + b.integer
                                                                                     : rest;
    } else if (op() == "Max" || op() == "Min") {
      if (real && (a.real != a.real || b.real != b.real)) return false;
      if (real && a.real == 0 && b.real == 0) return false;  // zeros of different signs
      to = (op() == "Max") == less ? b : a;
    } else if (op() == "Equal") {
      to = {equal};
    } else if (op() == "Less") {
      to = {less};
    } else if (op() == "Greater") {
      to = {greater};
    } else if (op() == "LessOrEqual") {
      to = {less || equal};
    } else if (op() == "GreaterOrEqual") {
      to = {greater || equal};
    } else {
      to = {op() == "And" ? a.integer & b.integer : op() == "Or" ? a.integer | b.integer : a.integer ^ b.integer};
    }
    return true;
  }
  result binary() const {
    bool const variadic = op() == "Max" || op() == "Min";
    if (c_.opset() < (variadic ? 8 : 7)) return std::nullopt;
    auto a = input(0);
    if (!a || (!variadic && c_.input_count() != 2)) return std::nullopt;
    bool const compares = op() == "Equal" || op().starts_with("Less") || op().starts_with("Greater");
    bool const logical = op() == "And" || op() == "Or" || op() == "Xor";
    if (!compares && logical != (a->type == onnx_type::boolean)) return std::nullopt;
    for (std::size_t i = 1; i != c_.input_count(); ++i) {
      auto const b = input(i);
      if (!b || b->type != a->type) return std::nullopt;
      auto const dims = broadcast_dims(a->dims, b->dims);
      auto left = dims ? expanded(*a, *dims) : std::nullopt;
      auto const right = dims ? expanded(*b, *dims) : std::nullopt;
      if (!left || !right) return std::nullopt;
      if (compares) left->type = onnx_type::boolean;
      for (std::size_t k = 0; k != left->cells.size(); ++k) {
        folded_element made{0, 0, false};
        folded_element const& x = left->cells[k];
        folded_element const& y = right->cells[k];
        if (x.is_known && y.is_known && !combine(a->type, x, y, made)) return std::nullopt;
        left->cells[k] = narrowed(left->type, made);
      }
      a = std::move(left);
    }
    return one(std::move(*a));
  }
  result where() const {
    auto condition = input(0);
    auto a = input(1);
    auto b = input(2);
    if (!condition || !a || !b || condition->type != onnx_type::boolean || a->type != b->type) return std::nullopt;
    auto dims = broadcast_dims(a->dims, b->dims);
    if (dims) dims = broadcast_dims(condition->dims, *dims);
    if (!dims) return std::nullopt;
    condition = expanded(*condition, *dims);
    a = expanded(*a, *dims);
    b = expanded(*b, *dims);
    if (!condition || !a || !b) return std::nullopt;
    for (std::size_t k = 0; k != a->cells.size(); ++k) {
      folded_element const& chosen = condition->cells[k];
      if (!chosen.is_known)
        a->cells[k] = {0, 0, false};
      else if (chosen.integer == 0)
        a->cells[k] = b->cells[k];
    }
    return one(std::move(*a));
  }

  // ---- reductions of integers
  result reduce() const {
    auto const from = input(0);
    if (!from || !is_integer(from->type)) return std::nullopt;
    std::int64_t const since = op() == "ReduceSum" ? 13 : 18;
    std::vector<bool> goes(from->dims.size(), true);
    bool const is_listed = c_.opset() >= since ? c_.has_input(1) : c_.has("axes");
    if (is_listed) {
      auto const at = axes(list("axes", 1, since), from->dims.size());
      if (!at) return std::nullopt;
      if (!at->empty()) goes.assign(from->dims.size(), false);
      for (std::int64_t const a : *at) goes[static_cast<std::size_t>(a)] = true;
      if (at->empty() && c_.integer("noop_with_empty_axes", 0) != 0) return std::nullopt;
    } else if (c_.integer("noop_with_empty_axes", 0) != 0) {
      return std::nullopt;
    }
    numbers kept = from->dims;
    numbers dims;
    for (std::size_t a = 0; a != kept.size(); ++a) {
      if (goes[a]) kept[a] = 1;
      if (!goes[a] || c_.integer("keepdims", 1) != 0) dims.push_back(kept[a]);
    }
    folded_tensor made{from->type, std::move(dims)};
    std::size_t const count = size_of(kept);
    bool const adds = op() == "ReduceSum";
    bool const multiplies = op() == "ReduceProd";
    if (count > max_elements || (from->cells.empty() && !adds && !multiplies)) return std::nullopt;
    made.cells.assign(count, {multiplies ? 1 : 0});
    std::vector<bool> has_first(count, false);
    auto const steps = strides(kept);
    auto const own = strides(from->dims);
    for (std::size_t k = 0; k != from->cells.size(); ++k) {
      std::size_t at = 0;
      for (std::size_t a = 0; a != kept.size(); ++a)
        if (!goes[a]) at += k / own[a] % extent(from->dims, a) * steps[a];
      folded_element& to = made.cells[at];
      folded_element const& next = from->cells[k];
      auto const x = static_cast<std::uint64_t>(to.integer);
      auto const y = static_cast<std::uint64_t>(next.integer);
      bool const known = to.is_known && next.is_known;
      if (adds)
        to.integer = static_cast<std::int64_t>(x + y);
      else if (multiplies)
        to.integer = static_cast<std::int64_t>(x * y);
      else if (!has_first[at] || (op() == "ReduceMax") == (next.integer > to.integer))
        to.integer = next.integer;
      has_first[at] = true;
      to = narrowed(from->type, to);
      to.is_known = known;
    }
    return one(std::move(made));
  }
};

}  // namespace plait::detail
