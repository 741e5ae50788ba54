// Four TBB threads for tests of parallel code, also on machines with fewer processors.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace test {

struct some_threads {
  tbb::global_control allowed{tbb::global_control::max_allowed_parallelism, 4};
  tbb::task_arena arena{4};

  template <class F>
  auto execute(F&& f) {
    return arena.execute(f);
  }
};

}  // namespace test
