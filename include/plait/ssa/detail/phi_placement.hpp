// Phi placement: the iterated dominance frontiers of the blocks that write a blob, pruned by liveness.
//
// Follows R. Cytron, J. Ferrante, B. K. Rosen, M. N. Wegman, F. K. Zadeck, "Efficiently Computing Static Single
// Assignment Form and the Control Dependence Graph" (TOPLAS 13(4), 1991, pp. 451–490), blob by blob: phis go to the
// iterated dominance frontier of the blocks that write it (dense_iterated_frontier.hpp). Pruned as in J.-D. Choi,
// R. Cytron, J. Ferrante, "Automatic Construction of Sparse Data Flow Evaluation Graphs" (POPL 1991, pp. 55–66), by a
// backward walk from the blocks where the blob is upward-exposed, without liveness of all blobs.
//
// TRAP, which LLVM's mem2reg falls into: the iterated frontier of one block is linear in all that it dominates, also
// where the blob is dead, so a long function of many short-lived variables takes quadratic time. For pruned form the
// frontier is searched among the edges into blocks where the blob is live, which the backward walk has visited anyway.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/graph/detail/dense_iterated_frontier.hpp>
#include <plait/ssa/detail/dense_program.hpp>

namespace plait {

/// Pruning of phis.
enum class phi_pruning : std::uint8_t {
  pruned,       ///< only where the blob is live: no phi is dead
  semi_pruned,  ///< only of blobs live at the start of some block (P. Briggs et al., 1998)
  minimal,      ///< wherever two versions of a blob merge
};

/// Finds the (block, blob) pairs that need a phi. O(operands) for all blobs, and for each blob that several blocks use:
/// pruned, O(e log e) for e edges into the blocks where it is live; else the cost of the iterated frontier. compute()
/// reuses the memory.
class phi_placement {
 public:
  constexpr void compute(dense_graph const& g, dense_dominators const& tree, dense_program const& p,
                         phi_pruning pruning = phi_pruning::pruned);

  /// Returns the blobs that need a phi in a block, ascending.
  constexpr std::span<blob_index const> phis(std::uint32_t block) const { return phis_[block]; }
  constexpr std::size_t phi_count() const noexcept { return phis_.item_count(); }

 private:
  constexpr void find_definitions(dense_program const& p);
  constexpr void find_live_blocks(dense_graph const& g, dense_dominators const& tree, blob_index blob);
  constexpr void find_live_frontier(dense_dominators const& tree, blob_index blob);
  constexpr void search(dense_dominators const& tree, std::uint32_t root, blob_index blob);

