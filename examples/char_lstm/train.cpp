#include "train.hpp"

#include <common/by_backend.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#ifdef CHAR_LSTM_OMP
#include <plait/exec/backends/omp/omp.hpp>
#endif
#ifdef CHAR_LSTM_TBB
#include <plait/exec/backends/tbb/tbb.hpp>
#endif

namespace lstm {

namespace {

struct functions {
  decltype(&train_on<plait::serial>) train;
  decltype(&sample_on<plait::serial>) sample;
};

template <plait::backend B>
constexpr functions functions_on = {&train_on<B>, &sample_on<B>};

example::by_backend<functions> const built_in = {
#ifdef CHAR_LSTM_OMP
    {"omp", functions_on<plait::omp>},
#endif
#ifdef CHAR_LSTM_TBB
    {"tbb", functions_on<plait::tbb>},
#endif
    {"serial", functions_on<plait::serial>}};

}  // namespace

std::vector<std::string> backends() { return built_in.names(); }

std::vector<measurement> train(model& m, std::vector<std::int32_t> const& text, recipe const& how, schedule const& when,
                               std::string const& backend, example::ranks const& among, watcher const& watch) {
  return built_in.on(backend).train(m, text, how, when, among, watch);
}

std::vector<std::int32_t> sample(model const& m, sampling const& what, std::string const& backend) {
  return built_in.on(backend).sample(m, what);
}

}  // namespace lstm
