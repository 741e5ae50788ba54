// A copy of the reachable part of any flow graph in dense numbers, made in one walk.
//
//   plait::flow_snapshot s(g);
//   s.node(0) == plait::entry(g);
//   for (std::uint32_t p : s.predecessors(s.number(block))) use(s.node(p));
//
// All algorithms of plait on flow graphs start with it, whatever the graph: it needs successors alone, reads those of
// each node once, and what follows runs on plain numbers. O(size(g) + edges) time and space; iterative; besides what a
// dense_graph holds, 4 bytes per index, two copies of each reachable node and, unless nodes are their own indices, one
// per edge. Unreachable nodes are not in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/graph/dense_graph.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

/// Nodes ↔ numbers, and the graph by numbers (dense_graph). It shows the graph as it was at the last compute(), which
/// keeps the memory of the one before. The graph must stay where it is, since number() asks it for a node's index;
/// unless nodes are their own indices.
template <flow_graph G>
class flow_snapshot : public dense_graph {
 public:
  constexpr flow_snapshot() = default;
  constexpr explicit flow_snapshot(G const& g) { compute(g); }
  flow_snapshot(G const&&)
    requires detail::has_own_index<G>
  = delete;  // number() would ask a graph that is gone

  constexpr void compute(G const& g);
  void compute(G const&&)
    requires detail::has_own_index<G>
  = delete;

  constexpr node_t<G> const& node(std::uint32_t number) const {
    PLAIT_ASSERT(number < size(), "flow_snapshot: no such number");
    return order_[number];
  }
  /// npos for a node that the entry does not reach, or did not when the snapshot was made.
  constexpr std::uint32_t number(node_t<G> const& n) const {
    if constexpr (detail::has_own_index<G>) {
      return graph_ == nullptr ? npos : at(plait::index(*graph_, n));
    } else {
      return at(static_cast<std::size_t>(n));
    }
  }
  /// The same of a node that the entry reaches, which is a precondition.
  constexpr std::uint32_t reached_number(node_t<G> const& n) const {
    std::uint32_t const i = number(n);
    PLAIT_ASSERT(i != npos, "flow_graph: the entry does not reach this node");
    return i;
  }
  /// The nodes by number, that is, in reverse postorder.
  constexpr std::span<node_t<G> const> order() const noexcept { return order_; }

 private:
  constexpr std::uint32_t at(std::size_t index) const { return index < numbers_.size() ? numbers_[index] : npos; }

  G const* graph_ = nullptr;
  std::vector<std::uint32_t> numbers_;  // by index
  std::vector<node_t<G>> order_;
  std::vector<node_t<G>> entered_;  // in preorder
  std::vector<node_t<G>> told_;     // by edge, unless nodes are their own indices: the successor
};

template <flow_graph G>
constexpr void flow_snapshot<G>::compute(G const& g) {
  graph_ = std::addressof(g);
  PLAIT_ASSERT(graph_size(g) < npos, "flow_snapshot: more nodes than 32 bits can number");
  numbers_.assign(graph_size(g), npos);
  entered_.clear();
  told_.clear();
  auto const key = [&](node_t<G> const& n) {
    std::size_t const i = plait::index(g, n);
    PLAIT_ASSERT(i < numbers_.size(), "flow_graph: index(g, n) must be below size(g)");
    return static_cast<std::uint32_t>(i);
  };
  auto const enter = [&](node_t<G> const& n, auto push) {
    entered_.push_back(n);
    for (auto&& successor : plait::successors(g, n)) {
      if constexpr (detail::has_own_index<G>) {
        node_t<G> const& to = successor;
        push(key(to));
        told_.push_back(to);
      } else {
        push(key(successor));
      }
    }
  };

  node_t<G> const start = plait::entry(g);
  walk(key(start), numbers_, [&](std::uint32_t at, std::uint32_t edge, auto push) {
    if constexpr (detail::has_own_index<G>) {
      enter(edge == npos ? start : node_t<G>(told_[edge]), push);  // a copy: told_ grows
    } else {
      enter(static_cast<node_t<G>>(at), push);
    }
  });

  order_.clear();
  order_.reserve(size());
  for (std::uint32_t n = 0; n != size(); ++n) order_.push_back(entered_[preorder_number(n)]);
}

}  // namespace plait
