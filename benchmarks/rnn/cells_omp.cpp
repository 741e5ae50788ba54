#include <plait/exec/backends/omp/omp.hpp>

#include "cells_net.hpp"

namespace bench {

void time_cell_omp(unsigned threads, cell_run const& r) { time_cell<plait::omp>("plait_omp", threads, r); }

}  // namespace bench
