// Available expressions: what has been computed on every way to a point, of operands that have not been written since.
//
//   plait::available_expressions const available(f, [](auto const& net, auto const& op) { return is_pure(op); });
//   for (plait::op_index op : available.redundant_ops()) …  // computes what has been computed already
//
// Which ops compute something, and what, is for the user to say: op_kinds.hpp. Expressions are compared as they are
// written, by kind and names; for values, see global_value_numbering.hpp. J. Cocke, "Global Common Subexpression
// Elimination" (ACM SIGPLAN Notices 5(7), 1970, pp. 20–24). Bit vectors (gen_kill.hpp), forward, every way; nothing is
// available where the program starts. Beyond the solver's bounds O(operands + writes × expressions that read a blob).
// Blocks that the entry does not reach are not in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/bit_set.hpp>
#include <plait/core/npos.hpp>
#include <plait/dataflow/expressions.hpp>
#include <plait/dataflow/gen_kill.hpp>
#include <plait/dataflow/op_kinds.hpp>
#include <plait/graph/dense_graph.hpp>
#include <plait/ssa/dense_program.hpp>
#include <plait/ssa/program_snapshot.hpp>

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
class available_expressions {
 public:
  using node = node_t<P>;

  constexpr available_expressions() = default;
  template <op_kind_of<P> Kind>
  constexpr available_expressions(P const& p, Kind&& kind) {
    compute(p, std::forward<Kind>(kind));
  }
  template <class Kind>
  available_expressions(P const&&, Kind&&) = delete;

  template <op_kind_of<P> Kind>
  constexpr void compute(P const& p, Kind&& kind) {
    snapshot_.compute(p);
    number_kinds(snapshot_, p, kind, kinds_);
    expressions_.compute(snapshot_.code(), kinds_);
    available_.compute(snapshot_.graph(), snapshot_.code(), expressions_);
  }
  template <class Kind>
  void compute(P const&&, Kind&&) = delete;

  constexpr program_snapshot<P> const& snapshot() const noexcept { return snapshot_; }
  constexpr dense_expressions const& expressions() const noexcept { return expressions_; }

  /// The number of the `place`-th op of a block.
  constexpr op_index op(node const& block, std::size_t place) const { return snapshot_.op(block, place); }
  /// Expressions by number. Precondition: the entry reaches the block.
  constexpr bit_view available_in(node const& block) const { return available_.available_in(number(block)); }
  constexpr bit_view available_out(node const& block) const { return available_.available_out(number(block)); }

  /// visit(op, set of the expressions available before it) for each op that the entry reaches, block after block.
  template <class Visit>
  constexpr void visit_ops(Visit visit) const {
    available_.visit_ops(snapshot_.code(), expressions_, visit);
  }
  /// The ops whose expression is available before them, ascending.
  constexpr std::vector<op_index> redundant_ops() const {
    std::vector<op_index> found;
    visit_ops([&](op_index op, bit_set const& available) {
      if (expressions_.of(op) != npos && available.contains(expressions_.of(op))) found.push_back(op);
    });
    return found;
  }

 private:
  constexpr std::uint32_t number(node const& block) const {
    std::uint32_t const b = snapshot_.graph().number(block);
    PLAIT_ASSERT(b != npos, "available_expressions: the entry does not reach this block");
    return b;
  }

  program_snapshot<P> snapshot_;
  std::vector<std::uint32_t> kinds_;
  dense_expressions expressions_;
  dense_available_expressions available_;
};

template <program P, class Kind>
available_expressions(P const&, Kind&&) -> available_expressions<P>;

}  // namespace plait
