// Memory pool: free lists by size class, so that a run of a plan reuses the memory of the run before.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>

namespace plait {

struct memory_statistics {
  std::size_t system_allocations = 0;  ///< since the program started
  std::size_t bytes_in_use = 0;        ///< taken and not yet returned, as rounded up
  std::size_t bytes_held = 0;          ///< from the system: in use, and in free lists
  std::size_t peak_bytes_in_use = 0;   ///< since the last reset_peak
};

/// Size-class allocator of a backend's memory: four classes per power of two, so that a block of more than 64 bytes is
/// at most a quarter larger than requested. Thread-safe.
///
/// On devices, a block may be returned before work that was launched on it has finished. Each block belongs to the
/// stream that it was first taken for, which runs in order; a thread of another stream synchronises before it returns
/// the block. TRAP: work of further streams on it must have finished by then.
template <backend B>
class memory_pool {
 public:
  memory_pool() = default;
  memory_pool(memory_pool const&) = delete;
  memory_pool& operator=(memory_pool const&) = delete;
  ~memory_pool() { trim(); }

  /// Returns the pool of the backend's tensors, which lives as long as the program.
  static memory_pool& shared() {
    static auto& pool = *new memory_pool;  // never destroyed: tensors may have static storage
    return pool;
  }

  /// Returns the size of the block for a request of so many bytes.
  static constexpr std::size_t block_size(std::size_t bytes) { return bytes == 0 ? 0 : class_size(class_of(bytes)); }

  /// Returns the maximum of bytes in use at a time. A system that overcommits memory terminates a program that writes
  /// more.
  static std::size_t capacity() {
    if constexpr (detail::has_capacity<B>)
      return B::capacity();
    else
      return std::numeric_limits<std::size_t>::max();
  }

  /// Returns a block aligned like all memory of the backend; nullptr for 0 bytes. Throws memory_error if use would
  /// exceed the capacity, without asking the system, and if the system has no memory after the free lists were freed.
  [[nodiscard]] void* take(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    std::lock_guard const lock(mutex_);
    if (bytes > capacity() || asked_for_ > capacity() - bytes) throw memory_error(bytes);
    std::size_t const kind = class_of(bytes);
    free_lists& own = lists_.of_thread();
    std::vector<void*>& free = own[kind];
    void* block = reserve::take(*this, kind);
    if (block != nullptr) {
      // only its use is counted
    } else if (!free.empty()) {
      block = free.back();
      free.pop_back();
    } else {
      if (free.capacity() == 0) free.reserve(8);
      try {
        block = allocate(class_size(kind), own);
      } catch (std::bad_alloc const&) {
        throw memory_error(bytes);
      }
      ++statistics_.system_allocations;
      statistics_.bytes_held += class_size(kind);
    }
    asked_for_ += bytes;
    statistics_.bytes_in_use += class_size(kind);
    statistics_.peak_bytes_in_use = std::max(statistics_.peak_bytes_in_use, statistics_.bytes_in_use);
    return block;
  }

  /// Returns a block that was taken for so many bytes to the pool.
  void give_back(void* block, std::size_t bytes) noexcept {
    if (block == nullptr) return;
    std::size_t const kind = class_of(bytes);
    std::unique_lock lock(mutex_);
    asked_for_ -= bytes;
    statistics_.bytes_in_use -= class_size(kind);
    if (reserve::give_back(*this, block, kind)) return;
    if constexpr (detail::has_queues<B>) {
      if (&lists_.of_block(block) != &lists_.of_thread()) {
        lock.unlock();
        wait();
        lock.lock();
      }
    }
    keep(block, kind);
  }

  /// Private blocks of replayed work (captured_runs), which uses them in each replay although no tensor owns them:
  /// blocks that a thread returns while it uses a reserve stay there, for that thread alone. The pool must outlive it.
  class reserve {
   public:
    explicit reserve(memory_pool& from = shared()) : pool_(&from) {}
    reserve(reserve const&) = delete;
    reserve& operator=(reserve const&) = delete;
    /// Returns all blocks to the pool. Precondition: no thread uses the reserve.
    ~reserve() {
      std::lock_guard const lock(pool_->mutex_);
      for (auto const& [block, kind] : blocks_) pool_->keep(block, kind);
    }

    /// Makes the calling thread use a reserve until the end of the scope, instead of the one before.
    class use {
     public:
      explicit use(reserve& r) : before_(std::exchange(current(), &r)) {}
      use(use const&) = delete;
      use& operator=(use const&) = delete;
      ~use() { current() = before_; }

     private:
      reserve* before_;
    };

   private:
    friend class memory_pool;

    static reserve*& current() {
      thread_local reserve* of_thread = nullptr;
      return of_thread;
    }
    static void* take(memory_pool const& from, std::size_t kind) {
      reserve* const r = current();
      if (r == nullptr || r->pool_ != &from) return nullptr;
      auto const found = std::ranges::find(r->blocks_, kind, &std::pair<void*, std::size_t>::second);
      if (found == r->blocks_.end()) return nullptr;
      void* const block = found->first;
      r->blocks_.erase(found);
      return block;
    }
    static bool give_back(memory_pool const& to, void* block, std::size_t kind) noexcept {
      reserve* const r = current();
      if (r == nullptr || r->pool_ != &to) return false;
      try {
        r->blocks_.emplace_back(block, kind);
      } catch (...) {  // the block is leaked: replayed work may use it
      }
      return true;
    }

    memory_pool* pool_;
    std::vector<std::pair<void*, std::size_t>> blocks_;  // and their size classes
  };

