// Topological order of the nodes of an ONNX graph, which may list them in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/csr.hpp>
#include <plait/graph/strong_components.hpp>
#include <plait/interop/onnx/detail/model.hpp>

namespace plait::detail {

/// Free variables of subgraphs: the names that they capture from enclosing graphs. O(operands times depth), iterative.
class onnx_free_names {
 public:
  explicit onnx_free_names(onnx_graph_def const& model) {
    std::vector<onnx_graph_def const*> graphs{&model};  // each before its subgraphs
    for (std::size_t i = 0; i != graphs.size(); ++i)
      for (onnx_node const& node : graphs[i]->nodes)
        for (onnx_attribute const& a : node.attributes)
          if (a.g) graphs.push_back(&*a.g);
    for (std::size_t i = graphs.size(); i-- != 0;) find(*graphs[i]);
  }

  std::span<std::string_view const> of(onnx_graph_def const& graph) const { return names_.find(&graph)->second; }
  /// Calls f with each name that a node reads, also by its subgraphs' captures; repetitions included.
  template <class F>
  void for_each_read(onnx_node const& node, F&& f) const {
    for (std::string const& name : node.inputs)
      if (!name.empty()) f(std::string_view(name));
    for (onnx_attribute const& a : node.attributes)
      if (a.g)
        for (std::string_view const name : of(*a.g)) f(name);
  }

 private:
  void find(onnx_graph_def const& graph) {
    boost::unordered_flat_set<std::string_view> own;  // defined here, or captured already
    for (onnx_value_info const& input : graph.inputs) own.insert(input.name);
    for (onnx_tensor const& tensor : graph.initializers) own.insert(tensor.name);
    for (onnx_node const& node : graph.nodes)
      for (std::string const& name : node.outputs) own.insert(name);
    own.insert(std::string_view());
    std::vector<std::string_view> read;
    auto const add = [&](std::string_view name) {
      if (own.insert(name).second) read.push_back(name);
    };
    for (onnx_node const& node : graph.nodes) for_each_read(node, add);
    for (onnx_value_info const& output : graph.outputs) add(output.name);
    names_.emplace(&graph, std::move(read));
  }

  boost::unordered_flat_map<onnx_graph_def const*, std::vector<std::string_view>> names_;
};

/// Topological order of the nodes of a graph, with the captures of subgraphs as dependences; the listed order if that
/// is topological. Nodes of a cycle (strongly connected component) are consecutive. O(operands).
class onnx_node_order {
 public:
  onnx_node_order(onnx_graph_def const& graph, onnx_free_names const& free) : cycles_(graph.nodes.size()) {
    auto const count = static_cast<std::uint32_t>(graph.nodes.size());
    boost::unordered_flat_map<std::string_view, std::uint32_t> makers;
    for (onnx_value_info const& input : graph.inputs) makers.try_emplace(input.name, count);
    for (onnx_tensor const& tensor : graph.initializers) makers.try_emplace(tensor.name, count);
    for (std::uint32_t n = 0; n != count; ++n)
      for (std::string const& name : graph.nodes[n].outputs) makers.try_emplace(name, n);
    dependence g(count);
    bool is_ordered = true;
    auto const for_each_edge = [&](auto&& f) {
      for (std::uint32_t n = 0; n != count; ++n)
        free.for_each_read(graph.nodes[n], [&](std::string_view name) {
          if (auto const maker = makers.find(name); maker != makers.end() && maker->second != count)
            f(maker->second, n, name);
        });
    };
    for_each_edge(
        [&](std::uint32_t from, std::uint32_t to, std::string_view) { is_ordered = is_ordered && from < to; });
    if (is_ordered) {
      for (std::uint32_t n = 0; n != count; ++n) nodes_.push_back(n);
      return;
    }
    g.edges.start_counting(count + std::size_t{1});
    for (std::uint32_t n = 0; n != count; ++n) g.edges.count(count);
    for_each_edge([&](std::uint32_t from, std::uint32_t, std::string_view) { g.edges.count(from); });
    g.edges.end_counting();
    // Rows are filled from the back: the traversal starts with the last node, and what it reaches first comes last in
    // the order.
    for (std::uint32_t n = 0; n != count; ++n) g.edges.place(count, n);
    for_each_edge([&](std::uint32_t from, std::uint32_t to, std::string_view) { g.edges.place(from, to); });

    strong_components const parts(g);
    for (std::uint32_t c = 0; c != parts.size(); ++c)
      for (std::uint32_t const n : parts.members(c))
        if (n != count) nodes_.push_back(n);
    for_each_edge([&](std::uint32_t from, std::uint32_t to, std::string_view name) {
      if (parts.component(from) == parts.component(to) && cycles_[to].empty()) cycles_[to] = name;
    });
  }

  std::span<std::uint32_t const> nodes() const noexcept { return nodes_; }
  /// Returns, for a node in a cycle, an input that depends on the node's own outputs; empty for other nodes.
  std::string_view cycle(std::uint32_t node) const { return cycles_[node]; }

 private:
  // Graph with an edge from each defining node to its readers, and an extra entry node, the last, with edges to all.
  struct dependence {
    using node = std::uint32_t;
    explicit dependence(std::uint32_t count) : last(count) {}
    std::size_t size() const { return last + std::size_t{1}; }
    node entry() const { return last; }
    std::span<node const> successors(node n) const { return edges[n]; }
    std::uint32_t last;
    csr<std::uint32_t> edges;
  };

  std::vector<std::uint32_t> nodes_;
  std::vector<std::string_view> cycles_;
};

}  // namespace plait::detail
