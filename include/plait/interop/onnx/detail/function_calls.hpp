// Calls of functions that an ONNX model defines: members of onnx_converter, included by converter.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/context.hpp>
#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/function_body.hpp>
#include <plait/interop/onnx/detail/model.hpp>

namespace plait::detail {

inline onnx_function const* onnx_converter::find_function(onnx_node const& node) const {
  for (onnx_function const& each : model_.functions)
    if (each.name == node.type && each.domain == node.domain && each.overload == node.overload) return &each;
  return nullptr;
}

inline void onnx_converter::call(onnx_context const& c, onnx_function const& function) {
  onnx_node const& node = c.node();
  if (bodies_.size() == 100'000) throw onnx_unsupported{"the model calls functions more than 100000 times"};
  if (functions_.size() == 100) throw onnx_unsupported{"functions are nested too deeply"};
  if (node.inputs.size() > function.inputs.size() || node.outputs.size() > function.outputs.size())
    throw onnx_unsupported{"it has more operands than the function of the model"};
  for (onnx_opset const& each : function.opsets)
    if (each.domain.empty() && (each.version < 1 || each.version > newest_onnx_opset))
      throw onnx_unsupported{"version " + std::to_string(each.version) + " of ONNX's operators is not known"};
  onnx_graph_def const& body = bodies_.emplace_back(onnx_function_body(function, node));
  level inner(body, net(), here_);
  inner.is_function = true;
  for (std::size_t i = 0; i != node.inputs.size(); ++i) {
    if (node.inputs[i].empty()) continue;
    onnx_value const& given = value(node.inputs[i]);
    constexpr std::size_t most_folded = 4096;  // larger ones become one parameter, however many functions read them
    if (given.constant && given.constant->size() > most_folded && has_runtime_type(given.type))
      static_cast<void>(blob(node.inputs[i]));
    inner.values.emplace(function.inputs[i], given);
  }
  for (std::size_t o = 0; o != node.outputs.size(); ++o)
    if (c.wants(o)) inner.renamed.emplace(function.outputs[o], define(node.outputs[o]));
  std::vector<onnx_value> made;
  {
    onnx_free_names free(body);
    std::swap(free_names_, free);
    functions_.push_back(&function);
    here_ = &inner;
    struct leave {
      onnx_converter& at;
      onnx_free_names& free;
      ~leave() {
        at.here_ = at.here_->around;
        at.functions_.pop_back();
        std::swap(at.free_names_, free);
      }
    } const back{*this, free};
    convert_all(body);
    for (std::size_t o = 0; o != node.outputs.size(); ++o) {
      if (find(function.outputs[o]) == nullptr)
        throw onnx_unsupported{"its function does not define '" + function.outputs[o] + '\''};
      made.push_back(value(function.outputs[o]));
    }
  }
  for (std::size_t o = 0; o != node.outputs.size(); ++o) {
    if (!c.wants(o)) continue;
    onnx_value& outer = value(node.outputs[o]);
    if (made[o].constant) {
      here_->values.erase(node.outputs[o]);
      c.set_constant(o, std::move(*made[o].constant));
      continue;
    }
    if (made[o].blob != outer.blob) c.add("Copy", {see(made[o].blob)}, {outer.blob});
    c.set_type(o, made[o].type);
    c.set_dims(o, made[o].dims);
    outer.is_declared = outer.is_declared || made[o].is_declared;
    outer.known_elements = made[o].known_elements;
  }
}

}  // namespace plait::detail
