// Where a program needs phis: at the nodes where different versions of a blob meet.
//
// Follows R. Cytron, J. Ferrante, B. K. Rosen, M. N. Wegman, F. K. Zadeck, "Efficiently Computing Static Single
// Assignment Form and the Control Dependence Graph" (TOPLAS 13(4), 1991, pp. 451–490) with the iterated frontiers of
// Sreedhar and Gao (dense_iterated_frontier.hpp), each blob on its own; pruned as in J.-D. Choi, R. Cytron, J. Ferrante,
// "Automatic Construction of Sparse Data Flow Evaluation Graphs" (POPL 1991, pp. 55–66), by walking backwards from the
// blocks that read a blob before they write it, so that no liveness of all blobs is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/csr.hpp>
#include <plait/core/npos.hpp>
#include <plait/graph/dense_dominators.hpp>
#include <plait/graph/dense_graph.hpp>
#include <plait/graph/dense_iterated_frontier.hpp>
#include <plait/ssa/dense_program.hpp>

namespace plait {

/// Which of the phis that the definition of SSA form asks for are made.
enum class phi_pruning : std::uint8_t {
  pruned,       ///< of blobs that are live there: no phi is dead
  semi_pruned,  ///< of blobs that are live at the start of some block (P. Briggs and others, 1998)
  minimal,      ///< of all blobs: wherever two versions meet
};

/// Finds the (block, blob) pairs that need a phi. O(operands) for all blobs, and for each that needs it O(blocks it is
/// live in + edges the iterated frontier looks at). Keeps its memory.
class phi_placement {
 public:
  constexpr void compute(dense_graph const& g, dense_dominators const& tree, dense_program const& p,
                         phi_pruning pruning = phi_pruning::pruned);

  /// The blobs that need a phi in a block, ascending.
  constexpr std::span<blob_index const> phis(std::uint32_t block) const { return phis_[block]; }
  constexpr std::size_t phi_count() const noexcept { return phis_.item_count(); }

 private:
  constexpr void find_definitions(dense_program const& p);
  constexpr void find_live_blocks(dense_graph const& g, blob_index blob);

  dense_iterated_frontier frontier_;
  csr<std::uint32_t> definitions_;  // by blob: the blocks that write it
  csr<std::uint32_t> exposed_;      // by blob: the blocks that read it before they write it
  csr<blob_index> phis_;            // by block
  struct last_blocks {
    std::uint32_t written = npos;
    std::uint32_t exposed = npos;
  };
  std::vector<last_blocks> last_;  // by blob
  std::vector<std::pair<blob_index, std::uint32_t>> written_list_;
  std::vector<std::pair<blob_index, std::uint32_t>> exposed_list_;
  std::vector<std::uint32_t> live_;     // by block: the last blob found live there
  std::vector<std::uint32_t> defines_;  // by block: the last blob found written there
  std::vector<std::uint32_t> waiting_;
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

constexpr void phi_placement::find_live_blocks(dense_graph const& g, blob_index blob) {
  for (std::uint32_t const b : definitions_[blob]) defines_[b] = blob;
  waiting_.clear();
  auto const enter = [&](std::uint32_t b) {
    if (std::exchange(live_[b], blob) != blob) waiting_.push_back(b);
  };
  for (std::uint32_t const b : exposed_[blob]) enter(b);
  while (!waiting_.empty()) {
    std::uint32_t const b = waiting_.back();
    waiting_.pop_back();
    for (std::uint32_t const before : g.predecessors(b))
      if (defines_[before] != blob) enter(before);
  }
}

constexpr void phi_placement::compute(dense_graph const& g, dense_dominators const& tree, dense_program const& p,
                                      phi_pruning pruning) {
  find_definitions(p);
  frontier_.compute(g, tree);
  live_.assign(g.size(), npos);
  defines_.assign(g.size(), npos);
  found_.clear();
  for (blob_index blob = 0; blob != p.blob_count(); ++blob) {
    if (definitions_[blob].empty()) continue;
    if (pruning != phi_pruning::minimal && exposed_[blob].empty()) continue;
    if (pruning == phi_pruning::pruned) find_live_blocks(g, blob);
    // The version a blob enters with is made at the entry, whose frontier is itself if edges lead there.
    waiting_.assign(definitions_[blob].begin(), definitions_[blob].end());
    if (!g.predecessors(0).empty()) waiting_.push_back(0);
    auto const is_live = [&](std::uint32_t b) { return pruning != phi_pruning::pruned || live_[b] == blob; };
    for (std::uint32_t const b : frontier_(waiting_, is_live)) found_.emplace_back(b, blob);
  }
  phis_.start_counting(g.size());
  for (auto const& [block, blob] : found_) phis_.count(block);
  phis_.end_counting();
  for (std::size_t i = found_.size(); i-- != 0;) phis_.place(found_[i].first, found_[i].second);
}

}  // namespace plait
