// Spinning worker pool for sequences of short parallel loops.
//
// oneTBB takes more than a microsecond to start a loop on all threads, and another until the last has finished; a time
// step of a small recurrence takes no more than five. So during a recurrence the other threads spin for the next loop,
// and begin it 100 nanoseconds later. A worker that has spun for long returns to the scheduler, and is requested again.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>

namespace plait::detail {

/// Hints to the processor that this thread spins.
inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Operands of a loop: an output, and up to three inputs.
struct loop_operands {
  void* to = nullptr;
  std::array<void const*, 3> from = {};
};

/// Worker pool of the thread that constructs it, for its lifetime: for_each_part distributes the tasks of loops over
/// its threads. Does nothing if the backend has no tasks, if the thread has a team already, and if there are more than
/// most_members threads.
///
/// No task waits for a thread that has not arrived: a thread that has finished its own tasks steals others. So the
/// number of threads that the scheduler provides, and when, affects only the time. In loops of equally many tasks, a
/// task stays on the same thread unless another steals it: what it reads each time is in that thread's cache.
template <backend B>
class spinning_pool {
 public:
  static constexpr bool is_here() noexcept { return false; }
};

template <backend B>
  requires has_tasks<B>
class spinning_pool<B> {
 public:
  static constexpr std::size_t most_members = 64;

  spinning_pool() : members_(B::concurrency()) {
    if (here_.team == nullptr && members_ > 1 && members_ <= most_members) here_ = {this, false};
  }
  spinning_pool(spinning_pool const&) = delete;
  spinning_pool& operator=(spinning_pool const&) = delete;
  ~spinning_pool() {
    if (here_.team != this) return;
    here_ = {nullptr, false};
    for (std::size_t m = 1; m != members_; ++m) shares_[m].parts.store(closed, std::memory_order_release);
    helpers_.wait();
  }

  /// Returns true if this thread has a team that would share a loop, so that even short loops are worth sharing.
  static bool is_here() noexcept { return here_.team != nullptr && !here_.in_part; }

  /// Returns the number of threads. Precondition: is_here().
  static std::size_t size() noexcept { return here_.team->members_; }

  /// Calls f(part) for each part below `count`, on the team of this thread; returns false if it has none. Within a task
  /// of another loop, this thread runs all of them. Throws what a task throws; on the team, after all others are done.
  template <class Index = std::size_t, class F>
  static bool run(std::size_t count, F const& f) {
    if (here_.team == nullptr || count > most_parts) return false;
    if (!is_here() || count < 2) {
      for (std::size_t part = 0; part != count; ++part) f(static_cast<Index>(part));
      return true;
    }
    here_.team->run({&f, [](void const* self, std::size_t part,
                            loop_operands const&) { (*static_cast<F const*>(self))(static_cast<Index>(part)); }},
                    {}, count);
    return true;
  }

  /// Calls f(part, operands) for each part below `count`, which is at least one. Precondition: is_here(). The operands
  /// are in the message that a member gets anyway: if f stays unchanged at its address from loop to loop, it is in the
  /// members' caches, and no more has to be transferred. Returns false if this thread has run all tasks.
  template <class F>
  static bool run(std::size_t count, F const& f, loop_operands const& operands) {
    return here_.team->run({&f, [](void const* self, std::size_t part,
                                   loop_operands const& its) { (*static_cast<F const*>(self))(part, its); }},
                           operands, count);
  }

  /// Returns true if all other tasks of a loop of `count` are done; for its first task, on the thread that began it.
  static bool others_done(std::size_t count) { return here_.team->is_done(here_.team->number_ | 1, count); }

 private:
  struct loop {
    void const* self = nullptr;
    void (*call)(void const*, std::size_t, loop_operands const&) = nullptr;
  };
  // Cache lines migrate between threads, and each way takes 30 to 450 nanoseconds, depending on where the threads are.
  // So a member gets its work in one line and answers in another, no line counts for all members, and the team's own
  // thread waits for none before it begins its first task.
  //
  // `parts` is the number of the member's tasks that no thread has begun; its upper half is the loop's number, so that
  // no task is mistaken for one of a later loop.
  struct alignas(64) share {
    std::atomic<std::uint64_t> parts = 0;
    loop of;              // valid while any of its tasks is running,
    std::size_t end = 0;  // as is the end of its range of tasks
    loop_operands operands;
    alignas(64) std::atomic<std::uint64_t> done = 0;  // tasks it has run, also stolen ones; with the loop's number
    std::atomic<bool> away = true;                    // not spinning: set by the member, reset by the team's thread
  };
  static constexpr std::uint64_t count_bits = 0xffff'ffff;
  static constexpr std::uint64_t closed = count_bits;  // in place of a number: no more loops follow
  static constexpr std::uint64_t most_parts = count_bits / 2;
  // Polls before a worker returns to the scheduler (10 to 50 µs), and before a thread yields the processor (2 to 10
  // µs). That is longer than the gaps between the loops of small time steps.
  static constexpr int looks = 1'000;
  static constexpr int looks_alone = 200;

  // Consecutive loops of which one thread has run all tasks: some 200 µs, when others should have arrived long since.
  static constexpr int long_alone = 32;

  struct place {
    spinning_pool* team;
    bool in_part;
  };

