// Dead code elimination of an exported graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/interop/onnx/detail/model.hpp>

namespace plait::detail::onnx_out {

/// Domain of placeholder nodes, whose type is the number of a problem.
inline constexpr std::string_view onnx_placeholder_domain = "plait.inexpressible";

/// Removes the nodes and initializers of a graph that no output needs, and its inputs unless `keeps(name)`. Returns the
/// numbers of the placeholders that are left, also those in subgraphs, in ascending order. O(graph).
template <class Keeps>
std::vector<std::size_t> prune_onnx(onnx_graph_def& graph, Keeps const& keeps) {
  boost::unordered_flat_set<std::string_view> needed;
  std::vector<std::size_t> unsaid;
  for (onnx_value_info const& each : graph.outputs) needed.insert(each.name);
  std::vector<bool> live(graph.nodes.size());
  for (std::size_t i = graph.nodes.size(); i-- != 0;) {
    live[i] = std::ranges::any_of(graph.nodes[i].outputs, [&](auto const& name) { return needed.contains(name); });
    if (!live[i]) continue;
    std::vector<onnx_node const*> open{&graph.nodes[i]};
    while (!open.empty()) {
      onnx_node const& node = *open.back();
      open.pop_back();
      if (node.domain == onnx_placeholder_domain) unsaid.push_back(std::stoul(node.type));
      for (std::string const& name : node.inputs)
        if (!name.empty()) needed.insert(name);
      for (onnx_attribute const& a : node.attributes) {
        if (!a.g) continue;
        for (onnx_node const& inner : a.g->nodes) open.push_back(&inner);
        for (onnx_value_info const& output : a.g->outputs) needed.insert(output.name);
      }
    }
  }
  std::erase_if(graph.inputs, [&](auto const& each) { return !needed.contains(each.name) && !keeps(each.name); });
  std::vector<onnx_tensor> kept;
  for (onnx_tensor& each : graph.initializers)
    if (needed.contains(each.name)) kept.push_back(std::move(each));
  std::vector<onnx_node> nodes;
  for (std::size_t i = 0; i != live.size(); ++i)
    if (live[i]) nodes.push_back(std::move(graph.nodes[i]));
  graph.nodes = std::move(nodes);
  graph.initializers = std::move(kept);
  std::ranges::sort(unsaid);
  return unsaid;
}

}  // namespace plait::detail::onnx_out
