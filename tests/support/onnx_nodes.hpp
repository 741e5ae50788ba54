// Builders of ONNX models with one node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/model.hpp>

namespace onnx_nodes {

using numbers = std::vector<std::int64_t>;
using plait::onnx_type;

/// An input of a node: a tensor of a type and shape, or a constant; by default an omitted operand.
struct operand {
  onnx_type type = onnx_type::undefined;
  std::optional<numbers> dims = {};
  std::optional<numbers> elements = {};
  std::vector<double> reals = {};  ///< the elements of a constant of doubles
};
inline operand f(numbers dims) { return {onnx_type::float32, std::move(dims)}; }
inline operand of(onnx_type type, numbers dims) { return {type, std::move(dims)}; }
/// Returns an operand whose shape is unknown before the run.
inline operand any_shape(onnx_type type = onnx_type::float32) { return {type}; }
inline operand ints(numbers elements) {
  auto const count = static_cast<std::int64_t>(elements.size());
  return {onnx_type::int64, numbers{count}, std::move(elements)};
}
inline operand narrow(numbers elements) {
  operand made = ints(std::move(elements));
  made.type = onnx_type::int32;
  return made;
}
inline operand one(std::int64_t element) { return {onnx_type::int64, numbers{}, numbers{element}}; }

/// Returns a constant scalar of double.
inline operand real_one(double element) { return {onnx_type::float64, numbers{}, numbers{0}, {element}}; }

struct attribute {
  std::string name;
  std::optional<std::int64_t> i = {};
  numbers list = {};
  std::string text = {};
  std::optional<float> f = {};
  std::optional<plait::onnx_graph_def> graph = {};
  std::optional<plait::onnx_tensor> tensor = {};
};
inline attribute flag(std::string name, std::int64_t value) { return {std::move(name), value}; }
inline attribute list(std::string name, numbers values) { return {std::move(name), std::nullopt, std::move(values)}; }
inline attribute text(std::string name, std::string value) {
  return {std::move(name), std::nullopt, {}, std::move(value)};
}
inline attribute real(std::string name, float value) { return {std::move(name), std::nullopt, {}, {}, value}; }

/// A node of version `opset`, and the expected reason for its rejection.
struct row {
  std::string type;
  std::vector<operand> inputs;
  std::vector<attribute> attributes;
  std::string reason;  ///< empty: the model is read
  std::int64_t opset = 13;
  std::size_t outputs = 1;
};

inline plait::onnx_model model_of(row const& each) {
  plait::onnx_model made;
  made.ir_version = 8;
  made.opsets = {{"", each.opset}};
  plait::onnx_node node;
  node.type = each.type;
  node.name = "n";
  for (std::size_t i = 0; i != each.inputs.size(); ++i) {
    operand const& x = each.inputs[i];
    std::string const name = "i" + std::to_string(i);
    node.inputs.push_back(x.type == onnx_type::undefined ? "" : name);
    if (x.type == onnx_type::undefined) continue;
    if (x.elements) {
      plait::onnx_tensor t;
      t.name = name;
      t.type = x.type;
      t.dims = *x.dims;
      t.int64s = *x.elements;
      for (std::int64_t const element : *x.elements) t.int32s.push_back(static_cast<std::int32_t>(element));
      t.doubles = x.reals;
      made.graph.initializers.push_back(std::move(t));
    } else {
      plait::onnx_value_info info;
      info.name = name;
      info.kind = plait::onnx_value_info::kinds::tensor;
      info.type = x.type;
      info.dims = x.dims;
      made.graph.inputs.push_back(std::move(info));
    }
  }
  for (attribute const& a : each.attributes) {
    plait::onnx_attribute& to = node.attributes.emplace_back();
    to.name = a.name;
    to.i = a.i;
    to.f = a.f;
    to.ints = a.list;
    if (a.tensor) to.t = plait::onnx_tensor(*a.tensor);
    if (a.graph) to.g = plait::onnx_graph_def(*a.graph);
    if (!a.text.empty()) to.s = a.text;
  }
  for (std::size_t o = 0; o != each.outputs; ++o) {
    node.outputs.push_back("o" + std::to_string(o));
    plait::onnx_value_info info;
    info.name = node.outputs.back();
    made.graph.outputs.push_back(std::move(info));
  }
  made.graph.nodes.push_back(std::move(node));
  return made;
}

}  // namespace onnx_nodes
