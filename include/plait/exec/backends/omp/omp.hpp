// OpenMP backend: compile with -fopenmp.
#pragma once

#include <string_view>

#include <omp.h>

#include <plait/exec/detail/thrust_config.hpp>

#include <thrust/system/omp/execution_policy.h>

#include <plait/exec/detail/host_memory.hpp>

#define PLAIT_OMP_BACKEND  // for runtime/extern_templates.hpp

namespace plait {

struct omp : host_memory {
  static constexpr std::string_view name = "omp";
  static auto policy() { return thrust::omp::par; }
  static unsigned concurrency() { return omp_in_parallel() != 0 ? 1 : static_cast<unsigned>(omp_get_max_threads()); }
};

}  // namespace plait
