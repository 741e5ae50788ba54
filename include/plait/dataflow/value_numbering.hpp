// Global value numbering: values that are equal because equal ops compute them from equal values.
//
//   plait::program_ssa const ssa(f);
//   plait::value_numbering<my::function> numbering;
//   numbering.compute(f, ssa, [](auto const& net, auto const& op) { return is_pure(op); });
//   numbering.are_equal(a, b)
//   for (plait::op_index op : numbering.redundant_ops()) …  // equal values are computed on every path to it
//
// The RPO algorithm of L. T. Simpson, "Value-Driven Redundancy Elimination" (PhD thesis, Rice University, 1996, ch. 4):
// optimistic, by hashing, in reverse postorder to a fixed point. It finds the congruences of B. Alpern, M. N. Wegman,
// F. K. Zadeck, "Detecting Equality of Variables in Programs" (POPL 1988, pp. 1–11), and phis that merge a single
// value. Phis are congruent only within a block. Equal values hold the same at every point that both definitions
// dominate. The user's kind function says which ops compute what (op_kinds.hpp).
//
// O(passes × (operands + phi arguments)). Each pass but the last finds a difference: two passes for programs without
// loops, a few in practice, as many as there are values at worst. compute() again reuses the memory.
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

/// Equal values of a program in SSA form, as of the last compute(). Refers to the form, which must not move.
template <program P>
class value_numbering {
 public:
  constexpr value_numbering() = default;
  template <op_kind_of<P> Kind>
  constexpr value_numbering(P const& p, program_ssa<P> const& ssa, Kind&& kind) {
    compute(p, ssa, std::forward<Kind>(kind));
  }
  // Rejects any other function with a static_assert that names the signature.
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
  /// Returns an equal value whose definition dominates that of v, the same one for all equal values that it dominates;
  /// v itself if there is none. It can replace every use of v.
  constexpr value replacement(value v) const { return ssa_->form().version(replacements_[number(v)]); }
  /// Returns the ops that have outputs, all of them with replacements, ascending.
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

  /// Returns the results by number.
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
