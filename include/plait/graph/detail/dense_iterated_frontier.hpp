// Iterated dominance frontiers of a dense_graph (Sreedhar, Gao 1995): linear-time phi placement, see frontiers.hpp.
//
// Follows V. C. Sreedhar, G. R. Gao, "A Linear Time Algorithm for Placing φ-Nodes" (POPL 1995, pp. 62–73): the subtrees
// of the given and of the found nodes are searched for edges that leave them, inner ones before outer ones, each edge
// once. Unlike there, and in LLVM, the queue is ordered not by level but by position in the tree's preorder, last
// first, which serves as well (a found node is never below one that has been searched, unless it was already queued).
// Then subtrees are intervals, "leaves the subtree" is a comparison of positions, and the edges to search, the non-tree
// edges, are an interval of one array. Subtrees that no edge leaves are known in advance.
//
// Setup is O(nodes + edges) time and space: 12 bytes a node, 12 a non-tree edge. A query is linear in the non-tree
// edges of the searched subtrees and in given and found nodes; it allocates nothing but space for the result, once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/bit_queue.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/dense_graph.hpp>

namespace plait {

/// A reusable solver for one graph. The tree must outlive it and stay at the same address.
class dense_iterated_frontier {
 public:
  constexpr dense_iterated_frontier() = default;
  constexpr dense_iterated_frontier(dense_graph const& g, dense_dominators const& tree) { compute(g, tree); }
  constexpr void compute(dense_graph const& g, dense_dominators const& tree);

  /// Returns the least set that contains the frontiers of the given nodes and of its own, without repetitions, in order
  /// of discovery. A node n for which `admits(n)` is false is neither in the result nor followed further (pruned phi
  /// placement: the variable is not live-in); admits may be called more than once per node. The span is valid until the
  /// next query.
  template <std::ranges::input_range Nodes, class Admits>
  constexpr std::span<std::uint32_t const> operator()(Nodes&& nodes, Admits admits) {
    next_epoch();
    found_.clear();
    for (std::uint32_t const n : nodes) enqueue(tree_->place(n));
    while (!queue_.empty()) search(static_cast<std::uint32_t>(queue_.pop_max()), admits);
    return found_;
  }
  template <std::ranges::input_range Nodes>
  constexpr std::span<std::uint32_t const> operator()(Nodes&& nodes) {
    return (*this)(nodes, [](std::uint32_t) { return true; });
  }

 private:
  // An interval of edges that was searched in some epoch; stored at its first edge.
  struct edge_range {
    std::uint32_t epoch = 0;
    std::uint32_t end = 0;
  };
  // State of a node in the current epoch, added to the epoch's number.
  static constexpr std::uint32_t queued = 1;
  static constexpr std::uint32_t found = 2;
  static constexpr std::uint32_t epoch_step = 4;

  constexpr void prune_closed_subtrees();
  constexpr void next_epoch();
  constexpr void enqueue(std::uint32_t place) {
    std::uint32_t& mark = marks_[place];
    if (mark < epoch_) mark = epoch_;
    if ((mark & queued) != 0) return;
    mark |= queued;
    queue_.push(place);
  }
  template <class Admits>
  constexpr void search(std::uint32_t root, Admits& admits);

  dense_dominators const* tree_ = nullptr;
  // Indexed by position in the tree's preorder.
  std::vector<std::uint32_t> first_;  // the first edge of the subtree
  std::vector<std::uint32_t> last_;   // the end of its edges; equal to first_ if no edge leaves it
  std::vector<std::uint32_t> marks_;
  // The non-tree edges, by the position of their source.
  std::vector<std::uint32_t> targets_;  // positions
  std::vector<edge_range> searched_;

