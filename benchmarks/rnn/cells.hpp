// Cells of one's own as nets, on a backend: what cells.cpp times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <plait/netdef/model.hpp>

#include "running_net.hpp"
#include "sequences.hpp"

namespace bench {

/// A cell over a sequence.
struct cell_net {
  plait::netdef net;
  int gates;                         ///< see sequence_case::flops
  std::vector<fed_blob> feeds;       ///< x, the parameters and, to train, dy, the gradient of the output
  std::vector<std::string> results;  ///< the output, then, to train, the gradients of the parameters
};

/// What the program was asked for.
struct cell_run {
  std::string_view cell;  ///< "gru", "layer_norm_lstm"
  sequence_case c;
  bool trains;
  int steps;
  std::string_view folder;  ///< results are written there as .npy, if there is one

  std::string text() const { return std::string(cell) + ' ' + c.text(trains); }
};

cell_net make_cell_net(cell_run const& r);

void time_cell_serial(unsigned threads, cell_run const& r);
void time_cell_omp(unsigned threads, cell_run const& r);
void time_cell_tbb(unsigned threads, cell_run const& r);
void profile_cell(cell_run const& r);

}  // namespace bench
