// Dataflow solver over any lattice: the fixed point of a dataflow problem (problem.hpp) by a worklist.
//
//   my_problem const problem{…};
//   plait::dataflow_solver<my_problem> solver;
//   solver.compute(snapshot.graph(), snapshot.code(), problem);       // a program_snapshot
//   solver.before(block), solver.after(block)                          // by number, as all here
//   solver.visit_ops(block, [](plait::op_index op, auto const& before, auto const& after) { … });
//
// G. A. Kildall, "A Unified Approach to Global Program Optimization" (POPL 1973, pp. 194–206), with a deduplicated
// worklist in the order of flow: reverse postorder, in a backward problem its reverse (J. B. Kam, J. D. Ullman, "Global
// Data Flow Analysis and Iterative Algorithms", JACM 23(1), 1976, pp. 158–171). O((d + 2) × (edges + ops)) joins and
// transfers for bit-vector problems on reducible graphs, where d is the number of back edges on an acyclic path; at
// worst a block is visited once for each change of its state. Each block stores one state, where flow enters it;
// queries compute the others.
//
// Every block is visited at least once. In a backward problem the boundary is at the blocks without successors; blocks
// of an endless loop without exit start from initial() alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/bit_queue.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/raise.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/core/errors.hpp>
#include <plait/dataflow/detail/state_vector.hpp>
#include <plait/dataflow/problem.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/ssa/detail/dense_program.hpp>

namespace plait {

/// Thrown if a problem does not converge: its lattice has infinite ascending chains, or its join or transfer functions
/// are not monotone.
struct dataflow_divergence : error {
  dataflow_divergence(std::uint32_t where, std::size_t count)
      : error("plait: the dataflow problem does not converge: the state of block " + std::to_string(where) +
              " has changed " + std::to_string(count) + " times"),
        block(where),
        changes(count) {}
  std::uint32_t block;  ///< block number
  std::size_t changes;
};

struct solver_options {
  /// Maximum number of changes of a block's state. A problem with height() uses that bound instead.
  std::size_t max_changes = 10'000;
};

/// States of a problem at the start and end of each block and around each op, as of the last compute(), which reuses
/// the memory. Refers to problem, program and graph, which must not move.
template <dataflow_problem Problem>
class dataflow_solver {
 public:
  using value_type = typename Problem::value_type;
  static constexpr bool forward = Problem::direction == flow_direction::forward;

  /// Solves the problem. Throws dataflow_divergence.
  constexpr void compute(dense_graph const& g, dense_program const& p, Problem const& problem,
                         solver_options const& options = {}) {
    PLAIT_ASSERT(g.size() == p.block_count(), "dataflow_solver: graph and program have different numbers of blocks");
    program_ = std::addressof(p);
    solve(g, problem, options);
  }
  /// Solves a problem that has transfer_block, without ops.
  constexpr void compute(dense_graph const& g, Problem const& problem, solver_options const& options = {})
    requires has_block_transfer<Problem>
  {
    program_ = nullptr;
    solve(g, problem, options);
  }
  template <class Because = because::it_refers_to_the_problem_so_a_temporary_is_refused>
  void compute(dense_graph const&, Problem const&&, solver_options const& = {}) = delete;
  template <class Because = because::it_refers_to_the_problem_so_a_temporary_is_refused>
  void compute(dense_graph const&, dense_program const&, Problem const&&, solver_options const& = {}) = delete;

  /// Returns the state where flow enters a block: at its start, in a backward problem at its end.
  constexpr value_type const& state(std::uint32_t block) const { return states_[block]; }
  /// Returns the state at the start of a block, and at its end. One of the two applies the block's transfer function.
  constexpr value_type before(std::uint32_t block) const { return forward ? state(block) : transferred(block); }
  constexpr value_type after(std::uint32_t block) const { return forward ? transferred(block) : state(block); }

  /// Calls visit(op, before, after) for each op of a block, in the order of flow. O(ops of the block) transfers.
  template <class Visit>
  constexpr void visit_ops(std::uint32_t block, Visit visit) const
    requires has_op_transfer<Problem>
  {
    value_type state = states_[block];
    walk_ops(block, [&](op_index op) {
      value_type const entering = state;
      problem_->transfer_op(op, state);
      if constexpr (forward)
        visit(op, entering, std::as_const(state));
      else
        visit(op, std::as_const(state), entering);
    });
  }
  /// Returns the number of block visits of the last compute().
  constexpr std::size_t visit_count() const noexcept { return visits_; }

 private:
  static constexpr std::uint32_t flipped(dense_graph const& g, std::uint32_t b) {
    return forward ? static_cast<std::uint32_t>(g.size()) - 1 - b : b;
  }
  template <class Visit>
  constexpr void walk_ops(std::uint32_t block, Visit visit) const {
    PLAIT_ASSERT(program_ != nullptr, "dataflow_solver: solved without a program, so there are no ops to visit");
    if constexpr (forward)
      for (op_index const op : program_->ops(block)) visit(op);
    else
      for (op_index const op : program_->ops(block) | std::views::reverse) visit(op);
  }
  constexpr void transfer(std::uint32_t block, value_type& state) const {
    if constexpr (has_block_transfer<Problem>)
      problem_->transfer_block(block, state);
    else
      walk_ops(block, [&](op_index op) { problem_->transfer_op(op, state); });
  }
  constexpr value_type transferred(std::uint32_t block) const {
    value_type state = states_[block];
    transfer(block, state);
    return state;
  }
  constexpr void solve(dense_graph const& g, Problem const& problem, solver_options const& options);

  Problem const* problem_ = nullptr;
  dense_program const* program_ = nullptr;
  detail::state_vector<value_type> states_;
  std::vector<std::size_t> changes_;
  bit_queue queue_;
  std::size_t visits_ = 0;
};

template <dataflow_problem Problem>
constexpr void dataflow_solver<Problem>::solve(dense_graph const& g, Problem const& problem,
                                               solver_options const& options) {
  problem_ = std::addressof(problem);
  auto const n = static_cast<std::uint32_t>(g.size());
  std::size_t max_changes = options.max_changes;
  if constexpr (has_height<Problem>) max_changes = static_cast<std::size_t>(problem.height());
  states_.assign(n, problem.initial());
  changes_.assign(n, 0);
  visits_ = 0;
  value_type const boundary = problem.boundary();
  auto const successors = g.successors();
  csr<std::uint32_t> const& predecessors = g.predecessors();
  for (std::uint32_t b = 0; b != n; ++b)
    if (forward ? b == 0 : successors[b].empty()) problem.join(states_[b], boundary);

  value_type state = boundary;
  // Priorities count down in the order of flow. The first sweep queues only blocks that it has passed.
  auto const visit = [&](std::uint32_t place, bool sweeping) {
    std::uint32_t const b = flipped(g, place);
    ++visits_;
    state = states_[b];
    transfer(b, state);
    for (std::uint32_t const to : forward ? successors[b] : predecessors[b]) {
      if (!problem.join(states_[to], state)) continue;
      std::uint32_t const again = flipped(g, to);
      if (++changes_[to] > max_changes) raise(dataflow_divergence(to, changes_[to]));
      if (!sweeping || again >= place) queue_.push(again);
    }
  };
  queue_.reset(n);
  for (std::uint32_t place = n; place-- != 0;) visit(place, true);
  while (!queue_.empty()) visit(static_cast<std::uint32_t>(queue_.pop_max()), false);
}

}  // namespace plait
