// Instantiation of the functions of an ONNX model: the body with the attributes of a call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/interop/onnx/detail/model.hpp>

namespace plait::detail {

/// Returns the body of a function for a node that calls it: attributes that refer to one of the call have its value, or
/// its default, or are removed; inputs that the call omits are omitted. O(body and attributes).
inline onnx_graph_def onnx_function_body(onnx_function const& function, onnx_node const& call) {
  auto const find = [&](std::string const& name) -> onnx_attribute const* {
    for (auto const* list : {&call.attributes, &function.defaults})
      for (onnx_attribute const& each : *list)
        if (each.name == name) return &each;
    return nullptr;
  };
  boost::unordered_flat_set<std::string> omitted;
  for (std::size_t i = 0; i != function.inputs.size(); ++i)
    if (i >= call.inputs.size() || call.inputs[i].empty()) omitted.insert(function.inputs[i]);
  onnx_graph_def made = function.body;
  std::vector<onnx_graph_def*> graphs{&made};
  while (!graphs.empty()) {
    onnx_graph_def& graph = *graphs.back();
    graphs.pop_back();
    for (onnx_node& node : graph.nodes) {
      for (std::string& name : node.inputs)
        if (omitted.contains(name)) name.clear();
      std::vector<onnx_attribute> attributes;
      for (onnx_attribute& each : node.attributes) {
        if (each.reference.empty()) {
          attributes.push_back(std::move(each));
        } else if (onnx_attribute const* const found = find(each.reference)) {
          attributes.push_back(*found);
          attributes.back().name = std::move(each.name);
        }
      }
      node.attributes = std::move(attributes);
      for (onnx_attribute& each : node.attributes)
        if (each.g) graphs.push_back(&*each.g);
    }
  }
  return made;
}

}  // namespace plait::detail
