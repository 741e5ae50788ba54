// Thread pool backend: a backend on std::thread, written from the contract in exec/backend.hpp alone.
//
// It includes no header of plait, and uses neither Thrust nor a library for threads. There are always four threads, so
// that loops are divided on machines with fewer processors, too.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <vector>

namespace test {

/// Three threads that help a caller with one loop at a time; they take indices from a shared counter. A loop within
/// another, or of a second caller meanwhile, runs on the calling thread.
class loop_pool {
 public:
  static constexpr unsigned threads = 4;  ///< with the caller

  static loop_pool& shared() {
    static loop_pool made;
    return made;
  }
  loop_pool(loop_pool const&) = delete;
  loop_pool& operator=(loop_pool const&) = delete;
  ~loop_pool() {
    {
      std::lock_guard const lock(mutex_);
      ends_ = true;
    }
    begins_.notify_all();
    for (std::thread& each : helpers_) each.join();
  }

  /// Returns true if the calling thread runs calls of a loop of the pool.
  static bool is_in_loop() noexcept { return in_loop_; }

  /// Calls f(i) for each i below count, and returns when all calls have returned.
  template <class F>
  void run(std::size_t count, F const& f) {
    loop own(
        &f, [](void const* self, std::size_t i) { (*static_cast<F const*>(self))(i); }, count);
    if (count < 2 || in_loop_ || !begin(own)) return own.run();
    in_loop_ = true;
    own.run();
    in_loop_ = false;
    end();
  }

 private:
  struct loop {
    loop(void const* function, void (*how)(void const*, std::size_t), std::size_t indices)
        : self(function), call(how), count(indices) {}
    bool has_more() const { return next.load(std::memory_order_relaxed) < count; }
    void run() {
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) call(self, i);
    }

    void const* self;
    void (*call)(void const*, std::size_t);
    std::size_t count;
    std::atomic<std::size_t> next = 0;
  };

  loop_pool() {
    for (unsigned i = 1; i != threads; ++i) helpers_.emplace_back([this] { help(); });
  }

  // Returns false if another thread's loop runs.
  bool begin(loop& own) {
    {
      std::lock_guard const lock(mutex_);
      if (current_ != nullptr) return false;
      current_ = &own;
    }
    begins_.notify_all();
    return true;
  }
  void end() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return busy_ == 0; });
    current_ = nullptr;
  }
  void help() {
    in_loop_ = true;
    std::unique_lock lock(mutex_);
    for (;;) {
      begins_.wait(lock, [this] { return ends_ || (current_ != nullptr && current_->has_more()); });
      if (ends_) return;
      loop& all = *current_;
      ++busy_;
      lock.unlock();
      all.run();
      lock.lock();
      if (--busy_ == 0) ended_.notify_one();
    }
  }

  static inline thread_local bool in_loop_ = false;

  std::mutex mutex_;
  std::condition_variable begins_;
  std::condition_variable ended_;
  loop* current_ = nullptr;
  unsigned busy_ = 0;  // helpers that run calls of the current loop
  bool ends_ = false;
  std::vector<std::thread> helpers_;  // last: they use all of the above
};

struct thread_pool {
  static constexpr std::string_view name = "thread pool";
  static constexpr bool on_device = false;
  static constexpr std::size_t alignment = 64;

  static unsigned concurrency() { return loop_pool::is_in_loop() ? 1 : loop_pool::threads; }
  template <class F>
  static void for_each_index(std::size_t count, F const& f) {
    loop_pool::shared().run(count, f);
  }

  static void* allocate(std::size_t bytes) { return ::operator new(bytes, std::align_val_t{alignment}); }
  static void deallocate(void* at, std::size_t) noexcept { ::operator delete(at, std::align_val_t{alignment}); }
  static void copy(void* to, void const* from, std::size_t bytes) {
    if (bytes != 0) std::memmove(to, from, bytes);
  }
  static void copy_from_host(void* to, void const* from, std::size_t bytes) { copy(to, from, bytes); }
  static void copy_to_host(void* to, void const* from, std::size_t bytes) { copy(to, from, bytes); }
  static void synchronize() {}
};

}  // namespace test
