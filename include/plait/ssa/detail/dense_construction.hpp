// SSA construction for a dense_program, by number; see construction.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/ssa/detail/dense_program.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>
#include <plait/ssa/detail/phi_placement.hpp>

namespace plait {

/// A dense_ssa constructed from a dense_program: its values are versions of blobs.
///
/// Versions of a blob count up in block order, the phi of a block before its ops, with the rules of get_ssa within an
/// op. The values of a blob are consecutive, starting with version 0, the value on entry.
class dense_construction : public dense_ssa {
 public:
  constexpr void compute(dense_graph const& g, dense_dominators const& tree, dense_program const& p,
                         phi_pruning pruning = phi_pruning::pruned);

  constexpr std::size_t blob_count() const noexcept { return first_value_.empty() ? 0 : first_value_.size() - 1; }
  /// Returns true if a reachable block mentions the blob.
  constexpr bool occurs(blob_index b) const { return first_value_[b] != first_value_[b + 1]; }
  constexpr blob_index blob(value_index v) const { return blob_[v]; }
  constexpr value version(value_index v) const { return {blob_[v], v - first_value_[blob_[v]]}; }
  constexpr bool contains(value v) const {
    return v.blob < blob_count() && v.version < first_value_[v.blob + 1] - first_value_[v.blob];
  }
  constexpr value_index index(value v) const {
    PLAIT_ASSERT(contains(v), "ssa: no such value");
    return first_value_[v.blob] + v.version;
  }

 private:
  constexpr void number_values(dense_program const& p);
  constexpr void make_definitions(dense_program const& p);
  constexpr void number_edges(dense_graph const& g);
  constexpr void rename(dense_graph const& g, dense_dominators const& tree, dense_program const& p);

