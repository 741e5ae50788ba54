// Execution of time steps in recurrences: as the arguments of their ops say, in order, or overlapping at any cost.
#pragma once

#include <cstdint>

#include <plait/netdef/traits.hpp>

namespace conformance {

enum class step_executor { as_given, off, on };

/// Applies to all cases; set once, by the command line.
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
