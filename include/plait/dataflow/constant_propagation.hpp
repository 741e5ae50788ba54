// Sparse conditional constant propagation: which values are always the same, and which ways control never takes.
//
//   plait::program_ssa const ssa(f);
//   plait::constant_propagation<long, my::function> constants;
//   constants.compute(f, ssa,
//       [](auto const& net, auto const& op, auto in, auto out) { … if (in[0] && in[1]) out[0] = *in[0] + *in[1]; },
//       [](auto const& net, auto const& op, auto in, auto) { … return in[0] ? std::optional(*in[0] ? 0 : 1) : …; });
//   if (auto const& c = constants.constant(v)) replace(v, *c);
//
// M. N. Wegman, F. K. Zadeck, "Constant Propagation with Conditional Branches" (TOPLAS 13(2), 1991, pp. 181–210), over
// any type of constants that compares with ==. O(edges + uses) calls: an op is asked when its block is reached and
// twice at most for each input. What a program is given varies, and so do blobs that are read before they are written.
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

/// What is known of a value: nothing yet, that it is a constant, or that it varies.
template <class Constant>
struct constant_state {
  std::optional<Constant> constant;
  bool varies = false;

  constexpr bool is_unknown() const { return !varies && !constant; }
  friend constexpr bool operator==(constant_state const&, constant_state const&) = default;
};

/// The problem itself, by number. evaluate(op, in, out) fills in what is constant of `out`, all of which is nothing,
/// from `in`, a span of std::optional<Constant>, nothing where an input varies. decide(op, in, out) is asked of the
/// last op of a block that has several successors and gives which of them control goes to, a std::optional of a number,
/// nothing if that varies. Both must answer the same each time, and no less when more inputs are constant.
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
    std::size_t const ways = graph_->successors(block).size();
    std::optional<std::size_t> decided;
    if (ways > 1 && !form_->ops(block).empty()) {
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
    for (std::size_t way = 0; way != ways; ++way) take(way);
  }

 private:
  // False while nothing is known of some input.
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

/// Constants and unreachable ways of a program in SSA form, as of the last compute(). The form must stay where it is.
template <std::equality_comparable Constant, program P>
class constant_propagation {
 public:
  using node = node_t<P>;

  constexpr constant_propagation() = default;

  /// evaluate(net, op, in, out) and decide(net, op, in, out): as constant_problem says, of an op as ops(net) yields it.
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
  // Any other function: says what is wanted.
  template <class Evaluate, class Decide>
  void compute(P const&, program_ssa<P> const&, Evaluate&&, Decide&&) {
    static_assert(detail::check_constant_evaluator<Evaluate, Constant, P>());
    static_assert(detail::check_branch_decider<Decide, Constant, P>());
  }
  template <class Because = because::it_refers_to_the_ssa_form_so_a_temporary_is_refused,
            constant_evaluator_of<Constant, P> Evaluate, branch_decider_of<Constant, P> Decide>
  void compute(P const&, program_ssa<P> const&&, Evaluate&&, Decide&&) = delete;

  /// Nothing for values that vary, and for those that are never made.
  constexpr std::optional<Constant> const& constant(value v) const { return constant(ssa_->form().index(v)); }
  constexpr std::optional<Constant> const& constant(value_index v) const { return solver_[v].constant; }
  /// Whether control can come to a block; false also for those that the entry does not reach.
  constexpr bool is_executable(node const& block) const {
    std::uint32_t const b = ssa_->graph().number(block);
    return b != npos && solver_.is_executable(b);
  }
  /// Whether control can go from a block to its successor number i.
  constexpr bool is_edge_executable(node const& block, std::size_t i) const {
    std::uint32_t const b = ssa_->graph().number(block);
    return b != npos && solver_.is_edge_executable(b, i);
  }
  /// The blocks that the entry reaches in the graph, but control cannot come to. In reverse postorder.
  constexpr std::vector<node> unexecutable_blocks() const {
    std::vector<node> found;
    for (std::uint32_t b = 0; b != ssa_->graph().size(); ++b)
      if (!solver_.is_executable(b)) found.push_back(ssa_->graph().node(b));
    return found;
  }

  /// By number.
  constexpr sparse_solver<constant_state<Constant>> const& dense() const noexcept { return solver_; }

 private:
  program_ssa<P> const* ssa_ = nullptr;
  sparse_solver<constant_state<Constant>> solver_;
};

}  // namespace plait
