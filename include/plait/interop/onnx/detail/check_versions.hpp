// Version check of ONNX models: refuses format and operator-set versions that the conversion rules do not support.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/model.hpp>
#include <plait/interop/onnx/detail/options.hpp>

namespace plait::detail {

inline constexpr std::int64_t newest_onnx_format = 14;
inline constexpr std::int64_t newest_onnx_opset = 28;

/// Returns true if a node of the graph or of a subgraph has an operator of ONNX's own domain. O(nodes).
inline bool uses_own_operators(onnx_model const& model) {
  std::vector<onnx_graph_def const*> graphs = {&model.graph};
  while (!graphs.empty()) {
    onnx_graph_def const& graph = *graphs.back();
    graphs.pop_back();
    for (onnx_node const& node : graph.nodes) {
      if (node.domain.empty()) return true;
      for (onnx_attribute const& a : node.attributes)
        if (a.g) graphs.push_back(&*a.g);
    }
  }
  return false;
}

/// Appends a problem for each version that the rules do not support, and for a missing version. O(nodes).
inline void check_versions(onnx_model const& model, std::vector<onnx_problem>& problems) {
  auto const report = [&](std::string reason) {
    problems.push_back({"ModelProto", model.graph.name, std::move(reason)});
  };
  if (model.ir_version < 1 || model.ir_version > newest_onnx_format)
    report("version " + std::to_string(model.ir_version) + " of the format is not known, only 1 to " +
           std::to_string(newest_onnx_format));
  std::optional<std::int64_t> own;
  for (onnx_opset const& each : model.opsets) {
    if (!each.domain.empty()) continue;
    if (own && own != each.version) report("two versions of ONNX's operators are imported");
    own = each.version;
  }
  if (!own && model.ir_version >= 3 && uses_own_operators(model)) report("no version of ONNX's operators is imported");
  if (own && (*own < 1 || *own > newest_onnx_opset))
    report("version " + std::to_string(*own) + " of ONNX's operators is not known, only 1 to " +
           std::to_string(newest_onnx_opset));
}

}  // namespace plait::detail
