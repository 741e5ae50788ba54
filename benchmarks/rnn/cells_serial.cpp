#include <algorithm>

#include <plait/exec/serial.hpp>

#include "cells_net.hpp"

namespace bench {

void time_cell_serial(unsigned threads, cell_run const& r) { time_cell<plait::serial>("plait_serial", threads, r); }

void profile_cell(cell_run const& r) {
  cell_net const made = make_cell_net(r);
  running_net<plait::serial> net(made.net, cell_operators<plait::serial>(), made.feeds, {.fetch = made.results});
  net.profile(std::max(r.steps, 10));
}

}  // namespace bench
