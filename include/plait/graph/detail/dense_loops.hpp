// Loop forest of a dense_graph (Tarjan, Havlak), see loops.hpp for the definition of its loops.
//
// After R. E. Tarjan, "Testing Flow Graph Reducibility" (J. Comp. Sys. Sci. 9, 1974, pp. 355–365) and P. Havlak,
// "Nesting of Reducible and Irreducible Loops" (TOPLAS 19(4), 1997, pp. 557–567): for each header, inner ones first, a
// backward search from its latches collects the loop body; found loops are collapsed into one node (union-find with
// path halving).
//
// There are two differences. Havlak processes headers in reverse preorder and moves the entries of irreducible loops
// outwards from loop to loop, which is quadratic (G. Ramalingam, "Identifying Loops in Almost Linear Time", TOPLAS
// 21(2), 1999, pp. 175–188, repairs it by least common ancestors). Here headers are processed in postorder, and an edge
// is recorded when its source is left: by then the headers above its target that are not above its source, for which it
// must not count, are done. So nothing is moved. Second, a header that dominates some of its latches but not all gets
// two loops, the natural one and, around it, the irreducible one; so every natural loop is in the forest. Invariant:
// two of these loops are disjoint or nested.
//
// O(edges · log nodes) time at worst, nearly linear in practice; O(nodes + edges) space: 8 bytes a node and 24 a loop
// for the result, 12 a node and 8 a loop for work, and 8 for each edge into an irreducible loop other than to its
// header. The sum of the sizes of all loops may be quadratic, but loops are intervals of one list, so no time or space
// here is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/dense_graph.hpp>

namespace plait {

/// A loop forest. Loops are 0 … size() - 1 in preorder of the forest: outer before inner, siblings by header. Does not
/// refer to the graph. Recomputation reuses the memory.
class dense_loops {
 public:
  constexpr dense_loops() = default;
  constexpr dense_loops(dense_graph const& g, dense_dominators const& tree) { compute(g, tree); }
  constexpr void compute(dense_graph const& g, dense_dominators const& tree);

  constexpr std::size_t size() const noexcept { return loops_.size(); }
  constexpr std::size_t node_count() const noexcept { return innermost_.size(); }

  // ---- by loop
  constexpr std::uint32_t header(std::uint32_t l) const { return valid(l).header; }
  /// Returns the enclosing loop; npos for an outermost loop.
  constexpr std::uint32_t parent(std::uint32_t l) const { return valid(l).parent; }
  /// Returns the nesting depth; 1 for an outermost loop.
  constexpr std::uint32_t depth(std::uint32_t l) const { return valid(l).depth; }
  constexpr bool is_irreducible(std::uint32_t l) const { return valid(l).irreducible; }
  /// Returns the end of the subtree of l: l and the loops nested in it are l … loops_end(l) - 1.
  constexpr std::uint32_t loops_end(std::uint32_t l) const { return valid(l).end; }
  /// Returns the nodes of the loop: those in no inner loop first, ascending, then those of each inner loop.
  constexpr std::span<std::uint32_t const> nodes(std::uint32_t l) const {
    std::span<std::uint32_t const> const own = nodes_[l];
    return {own.data(), nodes_[loops_end(l) - 1].data() + nodes_[loops_end(l) - 1].size()};
  }
  constexpr bool contains(std::uint32_t l, std::uint32_t node) const {
    std::uint32_t const in = innermost(node);
    return in >= l && in < loops_end(l);  // npos is not below any end
  }

  // ---- by node
  /// Returns the innermost loop of a node; npos if it is in no loop.
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
  // An entry edge of an irreducible loop other than to its header, in a linked list per header.
  struct entry {
    std::uint32_t from;
    std::uint32_t next;
  };

  constexpr loop const& valid(std::uint32_t l) const {
    PLAIT_ASSERT(l < loops_.size(), "dense_loops: no such loop");
    return loops_[l];
  }
  constexpr void start(std::size_t nodes);
  constexpr void record_entries(std::span<std::uint32_t const> successors, std::uint32_t node);
  constexpr void collect(csr<std::uint32_t> const& predecessors, dense_dominators const& tree, std::uint32_t header,
                         bool dominated);
  constexpr void unite(std::uint32_t node, std::uint32_t header);
  constexpr void lay_out();
  static constexpr std::uint32_t find(std::vector<std::uint32_t>& sets, std::uint32_t node) {
    while (sets[node] != node) node = sets[node] = sets[sets[node]];
    return node;
  }

  std::vector<loop> loops_;
  std::vector<std::uint32_t> innermost_;
  csr<std::uint32_t> nodes_;

