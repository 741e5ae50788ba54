// Communication job: one operation on a communicator, as a sequence of non-blocking requests.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <plait/exec/detail/operators/mpi/api.hpp>
#include <plait/exec/detail/operators/mpi/call.hpp>
#include <plait/exec/detail/operators/mpi/error.hpp>

namespace plait::detail::mpi {

using clock = std::chrono::steady_clock;

/// Duplicates of MPI_COMM_WORLD that only plait uses. Messages of operators cannot be taken for control messages.
struct communicators {
  MPI_Comm data = MPI_COMM_NULL;     ///< collective operations, and first messages of sends
  MPI_Comm control = MPI_COMM_NULL;  ///< roll calls, and the other messages of sends
  int rank = -1;
  int size = 0;
};

/// Tags on communicators::control.
enum control_tag { notice_tag = 1, reply_tag = 2, payload_tag = 3 };

/// Why a job, or a communicator, has failed. Throwing it from job::post fails the communicator on every rank.
struct failure {
  mpi_failure cause;
  std::vector<int> ranks;
  std::string text;
  std::string blob = {};  ///< the tensor that differs; empty if it is unknown
  bool is_known = false;  ///< all ranks have found it out
};

/// Times of operations: see mpi_options.
struct limits {
  clock::duration timeout = std::chrono::seconds(60);
  clock::duration patience = std::chrono::minutes(10);
  clock::duration delay = {};
};

/// Operation on a communicator. The thread that owns MPI calls post(); the job owns all memory that MPI accesses,
/// because a request on a dead rank can neither be completed nor cancelled.
class job {
 public:
  explicit job(std::shared_ptr<call const> what) : what_(std::move(what)) {}
  job(job const&) = delete;
  job& operator=(job const&) = delete;
  virtual ~job() = default;

  /// Posts the next request, after the one before is complete with `status`; returns false if there is none.
  virtual bool post(communicators const& on, MPI_Status const& status, MPI_Request& next) = 0;
  /// Returns true if all ranks take part, which then agree on the call first.
  virtual bool is_collective() const { return true; }
  /// Returns true if other ranks may be late without limit, as long as they answer roll calls.
  virtual bool is_patient() const { return false; }
  /// Returns true if the job ends the use of the communicator.
  virtual bool closes() const { return false; }

  call const& what() const noexcept { return *what_; }
  std::uint64_t step() const noexcept { return step_; }

  /// Makes the job ready to be submitted, for the first time or again. Precondition: it is not in progress.
  void begin(std::uint64_t step, limits const& within) {
    step_ = step;
    within_ = within;
    done_ = false;
    failed_ = nullptr;
    restart();
  }

 protected:
  /// Resets the sequence of requests.
  virtual void restart() = 0;

 private:
  friend class channel;
  friend class progress;

  std::shared_ptr<call const> what_;
  std::uint64_t step_ = 0;
  limits within_;
  // Guarded by the lock of `progress`.
  bool done_ = false;
  std::shared_ptr<failure const> failed_;
};

}  // namespace plait::detail::mpi
