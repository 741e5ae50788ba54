// Processes that train together: those that mpirun has started, or this one alone.
#pragma once

#include <cstdint>
#include <string_view>

namespace example {

/// This process among those that train together.
struct ranks {
  std::int64_t rank = 0;
  std::int64_t size = 1;
  bool distributed = false;  ///< there is a communicator, even for one process

  bool is_first() const { return rank == 0; }
  /// Returns this rank's share of a batch. Throws plait::error, which names the option, if shares cannot be equal.
  std::int64_t share(std::int64_t batch, std::string_view option) const;
};

/// Returns the ranks of mpirun; without `distributed` this process alone. Throws plait::error in a program without MPI.
ranks make_ranks(bool distributed);

}  // namespace example
