#include <plait/exec/backends/omp/omp.hpp>

#include "operators.hpp"

void bench::time_operators_omp(unsigned threads, std::vector<operator_case> const& cases) {
  time_operators<plait::omp>("plait_omp", threads, cases);
}
