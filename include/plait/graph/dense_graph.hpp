// The reachable part of a flow graph in numbers: what the algorithms of this folder run on.
//
// Nodes are 0 … size() - 1 in reverse postorder of one depth-first walk, so that
//   - every edge that leads to a lower number, or to its own node, is a back edge of the walk: it leads to an ancestor;
//   - one sweep in ascending order sees all predecessors of a node before the node, but for those on back edges.
// Built by flow_snapshot; not a template, so that the algorithms on it compile once and never touch a user's nodes.
//
// O(size(g) + edges) time and space: 8 bytes an edge, 4 a node and 20 for each index of the user's graph. The walk
// keeps its stack in these arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/csr.hpp>
#include <plait/core/npos.hpp>

namespace plait {

/// A flow graph of dense numbers (a flow_graph, bidirectional, whose nodes are std::uint32_t), with the depth-first
/// walk that numbered it. Parallel edges and self-loops are kept. At most 2^32 - 1 nodes and as many edges.
class dense_graph {
 public:
  constexpr std::size_t size() const noexcept { return size_; }
  static constexpr std::uint32_t entry() noexcept { return 0; }
  constexpr std::size_t edge_count() const noexcept { return edges_.size(); }

  /// In the order of the graph.
  constexpr std::span<std::uint32_t const> successors(std::uint32_t n) const {
    std::uint32_t const at = preorder_number(n);
    return {edges_.data() + first_[at], edges_.data() + first_[at + 1]};
  }
  /// Ascending; once per parallel edge.
  constexpr std::span<std::uint32_t const> predecessors(std::uint32_t n) const { return predecessors_[n]; }

  // ---- the walk
  /// All nodes in the order in which the walk came to them.
  constexpr std::span<std::uint32_t const> preorder() const noexcept { return {preorder_.data(), size_}; }
  /// The place of a node in preorder().
  constexpr std::uint32_t preorder_number(std::uint32_t n) const {
    PLAIT_ASSERT(n < size(), "dense_graph: no such node");
    return preorder_number_[n];
  }
  /// The tree of the walk, both sides as places in preorder(): where the node was found from. npos for the entry.
  constexpr std::span<std::uint32_t const> preorder_parents() const noexcept { return {parents_.data(), size_}; }
  /// Whether `b` is below `a`, or is `a`, in the tree of the walk.
  constexpr bool is_walk_ancestor(std::uint32_t a, std::uint32_t b) const {
    return a <= b && preorder_number(a) <= preorder_number(b);
  }

 protected:
  /// Walks and numbers. Nodes are known by keys, which are places in `numbers`, which must be npos for each and is the
  /// number of each in the end. expand(key, edge, push) is called when a node is entered and calls push(successor's
  /// key) for each of its successors, in order; meanwhile `numbers` may grow. `edge` is the place, among all calls of
  /// push, of the one that told of the node, npos for the start.
  template <class Expand>
  constexpr void walk(std::uint32_t start, std::vector<std::uint32_t>& numbers, Expand expand);

 private:
  constexpr void make_room(std::size_t nodes);
  constexpr void number(std::vector<std::uint32_t>& numbers);

  // All but edges_ and predecessors_ have room for more than there is, and are never shrunk.
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> edges_;  // the successors of the nodes in preorder
  std::vector<std::uint32_t> first_;  // by preorder: where in edges_ they begin; one more to say where they end
  csr<std::uint32_t> predecessors_;
  std::vector<std::uint32_t> preorder_number_;
  std::vector<std::uint32_t> preorder_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> keys_;  // by preorder
};

constexpr void dense_graph::make_room(std::size_t nodes) {
  if (parents_.size() >= nodes) return;
  for (std::vector<std::uint32_t>* v : {&preorder_number_, &preorder_, &parents_, &keys_}) v->resize(nodes, 0);
  first_.resize(nodes + 1, 0);
}

template <class Expand>
constexpr void dense_graph::walk(std::uint32_t start, std::vector<std::uint32_t>& numbers, Expand expand) {
  // Arrays that are filled when the walk is over serve it meanwhile.
  std::vector<std::uint32_t>& next = preorder_;         // by preorder: the edge to follow next
  std::vector<std::uint32_t>& left = preorder_number_;  // preorder numbers, in postorder
  std::uint32_t left_count = 0;
  size_ = 0;
  edges_.clear();
  make_room(numbers.size());

  std::uint32_t key = start;
  std::uint32_t edge = npos;  // the one that is followed
  std::uint32_t at = npos;
  while (true) {
    std::uint32_t const parent = at;
    at = size_++;
    numbers[key] = at;
    keys_[at] = key;
    parents_[at] = parent;
    expand(key, edge, [this](std::uint32_t successor) { edges_.push_back(successor); });
    PLAIT_ASSERT(edges_.size() < npos, "dense_graph: more edges than 32 bits can number");
    if (numbers.size() > parents_.size()) make_room(2 * numbers.size());
    edge = first_[at];
    std::uint32_t end = first_[at + 1] = static_cast<std::uint32_t>(edges_.size());

    while (true) {
      while (edge != end && numbers[edges_[edge]] != npos) ++edge;
      if (edge != end) break;
      left[left_count++] = at;
      at = parents_[at];
      if (at == npos) return number(numbers);
      edge = next[at];
      end = first_[at + 1];
    }
    next[at] = edge + 1;
    key = edges_[edge];
  }
}

constexpr void dense_graph::number(std::vector<std::uint32_t>& numbers) {
  std::reverse(preorder_number_.begin(), preorder_number_.begin() + size_);
  for (std::uint32_t n = 0; n != size_; ++n) {
    std::uint32_t const at = preorder_number_[n];
    preorder_[at] = n;
    numbers[keys_[at]] = n;
  }
  predecessors_.start_counting(size_);
  for (std::uint32_t& edge : edges_) {
    edge = numbers[edge];
    predecessors_.count(edge);
  }
  predecessors_.end_counting();
  for (std::uint32_t n = size_; n-- != 0;)
    for (std::uint32_t const successor : successors(n)) predecessors_.place(successor, n);
}

}  // namespace plait
