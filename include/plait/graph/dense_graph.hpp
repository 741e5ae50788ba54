// The reachable part of a flow graph in numbers: what the algorithms of this folder run on.
//
// Nodes are 0 … size() - 1 in reverse postorder of one depth-first walk, so that
//   - every edge that leads to a lower number, or to its own node, is a back edge of the walk: it leads to an ancestor;
//   - one sweep in ascending order sees all predecessors of a node before the node, but for those on back edges.
// Built by flow_snapshot; not a template, so that the algorithms on it compile once and never touch a user's nodes.
//
// Time and space are O(nodes + edges): 8 bytes an edge and 20 a node. The walk keeps its stack in these arrays.
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
  constexpr std::size_t size() const noexcept { return preorder_number_.size(); }
  static constexpr std::uint32_t entry() noexcept { return 0; }
  constexpr std::size_t edge_count() const noexcept { return successors_.item_count(); }

  /// In the order of the graph.
  constexpr std::span<std::uint32_t const> successors(std::uint32_t n) const { return successors_[n]; }
  /// Ascending; once per parallel edge.
  constexpr std::span<std::uint32_t const> predecessors(std::uint32_t n) const { return predecessors_[n]; }

  // ---- the walk
  /// All nodes in the order in which the walk came to them.
  constexpr std::span<std::uint32_t const> preorder() const noexcept { return preorder_; }
  /// The place of a node in preorder().
  constexpr std::uint32_t preorder_number(std::uint32_t n) const {
    PLAIT_ASSERT(n < size(), "dense_graph: no such node");
    return preorder_number_[n];
  }
  /// The tree of the walk, both sides as places in preorder(): where the node was found from. npos for the entry.
  constexpr std::span<std::uint32_t const> preorder_parents() const noexcept { return parents_; }
  /// Whether `b` is below `a`, or is `a`, in the tree of the walk.
  constexpr bool is_walk_ancestor(std::uint32_t a, std::uint32_t b) const {
    return a <= b && preorder_number(a) <= preorder_number(b);
  }

 protected:
  /// Walks and numbers. Nodes are known by the order in which they were found, the entry being 0. expand(node, found)
  /// is called once per node and calls found(successor) for each of its successors, in order; one not seen before must
  /// be given the next number. Returns the number of each node by its order of being found.
  template <class Expand>
  constexpr std::span<std::uint32_t const> walk(Expand expand);

 private:
  constexpr void number(csr<std::uint32_t> const& rows);

  csr<std::uint32_t> successors_;
  csr<std::uint32_t> predecessors_;
  std::vector<std::uint32_t> preorder_number_;
  std::vector<std::uint32_t> preorder_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> found_;
};

template <class Expand>
constexpr std::span<std::uint32_t const> dense_graph::walk(Expand expand) {
  // Arrays that are filled when the walk is over serve it meanwhile.
  csr<std::uint32_t>& rows = predecessors_;             // by preorder: the successors, by order of being found
  std::vector<std::uint32_t>& next = preorder_;         // by preorder: how many successors have been followed
  std::vector<std::uint32_t>& left = preorder_number_;  // preorder numbers, in postorder
  rows.clear();
  next.clear();
  left.clear();
  parents_.clear();
  found_.assign(1, npos);  // → preorder number

  auto const enter = [&](std::uint32_t node, std::uint32_t parent) {
    auto const at = static_cast<std::uint32_t>(parents_.size());
    found_[node] = at;
    parents_.push_back(parent);
    next.push_back(0);
    expand(node, [&](std::uint32_t successor) {
      if (successor == found_.size()) found_.push_back(npos);
      rows.push(successor);
    });
    rows.end_row();
    return at;
  };

  std::uint32_t at = enter(0, npos);
  while (at != npos) {
    std::span<std::uint32_t const> const row = rows[at];
    std::uint32_t i = next[at];
    while (i != row.size() && found_[row[i]] != npos) ++i;
    if (i != row.size()) {
      next[at] = i + 1;
      at = enter(row[i], at);
    } else {
      left.push_back(at);
      at = parents_[at];
    }
  }
  number(rows);
  return found_;
}

constexpr void dense_graph::number(csr<std::uint32_t> const& rows) {
  std::ranges::reverse(preorder_number_);
  for (std::uint32_t n = 0; n != size(); ++n) preorder_[preorder_number_[n]] = n;
  for (std::uint32_t& n : found_) n = preorder_[n];

  successors_.clear();
  successors_.reserve(rows.size(), rows.item_count());
  for (std::uint32_t n = 0; n != size(); ++n) {
    for (std::uint32_t const successor : rows[preorder_number_[n]]) successors_.push(found_[successor]);
    successors_.end_row();
  }
  transpose(successors_, predecessors_);
}

}  // namespace plait
