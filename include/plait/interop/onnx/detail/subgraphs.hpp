// Nested nets of converted ONNX subgraphs: captures of outer blobs, yielded values, If ops.
//
// Nested nets see the blobs of the outer net, all of which have distinct names. In training net_builder adds the ops:
// it wraps nested nets in Do ops, since gradients need the workspace that each run of a net leaves.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/context.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/transform/detail/external_blobs.hpp>

namespace plait::detail {

/// Returns a blob that a net can see; captures it from the outer net if needed.
inline blob_handle onnx_capture(net_builder& net, std::string const& name) {
  return net.visible(name) ? net.blob(name) : net.external_input(name);
}

/// Returns the condition, followed by the blobs that nested nets capture from the net `around`.
inline std::vector<std::string> onnx_captured_inputs(net_builder& around, std::string const& condition,
                                                     std::initializer_list<netdef const*> nets) {
  std::vector<std::string> made{condition};
  for (netdef const* net : nets)
    for (std::string const& name : external_blob_names(*net).inputs)
      if (std::ranges::find(made, name) == made.end()) made.push_back(onnx_capture(around, name).name());
  return made;
}

/// Adds an If op with outputs that both branches yield.
inline void onnx_add_if(net_builder& around, bool training, std::string const& condition, netdef then_net,
                        netdef else_net, std::vector<std::string> const& outputs) {
  std::vector<std::string> const inputs = onnx_captured_inputs(around, condition, {&then_net, &else_net});
  if (training) {
    for (std::string const& name : outputs) around.declare(name);
    around.if_(around.blob(condition), std::move(then_net), std::move(else_net));
  } else {
    around.op_n("If", inputs, outputs, {{"then_net", std::move(then_net)}, {"else_net", std::move(else_net)}});
  }
}

/// Yields a value of a subgraph: copies it to a blob of the outer net and declares that as an output.
inline void onnx_yield(onnx_context const& c, net_builder& inside, onnx_value const& made, std::string const& name) {
  std::string const blob = made.blob.empty() ? c.constant_blob(*made.constant, "constant") : made.blob;
  inside.copy(onnx_capture(inside, blob), name);
  inside.external_outputs(name);
}

}  // namespace plait::detail
