// Memory that is kept when it is given back: a run of a plan allocates what the run before it did.
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
  std::size_t bytes_in_use = 0;        ///< taken and not given back, as rounded up
  std::size_t bytes_held = 0;          ///< from the system: in use, and kept for later
  std::size_t peak_bytes_in_use = 0;   ///< since the last reset_peak
};

/// Blocks of a backend's memory by size: four sizes to each power of two, so that a block is at most a quarter larger
/// than asked for. Any thread may take and give back.
///
/// On devices a block is given back before work that was started on it is done. So it is for the queue that it was
/// first taken for, whose work is done in order; a thread of another queue waits for its own before it gives it back.
/// TRAP: work that still other queues do on it must be done by then.
template <backend B>
class memory_pool {
 public:
  memory_pool() = default;
  memory_pool(memory_pool const&) = delete;
  memory_pool& operator=(memory_pool const&) = delete;
  ~memory_pool() { trim(); }

  /// The one of the backend's tensors. It lives as long as the program.
  static memory_pool& shared() {
    static auto& pool = *new memory_pool;  // never destroyed: tensors may be objects of static storage
    return pool;
  }

  /// How large the block is that so many bytes are given.
  static constexpr std::size_t block_size(std::size_t bytes) { return bytes == 0 ? 0 : class_size(class_of(bytes)); }

  /// The most bytes that can be in use at a time. A system that promises more memory than it has ends the program when
  /// that is written.
  static std::size_t capacity() {
    if constexpr (detail::has_capacity<B>)
      return B::capacity();
    else
      return std::numeric_limits<std::size_t>::max();
  }

  /// Aligned as the backend's memory is; nullptr for no bytes. Throws memory_error where all that is in use would
  /// exceed the capacity, without asking for it, and where the system gives none, after what is kept was freed.
  [[nodiscard]] void* take(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    std::lock_guard const lock(mutex_);
    if (bytes > capacity() || asked_for_ > capacity() - bytes) throw memory_error(bytes);
    std::size_t const kind = class_of(bytes);
    free_lists& own = lists_.of_thread();
    std::vector<void*>& free = own[kind];
    void* block = reserve::take(*this, kind);
    if (block != nullptr) {
      // nothing to count but its use
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

  /// Of a block taken for so many bytes.
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

  /// Blocks that work which is done again and again goes on using, though nobody owns them in between: what a thread
  /// gives back while it uses a reserve stays there, for that thread alone. The pool must outlive it.
  class reserve {
   public:
    explicit reserve(memory_pool& from = shared()) : pool_(&from) {}
    reserve(reserve const&) = delete;
    reserve& operator=(reserve const&) = delete;
    /// Gives everything back to the pool. Precondition: no thread uses it any more.
    ~reserve() {
      std::lock_guard const lock(pool_->mutex_);
      for (auto const& [block, kind] : blocks_) pool_->keep(block, kind);
    }

    /// From here to the end of the scope the calling thread uses it, in place of what it used before.
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
      } catch (...) {  // it is leaked: work that uses it may be done again
      }
      return true;
    }

    memory_pool* pool_;
    std::vector<std::pair<void*, std::size_t>> blocks_;  // and their kinds
  };

  /// Returns what is not in use to the system.
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

  using free_lists = std::array<std::vector<void*>, 4 * 58 + 1>;  // by kind

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
    std::map<void const*, free_lists> lists;  // by queue
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
    } catch (...) {  // of work that has failed: the next call tells
    }
  }

  mutable std::mutex mutex_;
  std::size_t asked_for_ = 0;  // in use, without what sizes were rounded up by
  std::conditional_t<detail::has_queues<B>, several_queues, one_queue> lists_;
  memory_statistics statistics_;
};

namespace detail {

/// Memory of the host for single objects of a type, as of what shared pointers count with: kept for the next one, in
/// a list that lives as long as the program. Any thread may take and give back.
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

/// A block of a pool that is given back with the last owner. Throws memory_error as take does.
template <backend B>
[[nodiscard]] std::shared_ptr<void> pooled_memory(std::size_t bytes) {
  memory_pool<B>& pool = memory_pool<B>::shared();
  void* const block = pool.take(bytes);
  return {block, [bytes, &pool](void* at) { pool.give_back(at, bytes); }, detail::kept_allocator<void>()};
}

}  // namespace plait
