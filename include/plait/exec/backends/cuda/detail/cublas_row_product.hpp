// GEMM with bias epilogue on CUDA devices, by cuBLASLt: y = x op(w) + b, with one row b for all rows, plus an optional
// matrix, in one kernel. With cuBLAS another kernel has to write b to y before.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <type_traits>

#include <cublasLt.h>

#include <plait/exec/backends/cuda/cuda.hpp>
#include <plait/exec/detail/memory_pool.hpp>

namespace plait::detail {

struct cublas_lt_deleter {
  void operator()(cublasLtMatmulDesc_t made) const { static_cast<void>(cublasLtMatmulDescDestroy(made)); }
  void operator()(cublasLtMatrixLayout_t made) const { static_cast<void>(cublasLtMatrixLayoutDestroy(made)); }
  void operator()(cublasLtMatmulPreference_t made) const { static_cast<void>(cublasLtMatmulPreferenceDestroy(made)); }
};
template <class Handle>
using cublas_lt_owned = std::unique_ptr<std::remove_pointer_t<Handle>, cublas_lt_deleter>;

/// Key of a product in the cache: x is m by k, y is m by n, all are contiguous.
struct row_product_kind {
  int device;
  cudaDataType_t type;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  bool transposed;        ///< w is n by k
  bool adds;              ///< plus a matrix
  std::uint32_t aligned;  ///< alignment of all operands in bytes
  auto operator<=>(row_product_kind const&) const = default;
};

/// Returns true if a product should have no workspace: with one, cuBLAS 13 splits short sums of a few rows over k into
/// dozens of pieces. On an H200 m = 16, n = 512, k = 128 takes 25 us with a workspace, 2.7 us without.
constexpr bool is_cut_too_small(std::int64_t m, std::int64_t k) { return m <= 16 && k <= 512; }

/// Descriptors and algorithm of cuBLASLt for one row_product_kind.
class row_product {
 public:
  /// Selects an algorithm. Does not throw: without an algorithm run() returns false.
  row_product(cublasLtHandle_t handle, row_product_kind const& kind) : kind_(kind) {
    bool const wide = kind.type == CUDA_R_64F;
    cublasOperation_t const how = kind.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasLtEpilogue_t const onto_row = CUBLASLT_EPILOGUE_BIAS;
    std::size_t const memory = is_cut_too_small(kind.m, kind.k) ? 0 : std::size_t{1} << 25;
    auto const m = static_cast<std::uint64_t>(kind.m);
    auto const n = static_cast<std::uint64_t>(kind.n);
    auto const k = static_cast<std::uint64_t>(kind.k);
    cublasLtMatmulDesc_t product = nullptr;
    cublasLtMatmulPreference_t wanted = nullptr;
    bool made = succeeds(cublasLtMatmulDescCreate(&product, wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, kind.type));
    product_.reset(product);
    made = made && succeeds(cublasLtMatmulPreferenceCreate(&wanted));
    cublas_lt_owned<cublasLtMatmulPreference_t> const preference(wanted);
    // Column-major, these are the transposes: y' = op(w)' * x'.
    made = made && set(CUBLASLT_MATMUL_DESC_TRANSA, how) && set(CUBLASLT_MATMUL_DESC_EPILOGUE, onto_row) &&
           layout(w_, kind.transposed ? k : n, kind.transposed ? n : k) && layout(x_, k, m) && layout(y_, n, m) &&
           prefer(wanted, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, memory);
    for (auto const operand : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                               CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      made = made && prefer(wanted, operand, kind.aligned);
    int count = 0;
    found_ = made &&
             succeeds(cublasLtMatmulAlgoGetHeuristic(handle, product, w_.get(), x_.get(), y_.get(), y_.get(), wanted, 1,
                                                     &chosen_, &count)) &&
             count != 0 && chosen_.state == CUBLAS_STATUS_SUCCESS;
  }

  /// Returns false, and computes nothing, if there is no algorithm or cuBLASLt refuses it.
  template <class T>
  bool run(cublasLtHandle_t handle, T const* x, T const* w, T const* b, T const* more, T* y) const {
    T const one = 1;
    T const added = kind_.adds ? T(1) : T(0);
    if (!found_ || !set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, b)) return false;
    std::shared_ptr<void> memory;
    if (chosen_.workspaceSize != 0) memory = pooled_memory<cuda>(chosen_.workspaceSize);
    return succeeds(cublasLtMatmul(handle, product_.get(), &one, w, w_.get(), x, x_.get(), &added,
                                   kind_.adds ? more : y, y_.get(), y, y_.get(), &chosen_.algo, memory.get(),
                                   chosen_.workspaceSize, cuda::stream()));
  }

  /// Returns the product of a kind from the calling thread's cache.
  static row_product const& of(cublasLtHandle_t handle, row_product_kind const& kind) {
    constexpr std::size_t most = 256;  // bounds the cache, as shapes may keep changing
    thread_local std::map<row_product_kind, row_product> known;
    auto at = known.find(kind);
    if (at != known.end()) return at->second;
    if (known.size() == most) known.clear();
    return known.try_emplace(kind, handle, kind).first->second;
  }

 private:
  static bool succeeds(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS; }
  template <class T>
  bool set(cublasLtMatmulDescAttributes_t what, T const& to) const {
    return succeeds(cublasLtMatmulDescSetAttribute(product_.get(), what, &to, sizeof(to)));
  }
  template <class T>
  static bool prefer(cublasLtMatmulPreference_t in, cublasLtMatmulPreferenceAttributes_t what, T const& to) {
    return succeeds(cublasLtMatmulPreferenceSetAttribute(in, what, &to, sizeof(to)));
  }
  bool layout(cublas_lt_owned<cublasLtMatrixLayout_t>& to, std::uint64_t rows, std::uint64_t columns) const {
    cublasLtMatrixLayout_t made = nullptr;
    bool const done =
        succeeds(cublasLtMatrixLayoutCreate(&made, kind_.type, rows, columns, static_cast<std::int64_t>(rows)));
    to.reset(made);
    return done;
  }

  row_product_kind kind_;
  cublas_lt_owned<cublasLtMatmulDesc_t> product_;
  cublas_lt_owned<cublasLtMatrixLayout_t> w_;
  cublas_lt_owned<cublasLtMatrixLayout_t> x_;
  cublas_lt_owned<cublasLtMatrixLayout_t> y_;
  cublasLtMatmulHeuristicResult_t chosen_ = {};
  bool found_ = false;
};

}  // namespace plait::detail
