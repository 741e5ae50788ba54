// Loops whose parts were skipped because a task group was cancelled.
#pragma once

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

// Set if an enclosing task group was cancelled while this thread ran a loop. A plan asks B::is_cancelled() before its
// next op only then.
inline constinit thread_local bool parts_were_skipped = false;

}  // namespace plait::detail
