// Rules for ONNX operators that work element by element.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/values.hpp>
#include <plait/interop/onnx/rules.hpp>

namespace plait {
namespace detail {

inline void onnx_map(onnx_context const& c, char const* type, std::vector<net_argument> arguments = {}) {
  c.add(type, {c.input(0)}, {c.output(0)}, std::move(arguments));
  c.as_input(0, 0);
}

// Before version 7 the second operand is repeated as Caffe2 has it, and the attributes are called so.
inline std::vector<net_argument> onnx_old_broadcast(onnx_context const& c) {
  std::vector<net_argument> made;
  if (c.opset() >= 7 || c.integer("broadcast", 0) == 0) return made;
  made.emplace_back("broadcast", 1);
  if (c.has("axis")) made.emplace_back("axis", c.integer("axis", 0));
  return made;
}

inline onnx_dims onnx_broadcast_dims(onnx_context const& c) {
  return c.opset() < 7 ? c.dims(0) : broadcast(c.dims(0), c.dims(1));
}

inline void onnx_binary(onnx_context const& c, char const* type, onnx_type result = onnx_type::undefined) {
  c.add(type, {c.input(0), c.input(1)}, {c.output(0)}, onnx_old_broadcast(c));
  c.set_type(0, result == onnx_type::undefined ? c.type(0) : result);
  c.set_dims(0, onnx_broadcast_dims(c));
}

// Numbers of the same type as input 0.
inline std::string onnx_number(onnx_context const& c, double value, char const* ending) {
  return c.constant_blob(onnx_filled(c.type(0), {}, value), ending);
}

inline void onnx_pow(onnx_context const& c) {
  std::string exponent = c.input(1);
  if (c.type(1) != c.type(0) && c.type(0) != onnx_type::undefined)
    exponent = c.step("Cast", {exponent}, {{"to", require_runtime_type(c, c.type(0))}});
  c.add("Pow", {c.input(0), exponent}, {c.output(0)}, onnx_old_broadcast(c));
  c.set_type(0, c.type(0));
  c.set_dims(0, onnx_broadcast_dims(c));
}

// Sums and the like of any number of operands: one op where all are alike, else one after the other.
inline void onnx_variadic(onnx_context const& c, char const* all, char const* two, bool mean = false) {
  std::size_t const count = c.input_count();
  bool alike = true;
  onnx_dims dims = c.dims(0);
  for (std::size_t i = 1; i < count; ++i) {
    alike = alike && known_alike(c.dims(0), c.dims(i));
    dims = broadcast(dims, c.dims(i));
  }
  if (alike || two == nullptr) {
    c.add(all, c.inputs(), {c.output(0)});
  } else {
    std::string sum = c.input(0);
    for (std::size_t i = 1; i != count; ++i) {
      bool const last = i + 1 == count && !mean;
      std::string const made = last ? c.output(0) : c.temporary(two);
      c.add(two, {sum, c.input(i)}, {made});
      sum = made;
    }
    if (mean) c.add("Div", {sum, onnx_number(c, static_cast<double>(count), "count")}, {c.output(0)});
  }
  c.set_type(0, c.type(0));
  c.set_dims(0, dims);
}

inline void onnx_clip(onnx_context const& c) {
  std::vector<net_argument> bounds;
  auto const bound = [&](std::size_t i, char const* name) {
    if (c.opset() < 11) {
      if (c.has(name)) bounds.emplace_back(name, c.real(name, 0));
    } else if (c.has_input(i)) {
      auto const known = c.known_number(i);
      if (!known) c.unsupported(std::string(name) + " must be known before the model is run");
      bounds.emplace_back(name, *known);
    }
  };
  bound(1, "min");
  bound(2, "max");
  onnx_map(c, "Clip", std::move(bounds));
}

inline void onnx_cast_to(onnx_context const& c, onnx_type to) {
  c.add("Cast", {c.input(0)}, {c.output(0)}, {{"to", require_runtime_type(c, to)}});
  c.set_type(0, to);
  c.set_dims(0, c.dims(0));
}

// Before version 7 a slope is of a channel, as for the operator; since then it broadcasts.
inline void onnx_prelu(onnx_context const& c) {
  if (c.opset() < 7) {
    c.add("PRelu", {c.input(0), c.input(1)}, {c.output(0)});
    return c.as_input(0, 0);
  }
  std::string const above = c.step("Relu", {c.input(0)});
  std::string const below = c.step("Relu", {c.step("Negative", {c.input(0)})});  // without its sign
  std::string const sloped = c.step("Mul", {c.step("Negative", {below}), c.input(1)});
  c.add("Add", {above, sloped}, {c.output(0)});
  c.as_input(0, 0);
}

inline std::string onnx_zeros(onnx_context const& c) {
  return c.step("ConstantFill", {c.input(0)}, {{"value", 0.0f}, {"dtype", require_runtime_type(c, c.type(0))}});
}

inline void onnx_shrink(onnx_context const& c) {
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
  if (trains) c.unsupported("it must not be in training mode");
  c.add("Copy", {c.input(0)}, {c.output(0)});
  c.as_input(0, 0);
  if (!c.wants(1)) return;
  // Before version 10 the mask is of the type of the data.
  onnx_type const type = c.opset() < 10 ? c.type(0) : onnx_type::boolean;
  c.add("ConstantFill", {c.input(0)}, {c.output(1)}, {onnx_one(type), {"dtype", require_runtime_type(c, type)}});
  c.set_type(1, type);
  c.set_dims(1, c.dims(0));
}

// Operands of any shapes that broadcast: those of other shapes are brought to the shape of all by operators that
// broadcast. Comparing an operand with itself is a way to its shape that no element gets in the way of.
inline void onnx_where(onnx_context const& c) {
  std::string condition = c.input(0);
  std::string a = c.input(1);
  std::string b = c.input(2);
  onnx_dims const dims = broadcast(c.dims(0), broadcast(c.dims(1), c.dims(2)));
  if (!known_alike(c.dims(0), c.dims(1)) || !known_alike(c.dims(0), c.dims(2))) {
    std::string const data = c.step("And", {c.step("EQ", {a, a}), c.step("EQ", {b, b})});
    std::string const all = c.step("Or", {data, condition});
    auto const ones = [&](onnx_type type) {
      return c.step("ConstantFill", {all}, {onnx_one(type), {"dtype", require_runtime_type(c, type)}});
    };
    condition = c.step("And", {condition, ones(onnx_type::boolean)});
    char const* const times = c.type(1) == onnx_type::boolean ? "And" : "Mul";
    std::string const one = ones(c.type(1));
    a = c.step(times, {a, one});
    b = c.step(times, {b, one});
  }
  c.add("Where", {condition, a, b}, {c.output(0)});
  c.set_type(0, c.type(1));
  c.set_dims(0, dims);
}

}  // namespace detail

inline void add_onnx_element_rules(onnx_rules& rules) {
  struct named {
    char const* onnx;
    char const* type;
  };
  for (named const each : {named{"Abs", "Abs"},    {"Neg", "Negative"},      {"Reciprocal", "Reciprocal"},
                           {"Exp", "Exp"},         {"Log", "Log"},           {"Sqrt", "Sqrt"},
                           {"Erf", "Erf"},         {"Sign", "Sign"},         {"Floor", "Floor"},
                           {"Ceil", "Ceil"},       {"Sin", "Sin"},           {"Cos", "Cos"},
                           {"Tan", "Tan"},         {"Asin", "Asin"},         {"Acos", "Acos"},
                           {"Atan", "Atan"},       {"Sinh", "Sinh"},         {"Cosh", "Cosh"},
                           {"Not", "Not"},         {"Relu", "Relu"},         {"Tanh", "Tanh"},
                           {"Sigmoid", "Sigmoid"}, {"Softplus", "Softplus"}, {"Softsign", "Softsign"}})
    rules.set(each.onnx, [type = each.type](onnx_context const& c) { detail::onnx_map(c, type); });
  for (named const each : {named{"Add", "Add"},
                           {"Sub", "Sub"},
                           {"Mul", "Mul"},
                           {"Div", "Div"},
                           {"And", "And"},
                           {"Or", "Or"},
                           {"Xor", "Xor"}})
    rules.set(each.onnx, [type = each.type](onnx_context const& c) { detail::onnx_binary(c, type); });
  for (named const each :
       {named{"Equal", "EQ"}, {"Less", "LT"}, {"Greater", "GT"}, {"LessOrEqual", "LE"}, {"GreaterOrEqual", "GE"}})
    rules.set(each.onnx,
              [type = each.type](onnx_context const& c) { detail::onnx_binary(c, type, onnx_type::boolean); });
  rules.set("Pow", detail::onnx_pow);
  rules.set("Sum", [](onnx_context const& c) { detail::onnx_variadic(c, "Sum", "Add"); });
  rules.set("Mean", [](onnx_context const& c) { detail::onnx_variadic(c, "Mean", "Add", true); });
  rules.set("Max", [](onnx_context const& c) { detail::onnx_variadic(c, "Max", nullptr); });
  rules.set("Min", [](onnx_context const& c) { detail::onnx_variadic(c, "Min", nullptr); });
  rules.set("Identity", [](onnx_context const& c) { c.forward(0, 0); });
  rules.set("Dropout", detail::onnx_dropout);
  rules.set("Clip", detail::onnx_clip);
  rules.set("Cast", [](onnx_context const& c) { detail::onnx_cast_to(c, static_cast<onnx_type>(c.integer("to", 0))); });
  rules.set("CastLike", [](onnx_context const& c) { detail::onnx_cast_to(c, c.type(1)); });
  rules.set("IsNaN", [](onnx_context const& c) {
    c.add("NE", {c.input(0), c.input(0)}, {c.output(0)});
    c.set_type(0, onnx_type::boolean);
    c.set_dims(0, c.dims(0));
  });
  rules.set("IsInf", [](onnx_context const& c) {
    double const infinity = std::numeric_limits<double>::infinity();
    bool const above = c.integer("detect_positive", 1) != 0;
    bool const below = c.integer("detect_negative", 1) != 0;
    if (!above && !below) c.unsupported("neither sign counts");
    std::string const x = above && below ? c.step("Abs", {c.input(0)}) : c.input(0);
    c.add("EQ", {x, detail::onnx_number(c, above ? infinity : -infinity, "infinity")}, {c.output(0)});
    c.set_type(0, onnx_type::boolean);
    c.set_dims(0, c.dims(0));
  });
  rules.set("LeakyRelu", [](onnx_context const& c) {
    detail::onnx_map(c, "LeakyRelu", {{"alpha", c.real("alpha", 0.01f)}});
  });
  rules.set("Elu", [](onnx_context const& c) { detail::onnx_map(c, "Elu", {{"alpha", c.real("alpha", 1)}}); });
  rules.set("Selu", [](onnx_context const& c) {
    bool const old = c.opset() < 6;  // rounded as the version before had them
    detail::onnx_map(c, "Selu",
                     {{"alpha", c.real("alpha", old ? 1.6732f : 1.67326319217681884765625f)},
                      {"scale", c.real("gamma", old ? 1.0507f : 1.05070102214813232421875f)}});
  });
  rules.set("Celu", [](onnx_context const& c) {
    float const alpha = c.real("alpha", 1);
    std::string const made = c.step("Elu", {c.step("Scale", {c.input(0)}, {{"scale", 1 / alpha}})});
    c.add("Scale", {made}, {c.output(0)}, {{"scale", alpha}});
    c.as_input(0, 0);
  });
  rules.set("HardSigmoid", [](onnx_context const& c) {
    detail::onnx_map(c, "HardSigmoid", {{"alpha", c.real("alpha", 0.2f)}, {"beta", c.real("beta", 0.5f)}});
  });
  rules.set("HardSwish", [](onnx_context const& c) {
    std::string const gate = c.step("HardSigmoid", {c.input(0)}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}});
    c.add("Mul", {c.input(0), gate}, {c.output(0)});
    c.as_input(0, 0);
  });
  rules.set("Gelu", [](onnx_context const& c) {
    std::string const how = c.text("approximate", "none");
    if (how != "none" && how != "tanh") c.unsupported("attribute 'approximate' is neither none nor tanh");
    detail::onnx_map(c, "Gelu", {{"fast_gelu", how == "tanh" ? 1 : 0}});
  });
  rules.set("ThresholdedRelu", [](onnx_context const& c) {
    detail::onnx_map(c, "ThresholdedRelu", {{"alpha", c.real("alpha", 1)}});
  });
  rules.set("Shrink", detail::onnx_shrink);
  rules.set("PRelu", detail::onnx_prelu);
  rules.set("Where", detail::onnx_where);
}

}  // namespace plait
