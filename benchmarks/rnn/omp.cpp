#include <plait/exec/backends/omp/omp.hpp>

#include "lstm_net.hpp"

namespace bench {

void time_omp(unsigned threads, sequence_case const& c, bool trains, int steps) {
  time_lstm<plait::omp>("plait_omp", threads, c, trains, steps);
}

}  // namespace bench
