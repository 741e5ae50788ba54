// Runs of plait_device, compiled by nvcc.
#include <plait/exec/backends/cuda/cublas.hpp>
#include <plait/exec/backends/cuda/cuda_graph.hpp>

#include "cells_net.hpp"
#include "device.hpp"

void bench::profile_on_device(sequence_net const& net, int steps) {
  running_net(net, cell_operators<plait::cuda>()).profile(steps);
}

void bench::time_on_device(device_way way, sequence_net const& made, std::string const& what, double flops, int steps,
                           std::string const& folder) {
  running_net<plait::cuda> net(made, cell_operators<plait::cuda>());
  plait::captured_runs<plait::cuda> runs(net.plan());
  bool const graph = way == device_way::graph;
  time_runs(graph ? "plait_graph" : "plait_cuda", 1, what, flops, steps, [&] {
    if (graph)
      runs.run();
    else
      net.run();
    plait::cuda::synchronize();
  });
  if (graph && !runs.is_captured()) std::printf("# %s: not recorded\n", what.c_str());
  if (!folder.empty()) net.write_results(folder, made.options.fetch);
}
