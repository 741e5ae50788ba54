// MPI operators: Caffe2's, and a non-blocking allreduce, for nets that several processes run together.
//
//   plait::operators<plait::omp> table = plait::standard_operators<plait::omp>();
//   plait::add_mpi_operators(table, {.timeout = std::chrono::seconds(20)});
//   auto plan = plait::compile(net, table, blobs);  // op { type: "MPICreateCommonWorld" output: "comm" } …
//
// Programs are started by mpirun. One thread calls MPI, from the first use on: it initialises MPI, unless the program
// has, runs operations while the net goes on, and finalises MPI at exit. Ranks agree on op type, blob, element type and
// shape before they exchange data. A rank that has failed makes all of them throw mpi_error within a stated time.
#pragma once

#include <chrono>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/operators/mpi/collective_kernels.hpp>
#include <plait/exec/detail/operators/mpi/error.hpp>
#include <plait/exec/detail/operators/mpi/message_kernels.hpp>
#include <plait/exec/detail/operators/mpi/overlap_kernels.hpp>
#include <plait/exec/detail/operators/mpi/progress.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Times of each operation.
struct mpi_options {
  /// Time after which ranks call the roll. Those that do not answer within half of it again, or 0.5 to 5 seconds, make
  /// the operation fail on all others. Such ranks are dead, stopped or unreachable: computing ranks do answer.
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
  /// Time after which ranks fail that answer, but do not reach the operation.
  std::chrono::milliseconds patience = std::chrono::minutes(10);
  /// Least time that each operation takes: simulates a slow network, to see how much communication overlaps.
  std::chrono::microseconds delay = std::chrono::microseconds(0);
};

/// Adds MPICreateCommonWorld, MPIBroadcast, MPIReduce, MPIAllgather, MPIAllgatherV, MPIAllreduce, MPIAllreduceBegin,
/// MPIAllreduceEnd, MPISendTensor, MPIReceiveTensor.
template <backend B>
void add_mpi_operators(operators<B>& table, mpi_options const& options = {}) {
  detail::mpi::add_collective_operators(table, {options.timeout, options.patience, options.delay});
  detail::mpi::add_overlap_operators(table);
  detail::mpi::add_message_operators(table);
}

namespace mpi {

/// Returns the number of this process among size() processes. Initialises MPI if need be; throws mpi_error if it cannot
/// be used.
[[nodiscard]] inline int rank() { return detail::mpi::progress::shared().world().rank; }
[[nodiscard]] inline int size() { return detail::mpi::progress::shared().world().size; }

}  // namespace mpi

}  // namespace plait
