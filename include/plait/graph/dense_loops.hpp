// The loop forest of a dense_graph, see loops.hpp for what its loops are.
//
// After R. E. Tarjan, "Testing Flow Graph Reducibility" (J. Comp. Sys. Sci. 9, 1974, pp. 355–365) and P. Havlak,
// "Nesting of Reducible and Irreducible Loops" (TOPLAS 19(4), 1997, pp. 557–567), with the remedy for the quadratic
// time of the latter from G. Ramalingam, "Identifying Loops in Almost Linear Time" (TOPLAS 21(2), 1999, pp. 175–188):
// an edge between nodes neither of which is an ancestor of the other comes into play at their least common ancestor in
// the tree of the walk. Headers are taken in postorder, inner loops stand for their nodes (union-find with path
// halving).
//
// One thing is new: a header that dominates some of its latches but not all gets two loops, the natural one and,
// around it, the irreducible one. So every natural loop is in the forest, which does hold: two of these loops are
// disjoint or one is within the other.
//
// O(edges · log nodes) time at worst, nearly linear in practice; O(nodes + edges) space: 12 bytes a node and 20 a loop
// for the result, 20 a node and 12 an edge for work. The sizes of all loops together may be quadratic, but loops are
// intervals of one list, so nothing here is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/csr.hpp>
#include <plait/core/npos.hpp>
#include <plait/graph/dense_dominators.hpp>
#include <plait/graph/dense_graph.hpp>

namespace plait {

/// Loops are 0 … size() - 1 in preorder of the forest: outer before inner, siblings by header. A value of its own: it
/// refers to no graph. Computing again keeps the memory.
class dense_loops {
 public:
  constexpr dense_loops() = default;
  constexpr dense_loops(dense_graph const& g, dense_dominators const& tree) { compute(g, tree); }
  constexpr void compute(dense_graph const& g, dense_dominators const& tree);

  constexpr std::size_t size() const noexcept { return loops_.size(); }
  constexpr std::size_t node_count() const noexcept { return innermost_.size(); }

  // ---- by loop
  constexpr std::uint32_t header(std::uint32_t loop) const { return valid(loop).header; }
  /// npos for a loop in no other.
  constexpr std::uint32_t parent(std::uint32_t loop) const { return valid(loop).parent; }
  /// 1 for a loop in no other.
  constexpr std::uint32_t depth(std::uint32_t loop) const { return valid(loop).depth; }
  constexpr bool is_irreducible(std::uint32_t loop) const { return valid(loop).irreducible; }
  /// The loop and those within it are loop … loops_end(loop) - 1.
  constexpr std::uint32_t loops_end(std::uint32_t loop) const { return valid(loop).end; }
  /// The nodes of the loop: those in no inner loop first, ascending, then those of each inner loop.
  constexpr std::span<std::uint32_t const> nodes(std::uint32_t loop) const {
    std::span<std::uint32_t const> const own = nodes_[loop];
    return {own.data(), nodes_[loops_end(loop) - 1].data() + nodes_[loops_end(loop) - 1].size()};
  }
  constexpr bool contains(std::uint32_t loop, std::uint32_t node) const {
    std::uint32_t const in = innermost(node);
    return in >= loop && in < loops_end(loop);  // npos is not below any end
  }

  // ---- by node
  /// npos for a node in no loop.
  constexpr std::uint32_t innermost(std::uint32_t node) const {
    PLAIT_ASSERT(node < innermost_.size(), "dense_loops: no such node");
    return innermost_[node];
  }

 private:
  struct loop {
    std::uint32_t header;
    std::uint32_t parent;
    std::uint32_t end;
    std::uint32_t depth : 31;
    std::uint32_t irreducible : 1;
  };
  // An edge in the list of what is to be done at a node: of edges to come into play there, or of edges into the node
  // (or the loop it heads) that have.
  struct pending {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t next;
  };

  constexpr loop const& valid(std::uint32_t l) const {
    PLAIT_ASSERT(l < loops_.size(), "dense_loops: no such loop");
    return loops_[l];
  }
  constexpr void start(std::size_t nodes);
  constexpr void leave(dense_graph const& g, std::uint32_t node);
  constexpr void enter_play(std::uint32_t node);
  constexpr void collect(dense_graph const& g, dense_dominators const& tree, std::uint32_t header, bool dominated);
  constexpr void take(std::uint32_t node, std::uint32_t header);
  constexpr void lay_out();
  static constexpr std::uint32_t find(std::vector<std::uint32_t>& sets, std::uint32_t node) {
    while (sets[node] != node) node = sets[node] = sets[sets[node]];
    return node;
  }

  std::vector<loop> loops_;
  std::vector<std::uint32_t> innermost_;
  csr<std::uint32_t> nodes_;

