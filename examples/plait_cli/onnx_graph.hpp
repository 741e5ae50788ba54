// ONNX models as nets: the graph as it is written, for commands that inspect nets.
#pragma once

#include <string_view>

#include <plait/interop/onnx/detail/model.hpp>
#include <plait/netdef/model.hpp>

namespace cli {

/// Returns true if a document has the structure of an ONNX model, whatever the name of its file.
bool is_onnx_model(std::string_view document);

/// Returns the graph of a model: ops are its nodes, with ONNX's op types and attributes, initializers are external
/// inputs after the graph's own, subgraphs are arguments. An op with subgraphs lists the outer values that these read
/// after its own inputs. To run a model, it is converted instead: plait::read_onnx.
plait::netdef graph_net(plait::onnx_model const& model);

}  // namespace cli
