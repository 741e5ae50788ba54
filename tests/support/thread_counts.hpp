// Backends that say how many threads they have, so that tests of what divides work do not depend on the machine.
#pragma once

#include <plait/exec/tbb.hpp>

namespace test {

struct one_thread : plait::tbb {
  static unsigned concurrency() { return 1; }
};
struct three_threads : plait::tbb {
  static unsigned concurrency() { return 3; }
};

}  // namespace test
