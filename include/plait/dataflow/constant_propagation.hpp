// Sparse conditional constant propagation (SCCP): values that are constant, and blocks and edges never executed.
//
//   plait::program_ssa const ssa(f);
//   plait::constant_propagation<long, my::function> constants;
//   constants.compute(f, ssa,
//       [](auto const& net, auto const& op, auto in, auto out) { … if (in[0] && in[1]) out[0] = *in[0] + *in[1]; },
//       [](auto const& net, auto const& op, auto in, auto) { … return in[0] ? std::optional(*in[0] ? 0 : 1) : …; });
//   if (auto const& c = constants.constant(v)) replace(v, *c);
//
// M. N. Wegman, F. K. Zadeck, "Constant Propagation with Conditional Branches" (TOPLAS 13(2), 1991, pp. 181–210), over
// any type of constants that compares with ==. O(edges + uses) calls: an op is evaluated when its block becomes
// executable and at most twice for each input. External inputs vary, and so do blobs that are read before a write.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/dataflow/detail/constant_problem.hpp>
#include <plait/dataflow/detail/op_functions.hpp>
#include <plait/dataflow/detail/op_handles.hpp>
#include <plait/dataflow/sparse_solver.hpp>
#include <plait/ssa/construction.hpp>

namespace plait {

/// Constants and executable edges of a program in SSA form, as of the last compute(). Refers to the form, which must
/// not move.
template <std::equality_comparable Constant, program P>
class constant_propagation {
 public:
  using node = node_t<P>;

  constexpr constant_propagation() = default;

  /// Solves with evaluate(net, op, in, out) and decide(net, op, in, out), which constant_problem specifies; the op is
  /// what ops(net) yields.
  template <constant_evaluator_of<Constant, P> Evaluate, branch_decider_of<Constant, P> Decide>
  constexpr void compute(P const& p, program_ssa<P> const& ssa, Evaluate&& evaluate, Decide&& decide) {
    ssa_ = &ssa;
    op_handles<P> const handles(p, ssa.snapshot());
    auto evaluate_op = [&](op_index op, auto in, auto out) {
      handles.call(op, [&](auto const& net, auto const& handle) { evaluate(net, handle, in, out); });
    };
    auto decide_op = [&](op_index op, auto in, auto out) -> std::optional<std::size_t> {
      return handles.call(op, [&](auto const& net, auto const& handle) -> std::optional<std::size_t> {
        return decide(net, handle, in, out);
      });
    };
    constant_problem<Constant, decltype(evaluate_op), decltype(decide_op)> problem(ssa.graph(), ssa.form(), evaluate_op,
                                                                                   decide_op);
    solver_.compute(ssa.graph(), ssa.form(), problem);
  }
  // Rejects any other function with a static_assert that names the signature.
  template <class Evaluate, class Decide>
  void compute(P const&, program_ssa<P> const&, Evaluate&&, Decide&&) {
    static_assert(detail::check_constant_evaluator<Evaluate, Constant, P>());
    static_assert(detail::check_branch_decider<Decide, Constant, P>());
  }
  template <class Because = because::it_refers_to_the_ssa_form_so_a_temporary_is_refused,
            constant_evaluator_of<Constant, P> Evaluate, branch_decider_of<Constant, P> Decide>
  void compute(P const&, program_ssa<P> const&&, Evaluate&&, Decide&&) = delete;

  /// Returns the constant, nullopt for a value that varies or is never computed.
  constexpr std::optional<Constant> const& constant(value v) const { return constant(ssa_->form().index(v)); }
  constexpr std::optional<Constant> const& constant(value_index v) const { return solver_[v].constant; }
  /// Returns true if control can come to a block; false for one that the entry does not reach.
  constexpr bool is_executable(node const& block) const {
    std::uint32_t const b = ssa_->graph().number(block);
    return b != npos && solver_.is_executable(b);
  }
  /// Returns true if control can go from a block to its successor number i.
  constexpr bool is_edge_executable(node const& block, std::size_t i) const {
    std::uint32_t const b = ssa_->graph().number(block);
    return b != npos && solver_.is_edge_executable(b, i);
  }
  /// Returns the blocks that the entry reaches in the graph but control cannot come to, in reverse postorder.
  constexpr std::vector<node> unexecutable_blocks() const {
    std::vector<node> found;
    for (std::uint32_t b = 0; b != ssa_->graph().size(); ++b)
      if (!solver_.is_executable(b)) found.push_back(ssa_->graph().node(b));
    return found;
  }

  /// Returns the solver, whose results are by number.
  constexpr sparse_solver<constant_state<Constant>> const& dense() const noexcept { return solver_; }

 private:
  program_ssa<P> const* ssa_ = nullptr;
  sparse_solver<constant_state<Constant>> solver_;
};

}  // namespace plait
