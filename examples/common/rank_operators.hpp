// Operators of a program that may train on several ranks.
#pragma once

#include <plait/exec/operators.hpp>
#include <plait/exec/standard_operators.hpp>
#ifdef PLAIT_EXAMPLE_MPI
#include <plait/exec/mpi.hpp>
#endif

#include "common/ranks.hpp"

namespace example {

/// Returns the standard operators, and those of MPI where ranks train together.
template <plait::backend B>
plait::operators<B> const& operators_of([[maybe_unused]] ranks const& among) {
#ifdef PLAIT_EXAMPLE_MPI
  if (among.distributed) {
    static plait::operators<B> const with_mpi = [] {
      plait::operators<B> made = plait::standard_operators<B>();
      plait::add_mpi_operators(made);
      return made;
    }();
    return with_mpi;
  }
#endif
  return plait::standard_operators<B>();
}

}  // namespace example
