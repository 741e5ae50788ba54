// oneTBB backend.
#pragma once

#include <string_view>

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <plait/exec/detail/thrust_config.hpp>

#include <thrust/system/tbb/execution_policy.h>

#include <plait/exec/backends/tbb/detail/parallel.hpp>
#include <plait/exec/detail/host_memory.hpp>

#define PLAIT_TBB_BACKEND  // for runtime/extern_templates.hpp

namespace plait {

struct tbb : host_memory {
  static constexpr std::string_view name = "tbb";
  static auto policy() { return thrust::tbb::par; }
  /// Task group for ops that run nested nets concurrently.
  using task_group = ::tbb::task_group;
  using task_arena = ::tbb::task_arena;
  /// Returns true if loops are skipped, since an enclosing task group is cancelled.
  static bool is_cancelled() { return ::tbb::is_current_task_group_canceling(); }
  static unsigned concurrency() { return static_cast<unsigned>(::tbb::this_task_arena::max_concurrency()); }
};

}  // namespace plait
