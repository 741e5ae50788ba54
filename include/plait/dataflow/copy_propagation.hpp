// Copy propagation: the origin of each value, through copies and through phis that merge a single value.
//
//   plait::program_ssa const ssa(f);
//   plait::copy_propagation<my::function> copies;
//   copies.compute(f, ssa, [](auto const& net, auto const& op, std::size_t output) {
//     return is_copy(op) ? std::optional(output) : std::nullopt;      // the input that the output copies
//   });
//   use copies.origin(v) instead of v
//
// Value numbering (value_numbering.hpp) that interprets copies only. Optimistic: a blob that a loop copies around
// equals its value before the loop. Phis of one block with equal arguments are one. O(passes × (operands + phi
// arguments)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/dataflow/detail/dense_value_numbering.hpp>
#include <plait/dataflow/detail/op_functions.hpp>
#include <plait/ssa/construction.hpp>

namespace plait {

/// Origins of the values of a program in SSA form, as of the last compute(). Refers to the form, which must not move.
template <program P>
class copy_propagation {
 public:
  constexpr copy_propagation() = default;
  template <copy_source_of<P> Source>
  constexpr copy_propagation(P const& p, program_ssa<P> const& ssa, Source&& source) {
    compute(p, ssa, source);
  }
  // Rejects any other function with a static_assert that names the signature.
  template <class Source>
  copy_propagation(P const&, program_ssa<P> const&, Source&&) {
    static_assert(detail::check_copy_source<Source, P>());
  }
  template <class Because = because::it_refers_to_the_ssa_form_so_a_temporary_is_refused, copy_source_of<P> Source>
  copy_propagation(P const&, program_ssa<P> const&&, Source&&) = delete;

  template <copy_source_of<P> Source>
  constexpr void compute(P const& p, program_ssa<P> const& ssa, Source&& source) {
    ssa_ = &ssa;
    kinds_.assign(ssa.form().op_count(), npos);
    op_handles<P> const handles(p, ssa.snapshot());
    numbering_.compute(ssa.form(), kinds_, detail::copied_inputs(handles, source));
    origins_ = numbering_.replacements(ssa.form(), ssa.dominators());
  }
  template <class Source>
  void compute(P const&, program_ssa<P> const&, Source&&) {
    static_assert(detail::check_copy_source<Source, P>());
  }
  template <class Because = because::it_refers_to_the_ssa_form_so_a_temporary_is_refused, copy_source_of<P> Source>
  void compute(P const&, program_ssa<P> const&&, Source&&) = delete;

  /// Returns the value that v is a copy of, whose definition dominates that of v; v itself if it is no copy.
  constexpr value origin(value v) const { return ssa_->form().version(origins_[ssa_->form().index(v)]); }
  constexpr bool is_copy(value v) const { return origin(v) != v; }
  /// Returns the origins by value number.
  constexpr std::span<value_index const> origins() const noexcept { return origins_; }

 private:
  program_ssa<P> const* ssa_ = nullptr;
  std::vector<std::uint32_t> kinds_;
  dense_value_numbering numbering_;
  std::vector<value_index> origins_;
};

template <program P, class Source>
copy_propagation(P const&, program_ssa<P> const&, Source&&) -> copy_propagation<P>;

}  // namespace plait
