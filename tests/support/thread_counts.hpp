// Backends with a fixed number of threads, so that tests of work partitioning do not depend on the machine.
#pragma once

#include <plait/exec/backends/tbb/tbb.hpp>

namespace test {

struct one_thread : plait::tbb {
  static unsigned concurrency() { return 1; }
};
struct three_threads : plait::tbb {
  static unsigned concurrency() { return 3; }
};

}  // namespace test
