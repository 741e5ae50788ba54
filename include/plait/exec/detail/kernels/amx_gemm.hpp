// Dispatch of float products to bf16x3 GEMM on AMX tiles, at the request of the caller.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/amx.hpp>
#include <plait/exec/detail/kernels/bf16x3_gemm.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>

namespace plait::detail {

/// Function table of the bf16x3 GEMM: files compiled by nvcc have no AMX code, but may use matrices that other files
/// have packed.
struct bf16x3_gemm {
  void (*pack)(gemm_problem<float> const& b, std::uint32_t* to);
  void (*multiply_packed)(gemm_problem<float> const& p, std::uint32_t const* right, bool backwards);
  void (*multiply)(gemm_problem<float> const& p);
};

/// Returns the bf16x3 GEMM on AMX tiles, or nullptr if the processor has none.
template <backend B>
bf16x3_gemm const* parts_on_tiles() {
#if PLAIT_AMX
  if constexpr (!B::on_device) {
    static constexpr bf16x3_gemm made{pack_right_strips<B>, multiply_packed_strips<amx_tiles, B>,
                                      multiply_by_parts<amx_tiles, B>};
    if (has_amx()) return &made;
  }
#endif
  return nullptr;
}

/// Returns the bf16x3 GEMM for m rows and a right operand that is packed once, or nullptr if it is not faster: the
/// parts of an operand that exceeds L2 arrive more slowly than 16 rows are multiplied. The choice, and thus the bits of
/// results, depends on the shape alone.
template <backend B>
bf16x3_gemm const* parts_of_packed(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k) {
  bool const many_rows = m >= (stays_in_cache(n * k) ? tile_side : strip_side);
  return many_rows && n >= strip_side && k >= tile_depth ? parts_on_tiles<B>() : nullptr;
}
/// Returns the bf16x3 GEMM for a product that packs both operands, or nullptr if that does not pay.
template <backend B>
bf16x3_gemm const* parts_of_both(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k) {
  return m >= 128 && n >= 128 && k >= 64 && m * n * k >= std::ptrdiff_t{1} << 22 ? parts_on_tiles<B>() : nullptr;
}

/// Returns the size in bytes of k by n elements in right strips.
inline std::size_t strips_size(std::ptrdiff_t k, std::ptrdiff_t n) {
  return static_cast<std::size_t>(strip_count(n) * strip_units(k)) * sizeof(std::uint32_t);
}

}  // namespace plait::detail
