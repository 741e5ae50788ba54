// Conversion rules for ONNX's element-wise operators: unary, binary and variadic, with broadcasting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

/// Converts an element-wise operator of one input.
inline void onnx_unary(onnx_context const& c, char const* type, std::vector<net_argument> arguments = {},
                       onnx_types types = onnx_floats) {
  require_type(c, 0, types);
  c.add(type, {c.input(0)}, {c.output(0)}, std::move(arguments));
  c.as_input(0, 0);
}

// ---- types that most ops lack: computed as int32 or int64, and cast back modulo a power of 2
/// Returns int32 for bool and integers of 8 and 16 bits, int64 for uint32 and uint64, else the type itself. int64 has
/// the sums and products of uint64 modulo 2^64, but not its order: see onnx_ordered().
inline onnx_type onnx_widened_type(onnx_type type) {
  if (type == onnx_type::uint32 || type == onnx_type::uint64) return onnx_type::int64;
  return is_short_integer(type) || type == onnx_type::boolean ? onnx_type::int32 : type;
}
/// Returns input i, cast to the widened type.
inline std::string onnx_widened(onnx_context const& c, std::size_t i) {
  if (onnx_widened_type(c.type(i)) == c.type(i)) return c.input(i);
  return c.step("Cast", {c.input(i)}, {{"to", require_runtime_type(c, onnx_widened_type(c.type(i)))}});
}
/// Calls `make(blob)`, which adds the ops that write a blob of the widened type, and casts the blob to output 0.
template <class Make>
void onnx_narrowed(onnx_context const& c, Make const& make) {
  if (onnx_widened_type(c.type(0)) == c.type(0)) return make(c.output(0));
  std::string const wide = c.temporary("wide");
  make(wide);
  c.add("Cast", {wide}, {c.output(0)}, {{"to", require_runtime_type(c, c.type(0))}});
}

/// Adds -2^63 to a blob that uint64 is widened to, which gives int64 the order of uint64, and undoes itself.
inline std::string onnx_ordered(onnx_context const& c, std::string const& wide, onnx_type type) {
  if (type != onnx_type::uint64) return wide;
  tensor_value least{{}, std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min()}};
  return c.step("Add", {wide, c.constant_blob(std::move(least), "least")});
}

// ---- two operands
// Returns the arguments of broadcasting before version 7, which has Caffe2's semantics and attribute names.
inline std::vector<net_argument> onnx_old_broadcast(onnx_context const& c) {
  std::vector<net_argument> made;
  if (c.opset() >= 7 || c.integer("broadcast", 0) == 0) return made;
  made.emplace_back("broadcast", 1);
  if (c.has("axis")) made.emplace_back("axis", c.integer("axis", 0));
  return made;
}

// Returns the shape of a binary operator's output.
inline onnx_dims onnx_broadcast_dims(onnx_context const& c) {
  if (c.opset() >= 7) return broadcast(c, c.dims(0), c.dims(1));
  if (c.integer("broadcast", 0) == 0 && c.dims(0)) require_dims(c, 1, *c.dims(0), "as input 0 is");
  return c.dims(0);
}

inline void onnx_binary(onnx_context const& c, char const* type, onnx_types types,
                        onnx_type result = onnx_type::undefined) {
  require_type(c, 0, types);
  onnx_dims dims = onnx_broadcast_dims(c);
  if (result == onnx_type::undefined) {
    onnx_narrowed(c, [&](std::string const& made) {
      c.add(type, {onnx_widened(c, 0), onnx_widened(c, 1)}, {made}, onnx_old_broadcast(c));
    });
    c.set_type(0, c.type(0));
  } else {
    // Comparisons take uint8 and bool, but none of the other types that are widened.
    bool const direct = c.type(0) == onnx_type::uint8 || c.type(0) == onnx_type::boolean;
    auto const operand = [&](std::size_t i) {
      return direct ? c.input(i) : onnx_ordered(c, onnx_widened(c, i), c.type(i));
    };
    c.add(type, {operand(0), operand(1)}, {c.output(0)}, onnx_old_broadcast(c));
    c.set_type(0, result);
  }
  c.set_dims(0, std::move(dims));
}
inline void onnx_logical(onnx_context const& c, char const* type) {
  require_type(c, 0, {onnx_type::boolean});
  onnx_dims dims = onnx_broadcast_dims(c);
  c.add(type, {c.input(0), c.input(1)}, {c.output(0)}, onnx_old_broadcast(c));
  c.set_type(0, onnx_type::boolean);
  c.set_dims(0, std::move(dims));
}

