// Options, result and errors of ONNX import.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/errors.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/netdef/model.hpp>

namespace plait {

/// Options of read_onnx.
struct onnx_options {
  /// Inputs with compile-time constant values. An input of an ONNX operator that is an argument of plait's op (the axes
  /// of ReduceSum, for example) must be among these or a constant of the model.
  boost::unordered_flat_map<std::string, tensor_value> constants = {};
  /// Emits recurrent ops with their backward pass, and control flow in the form that gradients need.
  bool training = false;
};

/// A converted model: a net whose blobs have the names of the model's values, and its parameters.
struct onnx_net {
  netdef net;
  std::vector<parameter> parameters;  ///< initializers and constants: the external inputs with known values
  std::vector<std::string> inputs;    ///< the other external inputs, in the model's order
  std::vector<std::string> outputs;   ///< external outputs, in the model's order
};

/// A node, or another component of the model, that prevents conversion.
struct onnx_problem {
  std::string type;  ///< the operator type; "ModelProto", "GraphProto" or "TensorProto" if it is not a node
  std::string node;  ///< the node's name, else its first output's; the component's name if it is not a node
  std::string reason;
  std::vector<std::string> needed_by = {};  ///< readers, if it matters only where it is read: "Add 'sum'", "output 'y'"
  friend bool operator==(onnx_problem const&, onnx_problem const&) = default;
};

/// Error for a model that cannot be converted: lists all problems.
struct onnx_error : error {
  explicit onnx_error(std::vector<onnx_problem> found) : error(text(found)), problems(std::move(found)) {}

  std::vector<onnx_problem> problems;

 private:
  static std::string text(std::vector<onnx_problem> const& found) {
    std::string made = "plait: the model cannot be run";
    char const* before = ": ";
    for (onnx_problem const& each : found) {
      made += before + each.type + " '" + each.node + "': " + each.reason;
      char const* between = ", needed by ";
      for (std::string const& reader : each.needed_by) {
        made += between + reader;
        between = ", ";
      }
      before = "; ";
    }
    return made;
  }
};

}  // namespace plait
