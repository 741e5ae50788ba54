// Dense flow graph: the reachable nodes, numbered in reverse postorder of a depth-first search (DFS).
//
// All graph algorithms run on it. Nodes are 0 … size() - 1 in reverse postorder, so that
//   - every edge to a lower number, or to its own node, is a back edge of the DFS: it leads to an ancestor;
//   - one sweep in ascending order visits all predecessors of a node before the node, except those on back edges.
// Built by flow_snapshot; not a template, so that the algorithms on it compile once and never touch a user's nodes.
//
// Edges are numbered lazily: dominators do not need it.
//
// O(size(g) + edges) time and space: 8 bytes an edge, 8 more for each back or cross edge, and 28 for each index of the
// user's graph; numbered edges take another 12 each and 12 a node.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/uninitialized_allocator.hpp>
#include <plait/graph/detail/lazy_value.hpp>

namespace plait {

/// A DFS edge: source and target packed into one word, which compilers keep in a register.
class dfs_edge {
 public:
  constexpr dfs_edge() = default;
  constexpr dfs_edge(std::uint32_t from, std::uint32_t to) : both_(std::uint64_t{from} << 32 | to) {}
  constexpr std::uint32_t from() const noexcept { return static_cast<std::uint32_t>(both_ >> 32); }
  constexpr std::uint32_t to() const noexcept { return static_cast<std::uint32_t>(both_); }
  /// Returns `other` if `other_one`, else *this: a branchless conditional select.
  constexpr dfs_edge select(bool other_one, dfs_edge other) const noexcept {
    dfs_edge chosen;
    chosen.both_ = both_ ^ ((both_ ^ other.both_) & (0 - std::uint64_t{other_one}));
    return chosen;
  }

 private:
  std::uint64_t both_ = 0;
};

/// A bidirectional flow_graph whose nodes are std::uint32_t, with the depth-first search that numbered it. Parallel
/// edges and self-loops are kept. At most 2^32 - 1 nodes and as many edges.
class dense_graph {
 public:
  constexpr std::size_t size() const noexcept { return size_; }
  static constexpr std::uint32_t entry() noexcept { return 0; }
  constexpr std::size_t edge_count() const noexcept { return edge_count_; }

  /// Returns the successors of n in the order of the graph. The first call numbers the edges; concurrent first calls
  /// are safe.
  constexpr std::span<std::uint32_t const> successors(std::uint32_t n) const;
  /// Returns the predecessors of n, ascending, once per parallel edge.
  constexpr std::span<std::uint32_t const> predecessors(std::uint32_t n) const { return predecessors()[n]; }
  /// The successors of all nodes, for loops over many of them.
  class successor_rows;
  constexpr successor_rows successors() const;
  constexpr csr<std::uint32_t> const& predecessors() const { return edges().predecessors; }

  // ---- the depth-first search
  /// Returns all nodes in preorder.
  constexpr std::span<std::uint32_t const> preorder() const noexcept { return {preorder_.data(), size_}; }
  /// Returns the position of n in preorder().
  constexpr std::uint32_t preorder_number(std::uint32_t n) const {
    PLAIT_ASSERT(n < size(), "dense_graph: no such node");
    return preorder_number_[n];
  }
  /// Returns the DFS tree, indexed by and containing positions in preorder(): the node from which each was discovered.
  /// npos for the entry.
  constexpr std::span<std::uint32_t const> preorder_parents() const noexcept { return {parents_.data(), size_}; }
  /// Returns the back and cross edges, self-loops included, as positions in preorder(): the target is not behind the
  /// source. In ascending order of their sources.
  constexpr std::span<dfs_edge const> preorder_back_and_cross_edges() const noexcept {
    return {back_and_cross_edges_.data(), back_and_cross_count_};
  }
  /// Returns the forward edges: to a descendant other than a child.
  constexpr std::span<dfs_edge const> preorder_forward_edges() const noexcept { return forward_edges_; }
  /// Returns true if `a` is `b` or an ancestor of `b` in the DFS tree.
  constexpr bool is_dfs_ancestor(std::uint32_t a, std::uint32_t b) const {
    return a <= b && preorder_number(a) <= preorder_number(b);
  }

 protected:
  /// Runs the depth-first search and numbers the nodes. Nodes are identified by keys, which index numbers_, whose
  /// elements must be npos. A Found is a dfs_edge, or constructed from one, from a preorder position to a key.
  /// row(found) is called when a node is entered and returns its successors, a random access range, from whose elements
  /// find(position, successor) makes a Found. Meanwhile numbers_ may grow. `waiting` is scratch space; the edge to the
  /// start comes from npos.
  template <class Found, class Row, class Find>
  constexpr void depth_first_search(Found const& start, std::vector<Found>& waiting, Row row, Find find);

