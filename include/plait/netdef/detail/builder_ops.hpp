// Common operators as member functions of the net builder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/net/detail/parameter.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/built_op.hpp>

namespace plait {

/// Shorthands for op<Count>(type, inputs, outputs, arguments) of net_builder, which derives from them (CRTP): each
/// appends the Caffe2 operator of its name. The last parameter names the output; if it is omitted, a name is generated.
/// An omitted argument is not written, so that the default of the operator holds. Where Caffe2 has a second output that
/// the gradient needs (Concat, Reshape), it is called `_<output>_concat_dims` or `_<output>_dims`, as in brew. All
/// throw what op() throws.
template <class Builder>
class builder_ops {
 public:
  using axis_argument = std::optional<std::int64_t>;

  // ---- matrices
  blob_handle fc(blob_operand x, blob_operand w, blob_operand b, blob_operands y = {}) {
    return one("FC", {x, w, b}, y);
  }
  blob_handle matmul(blob_operand a, blob_operand b, blob_operands y = {}) { return one("MatMul", {a, b}, y); }
  blob_handle transpose(blob_operand x, std::vector<std::int64_t> const& axes, blob_operands y = {}) {
    return one("Transpose", x, y, {{"axes", axes}});
  }

  // ---- element-wise
  blob_handle add(blob_operand a, blob_operand b, blob_operands c = {}) { return one("Add", {a, b}, c); }
  blob_handle sub(blob_operand a, blob_operand b, blob_operands c = {}) { return one("Sub", {a, b}, c); }
  blob_handle mul(blob_operand a, blob_operand b, blob_operands c = {}) { return one("Mul", {a, b}, c); }
  blob_handle div(blob_operand a, blob_operand b, blob_operands c = {}) { return one("Div", {a, b}, c); }
  blob_handle sum(blob_operands const& xs, blob_operands y = {}) { return one("Sum", xs, y); }
  blob_handle scale(blob_operand x, float factor, blob_operands y = {}) {
    return one("Scale", x, y, {{"scale", factor}});
  }
  blob_handle pow(blob_operand x, float exponent, blob_operands y = {}) {
    return one("Pow", x, y, {{"exponent", exponent}});
  }
  blob_handle clip(blob_operand x, float least, float most, blob_operands y = {}) {
    return one("Clip", x, y, {{"min", least}, {"max", most}});
  }
  blob_handle negative(blob_operand x, blob_operands y = {}) { return one("Negative", x, y); }
  blob_handle sqr(blob_operand x, blob_operands y = {}) { return one("Sqr", x, y); }
  blob_handle sqrt(blob_operand x, blob_operands y = {}) { return one("Sqrt", x, y); }
  blob_handle exp(blob_operand x, blob_operands y = {}) { return one("Exp", x, y); }
  blob_handle log(blob_operand x, blob_operands y = {}) { return one("Log", x, y); }
  blob_handle tanh(blob_operand x, blob_operands y = {}) { return one("Tanh", x, y); }
  blob_handle sigmoid(blob_operand x, blob_operands y = {}) { return one("Sigmoid", x, y); }
  blob_handle relu(blob_operand x, blob_operands y = {}) { return one("Relu", x, y); }
  blob_handle softmax(blob_operand x, blob_operands y = {}) { return one("Softmax", x, y); }

  // ---- comparisons
  blob_handle lt(blob_operand a, blob_operand b, blob_operands c = {}) { return one("LT", {a, b}, c); }
  blob_handle le(blob_operand a, blob_operand b, blob_operands c = {}) { return one("LE", {a, b}, c); }
  blob_handle gt(blob_operand a, blob_operand b, blob_operands c = {}) { return one("GT", {a, b}, c); }
  blob_handle ge(blob_operand a, blob_operand b, blob_operands c = {}) { return one("GE", {a, b}, c); }
  blob_handle eq(blob_operand a, blob_operand b, blob_operands c = {}) { return one("EQ", {a, b}, c); }

