// User-defined cells as nets on a backend, the cases that cells.cpp times.
#pragma once

#include <string>
#include <string_view>

#include "running_net.hpp"
#include "sequences.hpp"

namespace bench {

/// One case to run, from the command line.
struct cell_run {
  std::string_view cell;  ///< "gru", "layer_norm_lstm"
  sequence_case c;
  bool trains;
  int steps;
  std::string_view folder;  ///< results are written there as .npy unless it is empty

  std::string text() const { return std::string(cell) + ' ' + c.text(trains); }
};

/// Fetches the output, then, to train, the gradients of the parameters; dy is the gradient of the output.
sequence_net make_cell_net(cell_run const& r);

void time_cell_serial(unsigned threads, cell_run const& r);
void time_cell_omp(unsigned threads, cell_run const& r);
void time_cell_tbb(unsigned threads, cell_run const& r);
void profile_cell(cell_run const& r);

}  // namespace bench
