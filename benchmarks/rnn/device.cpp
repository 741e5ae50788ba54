// The LSTM of lstm.cpp and the cells of cells.cpp on a CUDA device. benchmarks/rivals/compare.sh device
// interleaves their runs with those of other libraries.
//
//   plait_device [plan | graph | profile]... [--cell lstm | gru | layer_norm_lstm]... [--case T,N,I,H]... [--steps N]
//                [--infer | --train] [--results FOLDER]
//
// Prints lines like plait_lstm and plait_cells, for one host thread. `plan` launches the ops of a step one by one,
// `graph` replays all of them as a CUDA graph; `profile` prints the time by op. --results: as plait_cells.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cells.hpp"
#include "device.hpp"
#include "lstm.hpp"

int main(int argc, char** argv) {
  auto const options = bench::sequence_options::read(argc, argv, {"--cell", "--results"}, {"plan", "graph"});
  std::vector<std::string> cells = options.values[0];
  if (cells.empty()) cells = {"lstm", "gru", "layer_norm_lstm"};
  std::string const folder = options.values[1].empty() ? "" : options.values[1].back();
  for (std::string const& cell : cells)
    options.for_each_case([&](bench::sequence_case const& c, bool training) {
      bool const is_lstm = cell == "lstm";
      bench::cell_run const run{cell, c, training, options.steps, folder};
      bench::sequence_net const net = is_lstm ? bench::make_lstm(c, training) : bench::make_cell_net(run);
      for (std::string_view const word : options.words) {
        if (word == "profile") {
          bench::profile_on_device(net, std::max(options.steps, 10));
          continue;
        }
        if (word != "plan" && word != "graph") bench::refuse_word(word);
        bench::time_on_device(word == "graph" ? bench::device_way::graph : bench::device_way::plan, net,
                              is_lstm ? c.text(training) : run.text(), c.flops(training, net.gates), options.steps,
                              folder);
      }
    });
}
