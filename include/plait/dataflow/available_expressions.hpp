// Available expressions: what has been computed on every way to a point, of operands that have not been written since.
//
//   plait::available_expressions const available(f, [](auto const& net, auto const& op) { return is_pure(op); });
//   for (plait::op_index op : available.redundant_ops()) …  // computes what has been computed already
//
// Which ops compute something, and what, is for the user to say: op_kinds.hpp. Expressions are compared as they are
// written, by kind and names; for values, see value_numbering.hpp. J. Cocke, "Global Common Subexpression
// Elimination" (ACM SIGPLAN Notices 5(7), 1970, pp. 20–24). Bit vectors (gen_kill.hpp), forward, every way; nothing is
// available where the program starts. Beyond the solver's bounds O(operands + writes × expressions that read a blob).
// Blocks that the entry does not reach are not in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

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

/// The expressions that are available at the ends of each block, by number. A value of its own; program and expressions
/// are to be handed in again. Computing again keeps the memory.
class dense_available_expressions {
 public:
  constexpr void compute(dense_graph const& g, dense_program const& p, dense_expressions const& all) {
    solver_.reset(g.size(), all.size());
    for (std::uint32_t block = 0; block != p.block_count(); ++block)
      for (op_index const op : p.ops(block)) {
        if (all.of(op) != npos) solver_.gen.insert(block, all.of(op));
        for (blob_index const b : p.writes(op))
          for (expression_index const e : all.readers(b)) {
            solver_.gen.erase(block, e);
            solver_.kill.insert(block, e);
          }
      }
    solver_.solve(g);
  }

  constexpr bit_view available_in(std::uint32_t block) const { return solver_.before(block); }
  constexpr bit_view available_out(std::uint32_t block) const { return solver_.after(block); }

  /// visit(op, set of the expressions available before it) for each op, block after block.
  template <class Visit>
  constexpr void visit_ops(dense_program const& p, dense_expressions const& all, Visit visit) const {
    bit_set now(all.size());
    for (std::uint32_t block = 0; block != p.block_count(); ++block) {
      std::ranges::copy(available_in(block).words(), now.words().begin());
      for (op_index const op : p.ops(block)) {
        visit(op, std::as_const(now));
        if (all.of(op) != npos) now.insert(all.of(op));
        for (blob_index const b : p.writes(op))
          for (expression_index const e : all.readers(b)) now.erase(e);
      }
    }
  }

 private:
  gen_kill_solver<flow_direction::forward, join_kind::all> solver_;
};

/// The same for a program, as it was at the last compute(). The program must stay where it is.
template <program P>
class available_expressions : public program_expressions<P> {
 public:
  using node = node_t<P>;
  using program_expressions<P>::expressions;
  using program_expressions<P>::snapshot;

  constexpr available_expressions() = default;
  template <op_kind_of<P> Kind>
  constexpr available_expressions(P const& p, Kind&& kind) {
    compute(p, std::forward<Kind>(kind));
  }
  // Any other function: says what is wanted.
  template <class Kind>
  available_expressions(P const&, Kind&&) {
    static_assert(detail::check_op_kind<Kind, P>());
  }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused, class Kind>
  available_expressions(P const&&, Kind&&) = delete;

  template <op_kind_of<P> Kind>
  constexpr void compute(P const& p, Kind&& kind) {
    program_expressions<P>::compute(p, std::forward<Kind>(kind));
    available_.compute(snapshot().graph(), snapshot().code(), expressions());
  }
  template <class Kind>
  void compute(P const&, Kind&&) {
    static_assert(detail::check_op_kind<Kind, P>());
  }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused, class Kind>
  void compute(P const&&, Kind&&) = delete;

  /// Expressions by number. Precondition: the entry reaches the block.
  constexpr bit_view available_in(node const& block) const {
    return available_.available_in(snapshot().graph().reached_number(block));
  }
  constexpr bit_view available_out(node const& block) const {
    return available_.available_out(snapshot().graph().reached_number(block));
  }

  /// visit(op, set of the expressions available before it) for each op that the entry reaches, block after block.
  template <class Visit>
  constexpr void visit_ops(Visit visit) const {
    available_.visit_ops(snapshot().code(), expressions(), visit);
  }
  /// The ops whose expression is available before them, ascending.
  constexpr std::vector<op_index> redundant_ops() const {
    std::vector<op_index> found;
    visit_ops([&](op_index op, bit_set const& available) {
      if (expressions().of(op) != npos && available.contains(expressions().of(op))) found.push_back(op);
    });
    return found;
  }

 private:
  dense_available_expressions available_;
};

template <program P, class Kind>
available_expressions(P const&, Kind&&) -> available_expressions<P>;

}  // namespace plait
