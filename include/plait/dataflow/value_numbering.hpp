// Global value numbering: which values are equal for certain, because the same is computed from equal values.
//
//   plait::program_ssa const ssa(f);
//   plait::value_numbering<my::function> numbering;
//   numbering.compute(f, ssa, [](auto const& net, auto const& op) { return is_pure(op); });
//   numbering.are_equal(a, b)
//   for (plait::op_index op : numbering.redundant_ops()) …  // what it makes has been made on every way
//
// Which ops compute something, and what, is for the user to say: op_kinds.hpp. Optimistic and by hashing, in reverse
// postorder until nothing changes: the RPO algorithm of L. T. Simpson, "Value-Driven Redundancy Elimination" (PhD
// thesis, Rice University, 1996, ch. 4), which finds the congruences of B. Alpern, M. N. Wegman, F. K. Zadeck,
// "Detecting Equality of Variables in Programs" (POPL 1988, pp. 1–11), and besides them phis of one value. Phis are
// equal only in one block. Equal means: at a point that the definitions of both dominate, they hold the same.
//
// O(passes × (operands + phi arguments)); each pass but the last finds a difference: one pass and one more to see that
// it was enough for programs without loops, a few in practice, as many as there are values at worst. A value of its
// own; computing again keeps the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/dataflow/detail/dense_value_numbering.hpp>
#include <plait/dataflow/detail/op_functions.hpp>
#include <plait/dataflow/detail/op_kinds.hpp>
#include <plait/ssa/construction.hpp>

namespace plait {

/// The equal values of a program in SSA form, as of the last compute(). The form must stay where it is.
template <program P>
class value_numbering {
 public:
  constexpr value_numbering() = default;
  template <op_kind_of<P> Kind>
  constexpr value_numbering(P const& p, program_ssa<P> const& ssa, Kind&& kind) {
    compute(p, ssa, std::forward<Kind>(kind));
  }
  // Any other function: says what is wanted.
  template <class Kind>
  value_numbering(P const&, program_ssa<P> const&, Kind&&) {
    static_assert(detail::check_op_kind<Kind, P>());
  }
  template <class Because = because::it_refers_to_the_ssa_form_so_a_temporary_is_refused, op_kind_of<P> Kind>
  value_numbering(P const&, program_ssa<P> const&&, Kind&&) = delete;

  template <op_kind_of<P> Kind>
  constexpr void compute(P const& p, program_ssa<P> const& ssa, Kind&& kind) {
    ssa_ = &ssa;
    number_kinds(ssa.snapshot(), p, kind, kinds_);
    numbering_.compute(ssa.form(), kinds_);
    replacements_ = numbering_.replacements(ssa.form(), ssa.dominators());
  }
  template <op_kind_of<P> Kind, copy_source_of<P> Source>
  constexpr void compute(P const& p, program_ssa<P> const& ssa, Kind&& kind, Source&& source) {
    ssa_ = &ssa;
    number_kinds(ssa.snapshot(), p, kind, kinds_);
    op_handles<P> const handles(p, ssa.snapshot());
    numbering_.compute(ssa.form(), kinds_, detail::copied_inputs(handles, source));
    replacements_ = numbering_.replacements(ssa.form(), ssa.dominators());
  }
  template <class Kind>
  void compute(P const&, program_ssa<P> const&, Kind&&) {
    static_assert(detail::check_op_kind<Kind, P>());
  }
  template <class Kind, class Source>
  void compute(P const&, program_ssa<P> const&, Kind&&, Source&&) {
    static_assert(detail::check_op_kind<Kind, P>());
    static_assert(detail::check_copy_source<Source, P>());
  }
  template <class Because = because::it_refers_to_the_ssa_form_so_a_temporary_is_refused, class... More>
  void compute(P const&, program_ssa<P> const&&, More&&...) = delete;

  constexpr bool are_equal(value a, value b) const { return numbering_.are_equal(number(a), number(b)); }
  /// Of the values that equal v, one that is made before it on every way, and the same for all it is made before; v
  /// itself if there is none. Every use of v can be one of it.
  constexpr value replacement(value v) const { return ssa_->form().version(replacements_[number(v)]); }
  /// The ops with outputs all of which have replacements, ascending.
  constexpr std::vector<op_index> redundant_ops() const {
    std::vector<op_index> found;
    for (op_index op = 0; op != ssa_->form().op_count(); ++op) {
      auto const writes = ssa_->form().writes(op);
      bool redundant = !writes.empty();
      for (value_index const v : writes) redundant = redundant && replacements_[v] != v;
      if (redundant) found.push_back(op);
    }
    return found;
  }

  /// By number.
  constexpr dense_value_numbering const& dense() const noexcept { return numbering_; }
  constexpr std::span<value_index const> replacements() const noexcept { return replacements_; }

 private:
  constexpr value_index number(value v) const { return ssa_->form().index(v); }

  program_ssa<P> const* ssa_ = nullptr;
  std::vector<std::uint32_t> kinds_;
  dense_value_numbering numbering_;
  std::vector<value_index> replacements_;
};

template <program P, class Kind>
value_numbering(P const&, program_ssa<P> const&, Kind&&) -> value_numbering<P>;

}  // namespace plait
