// Emulated device: a backend that keeps the contract of the CUDA backend on the host.
//
// Kernels run asynchronously: at synchronisation, in the order in which they were launched. The device memory is
// inaccessible to the host except while kernels run: a kernel that reads an operand at launch instead of when it runs
// crashes the program, and so does one that keeps dangling pointers. Launches may be captured instead, as in a CUDA
// graph; synchronising during capture invalidates the capture.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/captured_runs.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/detail/memory_pool.hpp>

namespace test {

/// The device memory: address space whose pages are allocated on first access.
class closed_memory {
 public:
  static closed_memory& shared() {
    static auto& made = *new closed_memory;
    return made;
  }
  void* allocate(std::size_t bytes) {
    std::lock_guard const lock(mutex_);
    bytes = (bytes + 255) / 256 * 256;
    auto& free = free_[bytes];
    if (!free.empty()) {
      void* const block = free.back();
      free.pop_back();
      return block;
    }
    if (bytes > most - huge_page - end_) throw std::bad_alloc();
    return base_ + std::exchange(end_, end_ + bytes);
  }
  void deallocate(void* block, std::size_t bytes) {
    std::lock_guard const lock(mutex_);
    free_[(bytes + 255) / 256 * 256].push_back(block);
  }
  /// Runs work with the memory accessible.
  template <class F>
  void open(F const& work) {
    std::lock_guard const lock(mutex_);
    protect(PROT_READ | PROT_WRITE);
    work();
    protect(PROT_NONE);
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 36;
  static constexpr std::size_t huge_page = std::size_t{1} << 21;

  closed_memory()
      : base_(static_cast<std::byte*>(
            mmap(nullptr, most, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    // Huge pages: changing the protection of many small pages takes longer than most work.
    base_ += -reinterpret_cast<std::uintptr_t>(base_) % huge_page;
    static_cast<void>(madvise(base_, most - huge_page, MADV_HUGEPAGE));
  }
  void protect(int how) const {
    if (mprotect(base_, (end_ + huge_page - 1) / huge_page * huge_page, how) != 0) throw std::bad_alloc();
  }

  std::mutex mutex_;
  std::byte* base_;
  std::size_t end_ = 0;
  std::map<std::size_t, std::vector<void*>> free_;
};

/// The stream of a host thread: queues launches until synchronisation.
class late_stream {
 public:
  using work = std::function<void()>;

  static late_stream& current() {
    thread_local late_stream made;
    return made;
  }
  ~late_stream() { run(); }

  void start(work w) { (recording_ ? record_ : started_).push_back(std::move(w)); }
  void start(std::vector<work> const& all) { started_.insert(started_.end(), all.begin(), all.end()); }
  void wait() {
    if (recording_) {
      spoilt_ = true;
      throw plait::error("what is recorded cannot be waited for");
    }
    run();
  }
  void begin_record() {
    recording_ = true;
    spoilt_ = false;
    record_.clear();
  }
  std::optional<std::vector<work>> end_record() {
    recording_ = false;
    if (spoilt_) return std::nullopt;
    return std::move(record_);
  }

 private:
  void run() {
    if (started_.empty()) return;
    closed_memory::shared().open([&] {
      for (work const& w : started_) w();
    });
    started_.clear();
  }

  std::vector<work> started_;
  std::vector<work> record_;
  bool recording_ = false;
  bool spoilt_ = false;
};

struct late_gemm;
struct late_record;

struct emulated_device {
  static constexpr std::string_view name = "emulated device";
  static constexpr bool on_device = true;
  using gemm_library = late_gemm;
  using recorded_work = late_record;

  template <class F>
  static void for_each_index(std::size_t count, F f) {
    late_stream::current().start([=] {
      F each = f;
      for (std::size_t i = 0; i != count; ++i) each(i);
    });
  }
  template <class Holds>
  static std::size_t find_index(std::size_t count, Holds const& holds) {
    std::size_t found = 0;
    late_stream::current().start([&] {
      while (found != count && !holds(found)) ++found;
    });
    synchronize();
    return found;
  }
  static void const* queue() { return &late_stream::current(); }
  static constexpr unsigned concurrency() { return 132; }
  static void* allocate(std::size_t bytes) { return closed_memory::shared().allocate(bytes); }
  static void deallocate(void* at, std::size_t bytes) noexcept {
    late_stream::current().wait();  // as cudaFree does
    closed_memory::shared().deallocate(at, bytes);
  }
  static void copy(void* to, void const* from, std::size_t bytes) {
    if (bytes == 0) return;
    ++copies;
    late_stream::current().start([=] { std::memcpy(to, from, bytes); });
  }
  static void copy_from_host(void* to, void const* from, std::size_t bytes) {
    if (bytes == 0) return;
    copy(to, from, bytes);
    synchronize();
  }
  static void copy_to_host(void* to, void const* from, std::size_t bytes) { copy_from_host(to, from, bytes); }
  static void synchronize() { late_stream::current().wait(); }

  static inline std::atomic<std::size_t> copies = 0;  ///< number of copies so far, host transfers included
};

/// GEMM like cuBLAS, element by element: accumulates 16-bit types in float.
struct late_gemm {
  template <class T>
  class packed {
   public:
    std::int64_t rows() const noexcept { return k_; }
    std::int64_t columns() const noexcept { return n_; }
    void pack(std::int64_t k, std::int64_t n, T const* b, bool transposed = false, std::int64_t ldb = 0) {
      k_ = k;
      n_ = n;
      transposed_ = transposed;
      std::int64_t const row = transposed ? k : n;
      auto const bytes = static_cast<std::size_t>(row) * sizeof(T);
      auto const count = transposed ? n : k;
      memory_ = plait::pooled_memory<emulated_device>(static_cast<std::size_t>(count) * bytes);
      for (std::int64_t i = 0; i != count; ++i)
        emulated_device::copy(data() + i * row, b + i * (ldb == 0 ? row : ldb), bytes);
    }
    void multiply(std::int64_t m, T const* a, T* c, plait::gemm_scalar<T> alpha = 1, plait::gemm_scalar<T> beta = 0,
                  std::int64_t lda = 0, std::int64_t ldc = 0) const {
      plait::gemm<emulated_device>({.m = m, .n = n_, .k = k_, .transpose_b = transposed_, .lda = lda, .ldc = ldc}, a,
                                   static_cast<T const*>(data()), c, alpha, beta);
    }

   private:
    T* data() const { return static_cast<T*>(memory_.get()); }

    std::shared_ptr<void> memory_;
    std::int64_t k_ = 0;
    std::int64_t n_ = 0;
    bool transposed_ = false;
  };

  template <class T>
  static void multiply(plait::gemm_shape const& s, plait::gemm_batch const& batch, T const* a, T const* b, T* c,
                       plait::gemm_scalar<T> alpha, plait::gemm_scalar<T> beta) {
    late_stream::current().start([=] {
      using scalar = plait::gemm_scalar<T>;
      auto const at = [](T const* from, std::int64_t row, std::int64_t i, std::int64_t j, bool transposed) {
        return plait::convert<scalar>(transposed ? from[j * row + i] : from[i * row + j]);
      };
      for (std::int64_t number = 0; number != batch.count; ++number)
        for (std::int64_t i = 0; i != s.m; ++i)
          for (std::int64_t j = 0; j != s.n; ++j) {
            scalar sums[16] = {};  // devices do not sum in sequence
            for (std::int64_t l = 0; l != s.k; ++l)
              sums[l % 16] += at(a + number * batch.stride_a, s.lda, i, l, s.transpose_a) *
                              at(b + number * batch.stride_b, s.ldb, l, j, s.transpose_b);
            scalar sum = 0;
            for (scalar const part : sums) sum += part;
            T& to = c[number * batch.stride_c + i * s.ldc + j];
            to = plait::convert<T>(beta == 0 ? alpha * sum : alpha * sum + beta * plait::convert<scalar>(to));
          }
    });
  }
};

/// Launches that were recorded, as in a CUDA graph.
struct late_record {
  static void begin() { late_stream::current().begin_record(); }
  static std::optional<late_record> end() {
    auto made = late_stream::current().end_record();
    if (!made) return std::nullopt;
    return late_record{std::move(*made)};
  }
  void launch() const { late_stream::current().start(work); }

  std::vector<late_stream::work> work;
};

}  // namespace test
