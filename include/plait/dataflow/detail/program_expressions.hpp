// Expressions of a program: the common base of the expression analyses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <plait/core/detail/refused.hpp>
#include <plait/dataflow/detail/expressions.hpp>
#include <plait/dataflow/detail/op_kinds.hpp>
#include <plait/ssa/detail/program_snapshot.hpp>

namespace plait {

/// Snapshot of a program and the expressions that its ops compute, as of the last compute(), which reuses the memory.
/// Refers to the program, which must not move. `kind` is specified in op_kinds.hpp.
template <program P>
class program_expressions {
 public:
  constexpr program_expressions() = default;
  template <op_kind_of<P> Kind>
  constexpr program_expressions(P const& p, Kind&& kind) {
    compute(p, std::forward<Kind>(kind));
  }
  // Rejects any other function with a static_assert that names the signature.
  template <class Kind>
  program_expressions(P const&, Kind&&) {
    static_assert(detail::check_op_kind<Kind, P>());
  }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused, class Kind>
  program_expressions(P const&&, Kind&&) = delete;

  template <op_kind_of<P> Kind>
  constexpr void compute(P const& p, Kind&& kind) {
    snapshot_.compute(p);
    number_kinds(snapshot_, p, kind, kinds_);
    expressions_.compute(snapshot_.code(), kinds_);
  }
  template <class Kind>
  void compute(P const&, Kind&&) {
    static_assert(detail::check_op_kind<Kind, P>());
  }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused, class Kind>
  void compute(P const&&, Kind&&) = delete;

  constexpr program_snapshot<P> const& snapshot() const noexcept { return snapshot_; }
  constexpr dense_expressions const& expressions() const noexcept { return expressions_; }
  /// Returns the number of the `place`-th op of a block.
  constexpr op_index op(node_t<P> const& block, std::size_t place) const { return snapshot_.op(block, place); }

 private:
  program_snapshot<P> snapshot_;
  std::vector<std::uint32_t> kinds_;
  dense_expressions expressions_;
};

}  // namespace plait
