// Cost model of execution on hosts: thresholds from which packing, fusion and overlap of time steps pay.
#pragma once

#include <cstddef>

#include <plait/exec/kernels/for_each.hpp>

namespace plait {

/// Thresholds that decide how ops are grouped. They change speed and memory, never results. Work is counted in element
/// copies.
struct cost_model {
  /// Minimum number of runs in which an input is loop-invariant to pack it: packing costs about as much as so many
  /// products with a row.
  std::size_t pack_runs = 4;
  /// Minimum work of a row-parallel group that amortises a barrier.
  std::size_t row_work = 2 * tile_size;
  /// Bytes of a streamed value that a thread computes at a time: leaves room for weights in L2.
  std::size_t streamed_bytes = std::size_t{1} << 18;
  /// Time steps overlap if the schedule's speedup, limited by the number of threads, exceeds overlap_speedup and ops
  /// have overlap_bytes on average. Otherwise threads that share each op of a step gain more, or dispatch costs more.
  double overlap_speedup = 2;
  double overlap_bytes = 4096;

  /// Returns the model in which everything pays, whatever the sizes: for tests.
  static constexpr cost_model everything_pays() {
    return {.pack_runs = 1, .row_work = 0, .streamed_bytes = 1, .overlap_speedup = 0, .overlap_bytes = 0};
  }
};

}  // namespace plait
