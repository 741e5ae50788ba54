// Progress thread: the one thread that calls MPI. It initialises MPI, runs the jobs of all communicators, and
// finalises.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <plait/exec/detail/operators/mpi/api.hpp>
#include <plait/exec/detail/operators/mpi/channel.hpp>
#include <plait/exec/detail/operators/mpi/job.hpp>

namespace plait::detail::mpi {

/// Job that closes a communicator once all ranks have reached its end.
class close_job final : public job {
 public:
  close_job() : job(std::make_shared<call const>(channel::close_op)) {}
  bool is_patient() const override { return true; }
  bool closes() const override { return true; }
  bool post(communicators const& on, MPI_Status const&, MPI_Request&) override {
    MPI_Comm data = on.data;
    MPI_Comm control = on.control;
    check(MPI_Comm_free(&data), "MPI_Comm_free");
    check(MPI_Comm_free(&control), "MPI_Comm_free");
    return false;
  }
  void restart() override {}
};

/// Job on the channel of the world that makes another communicator.
class create_job final : public job {
 public:
  explicit create_job(std::shared_ptr<call const> what) : job(std::move(what)) {}
  bool post(communicators const& on, MPI_Status const&, MPI_Request& next) override {
    made.rank = on.rank;
    made.size = on.size;
    if (posted_ == 2) {
      check(MPI_Comm_set_errhandler(made.data, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
      check(MPI_Comm_set_errhandler(made.control, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
      return false;
    }
    check(MPI_Comm_idup(on.data, posted_ == 0 ? &made.data : &made.control, &next), "MPI_Comm_idup");
    ++posted_;
    return true;
  }
  void restart() override { posted_ = 0; }

  communicators made;

 private:
  int posted_ = 0;
};

/// The thread, and what it shares with others. Starts with the first use. If the program has initialised MPI itself,
/// the program finalises it, too, and must allow calls from this thread: MPI_THREAD_SERIALIZED if the program makes
/// none while nets run, else MPI_THREAD_MULTIPLE.
class progress {
 public:
  static progress& shared() {
    static auto& made = *new progress;  // never destroyed: MPI may still access memory of jobs that have failed
    return made;
  }

  /// Waits until MPI is initialised; throws mpi_error if it cannot be used.
  communicators const& world() {
    std::unique_lock lock(mutex_);
    wait_until(
        lock, [this] { return is_ready_; }, clock::duration::max(), call("MPI_Init_thread"), 0);
    if (start_failure_) throw error_of(*start_failure_, call("MPI_Init_thread"), 0);
    return world_;
  }
  /// Returns the channel on which communicators are made. Precondition: world() has returned.
  std::shared_ptr<channel> const& world_channel() const noexcept { return world_channel_; }

  /// Hands over a job, or nothing where a channel only has to be polled.
  void submit(std::shared_ptr<channel> const& on, std::shared_ptr<job> what) {
    {
      std::lock_guard const lock(mutex_);
      if (is_stopped_) return refuse(what.get());
      submitted_.emplace_back(on, std::move(what));
    }
    wake_.notify_one();
  }
  /// Makes a communicator fail on all ranks.
  void abort(std::shared_ptr<channel> const& which) {
    which->request_abort();
    submit(which, nullptr);
  }
  /// Waits until a job is done. Throws mpi_error if it has failed.
  void wait(job const& what) {
    std::unique_lock lock(mutex_);
    wait_until(
        lock, [&] { return what.done_; }, what.within_.timeout, what.what(), what.step());
    if (what.failed_ != nullptr) throw error_of(*what.failed_, what.what(), what.step());
  }
  /// Returns true if a job is done, successfully or not.
  bool is_done(job const& what) {
    std::lock_guard const lock(mutex_);
    return what.done_;
  }

 private:
  enum class stopping { no, when_closed, at_once };

  progress() {
    std::atexit([] { shared().stop(stopping::when_closed); });
    thread_ = std::thread([this] { run(); });
  }

  // Called with the lock.
  void refuse(job* what) const {
    if (what == nullptr) return;
    what->failed_ = std::make_shared<failure const>(
        failure{mpi_failure::closed, {world_.rank}, "MPI has been finalised in this process", {}, true});
    what->done_ = true;
  }

  mpi_error error_of(failure const& why, call const& what, std::uint64_t step) const {
    std::string const blob = why.blob.empty() ? what.blob() : why.blob;
    std::string text = "plait: MPI";
    if (world_.rank >= 0) text += " rank " + std::to_string(world_.rank) + " of " + std::to_string(world_.size);
    text += ", step " + std::to_string(step) + ", " + what.description() + ": " + why.text;
    return {text, why.cause, world_.rank, why.ranks, step, what.op(), blob};
  }

  // Waits for the thread. It never blocks in MPI, except where the library does not keep its promises or
  // MPI_Init_thread waits for a rank that never calls it.
  template <class Done>
  void wait_until(std::unique_lock<std::mutex>& lock, Done const& done, clock::duration timeout, call const& what,
                  std::uint64_t step) {
    auto const allowed = std::min<clock::duration>(timeout, std::chrono::minutes(5)) * 2 + std::chrono::seconds(5);
    std::uint64_t beat = beats_.load(std::memory_order_relaxed);
    clock::time_point since = clock::now();
    while (!done()) {
      done_.wait_for(lock, std::chrono::seconds(1));
      if (std::uint64_t const now = beats_.load(std::memory_order_relaxed); now != beat) {
        beat = now;
        since = clock::now();
      }
      if (!done() && clock::now() - since > allowed)
        throw error_of({mpi_failure::transport, {}, "a call of the MPI library does not return"}, what, step);
    }
  }

  // ---- the thread
  void run() {
    bool owns = false;
    bool is_usable = true;
    try {
      owns = initialise();
    } catch (transport_failure const& why) {
      is_usable = false;
      std::lock_guard const lock(mutex_);
      start_failure_ = failure{mpi_failure::transport, {}, why.what()};
      is_stopped_ = true;
    }
    {
      std::lock_guard const lock(mutex_);
      is_ready_ = true;
    }
    done_.notify_all();
    if (is_usable) serve();
    if (owns && may_finalise_) MPI_Finalize();
    {
      std::lock_guard const lock(mutex_);
      is_stopped_ = has_ended_ = true;
      for (auto const& each : submitted_) refuse(each.second.get());
      submitted_.clear();
    }
    done_.notify_all();
  }

  // Returns true if MPI was not initialised before.
  bool initialise() {
    int is_initialised = 0;
    int is_finalised = 0;
    check(MPI_Initialized(&is_initialised), "MPI_Initialized");
    check(MPI_Finalized(&is_finalised), "MPI_Finalized");
    if (is_finalised != 0) throw transport_failure("the program has finalised MPI");
    int provided = 0;
    if (is_initialised == 0)
      check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    else
      check(MPI_Query_thread(&provided), "MPI_Query_thread");
    if (is_initialised != 0 && provided < MPI_THREAD_SERIALIZED)
      throw transport_failure(
          "the program has initialised MPI for calls of its own thread only; it should ask MPI_Init_thread for "
          "MPI_THREAD_MULTIPLE, or leave the initialisation to plait");
    communicators on;
    check(MPI_Comm_rank(MPI_COMM_WORLD, &on.rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &on.size), "MPI_Comm_size");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &on.data), "MPI_Comm_dup");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &on.control), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(on.data, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_set_errhandler(on.control, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    if (is_initialised != 0) stop_at_finalise();
    std::lock_guard const lock(mutex_);
    world_ = on;
    world_channel_ = std::make_shared<channel>(on);
    channels_.push_back(world_channel_);
    return is_initialised == 0;
  }

  // MPI_Finalize of the program deletes the attributes of MPI_COMM_SELF first: the thread ends before anything else
  // does.
  static void stop_at_finalise() {
    int key = MPI_KEYVAL_INVALID;
    auto* const stop = +[](MPI_Comm, int, void*, void*) {
      shared().stop(stopping::at_once);
      return MPI_SUCCESS;
    };
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, stop, &key, nullptr), "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  }

  // Runs jobs until stop() and the agreement of all ranks to end.
  void serve() {
    clock::time_point busy_since = clock::now();
    bool is_ending = false;
    for (;;) {
      beats_.fetch_add(1, std::memory_order_relaxed);
      bool const is_quiet = std::ranges::all_of(channels_, [](auto const& c) { return c->is_quiet(); });
      stopping const stop = take_submitted(is_quiet);
      if (stop == stopping::at_once) return;
      clock::time_point const now = clock::now();
      if (is_quiet) busy_since = now;
      if (stop == stopping::when_closed && !is_ending) {
        is_ending = true;
        for (auto const& each : channels_)
          if (each != world_channel_) close(each);
      }
      for (auto const& each : channels_)
        each->poll(now, is_ending, [this](job& what, auto const& why) { finish(what, why); });
      std::erase_if(channels_, [this](auto const& c) { return c != world_channel_ && c->is_closed(); });
      if (is_ending && has_ended()) return;
      if (!is_quiet) back_off(now - busy_since);
    }
  }

  void finish(job& what, std::shared_ptr<failure const> const& why) {
    {
      std::lock_guard const lock(mutex_);
      what.failed_ = why;
      what.done_ = true;
      has_failed_ = has_failed_ || why != nullptr;
    }
    done_.notify_all();
  }

  // Moves submitted jobs to their channels. Waits for some if there is nothing to do, and looks for control messages
  // of other ranks now and then.
  stopping take_submitted(bool may_wait) {
    std::unique_lock lock(mutex_);
    if (may_wait)
      wake_.wait_for(lock, std::chrono::milliseconds(20),
                     [this] { return !submitted_.empty() || stop_ == stopping::at_once; });
    for (; !submitted_.empty(); submitted_.pop_front()) {
      auto const& [on, what] = submitted_.front();
      if (std::ranges::find(channels_, on) == channels_.end()) channels_.push_back(on);
      if (what == nullptr) continue;
      limits_ = what->within_;
      on->push(what);
    }
    return stop_;
  }

  void close(std::shared_ptr<channel> const& each) const {
    if (each->failed() != nullptr) return;
    auto last = std::make_shared<close_job>();
    last->begin(0, limits_);
    each->push(std::move(last));
  }

  // All other channels are closed, or have failed. The world is closed then, unless MPI_Finalize might not return
  // because a rank is dead, or does not come to it for this very reason.
  bool has_ended() {
    bool is_safe = true;
    for (auto const& each : channels_) {
      if (each == world_channel_) continue;
      if (each->failed() == nullptr) return false;
      is_safe = is_safe && each->stuck() == nullptr && each->failed()->is_known;
    }
    if (world_channel_->is_closed()) return may_finalise_ = true;
    if (world_channel_->failed() != nullptr || !is_safe) return flush();
    if (std::exchange(closes_world_, true)) return false;
    close(world_channel_);
    return false;
  }
  // Gives the library a second to send verdicts.
  bool flush() {
    clock::time_point const now = clock::now();
    if (flush_until_ == clock::time_point()) flush_until_ = now + std::chrono::seconds(1);
    bool is_flushed = true;
    for (auto const& each : channels_) is_flushed = each->flush() && is_flushed;
    return is_flushed || now > flush_until_;
  }

  // Leaves the processor to the program's own threads while other ranks are awaited.
  static void back_off(clock::duration busy) {
    if (busy < std::chrono::microseconds(200))
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }

  void stop(stopping how) {
    {
      std::unique_lock lock(mutex_);
      stop_ = std::max(stop_, how);
    }
    wake_.notify_one();
    std::unique_lock lock(mutex_);
    // Without a limit while the thread lives: other ranks may need long to come to their ends. After a failure, calls
    // of the library may block, to report that a server cannot be reached for instance.
    clock::duration const allowed = has_failed_ ? std::chrono::seconds(2) : std::chrono::seconds(20);
    std::uint64_t beat = beats_.load(std::memory_order_relaxed);
    for (clock::time_point since = clock::now(); !has_ended_ && clock::now() - since < allowed;) {
      done_.wait_for(lock, std::chrono::milliseconds(100));
      std::uint64_t const now = beats_.load(std::memory_order_relaxed);
      if (std::exchange(beat, now) != now) since = clock::now();
    }
    bool const ended = has_ended_;
    lock.unlock();
    if (!thread_.joinable()) return;
    if (ended)
      thread_.join();
    else
      thread_.detach();
  }

  std::thread thread_;
  std::atomic<std::uint64_t> beats_ = 0;
  std::condition_variable wake_;  // the thread
  std::condition_variable done_;  // those that wait for jobs
  std::mutex mutex_;              // guards what follows
  std::deque<std::pair<std::shared_ptr<channel>, std::shared_ptr<job>>> submitted_;
  std::optional<failure> start_failure_;
  stopping stop_ = stopping::no;
  bool is_ready_ = false;
  bool is_stopped_ = false;  // submits are refused
  bool has_ended_ = false;
  bool has_failed_ = false;
  communicators world_;  // set before is_ready_
  std::shared_ptr<channel> world_channel_;
  // Accessed by the thread alone.
  std::vector<std::shared_ptr<channel>> channels_;
  limits limits_;  // of the last job
  bool closes_world_ = false;
  bool may_finalise_ = false;
  clock::time_point flush_until_;
};

}  // namespace plait::detail::mpi
