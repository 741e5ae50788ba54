// How ONNX models are read, and what comes of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/errors.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/netdef/model.hpp>

namespace plait {

struct onnx_options {
  /// Inputs whose values are settled. Where ONNX has an operator take as an input what plait's takes as an argument
  /// (the axes of ReduceSum, say), the input must be among these or a constant of the model.
  boost::unordered_flat_map<std::string, tensor_value> constants = {};
  /// Recurrent ops are made with their backward pass.
  bool training = false;
};

/// A model as a net, whose blobs are called as the model calls its values.
struct onnx_net {
  netdef net;
  std::vector<parameter> parameters;  ///< initializers and constants: external inputs that the model has values for
  std::vector<std::string> inputs;    ///< external inputs that it has none for, in the model's order
  std::vector<std::string> outputs;   ///< external outputs, in the model's order
};

/// A node that cannot be run, or something else of the model that stands in the way.
struct onnx_problem {
  std::string type;  ///< of the operator; "ModelProto", "GraphProto" or "TensorProto" of what is no node
  std::string node;  ///< its name, or that of its first output; of what is no node, the name it has
  std::string reason;
  std::vector<std::string> needed_by = {};  ///< where it matters only to those who read it: "Add 'sum'", "output 'y'"
  friend bool operator==(onnx_problem const&, onnx_problem const&) = default;
};

/// A model that cannot be run, with all that stands in the way.
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
