#include <algorithm>

#include <plait/exec/backends/serial/serial.hpp>

#include "cells_net.hpp"

namespace bench {

void time_cell_serial(unsigned threads, cell_run const& r) { time_cell<plait::serial>("plait_serial", threads, r); }

void profile_cell(cell_run const& r) {
  running_net(make_cell_net(r), cell_operators<plait::serial>()).profile(std::max(r.steps, 10));
}

}  // namespace bench
