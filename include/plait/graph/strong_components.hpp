// Strongly connected components of the reachable nodes: Kosaraju–Sharir, O(size(g) + edges).
//
//   plait::strong_components const components(g);
//   for (std::uint32_t c = 0; c != components.size(); ++c)
//     if (components.is_cyclic(c)) use(components.members(c));
//
// After M. Sharir, "A strong-connectivity algorithm and its applications in data flow analysis" (Computers &
// Mathematics with Applications 7(1), 1981, pp. 67–72), also known by Kosaraju's name: the snapshot provides the
// reverse postorder and the predecessors, so one backward sweep remains. O(size(g) + edges) time, O(nodes) space,
// iterative. Unreachable nodes are in no component.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

/// Strongly connected components of a dense_graph, numbered in topological order: edges between components lead to
/// higher numbers. Recomputation reuses the memory.
class dense_components {
 public:
  constexpr dense_components() = default;
  constexpr explicit dense_components(dense_graph const& g) { compute(g); }
  constexpr void compute(dense_graph const& g);

  constexpr std::size_t size() const noexcept { return members_.size(); }
  constexpr std::uint32_t component(std::uint32_t n) const {
    PLAIT_ASSERT(n < components_.size(), "dense_components: no such node");
    return components_[n];
  }
  /// Returns the nodes of component c, ascending, that is, in reverse postorder.
  constexpr std::span<std::uint32_t const> members(std::uint32_t c) const { return members_[c]; }
  /// Returns true if a nonempty path leads from a node of c back to itself: c has several nodes, or a self-loop.
  constexpr bool is_cyclic(std::uint32_t c) const {
    PLAIT_ASSERT(c < size(), "dense_components: no such component");
    return cyclic_[c] != 0;
  }

 private:
  std::vector<std::uint32_t> components_;
  csr<std::uint32_t> members_;
  std::vector<unsigned char> cyclic_;
  std::vector<std::uint32_t> stack_;
};

constexpr void dense_components::compute(dense_graph const& g) {
  auto const n = static_cast<std::uint32_t>(g.size());
  components_.assign(n, npos);
  cyclic_.clear();
  csr<std::uint32_t> const& before = g.predecessors();
  // Invariant: among the nodes without a component, the first one is reached only from its own component.
  for (std::uint32_t first = 0; first != n; ++first) {
    if (components_[first] != npos) continue;
    auto const c = static_cast<std::uint32_t>(cyclic_.size());
    cyclic_.push_back(0);
    components_[first] = c;
    stack_.assign(1, first);
    while (!stack_.empty()) {
      std::uint32_t const at = stack_.back();
      stack_.pop_back();
      for (std::uint32_t const p : before[at]) {
        if (components_[p] == c) cyclic_[c] = 1;
        if (components_[p] != npos) continue;
        components_[p] = c;
        cyclic_[c] = 1;
        stack_.push_back(p);
      }
    }
  }
  members_.start_counting(cyclic_.size());
  for (std::uint32_t const c : components_) members_.count(c);
  members_.end_counting();
  for (std::uint32_t at = n; at-- != 0;) members_.place(components_[at], at);
}

/// Strongly connected components as of the last compute(). The graph must outlive this object and stay at the same
/// address, because component() calls index(g, n), unless nodes are their own indices.
template <flow_graph G>
class strong_components {
 public:
  constexpr strong_components() = default;
  constexpr explicit strong_components(G const& g) { compute(g); }
  template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
  strong_components(G const&&)
    requires detail::has_own_index<G>
  = delete;

  constexpr void compute(G const& g) {
    snapshot_.compute(g);
    components_.compute(snapshot_);
  }
  template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
  void compute(G const&&)
    requires detail::has_own_index<G>
  = delete;

  /// Returns the number of components.
  constexpr std::size_t size() const noexcept { return components_.size(); }
  /// Returns the component of n; npos for an unreachable node. Edges between components lead to higher numbers.
  constexpr std::uint32_t component(node_t<G> const& n) const {
    std::uint32_t const i = snapshot_.number(n);
    return i == npos ? npos : components_.component(i);
  }
  /// Returns the nodes of component c in reverse postorder; the first is where the depth-first search entered c.
  constexpr auto members(std::uint32_t c) const {
    return std::views::transform(components_.members(c),
                                 [this](std::uint32_t i) -> node_t<G> const& { return snapshot_.node(i); });
  }
  constexpr bool is_cyclic(std::uint32_t c) const { return components_.is_cyclic(c); }

  // ---- by number
  constexpr flow_snapshot<G> const& snapshot() const noexcept { return snapshot_; }
  constexpr dense_components const& dense() const noexcept { return components_; }

 private:
  flow_snapshot<G> snapshot_;
  dense_components components_;
};

}  // namespace plait
