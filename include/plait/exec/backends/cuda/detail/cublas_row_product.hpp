// Products onto a row on CUDA devices, by cuBLASLt: y = x op(w) + b, where b is the same row for all, and perhaps a
// matrix besides, in one kernel. With cuBLAS another kernel has to write b to y before.
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

/// What a product of this kind depends on: x is m by k, y m by n, all without gaps.
struct row_product_kind {
  int device;
  cudaDataType_t type;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  bool transposed;        ///< w is n by k
  bool adds;              ///< a matrix besides
  std::uint32_t aligned;  ///< all operands, to so many bytes
  auto operator<=>(row_product_kind const&) const = default;
};

/// Whether a product had better be given no memory: cuBLAS 13 cuts short sums for a few rows into dozens of parts where
/// it has some. On an H200 the product of 16 rows, 512 columns and sums of 128 takes 25 us so, 2.7 without.
constexpr bool is_cut_too_small(std::int64_t m, std::int64_t k) { return m <= 16 && k <= 512; }

/// How cuBLASLt makes products of one kind.
class row_product {
 public:
  /// What it cannot make is not found; no call throws.
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

  /// False if it is not found, or cuBLASLt refuses it: nothing has been done then.
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

  /// That of the calling thread.
  static row_product const& of(cublasLtHandle_t handle, row_product_kind const& kind) {
    constexpr std::size_t most = 256;  // shapes may change for ever
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
