// Sparse dataflow solver: one state per SSA value, propagated along def-use edges.
//
//   struct my_problem {
//     using value_type = …;                                         // an element of a lattice of finite height
//     value_type initial() const;                                   // unknown
//     value_type boundary(plait::value_index v);                    // of a value from outside
//     bool join(value_type& into, value_type const& from) const;    // at phis: true if `into` has changed
//     void transfer(plait::op_index op, std::span<value_type const> in, std::span<value_type> out);
//     // optional: calls take(i) for each successor number i that control can go to; called again when states change
//     void branch(std::uint32_t block, auto const& states, auto take);         // states[v]
//   };
//
// The two worklists of M. N. Wegman, F. K. Zadeck, "Constant Propagation with Conditional Branches" (TOPLAS 13(2),
// 1991, pp. 181–210): edges that become executable, and values whose state has changed. With branch(), ops run only in
// executable blocks, and phis join only arguments over executable edges; without it, all blocks and edges are
// executable. transfer is called when the op's block becomes executable and when an input changes, branch when an input
// of the block's last op changes. `out` then holds the current states, which transfer must not lower towards initial().
// O(edges + height × uses) calls; a byte per edge, a state per value, and the worklists. Blocks that the entry does not
// reach are not in the form.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/member_faults.hpp>
#include <plait/dataflow/detail/state_vector.hpp>
#include <plait/dataflow/problem.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>

namespace plait {

template <class P>
concept has_sparse_bounds = has_flow_value<P> && requires(P& p, value_index v) {
  { p.initial() } -> std::convertible_to<typename P::value_type>;
  { p.boundary(v) } -> std::convertible_to<typename P::value_type>;
};

template <class P>
concept has_sparse_transfer =
    has_flow_value<P> && requires(P& p, op_index op, std::span<typename P::value_type const> in,
                                  std::span<typename P::value_type> out) { p.transfer(op, in, out); };

/// A problem for sparse_solver, which detects changes with ==.
template <class P>
concept sparse_problem =
    has_sparse_bounds<P> && has_join<P> && has_sparse_transfer<P> && std::equality_comparable<typename P::value_type>;

namespace detail {
PLAIT_DETAIL_NAMES(transfer)
PLAIT_DETAIL_NAMES(branch)
}  // namespace detail

/// Explains what a problem lacks: PLAIT_CHECK_SPARSE_PROBLEM(my::problem); names each missing member in a sentence.
template <class P>
consteval bool check_sparse_problem() {
  static_assert(has_flow_value<P>, "plait: a sparse problem lacks value_type, a copyable type");
  if constexpr (has_flow_value<P>) {
    static_assert(std::equality_comparable<typename P::value_type>,
                  "plait: the value_type of a sparse problem must compare with ==");
    PLAIT_DETAIL_CHECK_OWN_MEMBER(P, (requires(P& p) {
                                    { p.initial() } -> std::convertible_to<typename P::value_type>;
                                  }), (requires(P& p) { p.initial(); }), (requires(P& p) { p.initial(); }),
                                  detail::names_initial<P>, "sparse problem", "initial()", "a value_type");
    PLAIT_DETAIL_CHECK_OWN_MEMBER(P, (requires(P& p, value_index v) {
                                    { p.boundary(v) } -> std::convertible_to<typename P::value_type>;
                                  }), (requires(P& p, value_index v) { p.boundary(v); }),
                                  (requires(P& p, value_index v) { p.boundary(v); }), detail::names_boundary<P>,
                                  "sparse problem", "boundary(value_index)", "a value_type");
    PLAIT_DETAIL_CHECK_OWN_MEMBER(
        P, has_join<P>, (requires(P const& p, typename P::value_type& into, typename P::value_type const& from) {
          p.join(into, from);
        }), (requires(P& p, typename P::value_type& into, typename P::value_type const& from) { p.join(into, from); }),
        detail::names_join<P>, "sparse problem", "join(value_type& into, value_type const& from) const",
        "bool, which tells whether into has changed");
    PLAIT_DETAIL_CHECK_OWN_MEMBER(P, has_sparse_transfer<P>,
                                  (requires(P& p, op_index op, std::span<typename P::value_type const> in,
                                            std::span<typename P::value_type> out) { p.transfer(op, in, out); }),
                                  (requires(P& p, op_index op, std::span<typename P::value_type const> in,
                                            std::span<typename P::value_type> out) { p.transfer(op, in, out); }),
                                  detail::names_transfer<P>, "sparse problem",
                                  "transfer(op_index, std::span<value_type const> in, std::span<value_type> out)",
                                  "which sets out");
  }
  return sparse_problem<P>;
}

#define PLAIT_CHECK_SPARSE_PROBLEM(...) static_assert(::plait::check_sparse_problem<__VA_ARGS__>())

/// States of all values and executable blocks and edges, by number, as of the last compute(), which reuses the memory.
template <class Value>
class sparse_solver {
 public:
  using value_type = Value;

