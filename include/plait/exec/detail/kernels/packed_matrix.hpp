// Weight pre-packing: a matrix that is packed once and multiplied by many times, like the weights of a recurrence.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <plait/core/assert.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/amx_gemm.hpp>
#include <plait/exec/detail/kernels/packed_gemm.hpp>
#include <plait/exec/detail/memory_pool.hpp>

namespace plait {

/// Packed right operand b, of k by n elements, of c = alpha * a * b + beta * c, for host backends.
///
/// Multiplication allocates nothing once the backend's pool has memory for packing a, may run in several threads at
/// once, and gives each row of c the same bits whatever other rows come with it. On request, floats that are multiplied
/// by many rows are packed for bf16x3 GEMM (bf16x3_split.hpp) if the processor has AMX tiles.
template <class T, backend B>
  requires(!B::on_device)
class packed_panels {
 public:
  packed_panels() = default;
  /// Uses the tiles of this instruction set.
  explicit packed_panels(instruction_set set) : kernel_(&detail::tiles_for<T>(set)) {}
  packed_panels(packed_panels&& other) noexcept
      : kernel_(other.kernel_),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        k_(std::exchange(other.k_, 0)),
        n_(std::exchange(other.n_, 0)),
        parts_(other.parts_) {}
  packed_panels& operator=(packed_panels&& other) noexcept {
    packed_panels old(std::move(other));
    std::swap(kernel_, old.kernel_);
    std::swap(data_, old.data_);
    std::swap(bytes_, old.bytes_);
    std::swap(k_, old.k_);
    std::swap(n_, old.n_);
    std::swap(parts_, old.parts_);
    return *this;
  }
  ~packed_panels() { give_back(); }

  std::int64_t rows() const noexcept { return k_; }
  std::int64_t columns() const noexcept { return n_; }
  void const* data() const noexcept { return data_; }

  /// Packs b, which is k by n with rows `ldb` apart, or n by k if it is transposed; an ldb of 0 means without gaps.
  /// `rows` is the usual number of rows of a; with `bf16x3` products may be bf16x3 products on AMX tiles (gemm_shape).
  /// Reuses its memory if the size has not changed. Throws std::bad_alloc, and is unchanged then.
  void pack(std::int64_t k, std::int64_t n, T const* b, bool transposed = false, std::int64_t ldb = 0,
            std::int64_t rows = 1, bool bf16x3 = false) {
    std::size_t const bytes = packed_bytes(k, n, rows, bf16x3);
    if (bytes != bytes_ || bytes == 0) {
      void* const made = memory_pool<B>::shared().take(bytes);
      give_back();
      data_ = made;
      bytes_ = bytes;
    }
    fill(k, n, b, transposed, ldb, rows, bf16x3);
  }
  /// Packs like pack(), into packed_bytes() of caller memory, aligned as the backend's, which must outlive its use.
  void pack_into(void* to, std::int64_t k, std::int64_t n, T const* b, bool transposed = false, std::int64_t ldb = 0,
                 std::int64_t rows = 1, bool bf16x3 = false) {
    give_back();
    data_ = to;
    fill(k, n, b, transposed, ldb, rows, bf16x3);
  }
  /// Returns the size of a packed matrix, in bytes; the other parameters are those of pack().
  std::size_t packed_bytes(std::int64_t k, std::int64_t n, std::int64_t rows = 1, bool bf16x3 = false) const {
    return parts_for(k, n, rows, bf16x3) != nullptr
               ? detail::strips_size(k, n)
               : static_cast<std::size_t>(detail::packed_size(*kernel_, k, n)) * sizeof(T);
  }

  /// Computes c = alpha * a * b + beta * c with m rows of a and c, which are lda and ldc apart (0: without gaps). Does
  /// not read c if beta is 0.
  void multiply(std::int64_t m, T const* a, T* c, T alpha = 1, T beta = 0, std::int64_t lda = 0, std::int64_t ldc = 0,
                detail::gemm_epilogue<T> const& after = {}) const {
    if (lda == 0) lda = k_;
    if (ldc == 0) ldc = n_;
    PLAIT_ASSERT(m >= 0 && lda >= k_ && ldc >= n_, "packed_matrix: no such matrices");
    run({m, n_, k_, a, lda, 1, nullptr, 0, 0, c, ldc, alpha, beta, nullptr, 0, after.addend, ldc, after.relu});
  }
  /// Computes c = a * b + from without gaps, except that rows of `from` are from_row apart: 0 repeats one row; then the
  /// epilogue, with the bits of separate operations.
  void multiply_onto(T const* from, std::int64_t from_row, std::int64_t m, T const* a, T* c,
                     detail::gemm_epilogue<T> const& after = {}) const {
    PLAIT_ASSERT(m >= 0 && (from_row == 0 || from_row >= n_), "packed_matrix: no such matrices");
    run({m, n_, k_, a, k_, 1, nullptr, 0, 0, c, n_, T(1), T(1), from, from_row, after.addend, n_, after.relu});
  }

 private:
  void give_back() noexcept {
    if (bytes_ != 0) memory_pool<B>::shared().give_back(data_, bytes_);
    data_ = nullptr;
    bytes_ = 0;
  }
  static detail::bf16x3_gemm const* parts_for([[maybe_unused]] std::int64_t k, [[maybe_unused]] std::int64_t n,
                                              [[maybe_unused]] std::int64_t rows, [[maybe_unused]] bool bf16x3) {
    if constexpr (std::same_as<T, float>)
      if (bf16x3) return detail::parts_of_packed<B>(rows, n, k);
    return nullptr;
  }
  void fill(std::int64_t k, std::int64_t n, T const* b, bool transposed, std::int64_t ldb, std::int64_t rows,
            bool bf16x3) {
    if (ldb == 0) ldb = transposed ? k : n;
    PLAIT_ASSERT(k >= 0 && n >= 0 && ldb >= (transposed ? k : n), "packed_matrix: no such matrix");
    k_ = k;
    n_ = n;
    parts_ = parts_for(k, n, rows, bf16x3);
    detail::gemm_problem<T> p{};
    p.k = k;
    p.n = n;
    p.b = b;
    p.b_row = transposed ? 1 : ldb;
    p.b_column = transposed ? ldb : 1;
    if constexpr (std::same_as<T, float>)
      if (parts_ != nullptr) return parts_->pack(p, static_cast<std::uint32_t*>(data_));
    detail::pack_panels<B>(*kernel_, p, static_cast<T*>(data_));
  }
  void run(detail::gemm_problem<T> const& p) const {
    // Alternates direction: the cache holds what was multiplied last.
    bool const backwards = turn_.load(std::memory_order_relaxed);
    turn_.store(!backwards, std::memory_order_relaxed);
    if constexpr (std::same_as<T, float>)
      if (parts_ != nullptr) return parts_->multiply_packed(p, static_cast<std::uint32_t const*>(data_), backwards);
    detail::multiply_packed<B>(*kernel_, p, static_cast<T const*>(data_), backwards);
  }

  detail::gemm_kernel<T> const* kernel_ = &detail::tiles_for<T>();
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::int64_t k_ = 0;
  std::int64_t n_ = 0;
  detail::bf16x3_gemm const* parts_ = nullptr;  // the bf16x3 GEMM that it is packed for, if any
  mutable std::atomic<bool> turn_ = false;
};

}  // namespace plait
