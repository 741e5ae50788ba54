// Live ranges of SSA values, for the interference tests of SSA destruction.
//
// A definition dominates its uses, so two values interfere exactly if one is live at the definition of the other
// (Z. Budimlić et al., "Fast Copy Coalescing and Live-Range Identification", PLDI 2002, pp. 25–32). Each value's range
// is found by a backward walk from its uses, as in section 5.2 of B. Boissinot, F. Brandner et al., "Computing Liveness
// Sets for SSA-Form Programs" (INRIA RR-7503, 2011).
//
// Time and space: the sum, over the selected values, of the blocks where they are live and the edges into these, and
// sorting the blocks of each value. No recursion.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>

namespace plait {

/// A program point: a block and a position in it. Positions: 0 where phis select their arguments, 1 where phis and
/// copies at the start define their results, 2k + 3 the k-th op, 2k + 2 copies before that op. The outside of the
/// program is a pseudo-block, whose number is the number of blocks.
struct ssa_point {
  std::uint32_t block = npos;
  std::uint32_t position = 0;
  static constexpr std::uint32_t end = npos;  ///< behind everything in the block
  static constexpr std::uint32_t of_op(std::uint32_t place) { return 2 * place + 3; }
  static constexpr std::uint32_t before_op(std::uint32_t place) { return 2 * place + 2; }
  friend constexpr bool operator==(ssa_point const&, ssa_point const&) = default;
};

/// Live ranges of values. Phi arguments are read at the end of predecessors, before the op number `places[block]`, and
/// are not live on the edge; a phi's result is defined at position 1. compute() reuses the memory.
class dense_live_ranges {
 public:
  /// Computes the ranges of the values marked in `wanted`. Precondition: definitions precede the ops that read them.
  constexpr void compute(dense_graph const& g, dense_ssa const& s, std::span<char const> wanted,
                         std::span<std::uint32_t const> places);

  /// Returns true if a value is live after a position of a block that its definition dominates.
  constexpr bool is_live_after(value_index v, ssa_point at) const {
    std::span<segment const> const segments = segments_[v];
    auto const found = std::ranges::lower_bound(segments, at.block, {}, &segment::block);
    return found != segments.end() && found->block == at.block && found->last > at.position;
  }
  /// Returns the point that defines a value.
  static constexpr ssa_point definition(dense_ssa const& s, value_index v) {
    ssa_site const made = s.definition(v);
    if (made.is_phi()) return {s.block_of_phi(made.phi()), 1};
    if (!made.is_op()) return {static_cast<std::uint32_t>(s.block_count()), 0};
    std::uint32_t const block = s.block_of_op(made.op());
    return {block, ssa_point::of_op(made.op() - s.first_op[block])};
  }

 private:
  // The live range within one block: the last position that reads the value; `end` if it is live-out.
  struct segment {
    std::uint32_t block = npos;
    std::uint32_t last = 0;
  };

  constexpr void list_uses(dense_graph const& g, dense_ssa const& s, std::span<char const> wanted,
                           std::span<std::uint32_t const> places);
  constexpr void touch(value_index v, std::uint32_t block, std::uint32_t position);
  constexpr void find(dense_graph const& g, value_index v, std::uint32_t made);

  csr<segment> segments_;  // by value, in block order
  csr<ssa_point> uses_;    // by value
  struct visit {
    value_index touched = npos;  // the last value with a segment here
    std::uint32_t segment = 0;   // its index
    value_index entered = npos;  // the last value found live-in
  };
  std::vector<visit> visits_;  // by block
  std::vector<segment> open_;  // segments of the current value
  std::vector<std::uint32_t> waiting_;
};

constexpr void dense_live_ranges::list_uses(dense_graph const& g, dense_ssa const& s, std::span<char const> wanted,
                                            std::span<std::uint32_t const> places) {
  auto const each = [&](auto use) {
    for (std::uint32_t b = 0; b != s.block_count(); ++b) {
      std::span<std::uint32_t const> const predecessors = g.predecessors(b);
      for (phi_index const phi : s.phis(b)) {
        std::span<value_index const> const arguments = s.arguments(phi);
        for (std::size_t slot = 0; slot != arguments.size(); ++slot) {
          bool const outside = slot == predecessors.size();
          std::uint32_t const from = outside ? static_cast<std::uint32_t>(s.block_count()) : predecessors[slot];
          use(arguments[slot], ssa_point{from, outside ? 1 : ssa_point::before_op(places[from])});
        }
      }
      for (op_index const op : s.ops(b))
        for (value_index const v : s.reads(op)) use(v, ssa_point{b, ssa_point::of_op(op - s.first_op[b])});
      for (value_index const v : s.results(b)) use(v, ssa_point{b, ssa_point::end});
    }
  };
  uses_.start_counting(s.value_count());
  each([&](value_index v, ssa_point) {
    if (wanted[v] != 0) uses_.count(v);
  });
  uses_.end_counting();
  each([&](value_index v, ssa_point at) {
    if (wanted[v] != 0) uses_.place(v, at);
  });
}

constexpr void dense_live_ranges::touch(value_index v, std::uint32_t block, std::uint32_t position) {
  visit& here = visits_[block];
  if (std::exchange(here.touched, v) != v) {
    here.segment = static_cast<std::uint32_t>(open_.size());
    open_.push_back({block, position});
  } else {
    open_[here.segment].last = std::max(open_[here.segment].last, position);
  }
}

constexpr void dense_live_ranges::find(dense_graph const& g, value_index v, std::uint32_t made) {
  open_.clear();
  waiting_.clear();
  auto const outside = static_cast<std::uint32_t>(g.size());
  csr<std::uint32_t> const& predecessors = g.predecessors();
  auto const enter = [&](std::uint32_t block) {
    if (block != made && std::exchange(visits_[block].entered, v) != v) waiting_.push_back(block);
  };
  for (ssa_point const at : uses_[v]) {
    touch(v, at.block, at.position);
    enter(at.block);
  }
  while (!waiting_.empty()) {
    std::uint32_t const b = waiting_.back();
    waiting_.pop_back();
    if (b == 0 && made == outside) touch(v, outside, ssa_point::end);
    for (std::uint32_t const before : predecessors[b]) {
      touch(v, before, ssa_point::end);
      enter(before);
    }
  }
  std::ranges::sort(open_, {}, &segment::block);
  for (segment const& p : open_) segments_.push(p);
  segments_.end_row();
}

constexpr void dense_live_ranges::compute(dense_graph const& g, dense_ssa const& s, std::span<char const> wanted,
                                          std::span<std::uint32_t const> places) {
  list_uses(g, s, wanted, places);
  visits_.assign(g.size() + 1, visit());
  segments_.clear();
  for (value_index v = 0; v != s.value_count(); ++v) find(g, v, definition(s, v).block);
}

}  // namespace plait
