// Dead code: ops, phis and branches that nothing depends on which a program shows to the outside.
//
//   plait::program_ssa const ssa(f);
//   plait::dead_code<my::function> dead;
//   dead.compute(f, ssa, [](auto const& net, auto const& op) { return has_side_effects(op); });
//   erase(dead.dead_ops());
//   if (auto to = dead.jump(block)) replace_branch(block, *to);
//
// All is dead that is not found alive, as in R. Cytron, J. Ferrante, B. K. Rosen, M. N. Wegman, F. K. Zadeck,
// "Efficiently Computing Static Single Assignment Form and the Control Dependence Graph" (TOPLAS 13(4), 1991, pp.
// 451–490, §7.1): alive are ops with side effects and what the program results in, what those read, and the branches
// that decide whether they are executed, or which way a phi is come to. The branch of a block with several successors
// is its last op. It matters where the program ends. Endless loops stay, and so do all loops unless options say
// otherwise; which branches within an endless loop are alive follows from what post_dominators.hpp takes for its end.
// The ops found dead can be taken out of the program in its own names, not only of its SSA form.
//
// O(operands + phi arguments + control dependences): these are quadratic at worst, see control_dependence.hpp. Blocks
// that the entry does not reach are not in it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/dataflow/detail/dense_dead_code.hpp>
#include <plait/dataflow/detail/op_functions.hpp>
#include <plait/dataflow/detail/op_handles.hpp>
#include <plait/ssa/construction.hpp>

namespace plait {

/// What of a program in SSA form is alive, as of the last compute(). The form must stay where it is. Ops by number.
template <program P>
class dead_code {
 public:
  using node = node_t<P>;

  constexpr dead_code() = default;
  template <op_predicate_of<P> Essential>
  constexpr dead_code(P const& p, program_ssa<P> const& ssa, Essential&& essential,
                      dead_code_options const& options = {}) {
    compute(p, ssa, essential, options);
  }
  // Any other function: says what is wanted.
  template <class Essential>
  dead_code(P const&, program_ssa<P> const&, Essential&&, dead_code_options const& = {}) {
    static_assert(detail::check_essential<Essential, P>());
  }
  template <class Because = because::it_refers_to_the_ssa_form_so_a_temporary_is_refused, op_predicate_of<P> Essential>
  dead_code(P const&, program_ssa<P> const&&, Essential&&, dead_code_options const& = {}) = delete;

  /// essential(net, op): whether an op, as ops(net) yields it, is to stay whoever reads what it writes.
  template <op_predicate_of<P> Essential>
  constexpr void compute(P const& p, program_ssa<P> const& ssa, Essential&& essential,
                         dead_code_options const& options = {}) {
    ssa_ = &ssa;
    op_handles<P> const handles(p, ssa.snapshot());
    dense_.compute(
        ssa.graph(), ssa.form(), [&](op_index op) { return static_cast<bool>(handles.call(op, essential)); }, options);
  }
  template <class Essential>
  void compute(P const&, program_ssa<P> const&, Essential&&, dead_code_options const& = {}) {
    static_assert(detail::check_essential<Essential, P>());
  }
  template <class Because = because::it_refers_to_the_ssa_form_so_a_temporary_is_refused, op_predicate_of<P> Essential>
  void compute(P const&, program_ssa<P> const&&, Essential&&, dead_code_options const& = {}) = delete;

  constexpr bool is_live_op(op_index op) const { return dense_.is_live_op(op); }
  /// The ops that can be taken out, ascending.
  constexpr std::vector<op_index> dead_ops() const {
    std::vector<op_index> found;
    for (op_index op = 0; op != ssa_->form().op_count(); ++op)
      if (!is_live_op(op)) found.push_back(op);
    return found;
  }
  /// Whether it matters that control comes to a block. Precondition, as below: the entry reaches it.
  constexpr bool is_live_block(node const& block) const {
    return dense_.is_live_block(ssa_->graph().reached_number(block));
  }
  /// Whether it matters which way control leaves a block.
  constexpr bool is_live_branch(node const& block) const {
    return dense_.is_live_branch(ssa_->graph().reached_number(block));
  }
  /// Where control can go at once from a block with several successors whose branch is dead; none for all others.
  constexpr std::optional<node> jump(node const& block) const {
    std::uint32_t const to = dense_.jump(ssa_->graph().reached_number(block));
    return to == npos ? std::nullopt : std::optional<node>(ssa_->graph().node(to));
  }

  /// By number, phis among them.
  constexpr dense_dead_code const& dense() const noexcept { return dense_; }

 private:
  program_ssa<P> const* ssa_ = nullptr;
  dense_dead_code dense_;
};

template <program P, class Essential>
dead_code(P const&, program_ssa<P> const&, Essential&&) -> dead_code<P>;
template <program P, class Essential>
dead_code(P const&, program_ssa<P> const&, Essential&&, dead_code_options const&) -> dead_code<P>;

}  // namespace plait
