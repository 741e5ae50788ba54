// Dense program: the reachable blocks, ops and blobs of a program as numbers, on which all program algorithms run.
//
// Blocks have the numbers of a dense_graph, ops are numbered in block order, blobs in order of first occurrence. Built
// by program_snapshot; not a template, so that the algorithms on it compile once and never touch a user's IR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Ops of the blocks of a dense_graph, and the blobs that they read and write. 4 bytes per operand and 12 per op.
class dense_program {
 public:
  constexpr std::size_t block_count() const noexcept { return first_op_.size() - 1; }
  constexpr std::size_t op_count() const noexcept { return reads_.size(); }
  constexpr std::size_t blob_count() const noexcept { return blob_count_; }

  /// Returns the numbers of a block's ops.
  constexpr auto ops(std::uint32_t block) const {
    PLAIT_ASSERT(block < block_count(), "dense_program: no such block");
    return std::views::iota(first_op_[block], first_op_[block + 1]);
  }
  constexpr op_index first_op(std::uint32_t block) const { return first_op_[block]; }
  constexpr std::uint32_t block(op_index op) const { return block_[op]; }

  constexpr std::span<blob_index const> reads(op_index op) const { return reads_[op]; }
  constexpr std::span<blob_index const> writes(op_index op) const { return writes_[op]; }

  /// Returns the reads of all ops, one row per op.
  constexpr csr<blob_index> const& all_reads() const noexcept { return reads_; }

  /// Returns the external inputs that the program declares.
  constexpr std::span<blob_index const> external_inputs() const noexcept { return external_inputs_; }
  /// Returns the program results if it ends in the block; empty for a block with successors.
  constexpr std::span<blob_index const> results(std::uint32_t block) const { return results_[block]; }

  // ---- building, in block order
  constexpr void clear() {
    first_op_.resize(1, 0);
    block_.clear();
    reads_.clear();
    writes_.clear();
    external_inputs_.clear();
    results_.clear();
    blob_count_ = 0;
  }
  constexpr void add_external_input(blob_index blob) { external_inputs_.push_back(blob); }
  constexpr void read(blob_index blob) { reads_.push(blob); }
  constexpr void write(blob_index blob) { writes_.push(blob); }
  constexpr void end_op() {
    reads_.end_row();
    writes_.end_row();
    block_.push_back(static_cast<std::uint32_t>(block_count()));
  }
  constexpr void result(blob_index blob) { results_.push(blob); }
  constexpr void end_block() {
    results_.end_row();
    first_op_.push_back(static_cast<op_index>(op_count()));
  }
  /// Sets the bound of blob numbers.
  constexpr void set_blob_count(std::size_t blobs) { blob_count_ = blobs; }

 private:
  std::vector<op_index> first_op_ = {0};
  std::vector<std::uint32_t> block_;
  csr<blob_index> reads_;
  csr<blob_index> writes_;
  std::vector<blob_index> external_inputs_;
  csr<blob_index> results_;
  std::size_t blob_count_ = 0;
};

}  // namespace plait
