// Dead code analysis: ops, phis and branches that no result and no side effect depends on.
//
//   plait::program_ssa const ssa(f);
//   plait::dead_code<my::function> dead;
//   dead.compute(f, ssa, [](auto const& net, auto const& op) { return has_side_effects(op); });
//   erase(dead.dead_ops());
//   if (auto to = dead.jump(block)) replace_branch(block, *to);
//
// Aggressive: everything is dead that is not found live, as in R. Cytron, J. Ferrante, B. K. Rosen, M. N. Wegman,
// F. K. Zadeck, "Efficiently Computing Static Single Assignment Form and the Control Dependence Graph" (TOPLAS 13(4),
// 1991, pp. 451–490, §7.1). Live are ops with side effects, definitions of program results, the operands of live ops,
// and the branches that live code and the incoming edges of live phis are control dependent on. The branch of a block
// with several successors is its last op. Which exit the program ends at counts as a result. Endless loops are live,
// and so are all loops unless dead_code_options say otherwise; which branches within an endless loop are live follows
// from the exits that post_dominators.hpp chooses for it. Dead ops can be removed from the program in its original
// names, not only from its SSA form.
//
// O(operands + phi arguments + control dependences); the last are quadratic at worst, see control_dependence.hpp.
// Blocks that the entry does not reach are not in the result.
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

/// Live and dead code of a program in SSA form, as of the last compute(). Refers to the form, which must not move. Ops
/// are by number.
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
  // Rejects any other function with a static_assert that names the signature.
  template <class Essential>
  dead_code(P const&, program_ssa<P> const&, Essential&&, dead_code_options const& = {}) {
    static_assert(detail::check_essential<Essential, P>());
  }
  template <class Because = because::it_refers_to_the_ssa_form_so_a_temporary_is_refused, op_predicate_of<P> Essential>
  dead_code(P const&, program_ssa<P> const&&, Essential&&, dead_code_options const& = {}) = delete;

  /// Finds live code. essential(net, op), of an op as ops(net) yields it, returns true if the op is live even if
  /// nothing reads its outputs.
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
  /// Returns the ops that can be removed, ascending.
  constexpr std::vector<op_index> dead_ops() const {
    std::vector<op_index> found;
    for (op_index op = 0; op != ssa_->form().op_count(); ++op)
      if (!is_live_op(op)) found.push_back(op);
    return found;
  }
  /// Returns true if something live depends on control coming to the block. Precondition of these three: the entry
  /// reaches the block.
  constexpr bool is_live_block(node const& block) const {
    return dense_.is_live_block(ssa_->graph().reached_number(block));
  }
  /// Returns true if something live depends on the successor that control goes to.
  constexpr bool is_live_branch(node const& block) const {
    return dense_.is_live_branch(ssa_->graph().reached_number(block));
  }
  /// Returns the block that a dead branch can be replaced by a jump to; nullopt for a block with a live branch or fewer
  /// than two successors.
  constexpr std::optional<node> jump(node const& block) const {
    std::uint32_t const to = dense_.jump(ssa_->graph().reached_number(block));
    return to == npos ? std::nullopt : std::optional<node>(ssa_->graph().node(to));
  }

  /// Returns the results by number, including phis.
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
