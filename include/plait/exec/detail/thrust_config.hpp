// Thrust configuration, to include before any Thrust header: without it, Thrust assumes that every program uses CUDA.
#pragma once

#include <plait/core/detail/cxx20.hpp>

// Spares host compilers the CUDA headers. Policies select backends, not this macro.
#if !defined(__CUDACC__) && !defined(THRUST_DEVICE_SYSTEM)
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif
