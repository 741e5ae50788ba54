// The error of a run that was ended from outside.
#pragma once

#include <cstddef>

#include <plait/core/errors.hpp>

namespace plait {

namespace detail {
// Set where a task group around was cancelled while this thread waited for a loop: so a plan asks for that before its
// next op, and not before each.
inline constinit thread_local bool parts_were_skipped = false;
}  // namespace detail

/// A run that its stop token has ended, or the cancelling of a task group around it. `op` is the first op that has not
/// run to its end.
struct run_cancelled : error {
  explicit run_cancelled(std::size_t at) : error("plait: the run was cancelled"), op(at) {}
  std::size_t op;
};

}  // namespace plait
