#include "ranks.hpp"

#include <string>

#include <plait/core/errors.hpp>
#ifdef PLAIT_EXAMPLE_MPI
#include <plait/exec/mpi.hpp>
#endif

namespace example {

std::int64_t ranks::share(std::int64_t batch, std::string_view option) const {
  if (batch % size != 0)
    throw plait::error(std::string(option) + ": " + std::to_string(size) + " ranks cannot divide " +
                       std::to_string(batch));
  return batch / size;
}

ranks make_ranks(bool distributed) {
  if (!distributed) return {};
#ifdef PLAIT_EXAMPLE_MPI
  return {plait::mpi::rank(), plait::mpi::size(), true};
#else
  throw plait::error("--distributed: this program was built without MPI");
#endif
}

}  // namespace example