  std::vector<std::uint32_t> finished_;   // sets of finished nodes, by the ancestor that is not
  std::vector<std::uint32_t> sets_;       // sets of nodes that are in one loop so far, by its header
  std::vector<std::uint32_t> outermost_;  // by header: the outermost loop made of it so far
  std::vector<std::uint32_t> waiting_;    // by node: edges that come into play there
  std::vector<std::uint32_t> into_;       // by header: edges in play that lead there
  std::vector<pending> edges_;
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> places_;
};

constexpr void dense_loops::compute(dense_graph const& g, dense_dominators const& tree) {
  start(g.size());
  for (auto node = static_cast<std::uint32_t>(g.size()); node-- != 0;) {
    leave(g, node);
    enter_play(node);
    bool dominated = false;
    bool others = false;
    for (std::uint32_t const p : g.predecessors(node))
      if (p >= node) (tree.dominates(node, p) ? dominated : others) = true;
    if (dominated) collect(g, tree, node, true);
    if (others) collect(g, tree, node, false);
  }
  lay_out();
}

constexpr void dense_loops::start(std::size_t nodes) {
  loops_.clear();
  edges_.clear();
  innermost_.assign(nodes, npos);
  outermost_.assign(nodes, npos);
  waiting_.assign(nodes, npos);
  into_.assign(nodes, npos);
  finished_.resize(nodes, 0);
  sets_.resize(nodes, 0);
  for (std::uint32_t n = 0; n != nodes; ++n) finished_[n] = sets_[n] = n;
}

// The walk leaves a node when all with higher numbers have been left. Each edge that does not lead back is put where it
// comes into play: the deepest node the walk has not left that is above its target, here or further up.
constexpr void dense_loops::leave(dense_graph const& g, std::uint32_t node) {
  for (std::uint32_t const to : g.successors(node)) {
    if (to <= node) continue;
    std::uint32_t const above = find(finished_, to);
    edges_.push_back({node, to, waiting_[above]});
    waiting_[above] = static_cast<std::uint32_t>(edges_.size() - 1);
  }
  if (node != 0) finished_[node] = g.preorder()[g.preorder_parents()[g.preorder_number(node)]];
}

constexpr void dense_loops::enter_play(std::uint32_t node) {
  for (std::uint32_t e = waiting_[node]; e != npos;) {
    pending& edge = edges_[e];
    std::uint32_t const next = edge.next;
    std::uint32_t const target = find(sets_, edge.to);
    edge.next = into_[target];
    into_[target] = e;
    e = next;
  }
}

// Makes the loop of all that leads to a latch of the header: those it dominates, or the others. Edges in play never
// lead out of what is below the header in the walk, so what leads to its latches is in a loop with it.
constexpr void dense_loops::collect(dense_graph const& g, dense_dominators const& tree, std::uint32_t header,
                                    bool dominated) {
  auto const made = static_cast<std::uint32_t>(loops_.size());
  open_.clear();
  if (outermost_[header] != npos)
    loops_[outermost_[header]].parent = made;
  else
    innermost_[header] = made;
  for (std::uint32_t const p : g.predecessors(header))
    if (p >= header && tree.dominates(header, p) == dominated) take(p, header);
  for (std::size_t i = 0; i != open_.size(); ++i) {
    std::uint32_t const node = open_[i];
    if (outermost_[node] != npos)
      loops_[outermost_[node]].parent = made;
    else
      innermost_[node] = made;
    for (std::uint32_t e = into_[node]; e != npos; e = edges_[e].next) take(edges_[e].from, header);
  }
  outermost_[header] = made;
  loops_.push_back({header, npos, 0, 0, !dominated});
}

constexpr void dense_loops::take(std::uint32_t node, std::uint32_t header) {
  std::uint32_t const set = find(sets_, node);
  if (set == header) return;
  sets_[set] = header;
  open_.push_back(set);
}

// Loops were made inner before outer, by descending header. Read backwards that is outer before inner, siblings by
// header, which is all it takes to number them in preorder without walking the forest.
constexpr void dense_loops::lay_out() {
  auto const count = static_cast<std::uint32_t>(loops_.size());
  std::ranges::reverse(loops_);
  // By the order of now. open_: loops within, itself included; then, by loop, where the next one within goes.
  open_.assign(count, 1);
  for (std::uint32_t l = count; l-- != 0;) {
    if (loops_[l].parent == npos) continue;
    loops_[l].parent = count - 1 - loops_[l].parent;
    open_[loops_[l].parent] += open_[l];
  }
  places_.resize(count, 0);
  std::uint32_t next = 0;
  for (std::uint32_t l = 0; l != count; ++l) {
    loop& at = loops_[l];
    std::uint32_t& room = at.parent == npos ? next : open_[at.parent];
    places_[l] = room;
    at.end = room += open_[l];
    at.depth = at.parent == npos ? 1 : (loops_[at.parent].depth + 1) & 0x7fffffff;
    open_[l] = places_[l] + 1;
  }
  for (loop& l : loops_)
    if (l.parent != npos) l.parent = places_[l.parent];
  for (std::uint32_t& l : innermost_)
    if (l != npos) l = places_[count - 1 - l];
  // Puts each loop in its place, cycle by cycle.
  for (std::uint32_t l = 0; l != count; ++l)
    while (places_[l] != l) {
      std::uint32_t const to = places_[l];
      std::swap(loops_[l], loops_[to]);
      std::swap(places_[l], places_[to]);
    }

  nodes_.start_counting(count);
  for (std::uint32_t const l : innermost_)
    if (l != npos) nodes_.count(l);
  nodes_.end_counting();
  for (auto node = static_cast<std::uint32_t>(innermost_.size()); node-- != 0;)
    if (innermost_[node] != npos) nodes_.place(innermost_[node], node);
}

}  // namespace plait
