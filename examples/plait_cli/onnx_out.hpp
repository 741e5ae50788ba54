// Nets as ONNX models, for plait convert.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io.hpp"

namespace cli {

struct onnx_out_options {
  std::string init;                 ///< file of the init net; empty: none
  std::vector<std::string> shapes;  ///< "NAME=1x3x224x224", with ? for an extent that may vary
  std::int64_t opset = 17;
};

/// Returns a net as a model in ONNX's binary format. Throws failure, with all that has no equivalent in ONNX, and
/// wrong_usage for a malformed shape.
std::string onnx_document(source const& in, onnx_out_options const& options);

}  // namespace cli