// Returns a scalar constant of the type of input 0.
inline std::string onnx_number(onnx_context const& c, double value, char const* ending) {
  return c.constant_blob(onnx_filled(c.type(0), {}, value), ending);
}

inline void onnx_pow(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  onnx_dims dims = onnx_broadcast_dims(c);
  if (c.known_number(1) == 2.0 && dims && c.dims(0) && dims->size() == c.rank(0)) {
    c.add("Sqr", {c.input(0)}, {c.output(0)});
  } else {
    std::string exponent = c.input(1);
    if (c.type(1) != c.type(0) && c.type(0) != onnx_type::undefined)
      exponent = c.step("Cast", {exponent}, {{"to", require_runtime_type(c, c.type(0))}});
    c.add("Pow", {c.input(0), exponent}, {c.output(0)}, onnx_old_broadcast(c));
  }
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

// ---- any number of operands
// Returns the shape that all operands broadcast to, and whether they are `alike`; before version 8 they must be.
inline onnx_dims onnx_variadic_dims(onnx_context const& c, bool& alike) {
  onnx_dims dims = c.dims(0);
  alike = true;
  for (std::size_t i = 1; i < c.input_count(); ++i) {
    alike = alike && known_alike(c.dims(0), c.dims(i));
    if (c.opset() < 8 && c.dims(0)) require_dims(c, i, *c.dims(0), "as input 0 is");
    dims = broadcast(c, dims, c.dims(i));
  }
  alike = alike || c.opset() < 8;
  return dims;
}

// Sum and Mean: one op if all operands have the same shape, else a chain of Add ops.
inline void onnx_sum(onnx_context const& c, bool mean) {
  require_type(c, 0, onnx_floats);
  std::size_t const count = c.input_count();
  bool alike = true;
  onnx_dims dims = onnx_variadic_dims(c, alike);
  if (alike) {
    c.add(mean ? "Mean" : "Sum", c.inputs(), {c.output(0)});
  } else {
    std::string sum = c.input(0);
    for (std::size_t i = 1; i != count; ++i) {
      std::string const made = i + 1 == count && !mean ? c.output(0) : c.temporary("Add");
      c.add("Add", {sum, c.input(i)}, {made});
      sum = made;
    }
    if (mean) c.add("Div", {sum, onnx_number(c, static_cast<double>(count), "count")}, {c.output(0)});
  }
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

/// Broadcasts operands to their common shape: multiplies each by ones of that shape, which preserves every number, NaN
/// and infinities included. The shape comes from comparing each blob with itself, which works for all elements.
inline void onnx_broadcast_operands(onnx_context const& c, std::vector<std::string>& blobs, onnx_type type) {
  if (type == onnx_type::undefined) c.unsupported("the type of its inputs must be known before the model is run");
  std::string all;
  for (std::string const& each : blobs) {
    std::string const own = c.step("EQ", {each, each});
    all = all.empty() ? own : c.step("Or", {all, own});
  }
  std::string const ones = c.step("ConstantFill", {all}, {onnx_one(type), {"dtype", require_runtime_type(c, type)}});
  for (std::string& each : blobs) each = c.step("Mul", {each, ones});
}

// Max and Min. The ops need operands of one shape.
inline void onnx_min_max(onnx_context const& c, char const* type) {
  require_type(c, 0, onnx_numbers_and_bytes | onnx_types{onnx_type::uint64});
  bool alike = true;
  onnx_dims dims = onnx_variadic_dims(c, alike);
  onnx_narrowed(c, [&](std::string const& made) {
    std::vector<std::string> operands;
    for (std::size_t i = 0; i != c.input_count(); ++i)
      operands.push_back(onnx_ordered(c, onnx_widened(c, i), c.type(i)));
    if (!alike) onnx_broadcast_operands(c, operands, onnx_widened_type(c.type(0)));
    if (c.type(0) == onnx_type::uint64)
      c.add("Copy", {onnx_ordered(c, c.step(type, operands), onnx_type::uint64)}, {made});
    else
      c.add(type, operands, {made});
  });
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

/// Returns true if a float argument represents the number exactly.
inline bool is_float(double value) { return value != value || static_cast<double>(static_cast<float>(value)) == value; }
/// Returns the greatest or the least finite number of a type, as a scalar.
inline tensor_value onnx_limit(onnx_type type, bool greatest) {
  auto const pick = [&]<class T>(T) -> tensor_value {
    using limits = std::numeric_limits<T>;
    return {{}, std::vector<T>{greatest ? limits::max() : limits::lowest()}};
  };
  switch (type) {
    case onnx_type::float64:
      return pick(0.0);
    case onnx_type::int32:
      return pick(std::int32_t{0});
    case onnx_type::int64:
      return pick(std::int64_t{0});
    case onnx_type::uint8:
      return pick(std::uint8_t{0});
    case onnx_type::int8:
      return pick(std::int8_t{0});
    case onnx_type::uint16:
      return pick(std::uint16_t{0});
    case onnx_type::int16:
      return pick(std::int16_t{0});
    case onnx_type::uint32:
      return pick(std::uint32_t{0});
    default:
      return pick(0.0f);
  }
}

// Clip: one op if its float arguments represent the bounds exactly, else min(max(x, lower), upper).
inline void onnx_clip(onnx_context const& c) {
  require_type(c, 0, onnx_numbers_and_bytes);
  bool const attributes = c.opset() < 11;
  bool direct = c.type(0) == onnx_type::float32 || c.type(0) == onnx_type::float64 || attributes;
  std::vector<net_argument> arguments;
  for (std::size_t const i : {1U, 2U}) {
    char const* const name = i == 1 ? "min" : "max";
    if (attributes) {
      if (c.has(name)) arguments.emplace_back(name, c.real(name, 0));
    } else if (c.has_input(i)) {
      require_scalar(c, i);
      auto const known = c.known_number(i);
      if (!known && !is_known(c.dims(i))) c.unsupported(std::string(name) + " must be known before the model is run");
      direct = direct && known && is_float(*known);
      if (known) arguments.emplace_back(name, *known);
    }
  }
  if (direct) return onnx_unary(c, "Clip", std::move(arguments));
  onnx_narrowed(c, [&](std::string const& made) {
    std::string x = onnx_widened(c, 0);
    for (std::size_t const i : {1U, 2U}) {
      std::string bound = c.has_input(i) ? onnx_widened(c, i)
                                         : c.constant_blob(onnx_limit(onnx_widened_type(c.type(0)), i == 2), "limit");
      if (c.has_input(i) && !c.dims(i)->empty()) bound = c.step("Squeeze", {bound}, {{"dims", {0}}});
      std::vector<std::string> both{x, bound};
      onnx_broadcast_operands(c, both, onnx_widened_type(c.type(0)));
      std::string const next = i == 2 ? made : c.temporary("Max");
      c.add(i == 1 ? "Max" : "Min", both, {next});
      x = next;
    }
  });
  c.as_input(0, 0);
}

/// Returns the number of the type that a Cast needs between two types, if the op does not compute the pair: int64, and
/// double before floats of 16 bits, which lose nothing.
inline std::optional<std::int64_t> onnx_type_between(onnx_context const& c, onnx_type from, onnx_type to) {
  auto const is_listed = [](onnx_type type) {
    return onnx_widened_type(type) != type && type != onnx_type::uint8 && type != onnx_type::boolean;
  };
  if (from == to || (!is_listed(from) && !is_listed(to)) || onnx_numbers.has(is_listed(from) ? to : from))
    return std::nullopt;
  return require_runtime_type(c, is_half(to) ? onnx_type::float64 : onnx_type::int64);
}
inline void onnx_cast_to(onnx_context const& c, onnx_type to) {
  std::int64_t const number = require_runtime_type(c, to);
  std::string x = c.input(0);
  if (auto const between = onnx_type_between(c, c.type(0), to)) x = c.step("Cast", {x}, {{"to", *between}});
  // Rounded to 16 bits, and computed as float from here on.
  if (is_half(to)) x = c.step("Cast", {x}, {{"to", to == onnx_type::float16 ? "FLOAT16" : "BFLOAT16"}});
  c.add("Cast", {x}, {c.output(0)}, {{"to", number}});
  c.set_type(0, to);
  c.set_dims(0, c.dims(0));
}

// PRelu: before version 7 the slope is per channel, as in plait's op; since then it broadcasts.
inline void onnx_prelu(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  if (c.opset() < 7) {
    c.add("PRelu", {c.input(0), c.input(1)}, {c.output(0)});
    return c.as_input(0, 0);
  }
  require_broadcasts_to(c, 1, c.dims(0));
  std::string const below = c.step("LT", {c.input(0), onnx_number(c, 0, "zero")});
  std::string const sloped = c.step("Mul", {c.input(0), c.input(1)});
  c.add("Where", {below, sloped, c.input(0)}, {c.output(0)});  // refuses a slope that broadcasts beyond the input
  c.as_input(0, 0);
}

inline std::string onnx_zeros(onnx_context const& c) {
  return c.step("ConstantFill", {c.input(0)}, {{"value", 0.0f}, {"dtype", require_runtime_type(c, c.type(0))}});
}

inline void onnx_shrink(onnx_context const& c) {
  require_type(c, 0, onnx_floats);
  float const lambda = c.real("lambd", 0.5f);
  std::string const bias = onnx_number(c, c.real("bias", 0), "bias");
  std::string const above = c.step("GT", {c.input(0), onnx_number(c, lambda, "above")});
  std::string const below = c.step("LT", {c.input(0), onnx_number(c, -lambda, "below")});
  std::string const rest = c.step("Where", {above, c.step("Sub", {c.input(0), bias}), onnx_zeros(c)});
  c.add("Where", {below, c.step("Add", {c.input(0), bias}), rest}, {c.output(0)});
  c.as_input(0, 0);
}

inline void onnx_dropout(onnx_context const& c) {
  bool const trains = c.opset() < 7 ? c.integer("is_test", 0) == 0 : c.has_input(2) && c.known_number(2) != 0.0;
  bool const drops_none = trains && c.opset() >= 12 && c.has_input(1) && c.known_number(1) == 0.0;
  if (trains && !drops_none) c.unsupported("it must not be in training mode");
  if (c.opset() >= 12 && c.has_input(1)) {
    require_scalar(c, 1);
    auto const ratio = c.known_number(1);
    if (ratio && !(*ratio >= 0 && *ratio < 1)) c.unsupported("the ratio must be at least 0 and below 1");
  }
  c.add("Copy", {c.input(0)}, {c.output(0)});
  c.as_input(0, 0);
  if (!c.wants(1)) return;
  // Before version 10 the mask has the type of the data.
  onnx_type const type = c.opset() < 10 ? c.type(0) : onnx_type::boolean;
  c.add("ConstantFill", {c.input(0)}, {c.output(1)}, {onnx_one(type), {"dtype", require_runtime_type(c, type)}});
  c.set_type(1, type);
  c.set_dims(1, c.dims(0));
}

// Where, with broadcasting. The op needs operands of one shape.
inline void onnx_where(onnx_context const& c) {
  require_type(c, 1, onnx_host_types | onnx_types{onnx_type::uint64});
  onnx_dims dims = broadcast(c, c.dims(0), broadcast(c, c.dims(1), c.dims(2)));
  if (known_alike(c.dims(0), c.dims(1)) && known_alike(c.dims(0), c.dims(2))) {
    c.add("Where", {c.input(0), c.input(1), c.input(2)}, {c.output(0)});
  } else {
    onnx_type const type = onnx_widened_type(c.type(1));
    bool const narrow = type != c.type(1);
    std::vector<std::string> operands{c.step("Cast", {c.input(0)}, {{"to", require_runtime_type(c, type)}}),
                                      onnx_widened(c, 1), onnx_widened(c, 2)};
    onnx_broadcast_operands(c, operands, type);
    operands[0] = c.step("Cast", {operands[0]}, {{"to", require_runtime_type(c, onnx_type::boolean)}});
    std::string const made = narrow ? c.temporary("wide") : c.output(0);
    c.add("Where", operands, {made});
    if (narrow) c.add("Cast", {made}, {c.output(0)}, {{"to", require_runtime_type(c, c.type(1))}});
  }
  c.set_type(0, c.type(1));
  c.set_dims(0, std::move(dims));
}

// Relu; of integers: max(x, 0).
inline void onnx_relu(onnx_context const& c) {
  onnx_type const type = onnx_widened_type(c.type(0));
  if (!is_integer(type)) return onnx_unary(c, "Relu");
  require_type(c, 0, {onnx_type::int8, onnx_type::int16, onnx_type::int32, onnx_type::int64});
  onnx_narrowed(c, [&](std::string const& made) {
    std::string const x = onnx_widened(c, 0);
    std::string const zeros = c.step("ConstantFill", {x}, {{"value", 0}, {"dtype", require_runtime_type(c, type)}});
    c.add("Max", {x, zeros}, {made});
  });
  c.as_input(0, 0);
}

}  // namespace detail

inline void add_onnx_elementwise_rules(onnx_rules& rules) {
  struct named {
    char const* onnx;
    char const* type;
  };
  for (named const each : {named{"Reciprocal", "Reciprocal"},
                           {"Exp", "Exp"},
                           {"Log", "Log"},
                           {"Sqrt", "Sqrt"},
                           {"Erf", "Erf"},
                           {"Floor", "Floor"},
                           {"Ceil", "Ceil"},
                           {"Sin", "Sin"},
                           {"Cos", "Cos"},
                           {"Tan", "Tan"},
                           {"Asin", "Asin"},
                           {"Acos", "Acos"},
                           {"Atan", "Atan"},
                           {"Sinh", "Sinh"},
                           {"Cosh", "Cosh"},
                           {"Tanh", "Tanh"},
                           {"Sigmoid", "Sigmoid"},
                           {"Softplus", "Softplus"},
                           {"Softsign", "Softsign"}})
    rules.set(each.onnx, [type = each.type](onnx_context const& c) { detail::onnx_unary(c, type); });
  for (named const each : {named{"Abs", "Abs"}, {"Neg", "Negative"}, {"Sign", "Sign"}})
    rules.set(each.onnx, [type = each.type](onnx_context const& c) {
      detail::require_type(c, 0, detail::onnx_numbers_and_bytes);
      detail::onnx_narrowed(c, [&](std::string const& made) { c.add(type, {detail::onnx_widened(c, 0)}, {made}); });
      c.as_input(0, 0);
    });
  rules.set("Not", [](onnx_context const& c) { detail::onnx_unary(c, "Not", {}, {onnx_type::boolean}); });
  rules.set("Relu", detail::onnx_relu);
  detail::onnx_types const uint64{onnx_type::uint64};
  for (char const* type : {"Add", "Sub", "Mul"})
    rules.set(type, [type, uint64](onnx_context const& c) {
      detail::onnx_binary(c, type, detail::onnx_numbers_and_bytes | uint64);
    });
  rules.set("Div", [](onnx_context const& c) { detail::onnx_binary(c, "Div", detail::onnx_numbers_and_bytes); });
  for (char const* type : {"And", "Or", "Xor"})
    rules.set(type, [type](onnx_context const& c) { detail::onnx_logical(c, type); });
  for (named const each :
       {named{"Equal", "EQ"}, {"Less", "LT"}, {"Greater", "GT"}, {"LessOrEqual", "LE"}, {"GreaterOrEqual", "GE"}})
    rules.set(each.onnx, [type = each.type, uint64](onnx_context const& c) {
      detail::onnx_binary(c, type, detail::onnx_host_types | uint64, onnx_type::boolean);
    });
  rules.set("Sum", [](onnx_context const& c) { detail::onnx_sum(c, false); });
  rules.set("Mean", [](onnx_context const& c) { detail::onnx_sum(c, true); });
  rules.set("Max", [](onnx_context const& c) { detail::onnx_min_max(c, "Max"); });
  rules.set("Min", [](onnx_context const& c) { detail::onnx_min_max(c, "Min"); });
  rules.set("Identity", [](onnx_context const& c) { c.forward(0, 0); });
  rules.set("Dropout", detail::onnx_dropout);
  rules.set("Clip", detail::onnx_clip);
  rules.set("Cast", [](onnx_context const& c) { detail::onnx_cast_to(c, static_cast<onnx_type>(c.integer("to", 0))); });
  rules.set("CastLike", [](onnx_context const& c) { detail::onnx_cast_to(c, c.type(1)); });
  rules.set("IsNaN", [](onnx_context const& c) {
    detail::require_type(c, 0, detail::onnx_floats);
    c.add("NE", {c.input(0), c.input(0)}, {c.output(0)});
    c.set_type(0, onnx_type::boolean);
    c.set_dims(0, c.dims(0));
  });
  rules.set("IsInf", [](onnx_context const& c) {
    detail::require_type(c, 0, detail::onnx_floats);
    double const infinity = std::numeric_limits<double>::infinity();
    bool const above = c.integer("detect_positive", 1) != 0;
    bool const below = c.integer("detect_negative", 1) != 0;
    if (!above && !below) c.unsupported("detect_positive and detect_negative are both 0");
    std::string const x = above && below ? c.step("Abs", {c.input(0)}) : c.input(0);
    c.add("EQ", {x, detail::onnx_number(c, above ? infinity : -infinity, "infinity")}, {c.output(0)});
    c.set_type(0, onnx_type::boolean);
    c.set_dims(0, c.dims(0));
  });
  rules.set("LeakyRelu", [](onnx_context const& c) {
    detail::onnx_unary(c, "LeakyRelu", {{"alpha", c.real("alpha", 0.01f)}});
  });
  rules.set("Elu", [](onnx_context const& c) { detail::onnx_unary(c, "Elu", {{"alpha", c.real("alpha", 1)}}); });
  rules.set("Selu", [](onnx_context const& c) {
    bool const old = c.opset() < 6;  // whose default constants have fewer digits
    detail::onnx_unary(c, "Selu",
                       {{"alpha", c.real("alpha", old ? 1.6732f : 1.67326319217681884765625f)},
                        {"scale", c.real("gamma", old ? 1.0507f : 1.05070102214813232421875f)}});
  });
  rules.set("Celu", [](onnx_context const& c) {
    detail::require_type(c, 0, detail::onnx_floats);
    float const alpha = c.real("alpha", 1);
    if (!(alpha > 0)) c.unsupported("an alpha that is not above 0");
    std::string const made = c.step("Elu", {c.step("Scale", {c.input(0)}, {{"scale", 1 / alpha}})});
    c.add("Scale", {made}, {c.output(0)}, {{"scale", alpha}});
    c.as_input(0, 0);
  });
  rules.set("HardSigmoid", [](onnx_context const& c) {
    detail::onnx_unary(c, "HardSigmoid", {{"alpha", c.real("alpha", 0.2f)}, {"beta", c.real("beta", 0.5f)}});
  });
  rules.set("HardSwish", [](onnx_context const& c) {
    detail::require_type(c, 0, detail::onnx_floats);
    std::string const gate = c.step("HardSigmoid", {c.input(0)}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}});
    c.add("Mul", {c.input(0), gate}, {c.output(0)});
    c.as_input(0, 0);
  });
  rules.set("Gelu", [](onnx_context const& c) {
    std::string const how = c.text("approximate", "none");
    if (how != "none" && how != "tanh") c.unsupported("attribute 'approximate' is neither none nor tanh");
    detail::onnx_unary(c, "Gelu", {{"fast_gelu", how == "tanh" ? 1 : 0}});
  });
  rules.set("ThresholdedRelu", [](onnx_context const& c) {
    detail::onnx_unary(c, "ThresholdedRelu", {{"alpha", c.real("alpha", 1)}});
  });
  rules.set("Shrink", detail::onnx_shrink);
  rules.set("PRelu", detail::onnx_prelu);
  rules.set("Where", detail::onnx_where);
}

}  // namespace plait
