// Dynamic dominator tree: updated incrementally for each inserted or deleted edge of its graph.
//
//   plait::dynamic_dominator_tree tree(f);
//   f.connect(a, b);
//   tree.insert_edge(a, b);
//   f.disconnect(a, c);
//   tree.delete_edge(a, c);
//
// Follows L. Georgiadis, G. F. Italiano, L. Laura, F. Santaroni, "An Experimental Study of Dynamic Dominators" (ESA
// 2012, pp. 491–502; arXiv 1604.02711), which is LLVM's choice, too. Insertion searches from the new edge's target,
// deepest nodes first, for the affected nodes, whose immediate dominator moves up (depth-based search). Deletion
// recomputes dominators (Semi-NCA) in the subtree of the target's immediate dominator, and in a larger one if nodes
// become unreachable.
//
// An edit costs O(nodes and edges of the searched or recomputed region, and of the subtrees whose depth changes): near
// nothing as a rule, at worst the cost of computing the tree. Queries climb the tree: dominates() is O(difference of
// depths), not O(1) as in dominator_tree. O(size(g)) space, 4 bytes per index and 32 per visited node, besides work
// space for the largest edit. Needs only successors, read from the current graph. Unreachable nodes dominate nothing
// and are dominated by nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <utility>  // and std::addressof, for which <memory> would take 0.1 s
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/graph/detail/index_check.hpp>
#include <plait/graph/detail/linked_tree.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/graph_traits.hpp>

namespace plait {

/// A dominator tree that is maintained under edge insertions and deletions. The graph must outlive this object and stay
/// at the same address, and its nodes must keep their indices; new nodes are fine.
///
/// Precondition of both edits: since the last one (or compute) the graph has changed by this edge only, and has changed
/// already. After other changes call compute().
template <flow_graph G>
class dynamic_dominator_tree {
 public:
  using node = node_t<G>;

  constexpr explicit dynamic_dominator_tree(G const& g) { compute(g); }
  template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
  dynamic_dominator_tree(G const&&) = delete;
  constexpr void compute(G const& g);
  template <class Because = because::it_refers_to_the_graph_so_a_temporary_is_refused>
  void compute(G const&&) = delete;

  /// Updates the tree after an edge from `from` to `to` was added. A parallel edge changes nothing.
  constexpr void insert_edge(node const& from, node const& to);
  /// Updates the tree after an edge from `from` to `to` was removed. Nothing changes while a parallel edge is left.
  constexpr void delete_edge(node const& from, node const& to);

  // ---- the tree
  constexpr node const& root() const { return nodes_.front(); }
  /// Returns true if n is reachable from the entry.
  constexpr bool contains(node const& n) const { return number(n) != npos; }
  /// Returns the immediate dominator; none for the root and for unreachable nodes.
  constexpr std::optional<node> idom(node const& n) const {
    std::uint32_t const i = number(n);
    return i == npos ? std::nullopt : maybe(tree_.parent(i));
  }
  /// Returns the nodes immediately dominated by n, in no particular order. Precondition: contains(n), as for depth.
  constexpr auto children(node const& n) const {
    return std::views::transform(tree_.children(valid(n)),
                                 [this](std::uint32_t i) -> node const& { return nodes_[i]; });
  }
  /// Returns the number of strict dominators of n.
  constexpr std::size_t depth(node const& n) const { return tree_.depth(valid(n)); }

  // ---- relations; false, or none, if a node is unreachable
  constexpr bool dominates(node const& a, node const& b) const {
    std::uint32_t const i = number(a);
    std::uint32_t const j = number(b);
    return i != npos && j != npos && tree_.is_ancestor(i, j);
  }
  constexpr bool strictly_dominates(node const& a, node const& b) const { return !(a == b) && dominates(a, b); }
  constexpr std::optional<node> nearest_common_dominator(node const& a, node const& b) const {
    std::uint32_t const i = number(a);
    std::uint32_t const j = number(b);
    return i == npos || j == npos ? std::nullopt : maybe(tree_.nearest_common(i, j));
  }

