// GEMM by a BLAS: any library with the C interface, such as OpenBLAS.
#pragma once

#include <cblas.h>

#include <concepts>
#include <cstdint>
#include <limits>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/gemm.hpp>

namespace plait {

/// GEMM of with_cblas. own_gemm computes products with packed matrices, with extents that exceed int, and without
/// factors. The library determines the threads, and whether their number changes the last bits of the result.
template <backend B>
struct cblas_gemm {
  template <class T>
  using packed = typename own_gemm<B>::template packed<T>;

  template <std::floating_point T>
  static void multiply(gemm_shape const& s, gemm_batch const& batch, T const* a, T const* b, T* c, T alpha, T beta) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    bool const fits = s.m <= most && s.n <= most && s.k <= most && s.lda <= most && s.ldb <= most && s.ldc <= most;
    if (!fits || s.k == 0 || alpha == T(0)) return own_gemm<B>::multiply(s, batch, a, b, c, alpha, beta);
    for (std::int64_t i = 0; i < batch.count; ++i)
      one(s, a + i * batch.stride_a, b + i * batch.stride_b, c + i * batch.stride_c, alpha, beta);
  }

 private:
  template <class T>
  static void one(gemm_shape const& s, T const* a, T const* b, T* c, T alpha, T beta) {
    auto const multiply = [&](auto function) {
      function(CblasRowMajor, s.transpose_a ? CblasTrans : CblasNoTrans, s.transpose_b ? CblasTrans : CblasNoTrans,
               static_cast<int>(s.m), static_cast<int>(s.n), static_cast<int>(s.k), alpha, a, static_cast<int>(s.lda),
               b, static_cast<int>(s.ldb), beta, c, static_cast<int>(s.ldc));
    };
    if constexpr (std::same_as<T, float>) {
      multiply(cblas_sgemm);
    } else {
      multiply(cblas_dgemm);
    }
  }
};

/// Backend B with GEMM by a BLAS: gemm<with_cblas<omp>>(...), tensor<with_cblas<omp>>.
template <backend B>
  requires(!B::on_device)
struct with_cblas : B {
  using gemm_library = cblas_gemm<B>;
};

}  // namespace plait
