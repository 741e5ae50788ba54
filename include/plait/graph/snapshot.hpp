// A copy of the reachable part of any flow graph in dense numbers, made in one walk.
//
//   plait::flow_snapshot s(g);
//   s.node(0) == plait::entry(g);
//   for (std::uint32_t p : s.predecessors(s.number(block))) use(s.node(p));
//
// All algorithms of plait on flow graphs start with it, whatever the graph: it needs successors alone, reads those of
// each node once, and what follows runs on plain numbers. O(size(g) + edges) time and space; iterative; besides what a
// dense_graph holds, 4 bytes per index, and 4 and two copies per reachable node. Unreachable nodes are not in it.
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
  /// The nodes by number, that is, in reverse postorder.
  constexpr std::span<node_t<G> const> order() const noexcept { return order_; }

 private:
  constexpr std::uint32_t at(std::size_t index) const { return index < numbers_.size() ? numbers_[index] : npos; }

  G const* graph_ = nullptr;
  std::vector<std::uint32_t> numbers_;  // by index
  std::vector<node_t<G>> found_;        // in the order in which the walk saw them
  std::vector<std::uint32_t> places_;   // in found_, by number
  std::vector<node_t<G>> order_;
};

template <flow_graph G>
constexpr void flow_snapshot<G>::compute(G const& g) {
  graph_ = std::addressof(g);
  numbers_.assign(graph_size(g), npos);
  found_.clear();
  auto const look_up = [&](node_t<G> const& n) {
    std::size_t const i = plait::index(g, n);
    PLAIT_ASSERT(i < numbers_.size(), "flow_graph: index(g, n) must be below size(g)");
    if (numbers_[i] == npos) {
      numbers_[i] = static_cast<std::uint32_t>(found_.size());
      found_.push_back(n);
    }
    return numbers_[i];
  };

  look_up(plait::entry(g));
  std::span<std::uint32_t const> const number_of = walk([&](std::uint32_t at, auto found) {
    node_t<G> const from = found_[at];  // a copy: look_up moves the others
    for (auto&& successor : plait::successors(g, from)) found(look_up(successor));
  });

  for (std::uint32_t& n : numbers_)
    if (n != npos) n = number_of[n];
  // Nodes need not be default constructible: their places are put in order first, then they are copied.
  places_.resize(size(), 0);
  for (std::uint32_t place = 0; place != size(); ++place) places_[number_of[place]] = place;
  order_.clear();
  order_.reserve(size());
  for (std::uint32_t const place : places_) order_.push_back(found_[place]);
}

}  // namespace plait
