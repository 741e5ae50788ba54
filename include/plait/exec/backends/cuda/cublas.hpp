// GEMM on CUDA devices by cuBLAS: float, double, half and bfloat16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <cublas_v2.h>

#include <plait/core/assert.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/backends/cuda/cuda.hpp>
#include <plait/exec/backends/cuda/detail/cublas_row_product.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/gemm.hpp>
#include <plait/exec/detail/memory_pool.hpp>

namespace plait {

/// Error of a failed call of cuBLAS.
struct cublas_error : error {
  cublas_error(cublasStatus_t status, char const* call)
      : error(std::string("plait: ") + call + ": " + cublasGetStatusString(status)), code(status) {}
  cublasStatus_t code;
};

namespace detail {

inline void check_cublas(cublasStatus_t status, char const* call) {
  if (status != CUBLAS_STATUS_SUCCESS) throw cublas_error(status, call);
}

// cuBLAS handle, which belongs to the device that was current at its creation; used by one thread.
class cublas_handle {
 public:
  explicit cublas_handle(int device) : device_(device) { check_cublas(cublasCreate(&handle_), "cublasCreate"); }
  cublas_handle(cublas_handle const&) = delete;
  cublas_handle& operator=(cublas_handle const&) = delete;
  ~cublas_handle() { static_cast<void>(cublasDestroy(handle_)); }

  /// Returns the calling thread's handle for its device and stream, with the default workspace of cuBLAS, which
  /// cublasSetStream restores.
  static cublasHandle_t current() {
    thread_local std::optional<cublas_handle> kept;
    int device = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    if (!kept || kept->device_ != device) kept.emplace(device);
    check_cublas(cublasSetStream(kept->handle_, cuda::stream()), "cublasSetStream");
    return kept->handle_;
  }

 private:
  int device_;
  cublasHandle_t handle_ = nullptr;
};

template <class T>
inline constexpr cudaDataType_t cuda_data_type = std::is_same_v<T, float>     ? CUDA_R_32F
                                                 : std::is_same_v<T, double>  ? CUDA_R_64F
                                                 : std::is_same_v<T, float16> ? CUDA_R_16F
                                                                              : CUDA_R_16BF;

}  // namespace detail

/// Packed right operand: a contiguous copy of b, as another layout gains nothing on a device.
template <class T>
class device_matrix {
 public:
  device_matrix() = default;
  device_matrix(device_matrix&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        k_(std::exchange(other.k_, 0)),
        n_(std::exchange(other.n_, 0)),
        transposed_(other.transposed_) {}
  device_matrix& operator=(device_matrix&& other) noexcept {
    device_matrix old(std::move(other));
    std::swap(data_, old.data_);
    std::swap(k_, old.k_);
    std::swap(n_, old.n_);
    std::swap(transposed_, old.transposed_);
    return *this;
  }
  ~device_matrix() { memory_pool<cuda>::shared().give_back(data_, bytes(k_, n_)); }

  std::int64_t rows() const noexcept { return k_; }
  std::int64_t columns() const noexcept { return n_; }

  /// Copies b; see packed_panels::pack.
  void pack(std::int64_t k, std::int64_t n, T const* b, bool transposed = false, std::int64_t ldb = 0,
            std::int64_t /*rows*/ = 1, bool /*bf16x3*/ = false) {
    std::int64_t const row = transposed ? k : n;
    if (ldb == 0) ldb = row;
    PLAIT_ASSERT(k >= 0 && n >= 0 && ldb >= row, "packed_matrix: no such matrix");
    if (bytes(k, n) != bytes(k_, n_)) {
      void* const made = memory_pool<cuda>::shared().take(bytes(k, n));
      memory_pool<cuda>::shared().give_back(std::exchange(data_, made), bytes(k_, n_));
    }
    k_ = k;
    n_ = n;
    transposed_ = transposed;
    if (k == 0 || n == 0) return;
    std::size_t const width = static_cast<std::size_t>(row) * sizeof(T);
    cuda::check(
        cudaMemcpy2DAsync(data_, width, b, static_cast<std::size_t>(ldb) * sizeof(T), width,
                          static_cast<std::size_t>(transposed ? n : k), cudaMemcpyDeviceToDevice, cuda::stream()),
        "cudaMemcpy2DAsync");
  }

  /// Multiplies; see packed_panels::multiply.
  void multiply(std::int64_t m, T const* a, T* c, gemm_scalar<T> alpha = 1, gemm_scalar<T> beta = 0,
                std::int64_t lda = 0, std::int64_t ldc = 0) const {
    gemm<cuda>({.m = m, .n = n_, .k = k_, .transpose_b = transposed_, .lda = lda, .ldc = ldc}, a,
               static_cast<T const*>(data_), c, alpha, beta);
  }

 private:
  static std::size_t bytes(std::int64_t k, std::int64_t n) { return static_cast<std::size_t>(k * n) * sizeof(T); }

  void* data_ = nullptr;
  std::int64_t k_ = 0;
  std::int64_t n_ = 0;
  bool transposed_ = false;
};

/// cuBLAS GEMM, launched on the thread's stream. Accumulates half and bfloat16 in float, never in TF32.
struct cublas_gemm {
  template <class T>
  using packed = device_matrix<T>;

