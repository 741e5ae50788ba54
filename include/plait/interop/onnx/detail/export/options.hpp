// Options and errors of ONNX export.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/detail/model.hpp>

namespace plait {

/// Type and shape of an external input of an exported net.
struct onnx_export_input {
  std::string name;
  std::optional<std::vector<std::int64_t>> dims = {};  ///< -1: an extent that may vary
  onnx_type type = onnx_type::undefined;               ///< undefined: as its first reader takes it, else float32
};

/// Options of write_onnx.
struct onnx_export_options {
  std::int64_t opset = 17;  ///< operator-set version, 13 to 21
  /// Inputs whose type or shape is known. The number of axes of another input is that which its first reader usually
  /// takes: an image for Conv, a matrix for FC. Where no reader determines it, the model does not declare it, which
  /// ONNX Runtime accepts and onnx.checker refuses.
  std::vector<onnx_export_input> inputs = {};
  std::string producer = "plait";  ///< producer_name of the model
};

/// An op, or another component of a net, that has no equivalent in ONNX.
struct onnx_export_problem {
  std::optional<std::size_t> op;  ///< index in the outermost net; none: the net itself
  std::string type;               ///< the op's type
  std::string output;             ///< the op's first output, or the blob concerned
  std::string reason;
  std::string alternative = {};  ///< the nearest form that can be exported; empty if there is none
  friend bool operator==(onnx_export_problem const&, onnx_export_problem const&) = default;
};

/// Error for a net that cannot be exported: lists all problems.
struct onnx_export_error : error {
  explicit onnx_export_error(std::vector<onnx_export_problem> found) : error(text(found)), problems(std::move(found)) {}

  std::vector<onnx_export_problem> problems;

 private:
  static std::string text(std::vector<onnx_export_problem> const& found) {
    std::string made = "plait: the net cannot be written as an ONNX model";
    char const* before = ": ";
    for (onnx_export_problem const& each : found) {
      made += before;
      if (each.op) made += "op " + std::to_string(*each.op) + " (" + each.type + ") ";
      made += "'" + each.output + "': " + each.reason;
      if (!each.alternative.empty()) made += " (" + each.alternative + ')';
      before = "; ";
    }
    return made;
  }
};

}  // namespace plait
