#include <plait/exec/backends/tbb/tbb.hpp>

#include "operators.hpp"

void bench::time_operators_tbb(unsigned threads, std::vector<operator_case> const& cases) {
  time_operators<plait::tbb>("plait_tbb", threads, cases);
}
