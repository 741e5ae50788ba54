// AMX tiles: detection, and the product of two strips of bf16x3_split.hpp.
//
// GCC's intrinsics do not declare which memory they read: operands are written before a call that is not inlined.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <plait/exec/detail/kernels/bf16x3_split.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>

#if PLAIT_X86_DISPATCH && defined(__linux__)
#define PLAIT_AMX 1
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#define PLAIT_TARGET_AMX __attribute__((target("amx-tile,amx-bf16," PLAIT_AVX512_FEATURES)))
#else
#define PLAIT_AMX 0
#endif

namespace plait::detail {

/// Returns true if the processor has AMX tiles of bfloat16 and the system lets this process use them. The permission is
/// requested here and persists: call it only for products whose caller wants tiles (gemm_shape::bf16x3). Then signal
/// handlers on alternate stacks need 8 KB more. Returns false if PLAIT_INSTRUCTIONS is set.
[[nodiscard]] inline bool has_amx() {
#if PLAIT_AMX
  static bool const found = [] {
    if (available_instructions() != instruction_set::avx512 || std::getenv("PLAIT_INSTRUCTIONS") != nullptr)
      return false;
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned tile = 1u << 24, bfloat16 = 1u << 22;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & tile) == 0 || (d & bfloat16) == 0) return false;
    constexpr long ask_for_state = 0x1023;  // ARCH_REQ_XCOMP_PERM
    constexpr long tile_data = 18;          // XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, ask_for_state, tile_data) == 0;
  }();
  return found;
#else
  return false;
#endif
}

#if PLAIT_AMX
/// Tile configuration of the calling thread. The time of a tile product is proportional to the rows of its left tile if
/// the right one is loaded by then: for strips with fewer than 16 rows, tiles have as few.
class amx_tiles {
 public:
  /// Configures tiles for left strips of `rows` rows, at most 16.
  PLAIT_TARGET_AMX PLAIT_NO_INLINE explicit amx_tiles(std::ptrdiff_t rows) {
    _tile_loadconfig(&by_rows[static_cast<std::size_t>(std::min(rows, tile_side))]);
  }
  PLAIT_TARGET_AMX PLAIT_NO_INLINE ~amx_tiles() { _tile_release(); }
  amx_tiles(amx_tiles const&) = delete;
  amx_tiles& operator=(amx_tiles const&) = delete;

  /// Writes the sums over `steps` steps of two strips, in rows of 32; only the first 16, or those that tiles have, if
  /// `low`. Calls side.fetch() six times a step, between products, and side.write() at least four times.
  template <class Side>
  PLAIT_TARGET_AMX PLAIT_NO_INLINE void multiply(std::uint32_t const* a, std::uint32_t const* b, std::ptrdiff_t steps,
                                                 bool low, float* sums, Side& side) const {
    asm volatile("" ::: "memory");  // see above
    if (low)
      multiply_low(a, b, steps, sums, side);
    else
      multiply_high(a, b, steps, sums, side);
    asm volatile("" ::: "memory");
  }

 private:
  static constexpr std::ptrdiff_t row = 64;  // bytes
  struct alignas(64) configuration {
    std::uint8_t palette;
    std::uint8_t start_row;
    std::uint8_t reserved[14];
    std::uint16_t row_bytes[16];
    std::uint8_t rows[16];
  };
  // Tiles 0 to 3 hold sums, 4 and 5 components of a, 6 and 7 components of b.
  static constexpr auto by_rows = [] {
    std::array<configuration, tile_side + 1> made{};
    for (std::size_t rows = 1; rows != made.size(); ++rows) {
      made[rows].palette = 1;
      for (std::size_t tile = 0; tile != 8; ++tile) {
        made[rows].row_bytes[tile] = row;
        made[rows].rows[tile] = tile < 6 ? std::uint8_t(rows) : std::uint8_t(tile_side);
      }
    }
    return made;
  }();
  static constexpr std::ptrdiff_t sums_row = strip_side * std::ptrdiff_t(sizeof(float));

