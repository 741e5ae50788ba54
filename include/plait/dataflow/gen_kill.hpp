// Gen/kill (bit-vector) dataflow solver: out = gen ∪ (in − kill), 64 facts per word.
//
//   plait::gen_kill_solver<plait::flow_direction::backward, plait::join_kind::any> solver;
//   solver.reset(g.size(), facts);
//   … solver.gen.insert(block, fact); solver.kill.insert(block, fact); …
//   solver.solve(g);
//   solver.before(block).contains(fact)
//
// Iterates as G. A. Kildall, "A Unified Approach to Global Program Optimization" (POPL 1973, pp. 194–206): one sweep in
// the order of flow, then a deduplicated worklist in the same order, which ends after d + 2 rounds on reducible graphs,
// where d is the largest number of back edges on an acyclic path (J. B. Kam, J. D. Ullman, "Global Data Flow Analysis
// and Iterative Algorithms", JACM 23(1), 1976, pp. 158–171); at worst each round carries one fact over one more edge.
// O(rounds × edges × facts / 64) time; 4 × blocks × facts / 8 bytes. Acyclic graphs take the sweep only.
//
// In a backward problem the boundary is at blocks without successors. Blocks of an endless loop without exit keep the
// initial value of the join: no fact (any), or every fact that no block on the path kills (all).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <plait/core/assert.hpp>
#include <plait/core/detail/bit_matrix.hpp>
#include <plait/core/detail/bit_queue.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/dataflow/problem.hpp>
#include <plait/graph/detail/dense_graph.hpp>

namespace plait {

/// The join of a bit-vector problem, where paths merge.
enum class join_kind : std::uint8_t {
  any,  ///< facts of some path: union
  all,  ///< facts of every path: intersection
};

/// Sets of facts at the start and end of each block. reset() and solve() reuse the memory.
template <flow_direction Direction, join_kind Join>
class gen_kill_solver {
 public:
  /// The gen and kill sets by block; a fact in both is generated.
  bit_matrix gen;
  bit_matrix kill;

  /// Clears gen and kill. O(blocks × facts / 64).
  constexpr void reset(std::size_t blocks, std::size_t facts) {
    gen.reset(blocks, facts);
    kill.reset(blocks, facts);
  }
  /// Solves with an empty boundary. Precondition: reset() was called for as many blocks.
  constexpr void solve(dense_graph const& g) { solve(g, nothing_outside{}); }
  /// Solves. boundary(block, row) inserts the facts that hold at the start of the entry (forward) or at the end of a
  /// block without successors (backward). It is called on each visit of such a block.
  template <class Boundary>
  constexpr void solve(dense_graph const& g, Boundary boundary);

  /// Returns the facts at the start of a block, and at its end.
  constexpr bit_view before(std::uint32_t block) const { return forward ? into_[block] : out_of_[block]; }
  constexpr bit_view after(std::uint32_t block) const { return forward ? out_of_[block] : into_[block]; }
  constexpr std::size_t fact_count() const noexcept { return gen.bound(); }

 private:
  static constexpr bool forward = Direction == flow_direction::forward;
  struct nothing_outside {
    constexpr void operator()(std::uint32_t, bit_matrix_row) const noexcept {}
  };

  // The graph in the direction of flow. flipped(b) is a block's priority: the queue pops the highest first.
  struct flow {
    dense_graph::successor_rows successors;
    csr<std::uint32_t> const& predecessors;

    constexpr explicit flow(dense_graph const& g) : successors(g.successors()), predecessors(g.predecessors()) {}
    constexpr std::uint32_t size() const { return static_cast<std::uint32_t>(successors.size()); }
    constexpr auto sources(std::uint32_t b) const { return forward ? predecessors[b] : successors[b]; }
    constexpr auto targets(std::uint32_t b) const { return forward ? successors[b] : predecessors[b]; }
    constexpr std::uint32_t flipped(std::uint32_t b) const { return forward ? size() - 1 - b : b; }
  };
  // Width of the rows in words as a constant, which is most of the speed for narrow rows; 0: any width.
  template <std::size_t Width, class Boundary>
  constexpr bool update(flow const& g, std::uint32_t b, Boundary& boundary);
  template <std::size_t Width, class Boundary>
  constexpr void iterate(flow const& g, Boundary& boundary);

  bit_matrix into_;    // by block: facts where flow enters it
  bit_matrix out_of_;  // by block: facts where flow leaves it
  bit_queue queue_;
};

// Applies the transfer function of a block. Returns true if its output has changed.
template <flow_direction Direction, join_kind Join>
template <std::size_t Width, class Boundary>
constexpr bool gen_kill_solver<Direction, Join>::update(flow const& g, std::uint32_t b, Boundary& boundary) {
  std::size_t const width = Width == 0 ? gen.width() : Width;
  // Addresses rows by the constant width: the compiler must assume that each store of a word may alias a row's own
  // width.
  auto const row = [width](auto& rows, std::uint32_t at) { return rows.words(0).data() + at * width; };
  std::uint64_t* const into = row(into_, b);
  // Narrow rows are joined in registers, since rows in memory may alias.
  std::array<std::uint64_t, Width> narrow{};
  std::uint64_t* const met = Width == 0 ? into : narrow.data();
  auto const from = g.sources(b);
  // Without boundary the union starts from no fact in every block: no branch that depends on the graph.
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
  std::uint64_t const* const generated = row(gen, b);
  std::uint64_t const* const killed = row(kill, b);
  std::uint64_t* const out = row(out_of_, b);
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i != width; ++i) {
    std::uint64_t const now = generated[i] | (met[i] & ~killed[i]);
    changed |= now ^ out[i];
    out[i] = now;
    if constexpr (Width != 0) into[i] = met[i];
  }
  return changed != 0;
}

template <flow_direction Direction, join_kind Join>
template <std::size_t Width, class Boundary>
constexpr void gen_kill_solver<Direction, Join>::iterate(flow const& g, Boundary& boundary) {
  // Priorities count down in the order of flow. The sweep itself visits blocks of lower priority later.
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
  PLAIT_ASSERT(gen.size() == g.size(), "gen_kill_solver: gen and graph have different numbers of blocks");
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