  /// Returns a node whose position differs from that in a newly computed tree: the tree is broken, or the graph has
  /// changed in a way that was not reported. None if the tree is correct. O(size(g) + edges · log nodes).
  [[nodiscard]] constexpr std::optional<node> verify() const;

 private:
  // The admitted nodes reachable from a start node, with numbers local to the region.
  class region : public dense_graph {
   public:
    template <class Admits>
    constexpr void compute(dynamic_dominator_tree& tree, std::uint32_t start, Admits admits);
    /// Returns the tree's numbers of the nodes, by the region's numbers.
    constexpr std::span<std::uint32_t const> nodes() const { return nodes_; }
    constexpr bool contains(std::uint32_t n) const { return n < numbers_.size() && numbers_[n] != npos; }
    constexpr void clear() {
      nodes_.clear();
      numbers_.clear();
    }

   private:
    std::vector<std::uint32_t> nodes_;
    std::vector<std::uint32_t> row_;  // the admitted successors of one node
    std::vector<dfs_edge> waiting_;
  };

  // Nodes are numbered in order of discovery; the entry is 0. tree_ contains the reachable ones.
  constexpr std::uint32_t number(node const& n) const {
    std::size_t const i = plait::index(*graph_, n);
    std::uint32_t const found = i < numbers_.size() ? numbers_[i] : npos;
    return found != npos && tree_.contains(found) ? found : npos;
  }
  constexpr std::uint32_t valid(node const& n) const {
    std::uint32_t const i = number(n);
    PLAIT_ASSERT(i != npos, "dynamic_dominator_tree: the entry does not reach this node");
    return i;
  }
  constexpr std::optional<node> maybe(std::uint32_t i) const {
    return i == npos ? std::nullopt : std::optional<node>(nodes_[i]);
  }
  constexpr std::uint32_t number_node(node const& n, node const* from = nullptr);
  template <class Visit>
  constexpr void each_successor(std::uint32_t n, Visit visit) {
    node const from = nodes_[n];  // a copy: number_node may reallocate nodes_
    for (auto&& successor : plait::successors(*graph_, from)) visit(number_node(successor, std::addressof(from)));
  }

  constexpr void attach_unreachable(std::uint32_t from, std::uint32_t to);
  constexpr void insert_reachable(std::uint32_t from, std::uint32_t to);
  constexpr std::uint32_t erase_unreachable(std::uint32_t n, std::uint32_t top);
  constexpr void find_region_below(std::uint32_t top);
  constexpr void attach_region();

  G const* graph_ = nullptr;
  std::vector<std::uint32_t> numbers_;  // by index
  std::vector<node> nodes_;
  linked_tree tree_;
  region region_;
  dense_dominators dominators_;  // of the region

