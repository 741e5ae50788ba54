// Comes before any header of Thrust: without it, Thrust takes every program for one of CUDA.
#pragma once

#include <plait/core/detail/cxx20.hpp>

// Host compilers need no CUDA headers then. Backends are chosen by their policies, not by this.
#if !defined(__CUDACC__) && !defined(THRUST_DEVICE_SYSTEM)
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif
