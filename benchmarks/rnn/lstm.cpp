// LSTM over a sequence as a net: the input projection hoisted out of the loop, RecurrentNetwork, and for training the
// gradients of all parameters. benchmarks/rivals/lstm.py is the same in other libraries;
// benchmarks/rivals/compare.sh lstm interleaves their runs.
//
//   plait_lstm [serial | static | omp | tbb | onednn | profile]... [--case T,N,I,H] [--steps N] [--infer | --train]
//
// Prints one line per case: subject, threads, milliseconds (median, then the fastest), the case, GFLOP/s. `static`: the
// layer of a static cell on one thread, without a net. `profile`: time by op, on one thread. OMP_NUM_THREADS is the
// only other setting; tbb takes as many threads as omp.
#include <algorithm>
#include <string_view>

#include <omp.h>
#include <tbb/global_control.h>

#include "lstm.hpp"

int main(int argc, char** argv) {
  auto const options = bench::sequence_options::read(argc, argv);
  auto const threads = static_cast<unsigned>(omp_get_max_threads());
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
  options.for_each_case([&](bench::sequence_case const& c, bool training) {
    for (std::string_view const word : options.words) {
      if (word == "serial")
        bench::time_serial(1, c, training, options.steps);
      else if (word == "static")
        bench::time_static(1, c, training, options.steps);
      else if (word == "omp")
        bench::time_omp(threads, c, training, options.steps);
      else if (word == "tbb")
        bench::time_tbb(threads, c, training, options.steps);
      else if (word == "profile")
        bench::profile_lstm(c, training, std::max(options.steps, 10));
#if defined(PLAIT_BENCH_ONEDNN)
      else if (word == "onednn")
        bench::time_onednn(threads, c, training, options.steps);
#endif
      else
        bench::refuse_word(word);
    }
  });
}
