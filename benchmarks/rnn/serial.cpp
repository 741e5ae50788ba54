#include <plait/exec/backends/serial/serial.hpp>

#include "lstm_net.hpp"

namespace bench {

void time_serial(unsigned threads, sequence_case const& c, bool trains, int steps) {
  time_lstm<plait::serial>("plait_serial", threads, c, trains, steps);
}

void time_static(unsigned threads, sequence_case const& c, bool trains, int steps) {
  time_static_lstm<plait::serial>("plait_static", threads, c, trains, steps);
}

void profile_lstm(sequence_case const& c, bool trains, int steps) {
  running_net(make_lstm(c, trains), lstm_operators<plait::serial>()).profile(steps);
}

}  // namespace bench
