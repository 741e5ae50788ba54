// Dataflow of sets whose blocks take out some members and put in others, whatever comes in: 64 facts at a time.
//
//   plait::gen_kill_solver<plait::flow_direction::backward, plait::join_kind::any> solver;
//   solver.reset(g.size(), facts);
//   … solver.gen.insert(block, fact); solver.kill.insert(block, fact); …
//   solver.solve(g);
//   solver.before(block).contains(fact)
//
// The iteration of G. A. Kildall, "A Unified Approach to Global Program Optimization" (POPL 1973, pp. 194–206), on bit
// vectors: one sweep in the order of flow, then a worklist without repetitions in the same order, which ends after
// d + 2 rounds on reducible graphs, d being the largest number of back edges on a way without cycles (J. B. Kam,
// J. D. Ullman, "Global Data Flow Analysis and Iterative Algorithms", JACM 23(1), 1976, pp. 158–171); at worst each
// round carries one fact over one edge more. O(rounds × edges × facts / 64) time; 4 × blocks × facts / 8 bytes. For
// graphs without cycles the sweep is all there is.
//
// Backward, what comes from outside comes to blocks without successors; blocks of an endless loop that nothing reaches
// keep what join starts from: no fact (any), or every fact that no block on the way takes out (all).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <plait/core/assert.hpp>
#include <plait/core/csr.hpp>
#include <plait/core/detail/bit_matrix.hpp>
#include <plait/core/detail/bit_queue.hpp>
#include <plait/dataflow/problem.hpp>
#include <plait/graph/detail/dense_graph.hpp>

namespace plait {

/// What is known where ways meet.
enum class join_kind : std::uint8_t {
  any,  ///< facts of some way: union
  all,  ///< facts of every way: intersection
};

/// Sets of facts at both ends of each block. Keeps its memory when used again.
template <flow_direction Direction, join_kind Join>
class gen_kill_solver {
 public:
  /// What a block puts in and takes out; a fact that is in both is put in.
  bit_matrix gen;
  bit_matrix kill;

  /// No block does anything. O(blocks × facts / 64).
  constexpr void reset(std::size_t blocks, std::size_t facts) {
    gen.reset(blocks, facts);
    kill.reset(blocks, facts);
  }
  /// Nothing comes from outside. Precondition: reset for as many blocks.
  constexpr void solve(dense_graph const& g) { solve(g, nothing_outside{}); }
  /// boundary(block, row) inserts what comes from outside to the entry (forward) or to a block without successors
  /// (backward). It is called whenever the block is visited.
  template <class Boundary>
  constexpr void solve(dense_graph const& g, Boundary boundary);

  /// At the start of a block, and at its end.
  constexpr bit_view before(std::uint32_t block) const { return forward ? into_[block] : out_of_[block]; }
  constexpr bit_view after(std::uint32_t block) const { return forward ? out_of_[block] : into_[block]; }
  constexpr std::size_t fact_count() const noexcept { return gen.bound(); }

 private:
  static constexpr bool forward = Direction == flow_direction::forward;
  struct nothing_outside {
    constexpr void operator()(std::uint32_t, bit_matrix_row) const noexcept {}
  };

  // The graph in the direction of flow. Blocks have places in it, which the queue gives up from the last to the first.
  struct flow {
    dense_graph::successor_rows successors;
    csr<std::uint32_t> const& predecessors;

    constexpr explicit flow(dense_graph const& g) : successors(g.successors()), predecessors(g.predecessors()) {}
    constexpr std::uint32_t size() const { return static_cast<std::uint32_t>(successors.size()); }
    constexpr auto sources(std::uint32_t b) const { return forward ? predecessors[b] : successors[b]; }
    constexpr auto targets(std::uint32_t b) const { return forward ? successors[b] : predecessors[b]; }
    constexpr std::uint32_t flipped(std::uint32_t b) const { return forward ? size() - 1 - b : b; }
  };
  // Width: of the rows, as a constant, which for narrow ones is most of the speed; 0: any.
  template <std::size_t Width, class Boundary>
  constexpr bool update(flow const& g, std::uint32_t b, Boundary& boundary);
  template <std::size_t Width, class Boundary>
  constexpr void iterate(flow const& g, Boundary& boundary);

