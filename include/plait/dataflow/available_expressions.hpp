// Available expressions: computed on every path to a point, with no operand written since.
//
//   plait::available_expressions const available(f, [](auto const& net, auto const& op) { return is_pure(op); });
//   for (plait::op_index op : available.redundant_ops()) …  // recomputes an available expression
//
// J. Cocke, "Global Common Subexpression Elimination" (ACM SIGPLAN Notices 5(7), 1970, pp. 20–24). A bit-vector problem
// (gen_kill.hpp), forward, intersection over all paths; nothing is available at the entry. Beyond the solver's bounds
// O(operands + writes × expressions that read a blob). The user's kind function says which ops compute what
// (op_kinds.hpp). Expressions are equal lexically, by kind and operand names; value_numbering.hpp compares values.
// Blocks that the entry does not reach are not in the result.
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

/// Expressions available at the start and end of each block, by number. Self-contained: queries take program and
/// expressions as arguments. compute() again reuses the memory.
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

  /// Calls visit(op, set of the expressions available before it) for each op, in block order.
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

/// Available expressions of a program, as of the last compute(). Refers to the program, which must not move.
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
  // Rejects any other function with a static_assert that names the signature.
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

  /// Returns expressions by number. Precondition: the entry reaches the block.
  constexpr bit_view available_in(node const& block) const {
    return available_.available_in(snapshot().graph().reached_number(block));
  }
  constexpr bit_view available_out(node const& block) const {
    return available_.available_out(snapshot().graph().reached_number(block));
  }

  /// Calls visit(op, set of the expressions available before it) for each op that the entry reaches, in block order.
  template <class Visit>
  constexpr void visit_ops(Visit visit) const {
    available_.visit_ops(snapshot().code(), expressions(), visit);
  }
  /// Returns the ops whose expression is available before them, ascending.
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
