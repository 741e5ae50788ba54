#include "train.hpp"

#include <plait/exec/omp.hpp>
#include <plait/exec/serial.hpp>
#include <plait/exec/tbb.hpp>

namespace mlp {

std::vector<measurement> train(model& m, recipe const& how, std::int64_t steps, std::string const& backend,
                               watcher const& watch) {
  if (backend == "serial") return train_on<plait::serial>(m, how, steps, watch);
  if (backend == "omp") return train_on<plait::omp>(m, how, steps, watch);
  if (backend == "tbb") return train_on<plait::tbb>(m, how, steps, watch);
  throw plait::error("there is no backend '" + backend + "'");
}

}  // namespace mlp
