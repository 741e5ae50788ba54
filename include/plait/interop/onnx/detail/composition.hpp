// Composition of ONNX operators: helper of rules that write a node as nodes of other operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/context.hpp>
#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait::detail {

/// Returns an attribute of a composed node.
inline onnx_attribute onnx_argument(std::string name, std::int64_t value) {
  onnx_attribute made;
  made.name = std::move(name);
  made.i = value;
  return made;
}
inline onnx_attribute onnx_argument(std::string name, std::vector<std::int64_t> values) {
  onnx_attribute made;
  made.name = std::move(name);
  made.ints = std::move(values);
  return made;
}
inline onnx_attribute onnx_argument(std::string name, onnx_type type) {
  return onnx_argument(std::move(name), static_cast<std::int64_t>(type));
}

/// Composition: adds nodes to the current graph of the conversion, each of which is folded if it can be, or converted
/// by its rule. Operands are names of values, which have the types and shapes that the rules infer.
class onnx_composition {
 public:
  using names = std::vector<std::string>;
  using attributes = std::vector<onnx_attribute>;
  static constexpr std::int64_t opset = 18;  ///< version of the operators that nodes are written in

  explicit onnx_composition(onnx_context const& c) : c_(c) {}

  /// Returns the value of an input of the composed node. Reports a missing one.
  std::string const& input(std::size_t i) const {
    static_cast<void>(c_.value(i));
    return c_.node().inputs[i];
  }
  onnx_value const& value(std::string const& name) const { return c_.converter().value(name); }
  onnx_dims const& dims(std::string const& name) const { return value(name).dims; }
  onnx_type type(std::string const& name) const { return value(name).type; }

  std::string constant(tensor_value elements) const {
    onnx_value made;
    made.type = onnx_type_of(elements.type());
    made.dims = known_extents(elements.shape);
    made.constant = std::move(elements);
    std::string name = c_.temporary("constant");
    c_.converter().set(name, std::move(made));
    return name;
  }
  std::string list(std::vector<std::int64_t> elements) const { return constant(onnx_list(std::move(elements))); }
  std::string number(onnx_type type, double element) const { return constant(onnx_filled(type, {}, element)); }

  /// Adds a node with one output and returns the output.
  std::string operator()(std::string_view type, names inputs, attributes arguments = {}) const {
    return nodes(type, std::move(inputs), 1, std::move(arguments)).front();
  }
  /// Adds a node with several outputs and returns these.
  names nodes(std::string_view type, names inputs, std::size_t outputs, attributes arguments = {}) const {
    names made;
    for (std::size_t o = 0; o != outputs; ++o) made.push_back(c_.temporary(type));
    add(type, std::move(inputs), made, std::move(arguments));
    return made;
  }
  /// Adds the node that computes output o of the composed node.
  void make(std::size_t o, std::string_view type, names inputs, attributes arguments = {}) const {
    if (c_.wants(o)) add(type, std::move(inputs), {c_.node().outputs[o]}, std::move(arguments));
  }

  /// Adds an op of plait on values, and returns its output, of a type and shape as given.
  std::string op(std::string_view op_type, names const& inputs, std::vector<net_argument> arguments, onnx_type type,
                 onnx_dims dims) const {
    names blobs;
    onnx_value made;
    for (std::string const& name : inputs) {
      blobs.push_back(c_.converter().blob(name));
      onnx_value const& read = value(name);
      made.is_declared = made.is_declared || read.is_declared || read.known_elements;
    }
    std::string name = c_.temporary(op_type);
    made.blob = c_.step(op_type, blobs, std::move(arguments));
    made.type = type;
    made.dims = std::move(dims);
    c_.converter().set(name, std::move(made));
    return name;
  }

  // ---- frequent nodes
  std::string cast(std::string const& x, onnx_type to) const { return (*this)("Cast", {x}, {onnx_argument("to", to)}); }
  std::string unsqueeze(std::string const& x, std::vector<std::int64_t> axes) const {
    return (*this)("Unsqueeze", {x, list(std::move(axes))});
  }
  std::string transpose(std::string const& x, std::vector<std::int64_t> order) const {
    return (*this)("Transpose", {x}, {onnx_argument("perm", std::move(order))});
  }
  std::string concat(names parts, std::int64_t axis) const {
    return (*this)("Concat", std::move(parts), {onnx_argument("axis", axis)});
  }
  /// Returns the elements [first, last) along an axis.
  std::string slice(std::string const& x, std::int64_t axis, std::int64_t first, std::int64_t last) const {
    return (*this)("Slice", {x, list({first}), list({last}), list({axis})});
  }
  /// Returns the extents of the axes [first, last) as a list.
  std::string extents(std::string const& x, std::int64_t first, std::int64_t last) const {
    return (*this)("Shape", {x}, {onnx_argument("start", first), onnx_argument("end", last)});
  }
  /// Returns the extent of an axis as a scalar.
  std::string extent(std::string const& x, std::int64_t axis) const {
    return (*this)("Squeeze", {extents(x, axis, axis + 1)});
  }
  /// Returns a reduction along axes, which stay with extent 1 or go.
  std::string reduce(std::string_view type, std::string const& x, std::vector<std::int64_t> axes, bool keep) const {
    return (*this)(type, {x, list(std::move(axes))}, {onnx_argument("keepdims", keep ? 1 : 0)});
  }

 private:
  void add(std::string_view type, names inputs, names outputs, attributes arguments) const {
    onnx_node node;
    node.type = type;
    node.name = c_.node().name;
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    node.attributes = std::move(arguments);
    if (node.name.empty() && !c_.node().outputs.empty()) node.name = c_.node().outputs.front();
    c_.converter().expand(node, opset);
  }

  onnx_context const& c_;
};

}  // namespace plait::detail
