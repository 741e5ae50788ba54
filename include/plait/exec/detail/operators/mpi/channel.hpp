// Channel: a communicator with its jobs, which run one after another, and with the agreement before each of them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/exec/detail/operators/mpi/job.hpp>
#include <plait/exec/detail/operators/mpi/roll_call.hpp>

namespace plait::detail::mpi {

/// Jobs of one communicator in FIFO order. The thread that owns MPI calls all members; results are handed over by
/// `finish`, a callable (job&, std::shared_ptr<failure const> const&), nullptr for success.
///
/// Agreement costs one allreduce of 16 bytes: the maximum of a digest of the call and of its complement, which are
/// complements of each other only if all ranks have the same digest. Otherwise the ranks gather the texts of their
/// calls, so that each of them throws the same error. Nothing else has been exchanged then.
class channel {
 public:
  explicit channel(communicators const& on) : on_(on) {}

  communicators const& on() const noexcept { return on_; }
  communicators& on() noexcept { return on_; }
  void push(std::shared_ptr<job> what) { queue_.push_back(std::move(what)); }
  /// Makes the next poll fail the channel on all ranks. May be called by any thread.
  void request_abort() noexcept { is_aborted_.store(true, std::memory_order_relaxed); }
  bool is_idle() const noexcept { return active_ == nullptr && queue_.empty(); }
  /// Returns true after a job that closes; the channel must not be polled again then.
  bool is_closed() const noexcept { return closed_; }
  /// Returns true if nothing has to be done soon: no job, or one that waits for others without a limit.
  bool is_quiet() const noexcept { return is_idle() || (active_ != nullptr && active_->is_patient()); }
  std::shared_ptr<failure const> const& failed() const noexcept { return failed_; }
  /// Returns the job whose requests can neither complete nor be cancelled; nullptr if there is none.
  std::shared_ptr<job> const& stuck() const noexcept { return stuck_; }
  bool flush() { return on_.control == MPI_COMM_NULL || roll_.flush(); }

  /// Makes progress without waiting. `at_exit`: patient jobs call the roll, too.
  template <class Finish>
  void poll(clock::time_point now, bool at_exit, Finish const& finish) {
    if (closed_) return;
    try {
      if (now >= next_service_) serve(now);
      if (failed_ == nullptr && is_aborted_.load(std::memory_order_relaxed))
        throw failure{mpi_failure::closed, {on_.rank}, "a run has failed on rank " + std::to_string(on_.rank)};
      if (failed_ == nullptr) advance(now, finish);
      if (failed_ == nullptr && active_ != nullptr) watch(now, at_exit);
    } catch (failure const& why) {
      fail(why, !why.is_known);
    } catch (transport_failure const& why) {
      fail({mpi_failure::transport, {}, why.what()}, false);
    }
    if (failed_ == nullptr) return;
    if (active_ != nullptr) {
      finish(*active_, failed_);
      if (request_ != MPI_REQUEST_NULL) stuck_ = std::move(active_);
      active_ = nullptr;
    }
    for (; !queue_.empty(); queue_.pop_front()) finish(*queue_.front(), failed_);
  }

 private:
  enum class phase { begin, agree, lengths, texts, exchange, held };

  template <class Finish>
  void advance(clock::time_point now, Finish const& finish) {
    for (;;) {
      if (active_ == nullptr) {
        if (queue_.empty()) return;
        active_ = std::move(queue_.front());
        queue_.pop_front();
        operation_ += active_->is_collective() ? 1 : 0;
        last_ = active_->what().description();
        phase_ = phase::begin;
        began_ = asked_ = now;
        roll_.close();
      }
      if (request_ != MPI_REQUEST_NULL) {
        int done = 0;
        check(MPI_Test(&request_, &done, &status_), "MPI_Test");
        if (done == 0) return;
      }
      if (phase_ != phase::held && post_next()) continue;
      if (!active_->closes() && now - began_ < active_->within_.delay) {
        phase_ = phase::held;
        return;
      }
      closed_ = closed_ || active_->closes();
      finish(*active_, nullptr);
      active_ = nullptr;
      if (closed_) return;
    }
  }

  // Posts the next request of the agreement, or of the job; returns false if the job is done.
  bool post_next() {
    call const& what = active_->what();
    if (phase_ == phase::begin) {
      if (active_->is_collective() && on_.size > 1) {
        digests_ = {what.digest(), ~what.digest()};
        phase_ = phase::agree;
        check(MPI_Iallreduce(MPI_IN_PLACE, digests_.data(), 2, MPI_UINT64_T, MPI_MAX, on_.data, &request_),
              "MPI_Iallreduce");
        return true;
      }
      phase_ = phase::exchange;
    }
    if (phase_ == phase::agree) {
      if (digests_[0] != ~digests_[1]) {
        lengths_.assign(static_cast<std::size_t>(on_.size), 0);
        length_ = static_cast<int>(what.text().size());
        phase_ = phase::lengths;
        check(MPI_Iallgather(&length_, 1, MPI_INT, lengths_.data(), 1, MPI_INT, on_.data, &request_), "MPI_Iallgather");
        return true;
      }
      phase_ = phase::exchange;
    }
    if (phase_ == phase::lengths) {
      starts_.assign(lengths_.size(), 0);
      std::exclusive_scan(lengths_.begin(), lengths_.end(), starts_.begin(), 0);
      texts_.assign(static_cast<std::size_t>(starts_.back() + lengths_.back()), '\0');
      phase_ = phase::texts;
      check(MPI_Iallgatherv(what.text().data(), length_, MPI_CHAR, texts_.data(), lengths_.data(), starts_.data(),
                            MPI_CHAR, on_.data, &request_),
            "MPI_Iallgatherv");
      return true;
    }
    if (phase_ == phase::texts) throw mismatch();
    return active_->post(on_, status_, request_);
  }

