#include <plait/exec/backends/tbb/tbb.hpp>

#include "lstm_net.hpp"

namespace bench {

void time_tbb(unsigned threads, sequence_case const& c, bool trains, int steps) {
  time_lstm<plait::tbb>("plait_tbb", threads, c, trains, steps);
}

}  // namespace bench