  template <class T>
  static void multiply(gemm_shape const& s, gemm_batch const& batch, T const* a, T const* b, T* c, gemm_scalar<T> alpha,
                       gemm_scalar<T> beta) {
    constexpr cudaDataType_t type = detail::cuda_data_type<T>;
    cublasHandle_t const handle = detail::cublas_handle::current();
    if (batch.count == 1 && detail::is_cut_too_small(s.m, s.k))
      detail::check_cublas(cublasSetWorkspace(handle, nullptr, 0), "cublasSetWorkspace");
    // Column-major, these are the transposes: c' = op(b)' * op(a)'.
    detail::check_cublas(
        cublasGemmStridedBatchedEx(
            handle, s.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N, s.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, narrow(s.n),
            narrow(s.m), narrow(s.k), &alpha, b, type, narrow(distance(s.ldb)), batch.stride_b, a, type,
            narrow(distance(s.lda)), batch.stride_a, &beta, c, type, narrow(distance(s.ldc)), batch.stride_c,
            narrow(batch.count), std::is_same_v<T, double> ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
            CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
  }

  /// Computes y = x op(w) + b in each row, plus a matrix `more` unless it is null, which may be y; x is s.m by s.k, all
  /// are contiguous. Returns false, and computes nothing, if that takes more than one kernel.
  template <class T>
  static bool multiply_onto_row(gemm_shape const& s, T const* x, T const* w, T const* b, T const* more, T* y) {
    if constexpr (!std::is_floating_point_v<T>) {
      return false;
    } else {
      if (s.m == 0 || s.n == 0 || s.k == 0) return false;
      int device = 0;
      cuda::check(cudaGetDevice(&device), "cudaGetDevice");
      std::uintptr_t apart = 0;
      for (T const* const operand : {x, w, b, more, static_cast<T const*>(y)})
        apart |= reinterpret_cast<std::uintptr_t>(operand);
      std::uint32_t const aligned = apart % 16 == 0 ? 16 : sizeof(T);
      auto const handle = reinterpret_cast<cublasLtHandle_t>(detail::cublas_handle::current());  // contains one
      return detail::row_product::of(
                 handle, {device, detail::cuda_data_type<T>, s.m, s.n, s.k, s.transpose_b, more != nullptr, aligned})
          .run(handle, x, w, b, more, y);
    }
  }

 private:
  static std::int64_t distance(std::int64_t rows_apart) { return rows_apart == 0 ? 1 : rows_apart; }
  static int narrow(std::int64_t extent) {
    if (extent > std::numeric_limits<int>::max())
      throw shape_error("plait: cuBLAS cannot multiply matrices with an extent of " + std::to_string(extent));
    return static_cast<int>(extent);
  }
};

}  // namespace plait
