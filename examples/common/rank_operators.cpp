#include "rank_operators.hpp"

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/standard_operators.hpp>
#ifdef PLAIT_EXAMPLE_OMP
#include <plait/exec/backends/omp/omp.hpp>
#endif
#ifdef PLAIT_EXAMPLE_TBB
#include <plait/exec/backends/tbb/tbb.hpp>
#endif
#ifdef PLAIT_EXAMPLE_MPI
#include <plait/exec/mpi.hpp>
#endif

namespace example {

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

template plait::operators<plait::serial> const& operators_of(ranks const&);
#ifdef PLAIT_EXAMPLE_OMP
template plait::operators<plait::omp> const& operators_of(ranks const&);
#endif
#ifdef PLAIT_EXAMPLE_TBB
template plait::operators<plait::tbb> const& operators_of(ranks const&);
#endif

}  // namespace example
