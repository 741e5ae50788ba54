// Matrix multiplication: c = alpha * op(a) * op(b) + beta * c, everything row-major.
//
//   gemm<serial>({.m = 3, .n = 4, .k = 5}, a, b, c);                                  // c = a * b
//   gemm<omp>({.m = 3, .n = 4, .k = 5, .transpose_b = true}, a, weights, c, 1.f, 1.f);  // c += a * weights'
//
//   packed_matrix<float, omp> weights;     // one b for many products
//   weights.pack(5, 4, data, true);
//   weights.multiply(3, a, c);
//
// gemm_traits<B> selects the implementation. Host backends have own_gemm, which needs no library; a backend with a
// member type gemm_library has that, such as with_cblas of backends/cblas/cblas.hpp, and cuda, whose library is in
// backends/cuda/cublas.hpp. The choice is part of the backend's type, so that no include or flag can change what
// another file does.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <plait/core/assert.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/kernels/packed_gemm.hpp>
#include <plait/exec/detail/kernels/packed_matrix.hpp>

namespace plait {

/// op(a) is m by k, op(b) k by n, c m by n. With transpose_a, a itself is k by m; likewise b. lda, ldb and ldc are the
/// distances between rows as stored; 0 means without gaps.
///
/// With `bf16x3`, own_gemm may compute products of floats as bf16x3 GEMM on AMX tiles, if the processor has them and
/// the shape is large enough. TRAP: then results depend on the processor, and lose digits if elements of one row or
/// column differ by a factor of 10^33.
struct gemm_shape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  std::int64_t lda = 0;
  std::int64_t ldb = 0;
  std::int64_t ldc = 0;
  bool bf16x3 = false;
};

/// Batch of GEMMs of one shape, with strides in elements between their matrices; a stride of 0 shares a or b.
struct gemm_batch {
  std::int64_t count = 1;
  std::int64_t stride_a = 0;
  std::int64_t stride_b = 0;
  std::int64_t stride_c = 0;
};

/// Type of alpha, beta and the sums.
template <class T>
using gemm_scalar = std::conditional_t<std::same_as<T, float16> || std::same_as<T, bfloat16>, float, T>;

/// GEMM of plait, on the threads of a host backend.
///
/// The order of sums over k follows from the shape alone: results are bit-identical on every host backend, with any
/// number of threads. Memory for packing comes from the backend's pool.
template <backend B>
  requires(!B::on_device)
struct own_gemm {
  template <class T>
  using packed = packed_panels<T, B>;

  template <std::floating_point T>
  static void multiply(gemm_shape const& s, gemm_batch const& batch, T const* a, T const* b, T* c, T alpha, T beta,
                       detail::gemm_epilogue<T> const& after = {}) {
    detail::gemm_kernel<T> const& kernel = detail::tiles_for<T>();
    detail::gemm_problem<T> const problem{s.m,
                                          s.n,
                                          s.k,
                                          a,
                                          s.transpose_a ? 1 : s.lda,
                                          s.transpose_a ? s.lda : 1,
                                          b,
                                          s.transpose_b ? 1 : s.ldb,
                                          s.transpose_b ? s.ldb : 1,
                                          c,
                                          s.ldc,
                                          alpha,
                                          beta,
                                          nullptr,
                                          0,
                                          after.addend,
                                          s.ldc,
                                          after.relu};
    detail::bf16x3_gemm const* parts = nullptr;
    if constexpr (std::same_as<T, float>)
      if (s.bf16x3) parts = detail::parts_of_both<B>(s.m, s.n, s.k);
    auto const one = [&, problem, batch]<backend Threads>(std::int64_t i, Threads) {
      detail::gemm_problem<T> part = problem;
      part.a += i * batch.stride_a;
      part.b += i * batch.stride_b;
      part.c += i * batch.stride_c;
      if (part.more != nullptr) part.more += i * batch.stride_c;
      if constexpr (std::same_as<T, float>)
        if (parts != nullptr) return parts->multiply(part);
      detail::multiply<Threads>(kernel, part);
    };
    if (batch.count == 1) return one(0, B());
    if (s.m * s.n * s.k >= detail::parallel_work) {
      for (std::int64_t i = 0; i < batch.count; ++i) one(i, B());
    } else {
      detail::for_each_task<B>(batch.count, s.m * s.n * s.k * batch.count >= detail::parallel_work,
                               [one](std::int64_t i) { one(i, detail::one_thread_of<B>()); });
    }
  }
};

/// GEMM of a backend: its gemm_library, or own_gemm. A library has
///
///   template <class T> static void multiply(gemm_shape const&, gemm_batch const&, T const* a, T const* b, T* c,
///                                           gemm_scalar<T> alpha, gemm_scalar<T> beta);
///   template <class T> using packed = ...;  // with the members of packed_panels
///
/// lda, ldb and ldc are never 0 there unless a row is empty.
template <backend B>
struct gemm_traits;

template <backend B>
  requires(!B::on_device && !detail::has_gemm_library<B>)
struct gemm_traits<B> : own_gemm<B> {};

template <backend B>
  requires detail::has_gemm_library<B>
struct gemm_traits<B> : B::gemm_library {};

/// True if the backend's GEMM takes an epilogue.
template <class B>
inline constexpr bool has_epilogues = backend<B> && !B::on_device && !detail::has_gemm_library<B>;

/// Matrix that is packed once for many products: see packed_panels.
template <class T, backend B>
using packed_matrix = typename gemm_traits<B>::template packed<T>;

/// Computes a batch of GEMMs. c is not read if beta is 0, nor are a and b if alpha is 0. The matrices c must not
/// overlap a, b or each other. `after` is for own_gemm only.
template <backend B, element T>
void gemm_batched(gemm_shape s, gemm_batch const& batch, T const* a, T const* b, T* c,
                  std::type_identity_t<gemm_scalar<T>> alpha = 1, std::type_identity_t<gemm_scalar<T>> beta = 0,
                  [[maybe_unused]] detail::gemm_epilogue<T> const& after = {}) {
  std::int64_t const a_row = s.transpose_a ? s.m : s.k;
  std::int64_t const b_row = s.transpose_b ? s.k : s.n;
  if (s.lda == 0) s.lda = a_row;
  if (s.ldb == 0) s.ldb = b_row;
  if (s.ldc == 0) s.ldc = s.n;
  PLAIT_ASSERT(s.m >= 0 && s.n >= 0 && s.k >= 0 && batch.count >= 0, "gemm: a negative extent");
  PLAIT_ASSERT(s.lda >= a_row && s.ldb >= b_row && s.ldc >= s.n, "gemm: rows overlap");
  PLAIT_ASSERT(batch.count <= 1 || s.m == 0 || s.n == 0 || batch.stride_c != 0, "gemm_batched: results overlap");
  if (batch.count == 0 || s.m == 0 || s.n == 0) return;
  if constexpr (has_epilogues<B>)
    gemm_traits<B>::template multiply<T>(s, batch, a, b, c, alpha, beta, after);
  else
    gemm_traits<B>::template multiply<T>(s, batch, a, b, c, alpha, beta);
}

/// Computes one GEMM; see gemm_batched.
template <backend B, element T>
void gemm(gemm_shape const& s, T const* a, T const* b, T* c, std::type_identity_t<gemm_scalar<T>> alpha = 1,
          std::type_identity_t<gemm_scalar<T>> beta = 0, detail::gemm_epilogue<T> const& after = {}) {
  gemm_batched<B>(s, {}, a, b, c, alpha, beta, after);
}

}  // namespace plait
