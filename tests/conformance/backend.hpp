// What nets of cases are run on: CMakeLists.txt makes a runner for each backend.
#pragma once

#include <cstdint>

#include <plait/netdef/traits.hpp>

#if defined(PLAIT_CONFORMANCE_TBB)
#include <plait/exec/tbb.hpp>
#elif defined(PLAIT_CONFORMANCE_OMP)
#include <plait/exec/omp.hpp>
#elif defined(PLAIT_CONFORMANCE_CUDA)
#include <plait/exec/cublas.hpp>
#elif defined(PLAIT_CONFORMANCE_DEVICE)
#include <support/emulated_device.hpp>
#else
#include <plait/exec/serial.hpp>
#endif

namespace conformance {

#if defined(PLAIT_CONFORMANCE_TBB)
using backend = plait::tbb;
#elif defined(PLAIT_CONFORMANCE_OMP)
using backend = plait::omp;
#elif defined(PLAIT_CONFORMANCE_CUDA)
using backend = plait::cuda;
#elif defined(PLAIT_CONFORMANCE_DEVICE)
using backend = test::emulated_device;
#else
using backend = plait::serial;
#endif

/// How steps of recurrences are run: as the arguments of the ops say, one after the other, or overlapping whatever they
/// cost.
enum class step_executor { as_given, off, on };

/// For all cases; set once, by the command line.
inline step_executor executor = step_executor::as_given;

/// Sets the arguments of the RecurrentNetwork ops of a net, and of their gradients.
inline void set_executor(plait::netdef& n) {
  if (executor == step_executor::as_given) return;
  using traits = plait::net_traits<plait::netdef>;
  bool const on = executor == step_executor::on;
  for (plait::op_def& op : n.op) {
    if (!n.text(op.type).starts_with("RecurrentNetwork")) continue;
    traits::set_argument(n, op, {"enable_rnn_executor", std::int64_t{on}});
    if (on) traits::set_argument(n, op, {"rnn_executor.num_threads", std::int64_t{3}});
  }
}

}  // namespace conformance
