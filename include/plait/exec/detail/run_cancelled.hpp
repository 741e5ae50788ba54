// Cancellation of runs: the error of a cancelled run.
#pragma once

#include <cstddef>

#include <plait/core/errors.hpp>

namespace plait {

namespace detail {
// Set if an enclosing task group was cancelled while this thread ran a loop. A plan asks B::is_cancelled() before its
// next op only then.
inline constinit thread_local bool parts_were_skipped = false;
}  // namespace detail

/// Error of a run that its stop token, or the cancellation of an enclosing task group, has ended. `op` is the first op
/// that has not completed.
struct run_cancelled : error {
  explicit run_cancelled(std::size_t at) : error("plait: the run was cancelled"), op(at) {}
  std::size_t op;
};

}  // namespace plait