  // Each of the six significant component products shares one operand with the product before it.
#define PLAIT_DETAIL_LEFT(part)               \
  _tile_loadd(4, a + (part)*part_units, row); \
  _tile_loadd(5, a + (part)*part_units + tile_units, row)
#define PLAIT_DETAIL_RIGHT(part)              \
  _tile_loadd(6, b + (part)*part_units, row); \
  _tile_loadd(7, b + (part)*part_units + tile_units, row)
#define PLAIT_DETAIL_PRODUCTS(left) \
  _tile_dpbf16ps(0, left, 6);       \
  _tile_dpbf16ps(1, left, 7)
#define PLAIT_DETAIL_ALL_PRODUCTS \
  PLAIT_DETAIL_PRODUCTS(4);       \
  _tile_dpbf16ps(2, 5, 6);        \
  _tile_dpbf16ps(3, 5, 7)
  template <class Side>
  PLAIT_ALWAYS_INLINE PLAIT_TARGET_AMX static void multiply_high(std::uint32_t const* a, std::uint32_t const* b,
                                                                 std::ptrdiff_t steps, float* sums, Side& side) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (std::ptrdiff_t step = 0; step != steps; ++step, a += step_units, b += step_units) {
      PLAIT_DETAIL_LEFT(0);
      PLAIT_DETAIL_RIGHT(2);
      side.fetch();
      PLAIT_DETAIL_ALL_PRODUCTS;
      side.write();
      PLAIT_DETAIL_RIGHT(1);
      side.fetch();
      PLAIT_DETAIL_ALL_PRODUCTS;
      side.write();
      PLAIT_DETAIL_LEFT(1);
      side.fetch();
      PLAIT_DETAIL_ALL_PRODUCTS;
      side.write();
      PLAIT_DETAIL_RIGHT(0);
      side.fetch();
      PLAIT_DETAIL_ALL_PRODUCTS;
      side.write();
      PLAIT_DETAIL_LEFT(2);
      side.fetch();
      PLAIT_DETAIL_ALL_PRODUCTS;
      side.write();
      PLAIT_DETAIL_LEFT(0);
      side.fetch();
      PLAIT_DETAIL_ALL_PRODUCTS;
      side.write();
    }
    _tile_stored(0, sums, sums_row);
    _tile_stored(1, sums + tile_side, sums_row);
    _tile_stored(2, sums + tile_side * strip_side, sums_row);
    _tile_stored(3, sums + tile_side * strip_side + tile_side, sums_row);
  }

  // Computes the same sums, in the same order, for strips of at most 16 rows.
  template <class Side>
  PLAIT_ALWAYS_INLINE PLAIT_TARGET_AMX static void multiply_low(std::uint32_t const* a, std::uint32_t const* b,
                                                                std::ptrdiff_t steps, float* sums, Side& side) {
    _tile_zero(0);
    _tile_zero(1);
    for (std::ptrdiff_t step = 0; step != steps; ++step, a += step_units, b += step_units) {
      _tile_loadd(4, a, row);
      PLAIT_DETAIL_RIGHT(2);
      side.fetch();
      side.fetch();
      PLAIT_DETAIL_PRODUCTS(4);
      side.write();
      _tile_loadd(5, a + part_units, row);
      PLAIT_DETAIL_RIGHT(1);
      side.fetch();
      side.fetch();
      PLAIT_DETAIL_PRODUCTS(4);
      side.write();
      PLAIT_DETAIL_PRODUCTS(5);
      PLAIT_DETAIL_RIGHT(0);
      side.fetch();
      side.fetch();
      PLAIT_DETAIL_PRODUCTS(5);
      side.write();
      _tile_loadd(5, a + 2 * part_units, row);
      PLAIT_DETAIL_PRODUCTS(5);
      side.write();
      PLAIT_DETAIL_PRODUCTS(4);
    }
    _tile_stored(0, sums, sums_row);
    _tile_stored(1, sums + tile_side, sums_row);
  }
#undef PLAIT_DETAIL_LEFT
#undef PLAIT_DETAIL_RIGHT
#undef PLAIT_DETAIL_PRODUCTS
#undef PLAIT_DETAIL_ALL_PRODUCTS
};
#endif

}  // namespace plait::detail