  std::vector<std::uint32_t> sets_;       // union-find: nodes known to be in one loop, represented by its header
  std::vector<std::uint32_t> outermost_;  // by header: its outermost loop found so far
  std::vector<std::uint32_t> into_;       // by header: its list of entry edges
  std::vector<entry> entries_;
  std::vector<std::uint32_t> worklist_;
  std::vector<std::uint32_t> places_;
};

constexpr void dense_loops::compute(dense_graph const& g, dense_dominators const& tree) {
  start(g.size());
  csr<std::uint32_t> const& predecessors = g.predecessors();
  dense_graph::successor_rows const successors = g.successors();
  for (auto node = static_cast<std::uint32_t>(g.size()); node-- != 0;) {
    record_entries(successors[node], node);
    bool dominated = false;
    bool others = false;
    for (std::uint32_t const p : predecessors[node])
      if (p >= node) (tree.dominates(node, p) ? dominated : others) = true;
    if (dominated) collect(predecessors, tree, node, true);
    if (others) collect(predecessors, tree, node, false);
  }
  lay_out();
}

constexpr void dense_loops::start(std::size_t nodes) {
  loops_.clear();
  entries_.clear();
  innermost_.assign(nodes, npos);
  outermost_.assign(nodes, npos);
  into_.assign(nodes, npos);
  sets_.resize(nodes, 0);
  for (std::uint32_t n = 0; n != nodes; ++n) sets_[n] = n;
}

// Edges to a node that is in no loop yet, or to the header of a loop, are found from there.
constexpr void dense_loops::record_entries(std::span<std::uint32_t const> successors, std::uint32_t node) {
  for (std::uint32_t const to : successors) {
    if (to <= node || sets_[to] == to) continue;
    std::uint32_t const header = find(sets_, to);
    entries_.push_back({node, into_[header]});
    into_[header] = static_cast<std::uint32_t>(entries_.size() - 1);
  }
}

// Creates the loop of all nodes that lead to a latch of the header: the latches it dominates, or the others. If the
// target of a recorded edge is below the header in the DFS tree, so is its source, and both are in one loop.
constexpr void dense_loops::collect(csr<std::uint32_t> const& predecessors, dense_dominators const& tree,
                                    std::uint32_t header, bool dominated) {
  auto const made = static_cast<std::uint32_t>(loops_.size());
  auto const put = [&](std::uint32_t node) {
    (outermost_[node] != npos ? loops_[outermost_[node]].parent : innermost_[node]) = made;
  };
  worklist_.clear();
  put(header);
  for (std::uint32_t const p : predecessors[header])
    if (p >= header && tree.dominates(header, p) == dominated) unite(p, header);
  for (std::size_t i = 0; i != worklist_.size(); ++i) {
    std::uint32_t const node = worklist_[i];
    put(node);
    for (std::uint32_t const p : predecessors[node])
      if (p >= header && p < node) unite(p, header);
    for (std::uint32_t e = into_[node]; e != npos; e = entries_[e].next) unite(entries_[e].from, header);
  }
  outermost_[header] = made;
  loops_.push_back({header, npos, 0, 0, !dominated});
}

constexpr void dense_loops::unite(std::uint32_t node, std::uint32_t header) {
  std::uint32_t const set = find(sets_, node);
  if (set == header) return;
  sets_[set] = header;
  worklist_.push_back(set);
}

// Loops were created inner before outer, by descending header. Reversed, the order is outer before inner, siblings by
// header, which suffices to number them in preorder without traversing the forest.
constexpr void dense_loops::lay_out() {
  auto const count = static_cast<std::uint32_t>(loops_.size());
  std::reverse(loops_.begin(), loops_.end());
  // By the reversed order. worklist_: the number of loops in the subtree, itself included; then, by loop, the number of
  // the next inner loop.
  worklist_.assign(count, 1);
  for (std::uint32_t l = count; l-- != 0;) {
    if (loops_[l].parent == npos) continue;
    loops_[l].parent = count - 1 - loops_[l].parent;
    worklist_[loops_[l].parent] += worklist_[l];
  }
  places_.resize(count, 0);
  std::uint32_t next = 0;
  for (std::uint32_t l = 0; l != count; ++l) {
    loop& at = loops_[l];
    std::uint32_t& room = at.parent == npos ? next : worklist_[at.parent];
    places_[l] = room;
    at.end = room += worklist_[l];
    at.depth = at.parent == npos ? 1 : (loops_[at.parent].depth + 1) & 0x7fffffff;
    worklist_[l] = places_[l] + 1;
  }
  for (loop& l : loops_)
    if (l.parent != npos) l.parent = places_[l.parent];
  for (std::uint32_t& l : innermost_)
    if (l != npos) l = places_[count - 1 - l];
  // Permutes the loops in place, cycle by cycle.
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
