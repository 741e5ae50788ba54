// User-defined recurrent cells, without fused ops: a GRU of plain ops, and an LSTM with layer normalisation.
// benchmarks/rivals/cells.py is the same in other libraries; benchmarks/rivals/compare.sh cells interleaves their runs,
// on the same numbers, and prints how far the results differ.
//
//   plait_cells [serial | omp | tbb | profile]... [--cell gru | layer_norm_lstm]... [--case T,N,I,H]... [--steps N]
//               [--infer | --train] [--results FOLDER]
//
// Prints lines like plait_lstm. `profile`: time by op, on one thread. --results: writes the output
// and the gradients of parameters of the last run as FOLDER/0.npy and so on.
#include <string>
#include <string_view>
#include <vector>

#include <omp.h>
#include <tbb/global_control.h>

#include "cells.hpp"

int main(int argc, char** argv) {
  auto const options = bench::sequence_options::read(argc, argv, {"--cell", "--results"});
  std::vector<std::string> cells = options.values[0];
  if (cells.empty()) cells = {"gru", "layer_norm_lstm"};
  std::string const folder = options.values[1].empty() ? "" : options.values[1].back();
  auto const threads = static_cast<unsigned>(omp_get_max_threads());
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
  for (std::string const& cell : cells)
    options.for_each_case([&](bench::sequence_case const& c, bool training) {
      for (std::string_view const word : options.words) {
        bench::cell_run const run{cell, c, training, options.steps, folder};
        if (word == "serial")
          bench::time_cell_serial(1, run);
        else if (word == "omp")
          bench::time_cell_omp(threads, run);
        else if (word == "tbb")
          bench::time_cell_tbb(threads, run);
        else if (word == "profile")
          bench::profile_cell(run);
        else
          bench::refuse_word(word);
      }
    });
}
