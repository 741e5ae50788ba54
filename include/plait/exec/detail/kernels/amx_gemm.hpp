// Dispatch of products of floats to bf16x3 products on AMX tiles, where a caller asks for them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/amx.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>
#include <plait/exec/detail/kernels/parts_gemm.hpp>

namespace plait::detail {

/// How matrices are multiplied by parts. A table, since files that nvcc compiles have no tiles, but may meet matrices
/// that others have packed.
struct parts_gemm {
  void (*pack)(gemm_problem<float> const& b, std::uint32_t* to);
  void (*multiply_packed)(gemm_problem<float> const& p, std::uint32_t const* right, bool backwards);
  void (*multiply)(gemm_problem<float> const& p);
};

/// nullptr if there are no tiles.
template <backend B>
parts_gemm const* parts_on_tiles() {
#if PLAIT_AMX
  if constexpr (!B::on_device) {
    static constexpr parts_gemm made{pack_right_strips<B>, multiply_packed_strips<amx_tiles, B>,
                                     multiply_by_parts<amx_tiles, B>};
    if (has_amx()) return &made;
  }
#endif
  return nullptr;
}

/// For a matrix that is packed once for products with so many rows, if parts are faster: those of one that leaves a
/// thread's own cache come more slowly than 16 rows can be multiplied. That depends on the shape alone, so that bits
/// do.
template <backend B>
parts_gemm const* parts_of_packed(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k) {
  bool const many_rows = m >= (stays_in_cache(n * k) ? tile_side : strip_side);
  return many_rows && n >= strip_side && k >= tile_depth ? parts_on_tiles<B>() : nullptr;
}
/// For a product both of whose operands must be packed first, of which each number must be used often.
template <backend B>
parts_gemm const* parts_of_both(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k) {
  return m >= 128 && n >= 128 && k >= 64 && m * n * k >= std::ptrdiff_t{1} << 22 ? parts_on_tiles<B>() : nullptr;
}

/// Bytes of k by n elements in right strips.
inline std::size_t strips_size(std::ptrdiff_t k, std::ptrdiff_t n) {
  return static_cast<std::size_t>(strip_count(n) * strip_units(k)) * sizeof(std::uint32_t);
}

}  // namespace plait::detail
