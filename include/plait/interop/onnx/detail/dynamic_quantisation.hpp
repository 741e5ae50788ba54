// Dynamic quantisation to uint8, as a composition of ops: in a rule, or in the step net of a recurrence.
#pragma once

#include <string>
#include <vector>

#include <plait/interop/onnx/detail/values.hpp>
#include <plait/netdef/detail/built_op.hpp>

namespace plait::detail {

struct onnx_dynamic_quantisation {
  std::string y;
  std::string scale;
  std::string zero_point;
};

/// Adds the ops of DynamicQuantizeLinear: the range of x, extended to zero, becomes 0 to 255. As in ONNX Runtime the
/// scale is 1 if that range is empty. `constant` makes a blob of a value, `step` adds an op and returns its output.
template <class Constant, class Step>
onnx_dynamic_quantisation onnx_quantise_dynamically(std::string const& x, Constant const& constant, Step const& step) {
  using names = std::vector<std::string>;
  auto const number = [&](double value) { return constant(onnx_filled(onnx_type::float32, {}, value)); };
  std::vector<net_argument> const whole{{"keepdims", 0}};
  std::string const zero = number(0);
  std::string const top = step("Max", names{step("ReduceMax", names{x}, whole), zero}, {});
  std::string const bottom = step("Min", names{step("ReduceMin", names{x}, whole), zero}, {});
  std::string const ratio = step("Div", names{step("Sub", names{top, bottom}, {}), number(255)}, {});
  onnx_dynamic_quantisation made;
  made.scale = step("Where", names{step("EQ", names{ratio, zero}, {}), number(1), ratio}, {});
  std::string const first = constant(onnx_filled(onnx_type::uint8, {}, 0));
  made.zero_point = step("QuantizeLinear", names{step("Negative", names{bottom}, {}), made.scale, first}, {});
  made.y = step("QuantizeLinear", names{x, made.scale, made.zero_point}, {});
  return made;
}

/// Adds ops that quantise x dynamically and back: what 8 bits hold of x, as float.
template <class Constant, class Step>
std::string onnx_quantise_and_back(std::string const& x, Constant const& constant, Step const& step) {
  onnx_dynamic_quantisation const made = onnx_quantise_dynamically(x, constant, step);
  return step("DequantizeLinear", std::vector<std::string>{made.y, made.scale, made.zero_point}, {});
}

}  // namespace plait::detail