  // ---- shapes and indexing
  blob_handle concat(blob_operands const& xs, axis_argument axis = {}, blob_operands y = {}) {
    return with_shape_output("Concat", xs, y, "_concat_dims", axis_arguments(axis));
  }
  blob_handle reshape(blob_operand x, std::vector<std::int64_t> const& shape, blob_operands y = {}) {
    return with_shape_output("Reshape", x, y, "_dims", {{"shape", shape}});
  }
  /// Splits into a number of outputs known at compile time: `auto [a, b] = net.split<2>(x);`
  template <std::size_t Count>
  std::array<blob_handle, Count> split(blob_operand x, axis_argument axis = {}, blob_operands ys = {}) {
    return self().template op<Count>("Split", x, ys, axis_arguments(axis));
  }
  /// Splits into a number of outputs known at run time only.
  std::vector<blob_handle> split(blob_operand x, std::size_t count, axis_argument axis = {}) {
    return self().op_n("Split", x, count, axis_arguments(axis));
  }
  blob_handle gather(blob_operand data, blob_operand indices, blob_operands y = {}) {
    return one("Gather", {data, indices}, y);
  }
  blob_handle copy(blob_operand x, blob_operands y = {}) { return one("Copy", x, y); }
  blob_handle stop_gradient(blob_operand x, blob_operands y = {}) { return one("StopGradient", x, y); }

  // ---- losses
  /// Returns the softmax and the loss.
  std::array<blob_handle, 2> softmax_with_loss(blob_operand x, blob_operand labels, blob_operands outputs = {}) {
    return self().template op<2>("SoftmaxWithLoss", {x, labels}, outputs);
  }
  blob_handle squared_l2_distance(blob_operand x, blob_operand y, blob_operands z = {}) {
    return one("SquaredL2Distance", {x, y}, z);
  }
  blob_handle averaged_loss(blob_operand x, blob_operands y = {}) { return one("AveragedLoss", x, y); }
  blob_handle sum_elements(blob_operand x, blob_operands y = {}) { return one("SumElements", x, y); }

  // ---- fills
  /// Fills a tensor of float if the value is a floating-point number, of bool if it is a bool, and of int64 otherwise.
  template <class T>
    requires std::is_arithmetic_v<T>
  blob_handle constant_fill(std::vector<std::int64_t> const& shape, T value, blob_operands y = {}) {
    std::vector<net_argument> arguments{{"shape", shape}, {"value", value}};
    if constexpr (std::is_integral_v<T>) arguments.emplace_back("dtype", std::is_same_v<T, bool> ? 5 : 10);
    return one("ConstantFill", {}, y, std::move(arguments));
  }
  /// Fills with the tensor itself, of any type that a fill op makes (see const_fill_op).
  blob_handle given_tensor(tensor_value const& tensor, blob_operands y = {}) { return self().fill(tensor, y); }
  blob_handle given_tensor(std::vector<std::int64_t> shape, std::vector<float> elements, blob_operands y = {}) {
    return given_tensor({std::move(shape), std::move(elements)}, y);
  }
  /// Creates a workspace for Do ops.
  blob_handle create_scope(blob_operands workspace = {}) { return one("CreateScope", {}, workspace); }

 private:
  Builder& self() { return static_cast<Builder&>(*this); }
  blob_handle one(char const* type, blob_operands const& inputs, blob_operands const& y,
                  std::vector<net_argument> arguments = {}) {
    return self().template op<1>(type, inputs, y, std::move(arguments));
  }
  blob_handle with_shape_output(char const* type, blob_operands const& inputs, blob_operands const& y,
                                char const* ending, std::vector<net_argument> arguments) {
    return self().op_with_shape_output(type, inputs, y, ending, std::move(arguments));
  }
  static std::vector<net_argument> axis_arguments(axis_argument axis) {
    std::vector<net_argument> made;
    if (axis) made.emplace_back("axis", *axis);
    return made;
  }
};

}  // namespace plait