  // `all` is passed in registers: a copy of what was just stored in halves would wait for all earlier stores.
  bool run(loop all, loop_operands const& operands, std::size_t count) {
    number_ += count_bits + 1;
    // A division takes five nanoseconds, for which all others wait.
    std::size_t const low = count < 2 * members_ ? std::size_t{count >= members_} : count / members_;
    std::size_t const more = count - low * members_;  // members have one task more
    std::size_t end = count;
    for (std::size_t m = members_; --m != 0;) {
      std::size_t const parts = low + (m < more);
      if (parts == 0) continue;
      share& its = shares_[m];
      its.of = all;
      its.operands = operands;
      its.end = end;
      end -= parts;
      // If it leaves at this moment, this thread runs its tasks, and requests it the next time.
      its.parts.store(number_ | parts, std::memory_order_release);
      if (its.away.load(std::memory_order_acquire)) {
        its.away.store(false, std::memory_order_relaxed);
        ask(m);
      }
    }
    if (end != 1) {  // others may steal there
      shares_[0].of = all;
      shares_[0].operands = operands;
      shares_[0].end = end;
      shares_[0].parts.store(number_ | (end - 1), std::memory_order_release);
    }
    here_.in_part = true;
    run_part(all, 0, operands);
    std::uint64_t own = number_ | 1;
    if (end != 1) take(0, own);
    if (!is_done(own, count))
      for (std::size_t m = 1; m != members_; ++m) take(m, own);
    bool const alone = (own & count_bits) == count;
    alone_ = alone ? alone_ + 1 : std::min(alone_, 0);
    if (alone_ == long_alone) make_way();
    for (int look = 1; !is_done(own, count); ++look) wait(look);
    here_.in_part = false;
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
    return !alone;
  }

  bool is_done(std::uint64_t own, std::size_t count) const {
    std::size_t done = own & count_bits;
    for (std::size_t m = 1; m != members_; ++m) {
      std::uint64_t const its = shares_[m].done.load(std::memory_order_acquire);
      if ((its & ~count_bits) == number_) done += its & count_bits;
    }
    return done == count;
  }

  // Separate from run(): tests/tsan_suppressions.txt names it to exclude the way oneTBB passes tasks on.
  PLAIT_NO_INLINE void ask(std::size_t member) {
    try {
      helpers_.run([this, member] { help(member); });
    } catch (std::bad_alloc const&) {  // then the other threads run its tasks
    }
  }

  // The system may have queued the others behind this thread, on one processor, and leave them there for ten
  // milliseconds and more while another is idle: for as long as none of them sleeps. So this thread sleeps, and is
  // migrated when it wakes. It does so again only after nine times as many loops without the others, as one sleep takes
  // as long as ten small loops and there may be no other processor.
  void make_way() {
    std::this_thread::sleep_for(std::chrono::microseconds(1));
    alone_ = -8 * long_alone;
  }

  // Runs the remaining tasks of a member. `done` counts them, with the loop's number; `answer`, if any, gets it.
  void take(std::size_t member, std::uint64_t& done, std::atomic<std::uint64_t>* answer = nullptr) {
    share& from = shares_[member];
    for (std::uint64_t now = from.parts.load(std::memory_order_acquire);;) {
      std::uint64_t const count = now & count_bits;
      if (count == 0 || count > most_parts) return;
      if (!from.parts.compare_exchange_weak(now, now - 1, std::memory_order_acq_rel, std::memory_order_acquire))
        continue;
      std::uint64_t const number = now & ~count_bits;
      run_part(from.of, from.end - count, from.operands);
      done = (done & ~count_bits) == number ? done + 1 : number | 1;
      if (answer != nullptr) answer->store(done, std::memory_order_release);
      now = from.parts.load(std::memory_order_acquire);
    }
  }

  void run_part(loop const& of, std::size_t part, loop_operands const& operands) {
    try {
      of.call(of.self, part, operands);
    } catch (...) {
      std::lock_guard const lock(failing_);
      if (failure_ == nullptr) failure_ = std::current_exception();
    }
  }

  void help(std::size_t member) {
    place const before = std::exchange(here_, {this, true});
    share& own = shares_[member];
    std::uint64_t done = own.done.load(std::memory_order_relaxed);
    std::uint64_t idle = 0;  // value of `parts` while there are no tasks
    for (int look = 1;; ++look) {
      // Not a load: this thread then owns the cache line, to take a task from, as soon as there is one.
      std::uint64_t now = idle;
      if (own.parts.compare_exchange_strong(now, idle, std::memory_order_acq_rel)) {
        if (look == looks) {
          own.away.store(true, std::memory_order_release);
          break;
        }
        wait(look);
        continue;
      }
      if ((now & count_bits) == closed) break;
      look = 0;
      for (std::size_t k = 0; k != members_; ++k)
        take(member + k < members_ ? member + k : member + k - members_, done, &own.done);
      idle = now & ~count_bits;
    }
    here_ = before;
  }

  static void wait(int look) {
    if (look % looks_alone == 0)
      std::this_thread::yield();
    else
      pause();
  }

  static constinit inline thread_local place here_ = {nullptr, false};

  std::size_t members_;
  std::array<share, most_members> shares_;  // the first is that of the constructing thread
  std::uint64_t number_ = 0;                // of the loop, in the upper half
  int alone_ = 0;                           // consecutive loops without the others
  std::mutex failing_;
  std::exception_ptr failure_ = nullptr;
  typename B::task_group helpers_;
};

/// Returns the number of threads that share a loop which begins here. Avoids B::concurrency() while workers spin:
/// oneTBB takes a hundredth of a small product to look it up.
template <backend B>
std::size_t threads_here() {
  if constexpr (has_tasks<B>)
    if (spinning_pool<B>::is_here()) return spinning_pool<B>::size();
  return B::concurrency();
}

}  // namespace plait::detail