  std::uint32_t epoch_ = 0;
  bit_queue queue_;
  std::vector<std::uint32_t> found_;
};

constexpr void dense_iterated_frontier::compute(dense_graph const& g, dense_dominators const& tree) {
  tree_ = &tree;
  auto const n = static_cast<std::uint32_t>(g.size());
  first_.resize(n, 0);
  last_.resize(n, 0);
  targets_.clear();
  std::span<std::uint32_t const> const nodes = tree.preorder();
  std::span<dense_dominators::interval const> const intervals = tree.intervals();
  auto const successors = g.successors();
  for (std::uint32_t place = 0; place != n; ++place) {
    std::uint32_t const from = nodes[place];
    first_[place] = static_cast<std::uint32_t>(targets_.size());
    for (std::uint32_t const to : successors[from])
      if (tree.idom(to) != from) targets_.push_back(intervals[to].place);
  }
  prune_closed_subtrees();
  marks_.assign(n, 0);
  searched_.assign(targets_.size(), edge_range{});
  epoch_ = 0;
  queue_.reset(n);
}

// An edge leaves the subtrees of the nodes from its source up to the immediate dominator of its target, exclusive; in
// positions, the subtrees that contain the source but whose interval without the root does not contain the target. So
// the least and the greatest target of a subtree decide. marks_ and found_ store them temporarily.
constexpr void dense_iterated_frontier::prune_closed_subtrees() {
  auto const n = static_cast<std::uint32_t>(first_.size());
  std::vector<std::uint32_t>& least = marks_;
  std::vector<std::uint32_t>& greatest = found_;
  least.assign(n, npos);
  greatest.assign(n, 0);
  std::span<std::uint32_t const> const nodes = tree_->preorder();
  std::span<dense_dominators::interval const> const intervals = tree_->intervals();
  for (std::uint32_t place = n; place-- != 0;) {
    std::uint32_t const node = nodes[place];
    std::uint32_t const end = place + intervals[node].count;
    auto const edges_end = static_cast<std::uint32_t>(place + 1 == n ? targets_.size() : first_[place + 1]);
    for (std::uint32_t e = first_[place]; e != edges_end; ++e) {
      least[place] = std::min(least[place], targets_[e]);
      greatest[place] = std::max(greatest[place], targets_[e]);
    }
    bool const leaves = least[place] <= place || greatest[place] >= end;
    last_[place] = !leaves ? first_[place] : end == n ? static_cast<std::uint32_t>(targets_.size()) : first_[end];
    if (place == 0) continue;
    std::uint32_t const above = intervals[tree_->idom(node)].place;
    least[above] = std::min(least[above], least[place]);
    greatest[above] = std::max(greatest[above], greatest[place]);
  }
}

constexpr void dense_iterated_frontier::next_epoch() {
  PLAIT_ASSERT(tree_ != nullptr, "dense_iterated_frontier: not computed");
  if (epoch_ > npos - 2 * epoch_step) {
    std::ranges::fill(marks_, 0u);
    std::ranges::fill(searched_, edge_range{});
    epoch_ = 0;
  }
  epoch_ += epoch_step;
}

template <class Admits>
constexpr void dense_iterated_frontier::search(std::uint32_t root, Admits& admits) {
  std::span<std::uint32_t const> const nodes = tree_->preorder();
  std::uint32_t const inside = tree_->intervals()[nodes[root]].count;
  std::uint32_t const end = last_[root];
  for (std::uint32_t e = first_[root]; e != end;) {
    if (searched_[e].epoch == epoch_) {
      e = searched_[e].end;
      continue;
    }
    std::uint32_t const place = targets_[e++];
    if (place - root - 1 < inside - 1) continue;  // root < place < root + inside: strictly dominated
    std::uint32_t& mark = marks_[place];
    if (mark < epoch_) mark = epoch_;
    if ((mark & found) != 0 || !admits(nodes[place])) continue;
    mark |= found;
    found_.push_back(nodes[place]);
    enqueue(place);
  }
  if (first_[root] != end) searched_[first_[root]] = {epoch_, end};
}

}  // namespace plait
