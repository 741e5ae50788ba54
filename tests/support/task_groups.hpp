// Task groups with controlled schedules: test results do not depend on a scheduler or on the load of the machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <plait/exec/backends/tbb/tbb.hpp>

namespace test {

/// Starts each task immediately, on a new thread: a task may wait for another without a time limit.
class thread_tasks {
 public:
  thread_tasks() = default;
  thread_tasks(thread_tasks const&) = delete;
  thread_tasks& operator=(thread_tasks const&) = delete;
  ~thread_tasks() { wait(); }

  template <class F>
  void run(F f) {
    std::lock_guard const lock(mutex_);
    ++begun;
    threads_.emplace_back([f = std::move(f)] {
      f();
      ++ended;
    });
  }
  void wait() {
    for (;;) {
      std::vector<std::thread> some;
      {
        std::lock_guard const lock(mutex_);
        some.swap(threads_);
      }
      if (some.empty()) return;
      for (std::thread& each : some) each.join();
    }
  }

  static inline std::atomic<int> begun = 0;  ///< tasks of all groups
  static inline std::atomic<int> ended = 0;

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

/// Runs tasks in wait(), one by one, in a random order: with enough seeds, in every order.
class shuffled_tasks {
 public:
  template <class F>
  void run(F f) {
    tasks_.emplace_back(std::move(f));
  }
  void wait() {
    while (!tasks_.empty()) {
      std::swap(tasks_[random() % tasks_.size()], tasks_.back());
      std::function<void()> const task = std::move(tasks_.back());
      tasks_.pop_back();
      task();
    }
  }

  static inline std::mt19937 random;

 private:
  std::vector<std::function<void()>> tasks_;
};

/// Runs no task before wait(): as if the scheduler had no idle thread.
class late_tasks {
 public:
  late_tasks() = default;
  late_tasks(late_tasks const&) = delete;
  late_tasks& operator=(late_tasks const&) = delete;
  ~late_tasks() { wait(); }
  template <class F>
  void run(F f) {
    tasks_.emplace_back(std::move(f));
  }
  void wait() {
    for (auto const& task : std::exchange(tasks_, {})) task();
  }

 private:
  std::vector<std::function<void()>> tasks_;
};

/// A backend that reports a number of threads and uses one of the task groups above.
template <class Tasks, unsigned Threads>
struct task_backend : plait::tbb {
  using task_group = Tasks;
  static unsigned concurrency() { return Threads; }
};

}  // namespace test