  bit_matrix into_;    // by block: where flow enters it
  bit_matrix out_of_;  // where it leaves
  bit_queue queue_;
};

// Whether what leaves the block has changed.
template <flow_direction Direction, join_kind Join>
template <std::size_t Width, class Boundary>
constexpr bool gen_kill_solver<Direction, Join>::update(flow const& g, std::uint32_t b, Boundary& boundary) {
  std::size_t const width = Width == 0 ? gen.width() : Width;
  // The place of a row by the constant: a row's own width might change with every word written, for all a compiler
  // knows.
  auto const row = [width](auto& rows, std::uint32_t at) { return rows.words(0).data() + at * width; };
  std::uint64_t* const into = row(into_, b);
  // Narrow rows meet in registers, as rows in memory might be the same.
  std::array<std::uint64_t, Width> narrow{};
  std::uint64_t* const met = Width == 0 ? into : narrow.data();
  auto const from = g.sources(b);
  // A block that nothing comes to from outside is like others where join starts from no fact: no branch that depends
  // on the graph.
  constexpr bool is_plain = Join == join_kind::any && std::is_same_v<Boundary, nothing_outside>;
  if (!is_plain && (forward ? b == 0 : from.empty())) {
    std::fill_n(into, width, 0);
    boundary(b, bit_matrix_row(into_, b));
    if constexpr (Width != 0) std::copy_n(into, width, met);
  } else {
    std::fill_n(met, width, Join == join_kind::any ? 0 : ~std::uint64_t{0});
  }
  for (std::uint32_t const source : from) {
    std::uint64_t const* const other = row(out_of_, source);
    for (std::size_t i = 0; i != width; ++i) met[i] = Join == join_kind::any ? met[i] | other[i] : met[i] & other[i];
  }
  std::uint64_t const* const made = row(gen, b);
  std::uint64_t const* const lost = row(kill, b);
  std::uint64_t* const out = row(out_of_, b);
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i != width; ++i) {
    std::uint64_t const now = made[i] | (met[i] & ~lost[i]);
    changed |= now ^ out[i];
    out[i] = now;
    if constexpr (Width != 0) into[i] = met[i];
  }
  return changed != 0;
}

template <flow_direction Direction, join_kind Join>
template <std::size_t Width, class Boundary>
constexpr void gen_kill_solver<Direction, Join>::iterate(flow const& g, Boundary& boundary) {
  // Places count down in the order of flow. The sweep comes to blocks with lower ones by itself.
  for (std::uint32_t place = g.size(); place-- != 0;) {
    std::uint32_t const b = g.flipped(place);
    if (!update<Width>(g, b, boundary)) continue;
    for (std::uint32_t const target : g.targets(b))
      if (std::uint32_t const again = g.flipped(target); again >= place) queue_.push(again);
  }
  while (!queue_.empty()) {
    std::uint32_t const b = g.flipped(static_cast<std::uint32_t>(queue_.pop_max()));
    if (!update<Width>(g, b, boundary)) continue;
    for (std::uint32_t const target : g.targets(b)) queue_.push(g.flipped(target));
  }
}

template <flow_direction Direction, join_kind Join>
template <class Boundary>
constexpr void gen_kill_solver<Direction, Join>::solve(dense_graph const& g, Boundary boundary) {
  PLAIT_ASSERT(gen.size() == g.size(), "gen_kill_solver: reset for another graph");
  into_.reset(g.size(), fact_count());
  if constexpr (Join == join_kind::any)
    out_of_.reset(g.size(), fact_count());
  else
    out_of_.reset_full(g.size(), fact_count());
  queue_.reset(g.size());
  flow const edges(g);
  switch (gen.width()) {
    case 1:
      return iterate<1>(edges, boundary);
    case 2:
      return iterate<2>(edges, boundary);
    case 4:
      return iterate<4>(edges, boundary);
    default:
      return iterate<0>(edges, boundary);
  }
}

}  // namespace plait
