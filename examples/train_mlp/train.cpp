#include "train.hpp"

#include <common/by_backend.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#ifdef TRAIN_MLP_OMP
#include <plait/exec/backends/omp/omp.hpp>
#endif
#ifdef TRAIN_MLP_TBB
#include <plait/exec/backends/tbb/tbb.hpp>
#endif

namespace mlp {

namespace {

example::by_backend<decltype(&train_on<plait::serial>)> const built_in = {
#ifdef TRAIN_MLP_OMP
    {"omp", &train_on<plait::omp>},
#endif
#ifdef TRAIN_MLP_TBB
    {"tbb", &train_on<plait::tbb>},
#endif
    {"serial", &train_on<plait::serial>}};

}  // namespace

std::vector<std::string> backends() { return built_in.names(); }

std::vector<measurement> train(model& m, recipe const& how, schedule const& when, std::string const& backend,
                               example::ranks const& among, watcher const& watch) {
  return built_in.on(backend)(m, how, when, among, watch);
}

}  // namespace mlp
