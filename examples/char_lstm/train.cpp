#include "train.hpp"

#include <map>

#include <plait/exec/serial.hpp>
#ifdef CHAR_LSTM_OMP
#include <plait/exec/omp.hpp>
#endif
#ifdef CHAR_LSTM_TBB
#include <plait/exec/tbb.hpp>
#endif

namespace lstm {

namespace {

struct functions {
  decltype(&train_on<plait::serial>) train;
  decltype(&sample_on<plait::serial>) sample;
};

template <plait::backend B>
constexpr functions functions_on = {&train_on<B>, &sample_on<B>};

std::map<std::string, functions> const built_in = {
#ifdef CHAR_LSTM_OMP
    {"omp", functions_on<plait::omp>},
#endif
#ifdef CHAR_LSTM_TBB
    {"tbb", functions_on<plait::tbb>},
#endif
    {"serial", functions_on<plait::serial>}};

functions const& on(std::string const& backend) {
  auto const found = built_in.find(backend);
  if (found == built_in.end()) throw plait::error("there is no backend '" + backend + "'");
  return found->second;
}

}  // namespace

std::vector<std::string> const& backends() {
  static std::vector<std::string> const names = [] {
    std::vector<std::string> made;
    for (auto const& [name, what] : built_in) made.push_back(name);
    return made;
  }();
  return names;
}

std::vector<measurement> train(model& m, std::vector<std::int32_t> const& text, recipe const& how, std::int64_t steps,
                               std::string const& backend, watcher const& watch) {
  return on(backend).train(m, text, how, steps, watch);
}

std::vector<std::int32_t> sample(model const& m, sampling const& what, std::string const& backend) {
  return on(backend).sample(m, what);
}

}  // namespace lstm
