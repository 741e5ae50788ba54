// Export rules of element-wise operators.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>

namespace plait {
namespace detail::onnx_out {

/// Returns `value` with axes of extent 1 behind its own, so that its first axis meets `axis` of `like` when both are
/// broadcast. If a rank is unknown, the model computes the shape.
inline std::string onnx_aligned(onnx_export_context const& c, std::string const& value, std::int64_t axis,
                                std::string const& like) {
  auto const inner = c.rank(value);
  auto const outer = c.rank(like);
  if (inner && outer) {
    if (axis < 0) axis += static_cast<std::int64_t>(*outer);
    std::int64_t const more = static_cast<std::int64_t>(*outer) - axis - static_cast<std::int64_t>(*inner);
    if (axis < 0 || more < 0)
      c.unsupported("'" + value + "' has too many axes to be broadcast from axis " + std::to_string(axis));
    if (more == 0) return value;
    std::vector<std::int64_t> added;
    for (std::int64_t k = 0; k != more; ++k) added.push_back(static_cast<std::int64_t>(*inner) + k);
    return c.step("Unsqueeze", {value, c.constant(std::move(added), "axes")});
  }
  if (axis < 0) c.known_rank(like);
  std::string const one = c.constant(std::vector<std::int64_t>{1}, "one");
  std::string const shape = c.step("Shape", {value});
  std::string more = c.step("Sub", {c.step("Shape", {c.step("Shape", {like})}), c.step("Shape", {shape})});
  if (axis != 0) more = c.step("Sub", {more, c.constant(std::vector<std::int64_t>{axis}, "axis")});
  std::string const ones =
      c.step("ConstantOfShape", {more}, {onnx_attr("value", tensor_value{{1}, std::vector<std::int64_t>{1}})});
  return c.step("Reshape", {value, c.step("Concat", {shape, ones}, {onnx_attr("axis", 0)})});
}

/// Returns the axis of the first operand that the first axis of a repeated second one meets; -1: as numpy broadcasts.
inline std::int64_t onnx_broadcast_axis(onnx_export_context const& c) {
  std::string const letter = c.text("axis_str", "");
  if (letter.empty()) return c.integer("axis", -1);
  std::size_t const at = c.text("order", "NCHW").find(letter);
  if (at == std::string::npos) c.unsupported("axis_str is no letter of order");
  return static_cast<std::int64_t>(at);
}

/// Returns the second operand of a binary op in the shape in which ONNX broadcasts it as the op does.
inline std::string onnx_second_operand(onnx_export_context const& c) {
  std::string const a = c.input(0);
  std::string const b = c.input(1);
  if (c.integer("broadcast", 0) == 0) return b;
  std::int64_t const axis = onnx_broadcast_axis(c);
  if (axis == -1) {
    if (c.rank(a) && c.rank(b) && *c.rank(b) > *c.rank(a))
      c.unsupported("the broadcast operand has more axes than the other");
    return b;
  }
  if (auto const known = c.known_dims(b); known && known->size() <= 1 && (known->empty() || known->front() == 1))
    return b;
  return onnx_aligned(c, b, axis, a);
}

inline void onnx_export_binary(onnx_export_context& c, char const* type) {
  c.give(0, type, {c.input(0), onnx_second_operand(c)});
}

inline bool is_onnx_float(onnx_type type) {
  return type == onnx_type::float32 || type == onnx_type::float64 || type == onnx_type::float16;
}

/// ONNX's Sum and Mean take floating-point numbers only: integers are added pair by pair.
inline void onnx_export_sum(onnx_export_context& c) {
  std::vector<std::string> const inputs = c.inputs();
  if (inputs.size() == 1) return c.forward(0, inputs[0]);
  if (inputs.size() == 2 || !is_onnx_float(c.type_of(inputs[0]))) {
    std::string sum = inputs[0];
    for (std::size_t i = 1; i + 1 < inputs.size(); ++i) sum = c.step("Add", {sum, inputs[i]});
    return c.give(0, "Add", {sum, inputs.back()});
  }
  c.give(0, "Sum", inputs);
}

inline void onnx_export_pow(onnx_export_context& c) {
  if (c.input_count() > 1) return onnx_export_binary(c, "Pow");
  c.give(0, "Pow", {c.input(0), c.number(c.real("exponent", 0), c.input(0))});
}

inline void onnx_export_clip(onnx_export_context& c, double least, double most) {
  std::string const x = c.input(0);
  c.give(0, "Clip", {x, c.number(least, x), c.number(most, x)});
}

inline void onnx_export_gelu(onnx_export_context& c) {
  std::string const x = c.input(0);
  auto const number = [&](double value) { return c.number(value, x); };
  std::string inner;
  if (c.integer("fast_gelu", 0) != 0) {
    std::string const cube = c.step("Mul", {c.step("Mul", {x, x}), x});
    std::string const sum = c.step("Add", {x, c.step("Mul", {cube, number(0.044715)})});
    inner = c.step("Tanh", {c.step("Mul", {sum, number(std::sqrt(2 / 3.14159265358979323846))})});
  } else {
    inner = c.step("Erf", {c.step("Mul", {x, number(std::sqrt(0.5))})});
  }
  std::string const half = c.step("Mul", {x, number(0.5)});
  c.give(0, "Mul", {half, c.step("Add", {inner, number(1)})});
}

inline void onnx_export_logit(onnx_export_context& c) {
  std::string const x = c.input(0);
  double const eps = c.real("eps", 1e-6F);
  std::string const inside = c.step("Clip", {x, c.number(eps, x), c.number(1 - eps, x)});
  c.give(0, "Log", {c.step("Div", {inside, c.step("Sub", {c.number(1, x), inside})})});
}

inline void onnx_export_p_relu(onnx_export_context& c) {
  std::string const x = c.input(0);
  std::string slope = c.input(1);
  auto const known = c.known_dims(slope);
  bool const one = known && known->size() == 1 && known->front() == 1;
  if (!one && !c.channels_last()) slope = onnx_aligned(c, slope, 1, x);
  c.give(0, "PRelu", {x, slope});
}

inline void onnx_export_where(onnx_export_context& c) {
  std::string condition = c.input(0);
  if (c.integer("broadcast_on_rows", 0) != 0) condition = onnx_aligned(c, condition, 0, c.input(1));
  c.give(0, "Where", {condition, c.input(1), c.input(2)});
}

/// Returns ONNX's number of an element type that an argument names by Caffe2's number or name.
inline onnx_type onnx_type_argument(onnx_export_context const& c, std::string_view name, onnx_type fallback) {
  auto const found = c.op().argument(name);
  if (!found) return fallback;
  std::int64_t number = -1;
  if (auto const* whole = std::get_if<std::int64_t>(&*found)) number = *whole;
  if (auto const* text = std::get_if<std::string>(&*found)) {
    constexpr std::pair<std::string_view, std::int64_t> types[] = {
        {"FLOAT", 1},  {"INT32", 2}, {"BOOL", 5},   {"UINT8", 6},    {"INT8", 7},
        {"UINT16", 8}, {"INT16", 9}, {"INT64", 10}, {"FLOAT16", 12}, {"DOUBLE", 13}};
    std::string upper = *text;
    for (char& letter : upper)
      if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    for (auto const& [each, value] : types)
      if (each == upper) number = value;
  }
  switch (number) {
    case 1:
      return onnx_type::float32;
    case 2:
      return onnx_type::int32;
    case 5:
      return onnx_type::boolean;
    case 6:
      return onnx_type::uint8;
    case 7:
      return onnx_type::int8;
    case 8:
      return onnx_type::uint16;
    case 9:
      return onnx_type::int16;
    case 10:
      return onnx_type::int64;
    case 12:
      return onnx_type::float16;
    case 13:
      return onnx_type::float64;
    default:
      c.unsupported("argument '" + std::string(name) + "' is no element type that ONNX has");
  }
}

inline void onnx_export_cast(onnx_export_context& c) {
  onnx_type const to = onnx_type_argument(c, "to", onnx_type::float32);
  c.give(0, "Cast", {c.input(0)}, {onnx_attr("to", static_cast<std::int64_t>(to))});
}

inline void onnx_export_dropout(onnx_export_context& c) {
  if (c.integer("is_test", 0) == 0) c.unsupported("drops elements at random, as in training", "set is_test to 1");
  c.forward(0, c.input(0));
  if (c.output_count() > 1)
    c.give(1, "ConstantOfShape", {c.shape_of(c.input(0))},
           {onnx_attr("value", tensor_value{{1}, std::vector<bool>{true}})});
}

inline void onnx_export_weighted_sum(onnx_export_context& c) {
  std::string sum;
  for (std::size_t i = 0; i + 1 < c.input_count(); i += 2) {
    std::string const term = c.step("Mul", {c.input(i), c.reshape(c.input(i + 1), {})});
    sum = sum.empty() ? term : c.step("Add", {sum, term});
  }
  c.forward(0, sum);
}

/// ClipTensorByScaling: inputs X, its norm, [a factor of the threshold].
inline void onnx_export_clip_by_scaling(onnx_export_context& c) {
  std::string const x = c.input(0);
  std::string const norm = c.reshape(c.input(1), {});
  std::string most = c.number(c.real("threshold", 0), x);
  if (c.input_count() > 2) most = c.step("Mul", {most, c.reshape(c.input(2), {})});
  std::string const scaled = c.step("Mul", {x, c.step("Div", {most, norm})});
  c.give(0, "Where", {c.step("Greater", {norm, most}), scaled, x});
}

/// SigmoidCrossEntropyWithLogits: the mean of losses, log(1 + e^x) - x t unless arguments say otherwise.
inline void onnx_export_sigmoid_loss(onnx_export_context& c) {
  std::string const x = c.input(0);
  std::string const target = c.input(1);
  std::string const one = c.number(1, x);
  std::string losses;
  if (c.integer("log_D_trick", 0) != 0) {
    std::string const sign = c.step("Sub", {c.step("Add", {target, target}), one});
    losses = c.step("Mul", {sign, c.step("Softplus", {c.step("Neg", {x})})});
  } else {
    std::string growth = c.step("Softplus", {x});
    if (c.integer("unjoined_lr_loss", 0) != 0) growth = c.step("Mul", {c.step("Sub", {one, target}), growth});
    losses = c.step("Sub", {growth, c.step("Mul", {x, target})});
  }
  if (c.rank(x) == 0U) return c.forward(0, losses);
  std::vector<std::string> inputs{losses};
  std::vector<onnx_attribute> with{onnx_attr("keepdims", 0)};
  if (c.opset() >= 18)
    inputs.push_back(c.constant(std::vector<std::int64_t>{-1}, "axes"));
  else
    with.push_back(onnx_attr("axes", std::vector<std::int64_t>{-1}));
  c.give(0, "ReduceMean", std::move(inputs), std::move(with));
}

inline void onnx_export_make_two_class(onnx_export_context& c) {
  std::string const x = c.step("Unsqueeze", {c.input(0), c.constant(std::vector<std::int64_t>{-1}, "axes")});
  c.give(0, "Concat", {c.step("Sub", {c.number(1, x), x}), x}, {onnx_attr("axis", -1)});
}

}  // namespace detail::onnx_out

inline void add_onnx_elementwise_export(onnx_export_rules& rules) {
  using context = onnx_export_context;
  for (auto const& [type, onnx] : std::vector<std::pair<char const*, char const*>>{
           {"Relu", "Relu"},         {"Sigmoid", "Sigmoid"},   {"Tanh", "Tanh"},
           {"Exp", "Exp"},           {"Log", "Log"},           {"Sqrt", "Sqrt"},
           {"Abs", "Abs"},           {"Negative", "Neg"},      {"Sign", "Sign"},
           {"Ceil", "Ceil"},         {"Floor", "Floor"},       {"Sin", "Sin"},
           {"Cos", "Cos"},           {"Tan", "Tan"},           {"Asin", "Asin"},
           {"Acos", "Acos"},         {"Atan", "Atan"},         {"Sinh", "Sinh"},
           {"Cosh", "Cosh"},         {"Asinh", "Asinh"},       {"Acosh", "Acosh"},
           {"Atanh", "Atanh"},       {"Erf", "Erf"},           {"Not", "Not"},
           {"Softplus", "Softplus"}, {"Softsign", "Softsign"}, {"Reciprocal", "Reciprocal"},
           {"Copy", "Identity"},     {"Alias", "Identity"},    {"StopGradient", "Identity"}})
    rules.set(type, [onnx = onnx](context& c) { c.give(0, onnx, {c.input(0)}); });
  for (char const* type : {"CopyCPUToGPU", "CopyGPUToCPU", "CopyFromCPUInput", "CopyOnDeviceLike", "EnsureCPUOutput",
                           "EnsureDense", "AliasWithName", "NanCheck", "EnsureClipped"})
    rules.set(type, [](context& c) { c.forward(0, c.input(0)); });
  for (auto const& [type, onnx] : std::vector<std::pair<char const*, char const*>>{{"Add", "Add"},
                                                                                   {"Sub", "Sub"},
                                                                                   {"Mul", "Mul"},
                                                                                   {"Div", "Div"},
                                                                                   {"And", "And"},
                                                                                   {"Or", "Or"},
                                                                                   {"Xor", "Xor"},
                                                                                   {"EQ", "Equal"},
                                                                                   {"LT", "Less"},
                                                                                   {"LE", "LessOrEqual"},
                                                                                   {"GT", "Greater"},
                                                                                   {"GE", "GreaterOrEqual"}})
    rules.set(type, [onnx = onnx](context& c) { detail::onnx_out::onnx_export_binary(c, onnx); });
  rules.set("NE", [](context& c) {
    c.give(0, "Not", {c.step("Equal", {c.input(0), detail::onnx_out::onnx_second_operand(c)})});
  });
  rules.set("Pow", detail::onnx_out::onnx_export_pow);
  rules.set("Sum", detail::onnx_out::onnx_export_sum);
  for (char const* type : {"Max", "Min", "Mean"}) rules.set(type, [](context& c) { c.give(0, c.type(), c.inputs()); });
  rules.set("LeakyRelu", [](context& c) {
    c.give(0, "LeakyRelu", {c.input(0)}, {detail::onnx_out::onnx_attr("alpha", c.real("alpha", 0.01F))});
  });
  rules.set("Elu", [](context& c) {
    c.give(0, "Elu", {c.input(0)}, {detail::onnx_out::onnx_attr("alpha", c.real("alpha", 1))});
  });
  rules.set("Selu", [](context& c) {
    c.give(0, "Selu", {c.input(0)},
           {detail::onnx_out::onnx_attr("alpha", c.real("alpha", 1.6732632423543772848170429916717F)),
            detail::onnx_out::onnx_attr("gamma", c.real("scale", 1.0507009873554804934193349852946F))});
  });
  rules.set("ThresholdedRelu", [](context& c) {
    c.give(0, "ThresholdedRelu", {c.input(0)}, {detail::onnx_out::onnx_attr("alpha", c.real("alpha", 1))});
  });
  rules.set("HardSigmoid", [](context& c) {
    c.give(0, "HardSigmoid", {c.input(0)},
           {detail::onnx_out::onnx_attr("alpha", c.real("alpha", 0.2F)),
            detail::onnx_out::onnx_attr("beta", c.real("beta", 0.5F))});
  });
  rules.set("PRelu", detail::onnx_out::onnx_export_p_relu);
  rules.set("ReluN", [](context& c) { detail::onnx_out::onnx_export_clip(c, 0, c.real("n", 6)); });
  rules.set("Clip", [](context& c) {
    constexpr float limit = std::numeric_limits<float>::max();
    detail::onnx_out::onnx_export_clip(c, c.real("min", -limit), c.real("max", limit));
  });
  rules.set("Scale", [](context& c) { c.give(0, "Mul", {c.input(0), c.number(c.real("scale", 1), c.input(0))}); });
  rules.set("Sqr", [](context& c) { c.give(0, "Mul", {c.input(0), c.input(0)}); });
  rules.set("Cube", [](context& c) { c.give(0, "Mul", {c.step("Mul", {c.input(0), c.input(0)}), c.input(0)}); });
  rules.set("Cbrt", [](context& c) {
    std::string const root = c.step("Pow", {c.step("Abs", {c.input(0)}), c.number(1.0 / 3, c.input(0))});
    c.give(0, "Mul", {c.step("Sign", {c.input(0)}), root});
  });
  rules.set("Rsqrt", [](context& c) { c.give(0, "Reciprocal", {c.step("Sqrt", {c.input(0)})}); });
  rules.set("Swish", [](context& c) { c.give(0, "Mul", {c.input(0), c.step("Sigmoid", {c.input(0)})}); });
  rules.set("Gelu", detail::onnx_out::onnx_export_gelu);
  rules.set("Logit", detail::onnx_out::onnx_export_logit);
  rules.set("Mod", [](context& c) {
    c.give(0, "Mod", {c.input(0), c.number(static_cast<double>(c.integer("divisor", 1)), c.input(0))},
           {detail::onnx_out::onnx_attr("fmod", c.integer("sign_follow_divisor", 0) == 0 ? 1 : 0)});
  });
  rules.set("Where", detail::onnx_out::onnx_export_where);
  rules.set("Cast", detail::onnx_out::onnx_export_cast);
  rules.set("Dropout", detail::onnx_out::onnx_export_dropout);
  rules.set("WeightedSum", detail::onnx_out::onnx_export_weighted_sum);
  rules.set("IsNaN", [](context& c) {
    c.give(0, "Cast", {c.step("IsNaN", {c.input(0)})},
           {detail::onnx_out::onnx_attr("to", static_cast<std::int64_t>(onnx_type::uint8))});
  });
  rules.set("ClipTensorByScaling", detail::onnx_out::onnx_export_clip_by_scaling);
  rules.set("SigmoidCrossEntropyWithLogits", detail::onnx_out::onnx_export_sigmoid_loss);
  rules.set("MakeTwoClass", detail::onnx_out::onnx_export_make_two_class);
}

}  // namespace plait
