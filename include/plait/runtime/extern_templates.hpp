// Declarations of the plans and operators that the library plait::runtime has compiled.
//
// Programs that use the templates and link the library do not compile them again for the backends whose headers precede
// this one:
//
//   #include <plait/exec/backends/tbb/tbb.hpp>
//   #include <plait/runtime/extern_templates.hpp>
//   auto plan = plait::compile(net, plait::standard_operators<plait::tbb>(), workspace);  // net: a netdef
//
// The target plait::runtime of CMake defines PLAIT_RUNTIME_<BACKEND> for each backend of the library.
#pragma once

#include <plait/exec/operators.hpp>
#include <plait/runtime/detail/plan_templates.hpp>

#define PLAIT_IN_RUNTIME(B)       \
  PLAIT_PLAN_TEMPLATES(extern, B) \
  extern template plait::operators<B> const& plait::standard_operators<B>();

#if defined(PLAIT_RUNTIME_SERIAL) && defined(PLAIT_SERIAL_BACKEND)
PLAIT_IN_RUNTIME(plait::serial)
#endif
#if defined(PLAIT_RUNTIME_OMP) && defined(PLAIT_OMP_BACKEND)
PLAIT_IN_RUNTIME(plait::omp)
#endif
#if defined(PLAIT_RUNTIME_TBB) && defined(PLAIT_TBB_BACKEND)
PLAIT_IN_RUNTIME(plait::tbb)
#endif
#if defined(PLAIT_RUNTIME_CUDA) && defined(PLAIT_CUDA_BACKEND)
PLAIT_IN_RUNTIME(plait::cuda)
#endif

#undef PLAIT_IN_RUNTIME
