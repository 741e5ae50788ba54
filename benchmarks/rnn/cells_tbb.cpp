#include <plait/exec/backends/tbb/tbb.hpp>

#include "cells_net.hpp"

namespace bench {

void time_cell_tbb(unsigned threads, cell_run const& r) { time_cell<plait::tbb>("plait_tbb", threads, r); }

}  // namespace bench
