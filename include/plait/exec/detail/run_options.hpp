// How a plan is run, and what ends a run before its time.
#pragma once

#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/observer.hpp>
#include <plait/exec/detail/run_cancelled.hpp>

namespace plait {

struct run_options {
  /// Looked at before each op, those of nested nets too; a run that is stopped throws run_cancelled.
  std::stop_token stop = {};
  /// Called for the ops of nested nets too.
  op_observer* observer = nullptr;
  /// How often a loop may run its body; one that goes on then throws iteration_limit_reached.
  std::uint64_t iteration_limit = std::numeric_limits<std::uint64_t>::max();
  /// Set by ops that run nets: the event of that op, where there is an observer.
  op_event const* within = nullptr;
};

/// A loop has run its body as often as run_options allows, and its condition still holds.
struct iteration_limit_reached : error {
  explicit iteration_limit_reached(std::uint64_t iterations)
      : error("plait: the loop goes on after " + std::to_string(iterations) + " iterations, which is the limit"),
        limit(iterations) {}
  std::uint64_t limit;
};

}  // namespace plait
