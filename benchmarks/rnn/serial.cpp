#include <plait/exec/serial.hpp>

#include "lstm_net.hpp"

namespace bench {

void time_serial(unsigned threads, lstm_case const& c, bool trains, int steps) {
  time_lstm<plait::serial>("plait_serial", threads, c, trains, steps);
}

void profile_lstm(lstm_case const& c, bool trains, int steps) { lstm<plait::serial>(c, trains).profile(steps); }

}  // namespace bench
