// Archetype of flow_graph: a type with only what the concept requires. Nodes can be copied and compared for equality
// and nothing else, successors are single-pass at a time, there are no predecessors and no list of nodes.
#pragma once

#include <cstddef>
#include <vector>

#include <support/input_only.hpp>

namespace test {

class archetype_graph {
 public:
  class node {
   public:
    friend bool operator==(node a, node b) { return a.id_ == b.id_; }
    void operator&() const = delete;

   private:
    friend class archetype_graph;
    explicit node(std::size_t id) : id_(id) {}
    std::size_t id_;
  };

 private:
  struct make_node {
    std::vector<std::size_t> const* targets;
    node operator()(std::size_t i) const { return node((*targets)[i]); }
  };

 public:
  explicit archetype_graph(std::size_t nodes) : targets_(nodes) {}
  archetype_graph(archetype_graph&&) = default;
  archetype_graph& operator=(archetype_graph&&) = default;

  std::size_t size() const { return targets_.size() + 3; }  // above every index, not the least such number
  node entry() const { return node(0); }
  input_only<make_node> successors(node n) const { return {targets_[n.id_].size(), make_node{&targets_[n.id_]}}; }
  std::size_t index(node n) const { return n.id_; }

  // ---- for the tests
  void connect(std::size_t from, std::size_t to) { targets_[from].push_back(to); }
  static node node_of(std::size_t id) { return node(id); }

 private:
  std::vector<std::vector<std::size_t>> targets_;
};

}  // namespace test