  /// Returns the keys of the nodes, by preorder.
  constexpr std::span<std::uint32_t const> preorder_keys() const noexcept { return {keys_.data(), size_}; }

  std::vector<std::uint32_t> numbers_;  // by key; npos if not reached

 private:
  template <class T>
  using raw_vector = std::vector<T, uninitialized_allocator<T>>;
  // Sized for more than needed, except predecessors, and never shrunk.
  struct numbered_edges {
    raw_vector<std::uint32_t> targets;
    std::vector<std::uint32_t> first;  // offsets into targets, by node, and the end
    csr<std::uint32_t> predecessors;
    raw_vector<std::uint32_t> sources;  // parallel to targets
    raw_vector<std::uint32_t> shift;    // by preorder: distance from the position in recorded_edges_
  };

  constexpr void make_room(std::size_t nodes);
  constexpr void make_edge_room(std::size_t edges);
  // In reverse postorder a node precedes its subtree, which contains the subtrees of its children from the last to the
  // first.
  [[gnu::noinline]] constexpr void number_nodes() {
    std::uint32_t const count = size_;
    std::vector<std::uint32_t>& ends = ends_;  // initially the sizes of subtrees
    std::fill_n(ends.begin(), count, 1u);
    for (std::uint32_t at = count; --at != 0;) ends[parents_[at]] += ends[at];
    preorder_[0] = preorder_number_[0] = numbers_[keys_[0]] = 0;
    for (std::uint32_t at = 1; at != count; ++at) {
      std::uint32_t const end = ends[parents_[at]];
      std::uint32_t const n = end - ends[at];
      ends[parents_[at]] = n;
      ends[at] = end;
      preorder_[at] = n;
      preorder_number_[n] = at;
      numbers_[keys_[at]] = n;
    }
  }

  constexpr numbered_edges const& edges() const {
    return edges_([this](numbered_edges& e) { number_edges(e); });
  }
  // Loops over all edges, not over the edges of each node: short inner loops of varying length are mispredicted.
  [[gnu::noinline]] constexpr void number_edges(numbered_edges& e) const {
    if (e.targets.size() < edge_count_) {
      e.targets.resize(recorded_edges_.size());
      e.sources.resize(recorded_edges_.size());
    }
    if (e.shift.size() < size_) {
      e.shift.resize(parents_.size());
      e.first.resize(parents_.size() + 1, 0);
    }
    std::uint32_t total = 0;
    for (std::uint32_t n = 0; n != size_; ++n) {
      std::uint32_t const at = preorder_number_[n];
      e.first[n] = total;
      e.shift[at] = total - recorded_first_[at];
      total += recorded_first_[at + 1] - recorded_first_[at];
    }
    e.first[size_] = total;

    e.predecessors.start_counting(size_);
    for (std::uint32_t edge = 0; edge != total; ++edge) {
      std::uint32_t const from = recorded_edges_[edge].from();
      std::uint32_t const to = numbers_[recorded_edges_[edge].to()];
      std::uint32_t const place = edge + e.shift[from];
      e.targets[place] = to;
      e.sources[place] = preorder_[from];
      e.predecessors.count(to);
    }
    e.predecessors.end_counting();
    for (std::uint32_t edge = total; edge-- != 0;) e.predecessors.place(e.targets[edge], e.sources[edge]);
  }

  // Sized for more than needed, and never shrunk.
  std::uint32_t size_ = 0;
  std::uint32_t edge_count_ = 0;
  std::uint32_t back_and_cross_count_ = 0;
  std::vector<std::uint32_t> preorder_number_;
  std::vector<std::uint32_t> preorder_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> ends_;  // by preorder: the end of the unassigned numbers of the subtree
  raw_vector<dfs_edge> back_and_cross_edges_;
  std::vector<dfs_edge> forward_edges_;
  detail::lazy_value<numbered_edges> edges_;  // not needed by dominators

  // As recorded by the depth-first search: nodes in preorder, edges by the preorder of their sources.
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint32_t> recorded_first_;  // by node: the offset of its edges
  raw_vector<dfs_edge> recorded_edges_;        // to keys
};

class dense_graph::successor_rows {
 public:
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::span<std::uint32_t const> operator[](std::size_t row) const {
    PLAIT_ASSERT(row < size_, "dense_graph: no such node");
    return {targets_ + first_[row], targets_ + first_[row + 1]};
  }

