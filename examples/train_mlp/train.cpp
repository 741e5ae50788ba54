#include "train.hpp"

#include <map>

#include <plait/exec/serial.hpp>
#ifdef TRAIN_MLP_OMP
#include <plait/exec/omp.hpp>
#endif
#ifdef TRAIN_MLP_TBB
#include <plait/exec/tbb.hpp>
#endif

namespace mlp {

namespace {

std::map<std::string, decltype(&train_on<plait::serial>)> const built_in = {
#ifdef TRAIN_MLP_OMP
    {"omp", &train_on<plait::omp>},
#endif
#ifdef TRAIN_MLP_TBB
    {"tbb", &train_on<plait::tbb>},
#endif
    {"serial", &train_on<plait::serial>}};

}  // namespace

std::vector<std::string> const& backends() {
  static std::vector<std::string> const names = [] {
    std::vector<std::string> made;
    for (auto const& [name, what] : built_in) made.push_back(name);
    return made;
  }();
  return names;
}

std::vector<measurement> train(model& m, recipe const& how, std::int64_t steps, std::string const& backend,
                               watcher const& watch) {
  auto const found = built_in.find(backend);
  if (found == built_in.end()) throw plait::error("there is no backend '" + backend + "'");
  return found->second(m, how, steps, watch);
}

}  // namespace mlp
