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
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/dataflow/detail/op_functions.hpp>
#include <plait/dataflow/detail/op_handles.hpp>
#include <plait/dataflow/sparse_solver.hpp>
#include <plait/ssa/construction.hpp>

namespace plait {

/// Lattice of constant propagation: unknown (top), a constant, or varying (bottom).
template <class Constant>
struct constant_state {
  std::optional<Constant> constant;
  bool varies = false;

  constexpr bool is_unknown() const { return !varies && !constant; }
  friend constexpr bool operator==(constant_state const&, constant_state const&) = default;
};

/// Sparse problem of constant propagation, by number. evaluate(op, in, out) reads `in`, a span of
/// std::optional<Constant>, nullopt where an input varies, and sets the outputs that are constant in `out`, initially
/// all nullopt. decide(op, in, out) is called with the last op of a block that has several successors and returns the
/// number of the successor that control goes to, as a std::optional: nullopt if it varies. Both must be deterministic,
/// and monotone: more constant inputs must not give less.
template <std::equality_comparable Constant, class Evaluate, class Decide>
class constant_problem {
 public:
  using value_type = constant_state<Constant>;

  constexpr constant_problem(dense_graph const& g, dense_ssa const& form, Evaluate& evaluate, Decide& decide)
      : graph_(&g), form_(&form), evaluate_(&evaluate), decide_(&decide) {}

  constexpr value_type initial() const { return {}; }
  constexpr value_type boundary(value_index) const { return {std::nullopt, true}; }
  constexpr bool join(value_type& into, value_type const& from) const {
    if (into.varies || from.is_unknown() || into == from) return false;
    if (into.is_unknown())
      into = from;
    else
      into = {std::nullopt, true};
    return true;
  }
  constexpr void transfer(op_index op, std::span<value_type const> in, std::span<value_type> out) {
    if (!load(in)) return;
    out_.assign(out.size(), std::nullopt);
    (*evaluate_)(op, std::span<std::optional<Constant> const>(in_), std::span<std::optional<Constant>>(out_));
    for (std::size_t i = 0; i != out.size(); ++i)
      join(out[i], out_[i] ? value_type{out_[i], false} : value_type{std::nullopt, true});
  }
  template <class States, class Take>
  constexpr void branch(std::uint32_t block, States const& states, Take take) {
    std::size_t const successors = graph_->successors(block).size();
    std::optional<std::size_t> decided;
    if (successors > 1 && !form_->ops(block).empty()) {
      op_index const last = form_->first_op[block + 1] - 1;
      cells_.clear();
      for (value_index const v : form_->reads(last)) cells_.push_back(states[v]);
      if (!load(cells_)) return;
      out_.clear();
      for (value_index const v : form_->writes(last)) out_.push_back(states[v].constant);
      decided = (*decide_)(last, std::span<std::optional<Constant> const>(in_),
                           std::span<std::optional<Constant> const>(out_));
    }
    if (decided) return take(*decided);
    for (std::size_t i = 0; i != successors; ++i) take(i);
  }

 private:
  // Returns false while some input is unknown.
  constexpr bool load(std::span<value_type const> in) {
    in_.clear();
    for (value_type const& state : in) {
      if (state.is_unknown()) return false;
      in_.push_back(state.constant);
    }
    return true;
  }

  dense_graph const* graph_;
  dense_ssa const* form_;
  Evaluate* evaluate_;
  Decide* decide_;
  std::vector<std::optional<Constant>> in_;
  std::vector<std::optional<Constant>> out_;
  std::vector<value_type> cells_;
};

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
