// Very busy (anticipated) expressions: computed on every path from a point, before an operand is written.
//
//   plait::very_busy_expressions const busy(f, [](auto const& net, auto const& op) { return is_pure(op); });
//   for (plait::expression_index e : busy.busy_out(block)) …  // can be hoisted to here
//
// A bit-vector problem (gen_kill.hpp), backward, intersection over all paths; nothing is very busy where the program
// ends. Beyond the solver's bounds O(operands + writes × expressions that read a blob). The user's kind function says
// which ops compute what (op_kinds.hpp). Expressions are equal lexically, by kind and operand names. TRAP: no path from
// an endless loop without exit comes to an end, so an expression whose operands the loop does not write is very busy in
// it. Blocks that the entry does not reach are not in the result.
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

/// Expressions very busy at the start and end of each block, by number. Self-contained: queries take program and
/// expressions as arguments. compute() again reuses the memory.
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

  /// Calls visit(op, set of the expressions very busy after it) for each op, blocks and their ops in reverse order.
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

/// Very busy expressions of a program, as of the last compute(). Refers to the program, which must not move.
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
  // Rejects any other function with a static_assert that names the signature.
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

  /// Returns expressions by number. Precondition: the entry reaches the block.
  constexpr bit_view busy_in(node const& block) const {
    return busy_.busy_in(snapshot().graph().reached_number(block));
  }
  constexpr bit_view busy_out(node const& block) const {
    return busy_.busy_out(snapshot().graph().reached_number(block));
  }

  /// Calls visit(op, set of the expressions very busy after it) for each op that the entry reaches, in reverse order.
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
