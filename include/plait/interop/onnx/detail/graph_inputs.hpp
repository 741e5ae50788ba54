// Inputs and initializers of an ONNX graph: members of onnx_converter, included by converter.hpp.
#pragma once

#include <optional>
#include <utility>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/detail/context.hpp>
#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/interop/onnx/detail/tensors.hpp>

namespace plait::detail {

inline void onnx_converter::read_initializers(level& at) {
  if (at.graph->sparse_initializers)
    problems_.push_back({"GraphProto", at.graph->name, "sparse initializers are not supported"});
  for (onnx_tensor const& tensor : at.graph->initializers) {
    if (tensor.name.empty() || at.values.contains(tensor.name)) {
      problems_.push_back({"TensorProto", tensor.name, tensor.name.empty() ? "has no name" : "is defined twice"});
      continue;
    }
    onnx_value made;
    made.type = computed_type(tensor.type);
    try {
      made.constant = onnx_elements(tensor).take();
      made.dims = known_extents(made.constant->shape);
      if (!has_runtime_type(made.type)) {
        onnx_value const unread{tensor.name, std::nullopt, onnx_type::undefined, made.dims};
        made = deferred(unread, {"TensorProto", tensor.name, no_tensors(tensor.type)});
      }
    } catch (onnx_tensor_refusal const& why) {
      made = poisoned(tensor.name);
      if (why.is_unsupported) {
        onnx_type const type = computed_type(tensor.type);
        made.type = has_runtime_type(type) ? type : onnx_type::undefined;
        made.dims = known_extents(tensor.dims);
        made.may_be_constant = true;
        made = deferred(std::move(made),
                        {"TensorProto", tensor.name, has_runtime_type(type) ? why.reason : no_tensors(tensor.type)});
      } else {
        problems_.push_back({"TensorProto", tensor.name, why.reason});
      }
    }
    at.values.emplace(tensor.name, std::move(made));
  }
}

inline void onnx_converter::declare_input(level& at, onnx_value_info const& input) {
  if (input.name.empty() || !inputs_.insert(input.name).second) {
    problems_.push_back(
        {"GraphProto", input.name, input.name.empty() ? "an input has no name" : "the input is listed twice"});
    return;
  }
  auto const fixed = options_.constants.find(input.name);
  if (auto const found = at.values.find(input.name); found != at.values.end()) {
    // A default value, which may be overridden: since version 4 of the format, constants need not be inputs.
    if (fixed != options_.constants.end() && model_.ir_version >= 4) {
      found->second = fixed_value(fixed->second);
      taken_.erase(input.name);
    } else if (model_.ir_version >= 4 && found->second.constant) {
      root_.external_input(input.name);
      found->second.blob = is_half(input.type) ? widened(input.name) : input.name;
      made_.parameters.push_back({input.name, *std::exchange(found->second.constant, std::nullopt)});
    } else {
      taken_.erase(input.name);
    }
    return;
  }
  onnx_value made;
  if (fixed != options_.constants.end()) {
    made = fixed_value(fixed->second);
    taken_.erase(input.name);
  } else {
    onnx_type const type = computed_type(input.type);
    made = {input.name, std::nullopt, type, input.dims};
    made.is_declared = true;
    bool const is_tensor = input.kind != onnx_value_info::kinds::other;
    if (!is_tensor || (type != onnx_type::undefined && !has_runtime_type(type))) {
      made.type = onnx_type::undefined;
      made = deferred(std::move(made),
                      {"GraphProto", input.name,
                       is_tensor ? no_tensors(input.type) : "inputs that are no tensors are not supported"});
    }
    root_.external_input(input.name);
    made_.inputs.push_back(input.name);
    if (is_tensor && is_half(input.type)) made.blob = widened(input.name);
  }
  at.values.emplace(input.name, std::move(made));
}

}  // namespace plait::detail
