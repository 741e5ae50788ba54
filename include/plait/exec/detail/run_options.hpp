// Options of a run: cancellation, an observer, a limit for loops.
#pragma once

#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/observer.hpp>

namespace plait {

struct run_options {
  /// Checked before each op and group, also of nested nets; a run that is stopped throws run_cancelled.
  std::stop_token stop = {};
  /// Called also for the ops of nested nets.
  op_observer* observer = nullptr;
  /// Maximum number of iterations of a loop; one with more throws iteration_limit_reached.
  std::uint64_t iteration_limit = std::numeric_limits<std::uint64_t>::max();
  /// Set by ops that run nets: the event of that op, if there is an observer.
  op_event const* within = nullptr;

  /// Returns true if an observer reads elements, so that each op must run by itself.
  bool reads_values() const { return observer != nullptr && observer->reads_values(); }
};

/// Error of a loop whose condition still holds after run_options::iteration_limit iterations.
struct iteration_limit_reached : error {
  explicit iteration_limit_reached(std::uint64_t iterations)
      : error("plait: the loop goes on after " + std::to_string(iterations) + " iterations, which is the limit"),
        limit(iterations) {}
  std::uint64_t limit;
};

}  // namespace plait
