// GEMM problem of the built-in kernels: operands, epilogue, scratch memory for packing, and splitting into tasks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/spinning_pool.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/kernels/for_each.hpp>

namespace plait::detail {

/// Bytes of a right operand that fit the L2 of a thread.
inline constexpr std::size_t own_cache = std::size_t{1} << 20;
/// Elements of k that are packed at once.
inline constexpr std::ptrdiff_t packed_depth = 1024;
/// Minimum multiplications for which threads are woken up.
inline constexpr std::ptrdiff_t parallel_work = 1 << 18;
/// Minimum multiplications for spinning workers: a microsecond and a half.
inline constexpr std::ptrdiff_t team_work = 1 << 16;

template <backend B>
bool is_shared(std::ptrdiff_t multiplications) {
  return multiplications >= (spinning_pool<B>::is_here() ? team_work : parallel_work);
}

/// Epilogue of a product, which tiles compute as they store c: c = relu(c + addend).
template <class T>
struct gemm_epilogue {
  T const* addend = nullptr;  ///< a matrix with the layout of c that does not overlap it; nullptr: none
  bool relu = false;          ///< negative elements become zero; NaN stays, as in the operator Relu
};

/// Product c = relu((alpha * a * b + beta * from) + more), with a of m by k and b of k by n elements. a and b have a
/// row and a column stride, of which one is 1. `more` does not overlap c.
template <class T>
struct gemm_problem {
  std::ptrdiff_t m, n, k;
  T const* a;
  std::ptrdiff_t a_row, a_column;
  T const* b;
  std::ptrdiff_t b_row, b_column;
  T* c;
  std::ptrdiff_t c_row;
  T alpha, beta;
  T const* from = nullptr;  ///< nullptr: c
  std::ptrdiff_t from_row = 0;
  T const* more = nullptr;  ///< nullptr: nothing
  std::ptrdiff_t more_row = 0;
  bool relu = false;
};

/// Calls f(i) for each i below `count`. Rethrows an exception of one of them, which means out of memory: one that left
/// an OpenMP thread would end the program.
template <backend B, class F>
void for_each_task(std::ptrdiff_t count, bool parallel, F const& f) {
  if (!parallel || count <= 1 || threads_here<B>() == 1) {
    for (std::ptrdiff_t i = 0; i < count; ++i) f(i);
    return;
  }
  if constexpr (has_tasks<B>) {
    // It handles exceptions itself, and each further captured variable would take the time of a message.
    if (spinning_pool<B>::template run<std::ptrdiff_t>(std::size_t(count), f)) return;
  }
  std::atomic<bool> failed = false;
  std::exception_ptr failure;
  for_each_part<B>(std::size_t(count), [&](std::size_t i) {
    try {
      f(std::ptrdiff_t(i));
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  });
  if (failure != nullptr) std::rethrow_exception(failure);
}

/// Like for_each_task in parallel, with dynamic scheduling: for tasks that need no data in a thread's own cache.
template <backend B, class F>
void share_tasks(std::ptrdiff_t count, F const& f) {
  alignas(64) std::atomic<std::ptrdiff_t> next = 0;
  for_each_task<B>(std::min(count, std::ptrdiff_t(B::concurrency())), true, [&](std::ptrdiff_t) {
    for (std::ptrdiff_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) f(i);
  });
}

/// Backend as seen from within one of its threads.
template <backend B>
struct one_thread_of : B {
  static constexpr unsigned concurrency() { return 1; }
};
template <class B>
struct pool_backend {
  using type = B;
};
template <class B>
struct pool_backend<one_thread_of<B>> {
  using type = B;
};

/// Scratch memory: on the stack if it is small, else from the backend's pool.
template <backend B, class T, std::size_t Local = 8192>
class gemm_scratch {
 public:
  explicit gemm_scratch(std::ptrdiff_t elements) : bytes_(std::size_t(elements) * sizeof(T)) {
    if (bytes_ > sizeof(local_)) {
      data_ = pool::shared().take(bytes_);
    } else {
      data_ = local_;
    }
  }
  gemm_scratch(gemm_scratch const&) = delete;
  gemm_scratch& operator=(gemm_scratch const&) = delete;
  ~gemm_scratch() {
    if (data_ != local_) pool::shared().give_back(data_, bytes_);
  }
  T* data() { return static_cast<T*>(data_); }

 private:
  using pool = memory_pool<typename pool_backend<B>::type>;

  std::size_t bytes_;
  void* data_;
  alignas(64) std::byte local_[Local];
};

template <class T>
T relu_of(T x) {
  return x < T(0) ? T(0) : x;
}

/// Computes c = relu(beta * from + more).
template <class T>
void scale_rows(gemm_problem<T> const& p) {
  if (p.beta == T(1) && p.from == nullptr && p.more == nullptr && !p.relu) return;
  T const* const from = p.from == nullptr ? p.c : p.from;
  std::ptrdiff_t const from_row = p.from == nullptr ? p.c_row : p.from_row;
  for (std::ptrdiff_t i = 0; i < p.m; ++i)
    for (std::ptrdiff_t j = 0; j < p.n; ++j) {
      T const kept = p.beta == T(0) ? T(0) : p.beta * from[i * from_row + j];
      T const sum = p.more == nullptr ? kept : kept + p.more[i * p.more_row + j];
      p.c[i * p.c_row + j] = p.relu ? relu_of(sum) : sum;
    }
}

/// Computes c = relu(c + more), for kernels without an epilogue.
template <class T>
void finish_rows(gemm_problem<T> p) {
  p.beta = T(1);
  p.from = nullptr;
  scale_rows(p);
}

/// Returns true if there is nothing to multiply, and computes c then.
template <class T>
bool without_product(gemm_problem<T> const& p) {
  if (p.m != 0 && p.n != 0 && p.k != 0 && p.alpha != T(0)) return false;
  scale_rows(p);
  return true;
}

/// Returns the number of chunks of at most `size` that hold `things`; at least one. Most often one chunk does, and a
/// division takes five nanoseconds.
constexpr std::ptrdiff_t parts_for(std::ptrdiff_t things, std::ptrdiff_t size) {
  return things <= size ? 1 : (things + size - 1) / size;
}

/// Returns the depth of nearly equal blocks of k of at most `most`.
constexpr std::ptrdiff_t block_depth(std::ptrdiff_t k, std::ptrdiff_t most) {
  return k <= most ? k : parts_for(k, parts_for(k, most));
}

/// Even split of a number of things into chunks: of rows into tiles, of tiles into blocks.
struct even_parts {
  std::ptrdiff_t count = 0, low = 0, high = 0;
  constexpr even_parts() = default;
  constexpr even_parts(std::ptrdiff_t things, std::ptrdiff_t parts)
      : count(parts), low(parts == 1 ? things : things / parts), high(things - low * parts) {}
  std::ptrdiff_t first(std::ptrdiff_t part) const { return part * low + std::min(part, high); }
  std::ptrdiff_t size(std::ptrdiff_t part) const { return low + (part < high); }
};
inline even_parts row_tiles(std::ptrdiff_t m, std::ptrdiff_t rows) { return {m, parts_for(m, rows)}; }

}  // namespace plait::detail
