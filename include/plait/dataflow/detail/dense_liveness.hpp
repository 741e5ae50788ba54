// Liveness of the blobs of a dense_program, by number; see liveness.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/dataflow/gen_kill.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/ssa/detail/dense_program.hpp>

namespace plait {

/// Blobs live at the start and end of each block, and from there at each op. Self-contained: queries about ops take the
/// program as an argument. compute() again reuses the memory.
class dense_liveness {
  constexpr auto blobs(bit_view bits) const {
    return std::views::transform(bits, [this](std::uint32_t bit) { return exposed_[bit]; });
  }

 public:
  constexpr dense_liveness() = default;
  constexpr dense_liveness(dense_graph const& g, dense_program const& p) { compute(g, p); }
  constexpr void compute(dense_graph const& g, dense_program const& p);

  // ---- at block boundaries; only upward-exposed blobs have a bit in the sets
  constexpr bool is_live_in(std::uint32_t block, blob_index blob) const {
    return bit_[blob] != npos && solver_.before(block).contains(bit_[blob]);
  }
  constexpr bool is_live_out(std::uint32_t block, blob_index blob) const {
    return bit_[blob] != npos && solver_.after(block).contains(bit_[blob]);
  }
  /// Returns blobs, ascending.
  constexpr auto live_in(std::uint32_t block) const { return blobs(solver_.before(block)); }
  constexpr auto live_out(std::uint32_t block) const { return blobs(solver_.after(block)); }

  // ---- at ops; O(ops from there to the end of the block)
  constexpr bool is_live_before(dense_program const& p, op_index op, blob_index blob) const {
    return is_live(p, p.block(op), op, blob);
  }
  constexpr bool is_live_after(dense_program const& p, op_index op, blob_index blob) const {
    return is_live(p, p.block(op), op + 1, blob);
  }

  /// Returns the upward-exposed blobs, which some block reads before it writes them, and the program results,
  /// ascending. No other blob is live at a block boundary.
  constexpr std::vector<blob_index> const& exposed() const noexcept { return exposed_; }

 private:
  constexpr void find_exposed(dense_program const& p);
  constexpr bool is_live(dense_program const& p, std::uint32_t block, op_index from, blob_index blob) const;

  gen_kill_solver<flow_direction::backward, join_kind::any> solver_;
  std::vector<std::uint32_t> bit_;   // by blob
  std::vector<blob_index> exposed_;  // by bit
  struct exposure {
    std::uint32_t block;
    blob_index blob;
  };
  std::vector<exposure> exposures_;
  std::vector<std::uint32_t> last_;  // by blob: the last block seen to mention it
};

// Finds the upward-exposed blobs of each block, and numbers all exposed blobs.
constexpr void dense_liveness::find_exposed(dense_program const& p) {
  bit_.assign(p.blob_count(), npos);
  last_.assign(p.blob_count(), npos);
  exposures_.clear();
  for (std::uint32_t block = 0; block != p.block_count(); ++block) {
    for (op_index const op : p.ops(block)) {
      for (blob_index const b : p.reads(op))
        if (std::exchange(last_[b], block) != block) {
          bit_[b] = 0;
          exposures_.push_back({block, b});
        }
      for (blob_index const b : p.writes(op)) last_[b] = block;
    }
    for (blob_index const b : p.results(block)) bit_[b] = 0;
  }
  exposed_.clear();
  for (blob_index b = 0; b != p.blob_count(); ++b)
    if (bit_[b] != npos) {
      bit_[b] = static_cast<std::uint32_t>(exposed_.size());
      exposed_.push_back(b);
    }
}

constexpr void dense_liveness::compute(dense_graph const& g, dense_program const& p) {
  PLAIT_ASSERT(g.size() == p.block_count(), "liveness: graph and program have different numbers of blocks");
  find_exposed(p);
  solver_.reset(g.size(), exposed_.size());
  for (exposure const& e : exposures_) solver_.gen.insert(e.block, bit_[e.blob]);
  for (std::uint32_t block = 0; block != p.block_count(); ++block) {
    if (p.ops(block).empty() || exposed_.empty()) continue;
    // The writes of a block's ops are contiguous. Branch-free, since whether a blob has a bit is unpredictable.
    std::span<std::uint64_t> const kill = solver_.kill.words(block);
    blob_index const* const first = p.writes(p.first_op(block)).data();
    std::span<blob_index const> const last = p.writes(p.first_op(block + 1) - 1);
    for (blob_index const b : std::span(first, last.data() + last.size())) {
      std::uint64_t const has_bit = bit_[b] != npos ? 1 : 0;
      std::size_t const bit = has_bit * bit_[b];
      kill[bit / 64] |= has_bit << (bit % 64);
    }
  }
  solver_.solve(g, [&](std::uint32_t block, bit_matrix_row live) {
    for (blob_index const b : p.results(block)) live.insert(bit_[b]);
  });
}

constexpr bool dense_liveness::is_live(dense_program const& p, std::uint32_t block, op_index from,
                                       blob_index blob) const {
  for (op_index op = from; op != p.first_op(block + 1); ++op) {
    if (std::ranges::find(p.reads(op), blob) != p.reads(op).end()) return true;
    if (std::ranges::find(p.writes(op), blob) != p.writes(op).end()) return false;
  }
  return is_live_out(block, blob);
}

}  // namespace plait
