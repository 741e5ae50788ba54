// Very busy (anticipated) expressions: what is computed on every way from a point, before an operand is written.
//
//   plait::very_busy_expressions const busy(f, [](auto const& net, auto const& op) { return is_pure(op); });
//   for (plait::expression_index e : busy.busy_out(block)) …  // could be computed here, once for all ways
//
// Which ops compute something, and what, is for the user to say: op_kinds.hpp. Expressions are compared as they are
// written, by kind and names. Bit vectors (gen_kill.hpp), backward, every way; nothing is very busy where the program
// ends. TRAP: an endless loop that nothing leaves is no way to an end, so an expression whose operands it does not
// write is very busy in it. Beyond the solver's bounds O(operands + writes × expressions that read a blob). Blocks that
// the entry does not reach are not in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <utility>

#include <plait/core/detail/bit_set.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/dataflow/detail/expressions.hpp>
#include <plait/dataflow/detail/op_kinds.hpp>
#include <plait/dataflow/detail/program_expressions.hpp>
#include <plait/dataflow/gen_kill.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/ssa/detail/dense_program.hpp>

namespace plait {

/// The expressions that are very busy at the ends of each block, by number. A value of its own; program and expressions
/// are to be handed in again. Computing again keeps the memory.
class dense_very_busy_expressions {
 public:
  constexpr void compute(dense_graph const& g, dense_program const& p, dense_expressions const& all) {
    solver_.reset(g.size(), all.size());
    for (std::uint32_t block = 0; block != p.block_count(); ++block)
      for (op_index const op : p.ops(block) | std::views::reverse) {
        for (blob_index const b : p.writes(op))
          for (expression_index const e : all.readers(b)) {
            solver_.gen.erase(block, e);
            solver_.kill.insert(block, e);
          }
        if (all.of(op) != npos) solver_.gen.insert(block, all.of(op));
      }
    solver_.solve(g);
  }

  constexpr bit_view busy_in(std::uint32_t block) const { return solver_.before(block); }
  constexpr bit_view busy_out(std::uint32_t block) const { return solver_.after(block); }

  /// visit(op, set of the expressions very busy after it) for each op, blocks and their ops from the last to the first.
  template <class Visit>
  constexpr void visit_ops(dense_program const& p, dense_expressions const& all, Visit visit) const {
    bit_set now(all.size());
    for (auto block = static_cast<std::uint32_t>(p.block_count()); block-- != 0;) {
      std::ranges::copy(busy_out(block).words(), now.words().begin());
      for (op_index const op : p.ops(block) | std::views::reverse) {
        visit(op, std::as_const(now));
        for (blob_index const b : p.writes(op))
          for (expression_index const e : all.readers(b)) now.erase(e);
        if (all.of(op) != npos) now.insert(all.of(op));
      }
    }
  }

 private:
  gen_kill_solver<flow_direction::backward, join_kind::all> solver_;
};

/// The same for a program, as it was at the last compute(). The program must stay where it is.
template <program P>
class very_busy_expressions : public program_expressions<P> {
 public:
  using node = node_t<P>;
  using program_expressions<P>::expressions;
  using program_expressions<P>::snapshot;

  constexpr very_busy_expressions() = default;
  template <op_kind_of<P> Kind>
  constexpr very_busy_expressions(P const& p, Kind&& kind) {
    compute(p, std::forward<Kind>(kind));
  }
  // Any other function: says what is wanted.
  template <class Kind>
  very_busy_expressions(P const&, Kind&&) {
    static_assert(detail::check_op_kind<Kind, P>());
  }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused, class Kind>
  very_busy_expressions(P const&&, Kind&&) = delete;

  template <op_kind_of<P> Kind>
  constexpr void compute(P const& p, Kind&& kind) {
    program_expressions<P>::compute(p, std::forward<Kind>(kind));
    busy_.compute(snapshot().graph(), snapshot().code(), expressions());
  }
  template <class Kind>
  void compute(P const&, Kind&&) {
    static_assert(detail::check_op_kind<Kind, P>());
  }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused, class Kind>
  void compute(P const&&, Kind&&) = delete;

  /// Expressions by number. Precondition: the entry reaches the block.
  constexpr bit_view busy_in(node const& block) const {
    return busy_.busy_in(snapshot().graph().reached_number(block));
  }
  constexpr bit_view busy_out(node const& block) const {
    return busy_.busy_out(snapshot().graph().reached_number(block));
  }

  /// visit(op, set of the expressions very busy after it) for each op that the entry reaches, from the last to the
  /// first.
  template <class Visit>
  constexpr void visit_ops(Visit visit) const {
    busy_.visit_ops(snapshot().code(), expressions(), visit);
  }

 private:
  dense_very_busy_expressions busy_;
};

template <program P, class Kind>
very_busy_expressions(P const&, Kind&&) -> very_busy_expressions<P>;

}  // namespace plait
