// Wavefront executor: runs the nodes of a step_schedule on tasks, each as soon as its dependences are met, so that
// steps overlap.
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

#include <plait/core/errors.hpp>
#include <plait/exec/detail/step_schedule.hpp>

namespace plait {

/// Dataflow scheduling without polling: a node that is done decrements the counters of its followers. TaskGroup has
/// run(function), callable from any thread, and wait(), like ::tbb::task_group.
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

  /// Calls body(step, node) for all nodes of so many steps. If calls throw, rethrows the exception that is first in
  /// sequential order: all calls before it are made, later ones may be skipped. Throws run_cancelled if nodes never
  /// began because an enclosing task group was cancelled. One run at a time.
  template <class Body>
  void run(std::size_t steps, Body const& body) {
    steps_ = steps;
    error_ = nullptr;
    for (std::size_t step = 0; step != std::min(ring_, steps); ++step) expect(step);
    if (steps == 0) return;
    // This number and the counters order all nodes after what was before, whatever the task group guarantees.
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
  // Initialises the counters of a step. Nothing that its nodes wait for is done yet.
  void expect(std::size_t step) {
    auto const nodes = static_cast<node_number>(schedule_->node_count());
    for (node_number n = 0; n != nodes; ++n)
      waiting(step, n).store(schedule_->waits(n, step), std::memory_order_relaxed);
    if (step >= schedule_->in_flight()) waiting(step, 0).fetch_add(1, std::memory_order_relaxed);
    left_[step % ring_].store(nodes, std::memory_order_relaxed);
  }

  // Runs a node, then one of those that it made ready, and spawns tasks for the others.
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
      // Step t + ring_ reuses the counters of a step that has ended; none of them is decremented before step t +
      // in_flight() has begun. TRAP: expect() precedes the decrements of followers. After these the next steps may end,
      // which decrements the first node of step t + ring_, while this thread is descheduled.
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
  std::size_t ring_;                                 // steps with counters
  std::vector<std::atomic<std::uint32_t>> waiting_;  // by step in the ring and node: unmet dependences
  std::vector<std::atomic<std::uint32_t>> left_;     // by step in the ring: nodes that are not done
  std::size_t steps_ = 0;
  std::atomic<std::uint64_t> bound_ = 0;  // number of the first node, of all steps, that need not run
  std::mutex mutex_;
  std::exception_ptr error_;  // of the node bound_
};

}  // namespace plait