  // Scratch space of one edit.
  std::vector<std::uint32_t> list_;
  std::vector<std::uint32_t> seen_;
  std::vector<unsigned char> visited_;  // by number; 0 between edits
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

template <flow_graph G>
constexpr void dynamic_dominator_tree<G>::compute(G const& g) {
  graph_ = std::addressof(g);
  numbers_.assign(graph_size(g), npos);
  nodes_.clear();
  tree_.clear();
  visited_.clear();
  region_.clear();
  number_node(plait::entry(g));
  tree_.make_root(0);
  region_.compute(*this, 0, [](std::uint32_t) { return true; });
  attach_region();
}

template <flow_graph G>
constexpr std::uint32_t dynamic_dominator_tree<G>::number_node(node const& n, node const* from) {
  std::size_t const i = plait::index(*graph_, n);
  if (i >= numbers_.size()) {
    detail::check_index_bound(*graph_, n, i, from);
    numbers_.resize(graph_size(*graph_), npos);
  }
  if (numbers_[i] == npos) {
    numbers_[i] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(n);
    tree_.resize(nodes_.size());
    visited_.resize(nodes_.size(), 0);
  } else {
    detail::check_same_node(*graph_, nodes_[numbers_[i]], nullptr, n, from);
  }
  return numbers_[i];
}

template <flow_graph G>
template <class Admits>
constexpr void dynamic_dominator_tree<G>::region::compute(dynamic_dominator_tree& tree, std::uint32_t start,
                                                          Admits admits) {
  for (std::uint32_t const n : nodes_) numbers_[n] = npos;
  numbers_.resize(std::max(numbers_.size(), tree.nodes_.size()), npos);
  auto const row = [&](dfs_edge const& at) -> std::span<std::uint32_t const> {
    row_.clear();
    tree.each_successor(at.to(), [&](std::uint32_t successor) {
      if (successor == start || admits(successor)) row_.push_back(successor);
    });
    if (numbers_.size() < tree.nodes_.size()) numbers_.resize(tree.nodes_.size(), npos);
    return row_;
  };
  auto const find = [](std::uint32_t from, std::uint32_t to) { return dfs_edge(from, to); };
  this->depth_first_search(dfs_edge(npos, start), waiting_, row, find);
  nodes_.clear();
  for (std::uint32_t n = 0; n != this->size(); ++n) nodes_.push_back(this->preorder_keys()[this->preorder_number(n)]);
}

// Links the nodes of the region below its first node, which is already in the tree.
template <flow_graph G>
constexpr void dynamic_dominator_tree<G>::attach_region() {
  dominators_.compute(region_);
  std::span<std::uint32_t const> const nodes = region_.nodes();
  for (std::uint32_t i = 1; i < nodes.size(); ++i) tree_.set_parent(nodes[i], nodes[dominators_.idom(i)]);
}

template <flow_graph G>
constexpr void dynamic_dominator_tree<G>::insert_edge(node const& from, node const& to) {
  std::uint32_t const i = number_node(from);
  std::uint32_t const j = number_node(to);
  if (!tree_.contains(i)) return;
  if (tree_.contains(j))
    insert_reachable(i, j);
  else
    attach_unreachable(i, j);
}

// The nodes that become reachable do so through this edge alone: their subtree is computed separately. Their edges to
// previously reachable nodes are then insertions. (The graph already contains all of them, which is harmless: no search
// for one of them gets as far as the others, since it would have to pass `from`, whose common dominator with the target
// is above the searched nodes.)
template <flow_graph G>
constexpr void dynamic_dominator_tree<G>::attach_unreachable(std::uint32_t from, std::uint32_t to) {
  edges_.clear();
  region_.compute(*this, to, [&](std::uint32_t n) { return !tree_.contains(n); });
  for (std::uint32_t const n : region_.nodes())
    each_successor(n, [&](std::uint32_t successor) {
      if (tree_.contains(successor)) edges_.emplace_back(n, successor);
    });
  tree_.set_parent(to, from);
  attach_region();
  for (auto const& [a, b] : edges_) insert_reachable(a, b);
}

// A node is affected if it is deeper than the children of the common dominator and some path from `to` leads to it on
// which no node is less deep: the common dominator becomes its parent. Affected nodes are found deepest first; nodes
// deeper than the last one found are only passed through.
template <flow_graph G>
constexpr void dynamic_dominator_tree<G>::insert_reachable(std::uint32_t from, std::uint32_t to) {
  std::uint32_t const above = tree_.nearest_common(from, to);
  std::uint32_t const safe = tree_.depth(above) + 1;
  if (tree_.depth(to) <= safe) return;

  auto const less_deep = [this](std::uint32_t a, std::uint32_t b) { return tree_.depth(a) < tree_.depth(b); };
  std::vector<std::uint32_t>& affected = list_;
  affected.clear();
  seen_.clear();
  queue_.assign(1, to);
  visited_[to] = 1;
  seen_.push_back(to);
  while (!queue_.empty()) {
    std::ranges::pop_heap(queue_, less_deep);
    std::uint32_t const found = queue_.back();
    queue_.pop_back();
    affected.push_back(found);
    stack_.assign(1, found);
    while (!stack_.empty()) {
      std::uint32_t const at = stack_.back();
      stack_.pop_back();
      each_successor(at, [&](std::uint32_t n) {
        if (visited_[n] != 0 || tree_.depth(n) <= safe) return;
        visited_[n] = 1;
        seen_.push_back(n);
        if (tree_.depth(n) > tree_.depth(found)) {
          stack_.push_back(n);
        } else {
          queue_.push_back(n);
          std::ranges::push_heap(queue_, less_deep);
        }
      });
    }
  }
  for (std::uint32_t const n : seen_) visited_[n] = 0;
  for (std::uint32_t const n : affected) tree_.set_parent(n, above);
  for (std::uint32_t const n : affected) tree_.update_depths(n);
}

template <flow_graph G>
constexpr void dynamic_dominator_tree<G>::delete_edge(node const& from, node const& to) {
  std::uint32_t const i = number_node(from);
  std::uint32_t const j = number_node(to);
  if (!tree_.contains(i) || !tree_.contains(j) || tree_.is_ancestor(j, i)) return;
  bool parallel = false;
  each_successor(i, [&](std::uint32_t n) { parallel |= n == j; });
  if (parallel) return;
  // `top` dominates `from`, too. If `to` is still reachable, only dominators below `top` change.
  std::uint32_t top = tree_.parent(j);
  find_region_below(top);
  if (!region_.contains(j)) {
    std::uint32_t const higher = erase_unreachable(j, top);
    if (higher != top) find_region_below(higher);
  }
  attach_region();
}

template <flow_graph G>
constexpr void dynamic_dominator_tree<G>::find_region_below(std::uint32_t top) {
  // A path that leaves the subtree of `top` enters nodes that are no deeper than `top`.
  region_.compute(*this, top, [this, depth = tree_.depth(top)](std::uint32_t n) {
    return tree_.contains(n) && tree_.depth(n) > depth;
  });
}

// All nodes dominated by n become unreachable. Nodes outside the subtree of `top` that lose a predecessor move down;
// their immediate dominators are on the path from `top` to the root. Returns the highest of these.
template <flow_graph G>
constexpr std::uint32_t dynamic_dominator_tree<G>::erase_unreachable(std::uint32_t n, std::uint32_t top) {
  list_.clear();
  tree_.for_each_in_subtree(n, [this](std::uint32_t lost) { list_.push_back(lost); });
  tree_.erase_subtree(n);
  std::uint32_t highest = top;
  for (std::uint32_t const lost : list_)
    each_successor(lost, [&](std::uint32_t to) {
      if (!tree_.contains(to) || tree_.depth(to) > tree_.depth(highest)) return;
      if (!tree_.is_ancestor(to, top)) highest = tree_.parent(to);
    });
  return highest;
}

template <flow_graph G>
constexpr std::optional<node_t<G>> dynamic_dominator_tree<G>::verify() const {
  flow_snapshot<G> const snapshot(*graph_);
  dense_dominators const right(snapshot);
  for (std::uint32_t n = 0; n != nodes_.size(); ++n)
    if (tree_.contains(n) && snapshot.number(nodes_[n]) == npos) return nodes_[n];
  for (std::uint32_t i = 0; i != snapshot.size(); ++i) {
    std::uint32_t const n = number(snapshot.node(i));
    if (n == npos) return snapshot.node(i);
    std::uint32_t const above = right.idom(i);
    bool const same = above == npos ? tree_.parent(n) == npos : tree_.parent(n) == number(snapshot.node(above));
    if (!same || tree_.depth(n) != right.depth(i)) return snapshot.node(i);
  }
  return std::nullopt;
}

}  // namespace plait
