// Declarations of the plans, operators and gradients that the library plait::runtime has compiled.
//
// Programs that use the templates and link the library do not compile them again for the backends whose headers precede
// this one, nor gradients if plait/gradient.hpp does:
//
//   #include <plait/exec/backends/tbb/tbb.hpp>
//   #include <plait/runtime/extern_templates.hpp>
//   auto plan = plait::compile(net, plait::standard_operators<plait::tbb>(), workspace);  // net: a netdef
//
// The target plait::runtime of CMake defines PLAIT_RUNTIME, and PLAIT_RUNTIME_<BACKEND> for each backend of the
// library.
#pragma once

#include <plait/exec/operators.hpp>
#include <plait/runtime/detail/plan_templates.hpp>

// Operators that programs add without the others.
#define PLAIT_EACH_OPERATOR(DO, B)              \
  DO(add_activation_operators, B)               \
  DO(add_arithmetic_operators, B)               \
  DO(add_cast_operators, B)                     \
  DO(add_control_flow_operators, B)             \
  DO(add_convolution_operators, B)              \
  DO(add_convolution_gradient_operators, B)     \
  DO(add_fill_operators, B)                     \
  DO(add_fully_connected_operators, B)          \
  DO(add_fully_connected_gradient_operators, B) \
  DO(add_function_operators, B)                 \
  DO(add_gather_operators, B)                   \
  DO(add_learning_rate_operators, B)            \
  DO(add_matmul_operators, B)                   \
  DO(add_optimizer_operators, B)                \
  DO(add_random_fill_operators, B)              \
  DO(add_reduction_operators, B)                \
  DO(add_scatter_operators, B)                  \
  DO(add_scope_operators, B)                    \
  DO(add_set_operators, B)                      \
  DO(add_sparse_optimizer_operators, B)         \
  DO(add_sum_operators, B)                      \
  DO(add_unsorted_segment_operators, B)

#define PLAIT_DECLARE_OPERATOR(ADD, B) \
  template <backend B>                 \
  void ADD(operators<B>& table);
namespace plait {
PLAIT_EACH_OPERATOR(PLAIT_DECLARE_OPERATOR, B)
}  // namespace plait
#undef PLAIT_DECLARE_OPERATOR

#define PLAIT_EXTERN_OPERATOR(ADD, B) extern template void plait::ADD<B>(plait::operators<B>&);
#define PLAIT_IN_RUNTIME(B)                                                  \
  PLAIT_PLAN_TEMPLATES(extern, B)                                            \
  extern template plait::operators<B> const& plait::standard_operators<B>(); \
  PLAIT_EACH_OPERATOR(PLAIT_EXTERN_OPERATOR, B)

#if defined(PLAIT_RUNTIME) && defined(PLAIT_GRADIENT)
#include <plait/runtime/detail/rule_templates.hpp>
PLAIT_GRADIENT_TEMPLATES(extern)
PLAIT_ONNX_TEMPLATES(extern)
#endif
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
#undef PLAIT_EXTERN_OPERATOR
#undef PLAIT_EACH_OPERATOR
