// Properties of the values of a plan in the runs of a loop.
#pragma once

#include <cstddef>
#include <vector>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// By value of the plan. Without values, runs are not those of a loop.
struct loop_values {
  std::size_t runs = 0;
  bool backward = false;           ///< rows of later runs come before in memory
  std::vector<bool> same = {};     ///< inputs with loop-invariant elements
  std::vector<bool> lasting = {};  ///< memory and elements of each run persist until the loop ends
  std::vector<bool> summed = {};   ///< published, and not read in the plan: only the sum over the runs is used

  /// Returns true if another loop differs in the number of runs at most.
  bool is_like(loop_values const& other) const {
    return backward == other.backward && same == other.same && lasting == other.lasting && summed == other.summed;
  }
};

}  // namespace plait