  /// Returns unused blocks to the system.
  void trim() noexcept {
    std::lock_guard const lock(mutex_);
    free_all();
  }

  memory_statistics statistics() const {
    std::lock_guard const lock(mutex_);
    return statistics_;
  }
  void reset_peak() {
    std::lock_guard const lock(mutex_);
    statistics_.peak_bytes_in_use = statistics_.bytes_in_use;
  }

 private:
  static constexpr std::size_t smallest = 64;

  static constexpr std::size_t class_of(std::size_t bytes) {
    if (bytes <= smallest) return 0;
    std::size_t const power = std::bit_width(bytes - 1) - 1;  // 2^power < bytes <= 2^(power + 1)
    std::size_t const quarter = std::size_t{1} << (power - 2);
    std::size_t const step = (bytes - (std::size_t{1} << power) + quarter - 1) / quarter;
    return (power - 6) * 4 + step;
  }
  static constexpr std::size_t class_size(std::size_t kind) {
    if (kind == 0) return smallest;
    std::size_t const power = (kind - 1) / 4 + 6;
    return (std::size_t{1} << power) + ((kind - 1) % 4 + 1) * (std::size_t{1} << (power - 2));
  }
  static_assert(class_size(class_of(65)) == 80 && class_size(class_of(128)) == 128 && class_size(class_of(129)) == 160);

  using free_lists = std::array<std::vector<void*>, 4 * 58 + 1>;  // by size class

  struct one_queue {
    free_lists lists;

    free_lists& of_thread() { return lists; }
    free_lists& of_block(void*) { return lists; }
    void add(void*, free_lists&) {}
    void remove(void*) noexcept {}
    template <class F>
    void for_each(F const& f) {
      f(lists);
    }
  };
  struct several_queues {
    std::map<void const*, free_lists> lists;  // by stream
    std::map<void*, free_lists*> homes;       // by block

    free_lists& of_thread() { return lists[B::queue()]; }
    free_lists& of_block(void* block) { return *homes.find(block)->second; }
    void add(void* block, free_lists& home) { homes.emplace(block, &home); }
    void remove(void* block) noexcept { homes.erase(block); }
    template <class F>
    void for_each(F const& f) {
      for (auto& [queue, of_queue] : lists) f(of_queue);
    }
  };

  void* allocate(std::size_t bytes, free_lists& home) {
    void* made = nullptr;
    try {
      made = B::allocate(bytes);
    } catch (std::bad_alloc const&) {
      free_all();
      made = B::allocate(bytes);
    }
    try {
      lists_.add(made, home);
    } catch (...) {
      B::deallocate(made, bytes);
      throw;
    }
    return made;
  }
  void keep(void* block, std::size_t kind) noexcept {
    try {
      lists_.of_block(block)[kind].push_back(block);
    } catch (...) {
      release(block, kind);
    }
  }
  void release(void* block, std::size_t kind) noexcept {
    lists_.remove(block);
    B::deallocate(block, class_size(kind));
    statistics_.bytes_held -= class_size(kind);
  }
  void free_all() noexcept {
    lists_.for_each([this](free_lists& lists) {
      for (std::size_t kind = 0; kind != lists.size(); ++kind) {
        for (void* block : lists[kind]) release(block, kind);
        lists[kind].clear();
      }
    });
  }
  static void wait() noexcept {
    try {
      B::synchronize();
    } catch (...) {  // earlier work has failed: the next call reports it
    }
  }

  mutable std::mutex mutex_;
  std::size_t asked_for_ = 0;  // bytes in use, before rounding up
  std::conditional_t<detail::has_queues<B>, several_queues, one_queue> lists_;
  memory_statistics statistics_;
};

namespace detail {

/// Free-list allocator of single objects on the host, such as control blocks of shared pointers. The list lives as long
/// as the program. Thread-safe.
template <class T>
class kept_allocator {
 public:
  using value_type = T;

  kept_allocator() = default;
  template <class U>
  kept_allocator(kept_allocator<U> const&) noexcept {}  // NOLINT(google-explicit-constructor): as allocators convert

  [[nodiscard]] T* allocate([[maybe_unused]] std::size_t count) {
    PLAIT_ASSERT(count == 1, "kept_allocator: of single objects");
    static_assert(sizeof(T) >= sizeof(spot));
    kept& all = shared();
    {
      std::lock_guard const lock(all.mutex);
      if (all.first != nullptr) return reinterpret_cast<T*>(std::exchange(all.first, all.first->next));
    }
    return std::allocator<T>().allocate(1);
  }
  void deallocate(T* at, std::size_t) noexcept {
    kept& all = shared();
    std::lock_guard const lock(all.mutex);
    all.first = ::new (static_cast<void*>(at)) spot{all.first};
  }
  friend bool operator==(kept_allocator, kept_allocator) = default;

 private:
  struct spot {
    spot* next;
  };
  struct kept {
    std::mutex mutex;
    spot* first = nullptr;
  };
  static kept& shared() {
    static auto& all = *new kept;
    return all;
  }
};

}  // namespace detail

/// Returns a block of the shared pool that its last owner returns. Throws memory_error like take.
template <backend B>
[[nodiscard]] std::shared_ptr<void> pooled_memory(std::size_t bytes) {
  memory_pool<B>& pool = memory_pool<B>::shared();
  void* const block = pool.take(bytes);
  return {block, [bytes, &pool](void* at) { pool.give_back(at, bytes); }, detail::kept_allocator<void>()};
}

}  // namespace plait
