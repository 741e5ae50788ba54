// Communicator blob: what MPICreateCommonWorld puts into a blob, and other MPI operators read.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include <plait/exec/detail/blob.hpp>
#include <plait/exec/detail/operators/mpi/channel.hpp>
#include <plait/exec/detail/operators/mpi/exchanges.hpp>
#include <plait/exec/detail/operators/mpi/job.hpp>
#include <plait/exec/detail/operators/mpi/progress.hpp>

namespace plait::detail::mpi {

/// All ranks, as one communicator of plait's own. Its end is an operation, too: ranks that wait for others learn that
/// these have ended.
class communicator final : public blob_object {
 public:
  communicator(communicators const& on, limits const& within)
      : channel_(std::make_shared<channel>(on)), rank_(on.rank), size_(on.size), limits_(within) {}
  ~communicator() override {
    auto last = std::make_shared<close_job>();
    last->begin(0, limits_);
    progress::shared().submit(channel_, std::move(last));
  }
  std::string_view kind() const override { return "MPI communicator"; }
  /// Makes this operation and all later ones fail on every rank.
  void run_failed() noexcept override {
    try {
      progress::shared().abort(channel_);
    } catch (std::exception const&) {  // without memory, other ranks notice that this one does not come
    }
  }

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  /// Begins an operation in the order of calls on this communicator.
  void begin(std::shared_ptr<job> const& what, std::uint64_t step) const {
    what->begin(step, limits_);
    progress::shared().submit(channel_, what);
  }
  /// Executes an operation. Throws mpi_error.
  void run(std::shared_ptr<job> const& what, std::uint64_t step) const {
    begin(what, step);
    progress::shared().wait(*what);
  }

 private:
  std::shared_ptr<channel> channel_;
  int rank_;
  int size_;
  limits limits_;
};

/// Request of a non-blocking sum: the job, and what its end does with the result.
struct pending_sum {
  std::shared_ptr<sum_job> job;
  int divisor = 1;  ///< number of ranks for averages
};

/// Requests by number. A net holds the number, as a tensor, so that shapes are known before the run.
class pending_sums {
 public:
  static pending_sums& shared() {
    static auto& made = *new pending_sums;
    return made;
  }

  std::int64_t add(pending_sum what) {
    std::lock_guard const lock(mutex_);
    held_.emplace(++last_, std::move(what));
    return last_;
  }
  /// Removes a request; its job is nullptr if there is none of the number.
  pending_sum take(std::int64_t number) {
    std::lock_guard const lock(mutex_);
    auto const at = held_.find(number);
    if (at == held_.end()) return {};
    pending_sum found = std::move(at->second);
    held_.erase(at);
    return found;
  }

 private:
  std::mutex mutex_;
  std::map<std::int64_t, pending_sum> held_;
  std::int64_t last_ = 0;
};

}  // namespace plait::detail::mpi