  dense_iterated_frontier frontier_;
  csr<std::uint32_t> definitions_;  // by blob: the blocks that write it
  csr<std::uint32_t> exposed_;      // by blob: the blocks where it is upward-exposed
  csr<blob_index> phis_;            // by block
  struct last_blocks {
    std::uint32_t written = npos;
    std::uint32_t exposed = npos;
  };
  std::vector<last_blocks> last_;  // by blob
  std::vector<std::pair<blob_index, std::uint32_t>> written_list_;
  std::vector<std::pair<blob_index, std::uint32_t>> exposed_list_;
  std::vector<std::uint32_t> live_;     // by block: the last blob found live-in
  std::vector<std::uint32_t> has_phi_;  // by block: the last blob found to need a phi
  std::vector<std::uint32_t> defines_;  // by block: the last blob found written
  std::vector<std::uint32_t> waiting_;
  struct edge {
    std::uint32_t from;  // positions in the tree's preorder
    std::uint32_t to;
    friend constexpr bool operator==(edge const&, edge const&) = default;
    friend constexpr auto operator<=>(edge const&, edge const&) = default;
  };
  std::vector<edge> edges_;              // into live blocks, without those of the dominator tree
  std::vector<std::uint32_t> searched_;  // by edge: where a search that began here has ended
  std::vector<std::pair<std::uint32_t, blob_index>> found_;
};

constexpr void phi_placement::find_definitions(dense_program const& p) {
  last_.assign(p.blob_count(), last_blocks{});
  written_list_.clear();
  exposed_list_.clear();
  for (std::uint32_t b = 0; b != p.block_count(); ++b) {
    auto const expose = [&](blob_index blob) {
      last_blocks& last = last_[blob];
      if (last.written == b || last.exposed == b) return;
      last.exposed = b;
      exposed_list_.emplace_back(blob, b);
    };
    for (op_index op : p.ops(b)) {
      for (blob_index blob : p.reads(op)) expose(blob);
      for (blob_index blob : p.writes(op))
        if (std::exchange(last_[blob].written, b) != b) written_list_.emplace_back(blob, b);
    }
    for (blob_index blob : p.results(b)) expose(blob);
  }
  auto const by_blob = [&](auto const& list, csr<std::uint32_t>& rows) {
    rows.start_counting(p.blob_count());
    for (auto const& [blob, block] : list) rows.count(blob);
    rows.end_counting();
    for (std::size_t i = list.size(); i-- != 0;) rows.place(list[i].first, list[i].second);
  };
  by_blob(written_list_, definitions_);
  by_blob(exposed_list_, exposed_);
}

constexpr void phi_placement::find_live_blocks(dense_graph const& g, dense_dominators const& tree, blob_index blob) {
  for (std::uint32_t const b : definitions_[blob]) defines_[b] = blob;
  waiting_.clear();
  edges_.clear();
  auto const enter = [&](std::uint32_t b) {
    if (std::exchange(live_[b], blob) != blob) waiting_.push_back(b);
  };
  for (std::uint32_t const b : exposed_[blob]) enter(b);
  csr<std::uint32_t> const& predecessors = g.predecessors();
  while (!waiting_.empty()) {
    std::uint32_t const b = waiting_.back();
    waiting_.pop_back();
    for (std::uint32_t const before : predecessors[b]) {
      if (tree.idom(b) != before) edges_.push_back({tree.place(before), tree.place(b)});
      if (defines_[before] != blob) enter(before);
    }
  }
}

// Searches the dominator subtrees of the definitions, and of the phis found, for edges that leave them. Inner subtrees,
// whose roots are later in the preorder, come first, so that no edge is visited twice.
constexpr void phi_placement::find_live_frontier(dense_dominators const& tree, blob_index blob) {
  if (edges_.empty()) return;
  std::ranges::sort(edges_);
  searched_.assign(edges_.size(), 0);
  waiting_.clear();
  for (std::uint32_t const b : definitions_[blob]) waiting_.push_back(tree.place(b));
  std::ranges::make_heap(waiting_);
  while (!waiting_.empty()) {
    std::ranges::pop_heap(waiting_);
    std::uint32_t const root = waiting_.back();
    waiting_.pop_back();
    search(tree, root, blob);
  }
}

constexpr void phi_placement::search(dense_dominators const& tree, std::uint32_t root, blob_index blob) {
  auto const inside = static_cast<std::uint32_t>(tree.subtree(tree.preorder()[root]).size());
  auto const first = static_cast<std::size_t>(std::ranges::lower_bound(edges_, root, {}, &edge::from) - edges_.begin());
  std::size_t e = first;
  while (e != edges_.size() && edges_[e].from - root < inside) {
    if (searched_[e] > e) {
      e = searched_[e];
      continue;
    }
    std::uint32_t const place = edges_[e++].to;
    if (place - root - 1 < inside - 1) continue;  // root < place < root + inside: strictly dominated
    std::uint32_t const b = tree.preorder()[place];
    if (std::exchange(has_phi_[b], blob) == blob) continue;
    found_.emplace_back(b, blob);
    if (defines_[b] == blob) continue;  // waiting, or searched already
    waiting_.push_back(place);
    std::ranges::push_heap(waiting_);
  }
  if (e != first) searched_[first] = static_cast<std::uint32_t>(e);
}

constexpr void phi_placement::compute(dense_graph const& g, dense_dominators const& tree, dense_program const& p,
                                      phi_pruning pruning) {
  find_definitions(p);
  live_.assign(g.size(), npos);
  has_phi_.assign(g.size(), npos);
  defines_.assign(g.size(), npos);
  found_.clear();
  if (pruning != phi_pruning::pruned) frontier_.compute(g, tree);
  for (blob_index blob = 0; blob != p.blob_count(); ++blob) {
    if (definitions_[blob].empty()) continue;
    if (pruning != phi_pruning::minimal && exposed_[blob].empty()) continue;
    if (pruning == phi_pruning::pruned) {
      find_live_blocks(g, tree, blob);
      find_live_frontier(tree, blob);
      continue;
    }
    // The definition on entry dominates everything and so has no frontier.
    for (std::uint32_t const b : frontier_(definitions_[blob])) found_.emplace_back(b, blob);
  }
  phis_.start_counting(g.size());
  for (auto const& [block, blob] : found_) phis_.count(block);
  phis_.end_counting();
  for (std::size_t i = found_.size(); i-- != 0;) phis_.place(found_[i].first, found_[i].second);
}

}  // namespace plait
