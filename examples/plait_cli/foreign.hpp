// Recognition of files that are no NetDef, by their structure: ONNX models, Caffe2 predictors, NumPy arrays, archives.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cli {

/// Returns what a document is and what can be done with it, "an ONNX model (…), not a NetDef; …", or nothing if it may
/// be a NetDef. No document that a NetDef writer can make is taken for another.
std::optional<std::string> foreign_format(std::string_view document);

}  // namespace cli
