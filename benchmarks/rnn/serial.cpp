#include <plait/exec/serial.hpp>

#include "lstm_net.hpp"

namespace bench {

void time_serial(unsigned threads, sequence_case const& c, bool trains, int steps) {
  time_lstm<plait::serial>("plait_serial", threads, c, trains, steps);
}

void profile_lstm(sequence_case const& c, bool trains, int steps) {
  make_running_lstm<plait::serial>(c, trains).profile(steps);
}

}  // namespace bench