  template <class Problem>
    requires(sparse_problem<Problem> && std::same_as<typename Problem::value_type, Value>)
  constexpr void compute(dense_graph const& g, dense_ssa const& form, Problem& problem);

  constexpr value_type const& operator[](value_index v) const { return states_[v]; }
  constexpr std::span<value_type const> states() const noexcept { return states_; }
  /// Returns true if control can come to a block.
  constexpr bool is_executable(std::uint32_t block) const { return reached_[block] != 0; }
  /// Returns true if control can go from a block to its successor number i.
  constexpr bool is_edge_executable(std::uint32_t block, std::size_t i) const {
    return taken_[first_edge_[block] + i] != 0;
  }

 private:
  constexpr void number_edges(dense_graph const& g);
  template <class Problem>
  constexpr void take(dense_graph const& g, dense_ssa const& form, Problem& problem, std::uint32_t block,
                      std::size_t successor);
  constexpr void change(dense_ssa const& form, value_index v);
  template <class Problem>
  constexpr void merge(dense_ssa const& form, Problem& problem, phi_index phi, std::size_t slot);
  template <class Problem>
  constexpr void visit_op(dense_ssa const& form, Problem& problem, op_index op);
  template <class Problem>
  constexpr void visit_branch(dense_graph const& g, dense_ssa const& form, Problem& problem, std::uint32_t block);
  template <class Problem>
  constexpr void visit_block(dense_graph const& g, dense_ssa const& form, Problem& problem, std::uint32_t block);