 private:
  friend dense_graph;
  constexpr successor_rows(std::uint32_t const* targets, std::uint32_t const* first, std::uint32_t size)
      : targets_(targets), first_(first), size_(size) {}
  std::uint32_t const* targets_;
  std::uint32_t const* first_;
  std::uint32_t size_;
};

constexpr dense_graph::successor_rows dense_graph::successors() const {
  numbered_edges const& e = edges();
  return {e.targets.data(), e.first.data(), size_};
}

constexpr std::span<std::uint32_t const> dense_graph::successors(std::uint32_t n) const { return successors()[n]; }

constexpr void dense_graph::make_room(std::size_t nodes) {
  if (parents_.size() >= nodes) return;
  for (std::vector<std::uint32_t>* v : {&preorder_number_, &preorder_, &parents_, &ends_, &keys_}) v->resize(nodes, 0);
  recorded_first_.resize(nodes + 1, 0);
}

constexpr void dense_graph::make_edge_room(std::size_t edges) {
  PLAIT_ASSERT(edges <= npos, "dense_graph: more edges than 32 bits can number");
  std::size_t const room = std::min<std::size_t>(2 * edges, npos);
  recorded_edges_.resize(room);
  back_and_cross_edges_.resize(room);
}

// A node is pushed once for each edge that discovers it before it is entered, and is entered for the last of these, as
// in a recursive search. An edge whose target was entered before is a back or cross edge; a popped node that was
// entered meanwhile belongs to a forward edge. So the edges are classified at no extra cost.
template <class Found, class Row, class Find>
constexpr void dense_graph::depth_first_search(Found const& start, std::vector<Found>& waiting, Row row, Find find) {
  edges_.invalidate();
  size_ = edge_count_ = back_and_cross_count_ = 0;
  forward_edges_.clear();
  make_room(numbers_.size());
  // Branching on whether a successor is new mispredicts, unless the graph is so small that the predictor has learnt it:
  // the branchless form costs less than a misprediction.
  bool const foreseen = numbers_.size() < 4096;
  std::uint32_t nodes = 0;
  dfs_edge* recorded = recorded_edges_.data();
  dfs_edge* back_and_cross = back_and_cross_edges_.data();

  if (waiting.empty()) waiting.resize(64, start);
  waiting[0] = start;
  Found* last = waiting.data() + 1;  // the end of the stack, without `next`
  Found next = start;
  while (true) {
    if (std::uint32_t const entered = numbers_[next.to()]; entered != npos) {
      if (last == waiting.data()) break;
      if (parents_[entered] != next.from()) forward_edges_.push_back({next.from(), entered});
      next = *--last;
      continue;
    }
    if (nodes == parents_.size()) [[unlikely]]
      make_room(2 * numbers_.size());
    std::uint32_t const at = nodes++;
    numbers_[next.to()] = at;
    keys_[at] = next.to();
    parents_[at] = next.from();
    recorded_first_[at] = static_cast<std::uint32_t>(recorded - recorded_edges_.data());
    auto&& successors = row(next);
    auto const count = std::ranges::ssize(successors);
    if (recorded_edges_.data() + recorded_edges_.size() - recorded <= count) [[unlikely]] {
      auto const edges = recorded - recorded_edges_.data();
      auto const returned = back_and_cross - back_and_cross_edges_.data();
      make_edge_room(static_cast<std::size_t>(edges + count) + 1);
      recorded = recorded_edges_.data() + edges;
      back_and_cross = back_and_cross_edges_.data() + returned;
    }
    if (waiting.data() + waiting.size() - last <= count) [[unlikely]] {
      auto const top = last - waiting.data();
      waiting.resize(static_cast<std::size_t>(2 * (top + count + 1)), next);
      last = waiting.data() + top;
    }
    next = *--last;
    auto const first = std::ranges::begin(successors);
    std::uint32_t const* const places = numbers_.data();
    for (auto i = count; i-- != 0;) {
      Found const to = find(at, first[i]);
      std::uint32_t const entered = places[to.to()];
      recorded[i] = static_cast<dfs_edge const&>(to);
      bool const fresh = entered == npos;
      if constexpr (std::same_as<Found, dfs_edge>) {
        if (!foreseen) {
          *last = next;
          *back_and_cross = {at, entered};
          last += std::size_t{fresh};
          back_and_cross += std::size_t{!fresh};
          next = next.select(fresh, to);
          continue;
        }
      }
      if (fresh) {
        *last++ = next;
        next = to;
      } else {
        *back_and_cross++ = {at, entered};
      }
    }
    recorded += count;
  }
  size_ = nodes;
  edge_count_ = static_cast<std::uint32_t>(recorded - recorded_edges_.data());
  back_and_cross_count_ = static_cast<std::uint32_t>(back_and_cross - back_and_cross_edges_.data());
  recorded_first_[nodes] = edge_count_;
  number_nodes();
}

}  // namespace plait
