// The reachable part of a flow graph in numbers: what the algorithms of this folder run on.
//
// Nodes are 0 … size() - 1 in reverse postorder of one depth-first walk, so that
//   - every edge that leads to a lower number, or to its own node, is a back edge of the walk: it leads to an ancestor;
//   - one sweep in ascending order sees all predecessors of a node before the node, but for those on back edges.
// Built by flow_snapshot; not a template, so that the algorithms on it compile once and never touch a user's nodes.
//
// Edges are numbered when they are first asked for: dominators are found without.
//
// O(size(g) + edges) time and space: 8 bytes an edge, 8 more for each that leads back or across in the walk, and 28 for
// each index of the user's graph; for edges by number another 12 each and 12 a node.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/uninitialized_allocator.hpp>
#include <plait/graph/detail/lazy_value.hpp>

namespace plait {

/// An edge as the walk sees it: two numbers in one word, which compilers keep in a register.
class dfs_edge {
 public:
  constexpr dfs_edge() = default;
  constexpr dfs_edge(std::uint32_t from, std::uint32_t to) : both_(std::uint64_t{from} << 32 | to) {}
  constexpr std::uint32_t from() const noexcept { return static_cast<std::uint32_t>(both_ >> 32); }
  constexpr std::uint32_t to() const noexcept { return static_cast<std::uint32_t>(both_); }
  /// The other one if that is so, without a branch.
  constexpr dfs_edge select(bool other_one, dfs_edge other) const noexcept {
    dfs_edge chosen;
    chosen.both_ = both_ ^ ((both_ ^ other.both_) & (0 - std::uint64_t{other_one}));
    return chosen;
  }

 private:
  std::uint64_t both_ = 0;
};

/// A flow graph of dense numbers (a flow_graph, bidirectional, whose nodes are std::uint32_t), with the depth-first
/// walk that numbered it. Parallel edges and self-loops are kept. At most 2^32 - 1 nodes and as many edges.
class dense_graph {
 public:
  constexpr std::size_t size() const noexcept { return size_; }
  static constexpr std::uint32_t entry() noexcept { return 0; }
  constexpr std::size_t edge_count() const noexcept { return edge_count_; }

  /// In the order of the graph. Edges are numbered when they are first asked for; it is const for threads, too.
  constexpr std::span<std::uint32_t const> successors(std::uint32_t n) const;
  /// Ascending; once per parallel edge.
  constexpr std::span<std::uint32_t const> predecessors(std::uint32_t n) const { return predecessors()[n]; }
  /// Those of all nodes: for loops over many of them.
  class successor_rows;
  constexpr successor_rows successors() const;
  constexpr csr<std::uint32_t> const& predecessors() const { return edges().predecessors; }

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
  /// The edges that do not lead to a descendant in the tree of the walk, that is, back and cross edges and self-loops:
  /// from no lower a place in preorder() than they lead to. In ascending order of their sources.
  constexpr std::span<dfs_edge const> preorder_back_and_cross_edges() const noexcept {
    return {back_and_cross_edges_.data(), back_and_cross_count_};
  }
  /// The edges that lead to a descendant other than a child.
  constexpr std::span<dfs_edge const> preorder_forward_edges() const noexcept { return forward_edges_; }
  /// Whether `b` is below `a`, or is `a`, in the tree of the walk.
  constexpr bool is_dfs_ancestor(std::uint32_t a, std::uint32_t b) const {
    return a <= b && preorder_number(a) <= preorder_number(b);
  }

 protected:
  /// Walks and numbers. Nodes are known by keys, which are places in numbers_, which must be npos for each. A Found is
  /// a dfs_edge, or made from one, from a place in preorder to a key. row(found) is called when a node is entered: its
  /// successors, a random access range, of which find(place, successor) makes a Found. Meanwhile numbers_ may grow.
  /// `waiting` is work space; the edge to the start is from npos.
  template <class Found, class Row, class Find>
  constexpr void depth_first_search(Found const& start, std::vector<Found>& waiting, Row row, Find find);

  /// By preorder: the keys of the nodes.
  constexpr std::span<std::uint32_t const> preorder_keys() const noexcept { return {keys_.data(), size_}; }

  std::vector<std::uint32_t> numbers_;  // by key; npos for what was not reached

 private:
  template <class T>
  using raw_vector = std::vector<T, uninitialized_allocator<T>>;
  // Have room for more than there is, but for predecessors, and are never shrunk.
  struct numbered_edges {
    raw_vector<std::uint32_t> targets;
    std::vector<std::uint32_t> first;  // where in targets those of a node begin; one more to say where they end
    csr<std::uint32_t> predecessors;
    raw_vector<std::uint32_t> sources;  // beside targets
    raw_vector<std::uint32_t> shift;    // by preorder: how far from where the walk recorded of them
  };

  constexpr void make_room(std::size_t nodes);
  constexpr void make_edge_room(std::size_t edges);
  // A node stands before its subtree, and the subtrees of its children stand in it from the last to the first.
  [[gnu::noinline]] constexpr void number_nodes() {
    std::uint32_t const count = size_;
    std::vector<std::uint32_t>& ends = ends_;  // first the sizes of subtrees
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
  // Loops over all edges, not over the edges of each node: how many these are is hard to foresee for a processor, too.
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

  // Have room for more than there is, and are never shrunk.
  std::uint32_t size_ = 0;
  std::uint32_t edge_count_ = 0;
  std::uint32_t back_and_cross_count_ = 0;
  std::vector<std::uint32_t> preorder_number_;
  std::vector<std::uint32_t> preorder_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> ends_;  // by preorder: where what is left of the subtree's numbers ends
  raw_vector<dfs_edge> back_and_cross_edges_;
  std::vector<dfs_edge> forward_edges_;
  detail::lazy_value<numbered_edges> edges_;  // who wants dominators alone needs none of it

  // As the walk tells of them: nodes in preorder, edges by their sources in preorder.
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint32_t> recorded_first_;  // by node: how many edges were recorded of before its own
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

// A node waits once for each edge that recorded of it while it was not entered, and is entered for the last of these,
// as in a walk that recurses. When an edge is recorded of whose target was entered before, that is no descendant; when
// a node is met in `waiting` that was entered meanwhile, it is one. That sorts the edges for the algorithms that want
// to know.
template <class Found, class Row, class Find>
constexpr void dense_graph::depth_first_search(Found const& start, std::vector<Found>& waiting, Row row, Find find) {
  edges_.invalidate();
  size_ = edge_count_ = back_and_cross_count_ = 0;
  forward_edges_.clear();
  make_room(numbers_.size());
  // Whether a successor is new is hard to foresee for a processor, unless the graph is so small that it is remembered
  // from the last time: to wait for the answer costs less than to guess wrong.
  bool const foreseen = numbers_.size() < 4096;
  std::uint32_t nodes = 0;
  dfs_edge* recorded = recorded_edges_.data();
  dfs_edge* back_and_cross = back_and_cross_edges_.data();

  if (waiting.empty()) waiting.resize(64, start);
  waiting[0] = start;
  Found* last = waiting.data() + 1;  // behind those that wait, `next` left out
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
