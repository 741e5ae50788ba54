// Runs the steps of a schedule on tasks: each node as soon as all it waits for is done, so that a later step begins
// before an earlier one has ended.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <plait/exec/detail/run_cancelled.hpp>
#include <plait/exec/detail/step_schedule.hpp>

namespace plait {

/// TaskGroup has run(function), to be called from any thread, and wait(), as ::tbb::task_group. Nothing waits by
/// looking again: a node that is done counts down those that wait for it.
template <class TaskGroup>
class step_wavefront {
 public:
  using node_number = step_schedule::node_number;

  /// The schedule must outlive it.
  explicit step_wavefront(step_schedule const& schedule)
      : schedule_(&schedule),
        ring_(2 * schedule.in_flight() - 1),
        waiting_(ring_ * schedule.node_count()),
        left_(ring_) {}

  /// Calls body(step, node) for all nodes of so many steps. If one throws, what comes after it in the order of one step
  /// after the other, and one node after the other, need not be run, and all before it is: what is thrown is what that
  /// order would have met first. Throws run_cancelled if nodes were never begun, as a task group around was cancelled.
  /// One run at a time.
  template <class Body>
  void run(std::size_t steps, Body const& body) {
    steps_ = steps;
    error_ = nullptr;
    for (std::size_t step = 0; step != std::min(ring_, steps); ++step) expect(step);
    if (steps == 0) return;
    // Threads see what was before by this number and the counters, whatever tasks see to.
    bound_.store(std::numeric_limits<std::uint64_t>::max(), std::memory_order_release);
    TaskGroup group;
    group.run([this, &body, &group] { run_chain(0, 0, body, group); });
    group.wait();
    std::uint32_t const left = left_[(steps - 1) % ring_].load(std::memory_order_acquire);
    if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
    if (left != 0) throw run_cancelled(0);
  }

 private:
  std::atomic<std::uint32_t>& waiting(std::size_t step, node_number n) {
    return waiting_[step % ring_ * schedule_->node_count() + n];
  }
  // Before anything is done that a node of the step waits for.
  void expect(std::size_t step) {
    auto const nodes = static_cast<node_number>(schedule_->node_count());
    for (node_number n = 0; n != nodes; ++n)
      waiting(step, n).store(schedule_->waits(n, step), std::memory_order_relaxed);
    if (step >= schedule_->in_flight()) waiting(step, 0).fetch_add(1, std::memory_order_relaxed);
    left_[step % ring_].store(nodes, std::memory_order_relaxed);
  }

  // Runs a node, then one of those that it made ready, and leaves the others to other threads.
  template <class Body>
  void run_chain(std::size_t step, node_number node, Body const& body, TaskGroup& group) {
    struct place {
      std::size_t step;
      node_number node;
    };
    static_cast<void>(bound_.load(std::memory_order_acquire));
    static_cast<void>(waiting(step, node).load(std::memory_order_acquire));
    std::optional<place> next = place{step, node};
    while (next) {
      auto const [t, n] = *std::exchange(next, std::nullopt);
      run_node(t, n, body);
      auto const count_down = [&](std::size_t then, node_number follower) {
        if (waiting(then, follower).fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        if (!next)
          next = place{then, follower};
        else
          group.run([this, then, follower, &body, &group] { run_chain(then, follower, body, group); });
      };
      // The place of a step that has ended is another's, of which nothing is counted down before the step in_flight()
      // later has begun. TRAP: expected before followers are counted down. With them the next steps may end, whose ends
      // count down the other's first node, while this thread waits for a processor.
      bool const has_ended = left_[t % ring_].fetch_sub(1, std::memory_order_acq_rel) == 1;
      if (has_ended && t + ring_ < steps_) expect(t + ring_);
      for (step_schedule::edge const& e : schedule_->followers(n))
        if (t + e.distance < steps_) count_down(t + e.distance, e.to);
      if (has_ended && t + schedule_->in_flight() < steps_) count_down(t + schedule_->in_flight(), 0);
    }
  }
  template <class Body>
  void run_node(std::size_t step, node_number node, Body const& body) {
    std::uint64_t const number = std::uint64_t{step} * schedule_->node_count() + node;
    if (number >= bound_.load(std::memory_order_acquire)) return;
    try {
      body(step, node);
    } catch (...) {
      stop(number, std::current_exception());
    }
  }
  void stop(std::uint64_t number, std::exception_ptr error) {
    std::lock_guard const lock(mutex_);
    if (number >= bound_.load(std::memory_order_relaxed)) return;
    error_ = std::move(error);
    bound_.store(number, std::memory_order_release);
  }

  step_schedule const* schedule_;
  std::size_t ring_;                                 // steps that are counted down at once
  std::vector<std::atomic<std::uint32_t>> waiting_;  // by step in the ring and node: what it waits for that is not done
  std::vector<std::atomic<std::uint32_t>> left_;     // by step in the ring: nodes that are not done
  std::size_t steps_ = 0;
  std::atomic<std::uint64_t> bound_ = 0;  // the first node, of all steps, that need not be run
  std::mutex mutex_;
  std::exception_ptr error_;  // of the node bound_
};

}  // namespace plait
