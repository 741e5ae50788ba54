// Errors of MPI operators: what failed, where, and which ranks are at fault.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>

namespace plait {

/// Cause of an mpi_error.
enum class mpi_failure {
  mismatch,   ///< ranks call different operations, or with different element types, shapes or arguments
  timeout,    ///< ranks are dead, stopped, unreachable or late
  closed,     ///< a run has failed on a rank, or it has closed the communicator, as its net or program has ended
  transport,  ///< the MPI library has reported an error, or cannot be used
};

/// Failed communication. All ranks of the communicator get one, and the communicator refuses further operations. A plan
/// throws an exec_error in which this is nested (std::rethrow_if_nested).
struct mpi_error : error {
  mpi_error(std::string const& message, mpi_failure cause, int own_rank, std::vector<int> at_fault,
            std::uint64_t run_number, std::string op_type, std::string blob_name)
      : error(message),
        failure(cause),
        rank(own_rank),
        ranks(std::move(at_fault)),
        step(run_number),
        op(std::move(op_type)),
        blob(std::move(blob_name)) {}

  mpi_failure failure;
  int rank;                ///< of this process; -1 if MPI has not been initialised
  std::vector<int> ranks;  ///< at fault, ascending; empty if unknown
  std::uint64_t step;      ///< earlier runs of the plan
  std::string op;          ///< op type
  std::string blob;        ///< the first tensor of the op, or the one that differs
};

namespace detail::mpi {

/// Error of a call of the MPI library, before it is known which operation it belongs to.
struct transport_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace detail::mpi

}  // namespace plait
