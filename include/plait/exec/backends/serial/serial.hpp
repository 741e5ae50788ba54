// Serial backend: one thread of the host.
#pragma once

#include <string_view>

#include <plait/exec/detail/thrust_config.hpp>

#include <thrust/system/cpp/execution_policy.h>

#include <plait/exec/detail/host_memory.hpp>

#define PLAIT_SERIAL_BACKEND  // for runtime/extern_templates.hpp

namespace plait {

struct serial : host_memory {
  static constexpr std::string_view name = "serial";
  static auto policy() { return thrust::cpp::par; }
  static constexpr unsigned concurrency() { return 1; }
};

}  // namespace plait