  phi_placement placement_;
  std::vector<value_index> first_value_;  // by blob, and one more
  std::vector<blob_index> blob_;          // by value
  std::vector<value_index> current_;      // by blob: while renaming, the current definition
  struct scope {
    std::uint32_t block;
    std::uint32_t log;
  };
  std::vector<scope> scopes_;
  std::vector<std::pair<blob_index, value_index>> log_;  // undo log of current_
  std::vector<std::uint32_t> first_edge_;                // by block
  std::vector<std::uint32_t> edge_slot_;                 // by edge: its index among the edges into its target
  std::vector<std::uint32_t> entered_;                   // by block: edges counted so far
};

constexpr void dense_construction::compute(dense_graph const& g, dense_dominators const& tree, dense_program const& p,
                                           phi_pruning pruning) {
  placement_.compute(g, tree, p, pruning);
  number_values(p);
  make_definitions(p);
  rename(g, tree, p);
  index_uses();
}

constexpr void dense_construction::number_values(dense_program const& p) {
  first_value_.assign(p.blob_count() + 1, 0);
  for (std::uint32_t block = 0; block != p.block_count(); ++block) {
    for (blob_index b : placement_.phis(block)) ++first_value_[b];
    for (op_index op : p.ops(block))
      for (blob_index b : p.writes(op)) ++first_value_[b];
  }
  for (value_index& count : first_value_)
    if (count != 0) ++count;  // version 0
  auto const enters = [&](blob_index b) { first_value_[b] = std::max<value_index>(first_value_[b], 1); };
  for (blob_index b : p.external_inputs()) enters(b);
  for (blob_index b : p.all_reads().items()) enters(b);
  for (std::uint32_t block = 0; block != p.block_count(); ++block)
    for (blob_index b : p.results(block)) enters(b);
  value_index total = 0;
  for (value_index& first : first_value_) total += std::exchange(first, total);
  blob_.resize(total, 0);
  for (blob_index b = 0; b != p.blob_count(); ++b)
    std::fill(blob_.begin() + first_value_[b], blob_.begin() + first_value_[b + 1], b);
}

constexpr void dense_construction::make_definitions(dense_program const& p) {
  current_.assign(first_value_.begin(), first_value_.end());  // the last value defined so far
  definitions.assign(blob_.size(), ssa_site());
  first_phi.clear();
  first_op.clear();
  phi_block.clear();
  op_block.clear();
  phi_results.clear();
  op_writes.clear();
  for (std::uint32_t block = 0; block != p.block_count(); ++block) {
    first_phi.push_back(static_cast<phi_index>(phi_results.size()));
    for (blob_index b : placement_.phis(block)) {
      value_index const made = ++current_[b];
      definitions[made] = ssa_site::of_phi(static_cast<phi_index>(phi_results.size()));
      phi_results.push_back(made);
      phi_block.push_back(block);
    }
    first_op.push_back(p.first_op(block));
    for (op_index op : p.ops(block)) {
      op_block.push_back(block);
      for (blob_index b : p.writes(op)) ++current_[b];
      for (blob_index b : p.writes(op)) {
        op_writes.push(current_[b]);
        definitions[current_[b]] = ssa_site::of_op(op);
      }
      op_writes.end_row();
    }
  }
  first_phi.push_back(static_cast<phi_index>(phi_results.size()));
  first_op.push_back(static_cast<op_index>(p.op_count()));
}

// Renames in one walk down the dominator tree, which undoes a block's definitions when it leaves the block's subtree.
constexpr void dense_construction::rename(dense_graph const& g, dense_dominators const& tree, dense_program const& p) {
  phi_arguments.clear();
  for (std::uint32_t const block : phi_block)
    phi_arguments.push_row(g.predecessors(block).size() + (block == 0 ? 1 : 0));
  number_edges(g);
  op_reads.shape_like(p.all_reads());
  block_results.clear();
  for (std::uint32_t block = 0; block != block_count(); ++block) block_results.push_row(p.results(block).size());

  current_.assign(first_value_.begin(), first_value_.end());
  for (phi_index const phi : phis(0)) phi_arguments[phi].back() = current_[blob_[result(phi)]];
  log_.clear();
  scopes_.clear();
  auto const successors = g.successors();
  for (std::uint32_t const block : tree.preorder()) {
    while (!scopes_.empty() && scopes_.back().block != tree.idom(block)) {
      for (; log_.size() != scopes_.back().log; log_.pop_back()) current_[log_.back().first] = log_.back().second;
      scopes_.pop_back();
    }
    scopes_.push_back({block, static_cast<std::uint32_t>(log_.size())});
    auto const set = [&](value_index made) {
      blob_index const b = blob_[made];
      log_.emplace_back(b, std::exchange(current_[b], made));
    };

    for (phi_index const phi : phis(block)) set(result(phi));
    for (op_index const op : ops(block)) {
      std::ranges::transform(p.reads(op), op_reads[op].begin(), [&](blob_index b) { return current_[b]; });
      for (value_index const made : writes(op)) set(made);
    }
    std::ranges::transform(p.results(block), block_results[block].begin(), [&](blob_index b) { return current_[b]; });
    std::uint32_t edge = first_edge_[block];
    for (std::uint32_t const next : successors[block]) {
      std::uint32_t const slot = edge_slot_[edge++];
      for (phi_index const phi : phis(next)) phi_arguments[phi][slot] = current_[blob_[result(phi)]];
    }
  }
}

// Numbers the edges. Predecessors are ascending, so counting edges by ascending source gives each its index among them.
constexpr void dense_construction::number_edges(dense_graph const& g) {
  entered_.assign(g.size(), 0);
  first_edge_.clear();
  edge_slot_.clear();
  auto const successors = g.successors();
  for (std::uint32_t block = 0; block != g.size(); ++block) {
    first_edge_.push_back(static_cast<std::uint32_t>(edge_slot_.size()));
    for (std::uint32_t const next : successors[block]) edge_slot_.push_back(entered_[next]++);
  }
}

}  // namespace plait
