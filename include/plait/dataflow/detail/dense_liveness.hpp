// Liveness of the blobs of a dense_program, see liveness.hpp.
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

/// The blobs that are live at the ends of blocks, and from there at each op of the program, which is to be handed in
/// again. A value of its own; computing again keeps the memory.
class dense_liveness {
  constexpr auto blobs(bit_view places) const {
    return std::views::transform(places, [this](std::uint32_t place) { return exposed_[place]; });
  }

 public:
  constexpr dense_liveness() = default;
  constexpr dense_liveness(dense_graph const& g, dense_program const& p) { compute(g, p); }
  constexpr void compute(dense_graph const& g, dense_program const& p);

  // ---- at the ends of blocks: what is exposed somewhere has a place, and the sets are of places
  constexpr bool is_live_in(std::uint32_t block, blob_index blob) const {
    return place_[blob] != npos && solver_.before(block).contains(place_[blob]);
  }
  constexpr bool is_live_out(std::uint32_t block, blob_index blob) const {
    return place_[blob] != npos && solver_.after(block).contains(place_[blob]);
  }
  /// Ascending.
  constexpr auto live_in(std::uint32_t block) const { return blobs(solver_.before(block)); }
  constexpr auto live_out(std::uint32_t block) const { return blobs(solver_.after(block)); }

  // ---- at ops; O(ops from there to the end of the block)
  constexpr bool is_live_before(dense_program const& p, op_index op, blob_index blob) const {
    return is_live(p, p.block(op), op, blob);
  }
  constexpr bool is_live_after(dense_program const& p, op_index op, blob_index blob) const {
    return is_live(p, p.block(op), op + 1, blob);
  }

  /// The blobs that some block reads before it writes them, or that the program results in: no others are ever live at
  /// the end of a block. Ascending.
  constexpr std::vector<blob_index> const& exposed() const noexcept { return exposed_; }

 private:
  constexpr void find_exposed(dense_program const& p);
  constexpr bool is_live(dense_program const& p, std::uint32_t block, op_index from, blob_index blob) const;

  gen_kill_solver<flow_direction::backward, join_kind::any> solver_;
  std::vector<std::uint32_t> place_;  // by blob
  std::vector<blob_index> exposed_;   // by place
  struct exposure {
    std::uint32_t block;
    blob_index blob;
  };
  std::vector<exposure> exposures_;
  std::vector<std::uint32_t> last_;  // by blob: the last block found to mention it
};

// Of what a block reads before it writes it.
constexpr void dense_liveness::find_exposed(dense_program const& p) {
  place_.assign(p.blob_count(), npos);
  last_.assign(p.blob_count(), npos);
  exposures_.clear();
  for (std::uint32_t block = 0; block != p.block_count(); ++block) {
    for (op_index const op : p.ops(block)) {
      for (blob_index const b : p.reads(op))
        if (std::exchange(last_[b], block) != block) {
          place_[b] = 0;
          exposures_.push_back({block, b});
        }
      for (blob_index const b : p.writes(op)) last_[b] = block;
    }
    for (blob_index const b : p.results(block)) place_[b] = 0;
  }
  exposed_.clear();
  for (blob_index b = 0; b != p.blob_count(); ++b)
    if (place_[b] != npos) {
      place_[b] = static_cast<std::uint32_t>(exposed_.size());
      exposed_.push_back(b);
    }
}

constexpr void dense_liveness::compute(dense_graph const& g, dense_program const& p) {
  PLAIT_ASSERT(g.size() == p.block_count(), "liveness: graph and program do not belong together");
  find_exposed(p);
  solver_.reset(g.size(), exposed_.size());
  for (exposure const& e : exposures_) solver_.gen.insert(e.block, place_[e.blob]);
  for (std::uint32_t block = 0; block != p.block_count(); ++block) {
    if (p.ops(block).empty() || exposed_.empty()) continue;
    // The rows of a block's ops lie one after the other. Blobs without a place are as frequent as others: no branch.
    std::span<std::uint64_t> const kill = solver_.kill.words(block);
    blob_index const* const first = p.writes(p.first_op(block)).data();
    std::span<blob_index const> const last = p.writes(p.first_op(block + 1) - 1);
    for (blob_index const b : std::span(first, last.data() + last.size())) {
      std::uint64_t const has_place = place_[b] != npos ? 1 : 0;
      std::size_t const place = has_place * place_[b];
      kill[place / 64] |= has_place << (place % 64);
    }
  }
  solver_.solve(g, [&](std::uint32_t block, bit_matrix_row live) {
    for (blob_index const b : p.results(block)) live.insert(place_[b]);
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
