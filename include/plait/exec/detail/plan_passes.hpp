// Optimisation passes of a plan, each of which can be switched off.
#pragma once

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// All but accumulate are exact: results have the same bits with any of them on or off.
struct plan_passes {
  bool share_memory = true;    ///< values share memory, and ops work in place, also where the net does not name it so
  bool fuse_epilogues = true;  ///< products compute the sum and the Relu of their results
  bool fuse_rows = true;       ///< row-parallel groups of ops in time steps
  bool fuse_elements = true;   ///< chains of element-wise ops; on a device, one kernel for several ops
  bool stream = true;          ///< the input of a recurrence is computed in blocks, when its steps need them
  bool pack = true;            ///< loop-invariant and constant weights are packed once
  bool overlap_steps = true;   ///< time steps of a recurrence overlap, on backends with tasks
  bool interchange_steps = true;  ///< each thread runs several time steps of its rows
  bool accumulate = true;         ///< gradients are summed over many time steps at once: in another order

  constexpr void forbid_fusion() { fuse_epilogues = fuse_rows = fuse_elements = false; }

  /// Each op runs alone, on memory of its own unless the net says otherwise.
  static constexpr plan_passes none() { return {false, false, false, false, false, false, false, false, false}; }
};

}  // namespace plait
