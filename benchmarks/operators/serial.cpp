#include <plait/exec/backends/serial/serial.hpp>

#include "operators.hpp"

void bench::time_operators_serial(unsigned threads, std::vector<operator_case> const& cases) {
  time_operators<plait::serial>("plait_serial", threads, cases);
}