  // The calls differ: describes the first of them, and the first that is another.
  failure mismatch() const {
    std::vector<call> calls;
    for (std::size_t r = 0; r != lengths_.size(); ++r)
      calls.push_back(call::from_text(std::string_view(texts_).substr(static_cast<std::size_t>(starts_[r]),
                                                                      static_cast<std::size_t>(lengths_[r]))));
    std::vector<int> closed;
    std::vector<int> others;
    for (std::size_t r = 0; r != calls.size(); ++r) {
      if (calls[r].op() == close_op) closed.push_back(static_cast<int>(r));
      if (calls[r].text() != calls[0].text()) others.push_back(static_cast<int>(r));
    }
    if (!closed.empty()) {
      auto const open = std::ranges::find_if(calls, [](call const& c) { return c.op() != close_op; });
      return {mpi_failure::closed,
              closed,
              ranks_text(closed) + (closed.size() == 1 ? " has" : " have") +
                  " closed the communicator: the run or the program has ended there, and rank " +
                  std::to_string(open - calls.begin()) + " is in " + open->description(),
              {},
              true};
    }
    call const& other = calls[static_cast<std::size_t>(others.front())];
    auto const tensor = calls[0].differing_tensor(other);
    return {mpi_failure::mismatch, others,
            "the ranks do not agree: rank 0 is in " + calls[0].description(tensor.value_or(0)) + "; " +
                ranks_text(others) + (others.size() == 1 ? " is in " : " are in others, the first of them in ") +
                other.description(tensor.value_or(0)),
            tensor ? calls[0].blob(*tensor) : std::string(), true};
  }

  // Control messages need no quick answer, and looking for them takes time from the exchange.
  void serve(clock::time_point now) {
    next_service_ = now + std::chrono::milliseconds(1);
    if (on_.size == 1) return;
    auto const verdict = roll_.serve(on_, presence());
    if (verdict && failed_ == nullptr) fail(*verdict, false);
  }
  roll_call::presence presence() const {
    if (failed_ != nullptr) return {operation_, "has failed"};
    if (operation_ == 0) return {0, "has not begun any operation"};
    std::string const number = std::to_string(operation_) + ", " + last_;
    return {operation_, active_ != nullptr ? "is in operation " + number : "has ended operation " + number};
  }

  // Looks for ranks that do not answer.
  void watch(clock::time_point now, bool at_exit) {
    limits const& within = active_->within_;
    if (on_.size == 1 || (active_->is_patient() && !at_exit)) return;
    if (!roll_.is_open()) {
      if (now - asked_ < within.timeout) return;
      clock::duration const grace =
          std::clamp<clock::duration>(within.timeout / 2, std::chrono::milliseconds(500), std::chrono::seconds(5));
      return roll_.open(on_, presence(), now + grace);
    }
    if (!roll_.all_heard() && now < roll_.deadline()) return;
    roll_.close();
    asked_ = now;
    std::vector<int> silent;
    std::vector<int> late;
    for (int rank = 0; rank != on_.size; ++rank) {
      auto const& heard = roll_.heard(rank);
      if (!heard)
        silent.push_back(rank);
      else if (active_->is_collective() && heard->operation < operation_)
        late.push_back(rank);
    }
    std::string const where =
        "operation " + std::to_string(operation_) + ", " + last_ + ", on rank " + std::to_string(on_.rank) + ": ";
    if (!silent.empty())
      throw failure{mpi_failure::timeout, silent,
                    where + ranks_text(silent) + (silent.size() == 1 ? " does" : " do") + " not answer, after " +
                        seconds_text(now - began_)};
    if (active_->is_patient() || now - began_ < within.patience) return;
    std::string const who = late.empty()
                                ? "all ranks answer, but it has not ended"
                                : ranks_text(late) + " answers, but has not reached it (rank " +
                                      std::to_string(late.front()) + ' ' + roll_.heard(late.front())->text + ')';
    throw failure{mpi_failure::timeout, late, where + who + ", after " + seconds_text(now - began_)};
  }

  static std::string seconds_text(clock::duration time) {
    auto const tenths = std::chrono::duration_cast<std::chrono::milliseconds>(time).count() / 100;
    return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " s";
  }

  void fail(failure const& why, bool announced) {
    if (failed_ != nullptr) return;
    failed_ = std::make_shared<failure const>(why);
    if (!announced) return;
    try {
      roll_.announce(on_, why);
    } catch (transport_failure const&) {  // they find it out by themselves
    }
  }

 public:
  /// Op type of the job that closes a communicator.
  static constexpr char const* close_op = "the end of its run";

 private:
  communicators on_;
  std::deque<std::shared_ptr<job>> queue_;
  std::shared_ptr<job> active_;
  phase phase_ = phase::begin;
  MPI_Request request_ = MPI_REQUEST_NULL;
  MPI_Status status_{};
  std::array<std::uint64_t, 2> digests_{};
  int length_ = 0;
  std::vector<int> lengths_;  // by rank
  std::vector<int> starts_;   // by rank
  std::string texts_;
  clock::time_point began_;
  clock::time_point asked_;
  clock::time_point next_service_;
  roll_call roll_;
  std::atomic<bool> is_aborted_ = false;
  bool closed_ = false;
  std::uint64_t operation_ = 0;  // number of collective jobs begun: the same on all ranks where none is late
  std::string last_;             // description of the last of them
  std::shared_ptr<failure const> failed_;
  std::shared_ptr<job> stuck_;
};

}  // namespace plait::detail::mpi
