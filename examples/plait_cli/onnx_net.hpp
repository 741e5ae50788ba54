// ONNX models as nets of plait's operators, for commands that run or write them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plait/net/detail/parameter.hpp>

#include "io.hpp"

namespace cli {

/// A converted model.
struct onnx_source {
  source in;
  std::vector<plait::parameter> parameters;
};

/// Converts the ONNX model in a file; nothing for any other file. Throws failure with
/// all that the model has and plait does not run.
std::optional<onnx_source> load_onnx(std::string const& path);

/// Returns what an ONNX model has that plait does not run, a message each; nothing for any other file.
std::optional<std::vector<std::string>> onnx_problems(std::string const& path);

}  // namespace cli