  detail::state_vector<value_type> states_;
  std::vector<char> reached_;              // by block
  std::vector<char> taken_;                // by edge, in the order of the successors
  std::vector<std::uint32_t> first_edge_;  // by block
  std::vector<std::uint32_t> edge_slot_;   // by edge: its index among the edges into its target
  std::vector<std::uint32_t> first_slot_;  // by block: its first incoming edge in slot_taken_
  std::vector<char> slot_taken_;           // by incoming edge
  std::vector<std::uint32_t> blocks_;      // executable, not visited
  std::vector<value_index> changed_;       // values whose uses are not updated
  std::vector<char> is_changed_;           // by value
  detail::state_vector<value_type> in_;
  detail::state_vector<value_type> out_;
};

template <class Value>
constexpr void sparse_solver<Value>::number_edges(dense_graph const& g) {
  first_edge_.clear();
  first_slot_.clear();
  edge_slot_.clear();
  std::uint32_t slots = 0;
  for (std::uint32_t b = 0; b != g.size(); ++b) {
    first_slot_.push_back(slots);
    slots += static_cast<std::uint32_t>(g.predecessors(b).size());
  }
  slot_taken_.assign(slots, 0);
  // Predecessors are ascending, so counting edges by ascending source gives each its index among them.
  std::vector<std::uint32_t>& next = first_slot_;
  for (std::uint32_t b = 0; b != g.size(); ++b) {
    first_edge_.push_back(static_cast<std::uint32_t>(edge_slot_.size()));
    for (std::uint32_t const to : g.successors(b)) edge_slot_.push_back(next[to]++);
  }
  for (std::uint32_t b = 0; b != g.size(); ++b) next[b] -= static_cast<std::uint32_t>(g.predecessors(b).size());
  taken_.assign(edge_slot_.size(), 0);
}

template <class Value>
constexpr void sparse_solver<Value>::change(dense_ssa const& form, value_index v) {
  if (form.uses(v).empty() || std::exchange(is_changed_[v], char{1}) != 0) return;
  changed_.push_back(v);
}

// Joins one argument only: joining all of them each time is quadratic where many paths merge.
template <class Value>
template <class Problem>
constexpr void sparse_solver<Value>::merge(dense_ssa const& form, Problem& problem, phi_index phi, std::size_t slot) {
  value_index const made = form.result(phi);
  value_index const argument = form.arguments(phi)[slot];
  if (made != argument && problem.join(states_[made], states_[argument])) change(form, made);
}

template <class Value>
template <class Problem>
constexpr void sparse_solver<Value>::take(dense_graph const& g, dense_ssa const& form, Problem& problem,
                                          std::uint32_t block, std::size_t successor) {
  PLAIT_ASSERT(successor < g.successors(block).size(),
               "sparse_solver: branch() took a successor that the block does not have");
  std::uint32_t const edge = first_edge_[block] + static_cast<std::uint32_t>(successor);
  if (std::exchange(taken_[edge], char{1}) != 0) return;
  std::uint32_t const slot = edge_slot_[edge];
  slot_taken_[slot] = 1;
  std::uint32_t const to = g.successors(block)[successor];
  if (std::exchange(reached_[to], char{1}) == 0) blocks_.push_back(to);
  for (phi_index const phi : form.phis(to)) merge(form, problem, phi, slot - first_slot_[to]);
}

template <class Value>
template <class Problem>
constexpr void sparse_solver<Value>::visit_op(dense_ssa const& form, Problem& problem, op_index op) {
  in_.clear();
  out_.clear();
  for (value_index const v : form.reads(op)) in_.push_back(states_[v]);
  for (value_index const v : form.writes(op)) out_.push_back(states_[v]);
  problem.transfer(op, std::span<value_type const>(in_), std::span<value_type>(out_));
  std::size_t slot = 0;
  for (value_index const v : form.writes(op)) {
    value_type& said = out_[slot++];
    if (states_[v] == said) continue;
    states_[v] = std::move(said);
    change(form, v);
  }
}

template <class Value>
template <class Problem>
constexpr void sparse_solver<Value>::visit_branch(dense_graph const& g, dense_ssa const& form, Problem& problem,
                                                  std::uint32_t block) {
  auto const take_edge = [&](std::size_t successor) { take(g, form, problem, block, successor); };
  if constexpr (requires { problem.branch(block, std::as_const(*this), take_edge); }) {
    problem.branch(block, std::as_const(*this), take_edge);
  } else {
    static_assert(!detail::names_branch<Problem>,
                  "plait: branch of a sparse problem is there, but cannot be called like this; wanted: void "
                  "branch(std::uint32_t block, plait::sparse_solver<value_type> const& states, auto take)");
    for (std::size_t i = 0; i != g.successors(block).size(); ++i) take_edge(i);
  }
}

template <class Value>
template <class Problem>
constexpr void sparse_solver<Value>::visit_block(dense_graph const& g, dense_ssa const& form, Problem& problem,
                                                 std::uint32_t block) {
  for (op_index const op : form.ops(block)) visit_op(form, problem, op);
  visit_branch(g, form, problem, block);
}

template <class Value>
template <class Problem>
  requires(sparse_problem<Problem> && std::same_as<typename Problem::value_type, Value>)
constexpr void sparse_solver<Value>::compute(dense_graph const& g, dense_ssa const& form, Problem& problem) {
  PLAIT_ASSERT(g.size() == form.block_count(), "sparse_solver: graph and form have different numbers of blocks");
  number_edges(g);
  states_.assign(form.value_count(), problem.initial());
  is_changed_.assign(form.value_count(), 0);
  for (value_index v = 0; v != form.value_count(); ++v)
    if (!form.definition(v).is_op() && !form.definition(v).is_phi()) states_[v] = problem.boundary(v);
  reached_.assign(g.size(), 0);
  changed_.clear();
  reached_[0] = 1;
  blocks_.assign(1, 0);
  for (phi_index const phi : form.phis(0)) merge(form, problem, phi, g.predecessors(0).size());  // from outside
  auto const next = [](auto& list) {
    auto const item = list.back();
    list.pop_back();
    return item;
  };
  // Blocks before values: the fewer states are stale when an op is evaluated, the fewer evaluations follow.
  while (true) {
    if (!blocks_.empty()) {
      visit_block(g, form, problem, next(blocks_));
    } else if (!changed_.empty()) {
      value_index const v = next(changed_);
      is_changed_[v] = 0;
      for (ssa_use const& use : form.uses(v)) {
        std::uint32_t const block =
            use.site.is_phi() ? form.block_of_phi(use.site.phi()) : form.block_of_op(use.site.op());
        if (reached_[block] == 0) continue;
        if (use.site.is_phi()) {
          std::size_t const edges = g.predecessors(block).size();
          if (use.slot >= edges || slot_taken_[first_slot_[block] + use.slot] != 0)
            merge(form, problem, use.site.phi(), use.slot);
        } else {
          visit_op(form, problem, use.site.op());
          if (use.site.op() + 1 == form.first_op[block + 1]) visit_branch(g, form, problem, block);
        }
      }
    } else {
      break;
    }
  }
}

}  // namespace plait
