// Intel's matrix tiles (AMX): whether they may be used, and the product of two strips of float_parts.hpp.
//
// GCC's intrinsics do not say which memory they read: whoever writes operands stands behind a call that is not inlined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <plait/exec/kernels/float_parts.hpp>
#include <plait/exec/kernels/instruction_sets.hpp>

#if PLAIT_X86_DISPATCH && defined(__linux__)
#define PLAIT_AMX 1
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#define PLAIT_TARGET_AMX __attribute__((target("amx-tile,amx-bf16")))
#else
#define PLAIT_AMX 0
#endif

namespace plait::detail {

/// Whether the processor has tiles of bfloat16, and the system lets this process use them, which is asked for here and
/// lasts. Then signal handlers on stacks of their own need 8 KB more. False if PLAIT_INSTRUCTIONS names any set.
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
/// The tiles of the thread it lives on.
class amx_tiles {
 public:
  PLAIT_TARGET_AMX PLAIT_NO_INLINE amx_tiles() { _tile_loadconfig(&whole_tiles); }
  PLAIT_TARGET_AMX PLAIT_NO_INLINE ~amx_tiles() { _tile_release(); }
  amx_tiles(amx_tiles const&) = delete;
  amx_tiles& operator=(amx_tiles const&) = delete;

  /// Writes the sums of so many steps of a left and a right strip, in rows of 32; only the first 16 if `low`. What
  /// follows in the right strip is fetched ahead.
  PLAIT_TARGET_AMX PLAIT_NO_INLINE void multiply(std::uint32_t const* a, std::uint32_t const* b, std::ptrdiff_t steps,
                                                 bool low, float* sums) const {
    asm volatile("" ::: "memory");  // see above
    if (low)
      multiply_low(a, b, steps, sums);
    else
      multiply_high(a, b, steps, sums);
    asm volatile("" ::: "memory");
  }

 private:
  struct alignas(64) configuration {
    std::uint8_t palette;
    std::uint8_t start_row;
    std::uint8_t reserved[14];
    std::uint16_t row_bytes[16];
    std::uint8_t rows[16];
  };
  static constexpr configuration whole_tiles = {
      1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
  static constexpr std::ptrdiff_t row = 64;  // bytes
  static constexpr std::ptrdiff_t sums_row = strip_side * std::ptrdiff_t(sizeof(float));

  // A sixth of the step after the next of b.
  PLAIT_ALWAYS_INLINE PLAIT_TARGET_AMX static void fetch(std::uint32_t const* b, std::ptrdiff_t sixth) {
    std::uint32_t const* const from = b + 2 * step_units + sixth * tile_units;
    for (std::ptrdiff_t i = 0; i != tile_units; i += 16) __builtin_prefetch(from + i, 0, 3);
  }

  // Tiles 0 to 3 are sums, 4 and 5 parts of a, 6 and 7 of b. Of the six products of parts that count, each has one part
  // with the one before it in common.
#define PLAIT_DETAIL_LEFT(part)               \
  _tile_loadd(4, a + (part)*part_units, row); \
  _tile_loadd(5, a + (part)*part_units + tile_units, row)
#define PLAIT_DETAIL_RIGHT(part)              \
  _tile_loadd(6, b + (part)*part_units, row); \
  _tile_loadd(7, b + (part)*part_units + tile_units, row)
#define PLAIT_DETAIL_PRODUCTS \
  _tile_dpbf16ps(0, 4, 6);    \
  _tile_dpbf16ps(1, 4, 7);    \
  _tile_dpbf16ps(2, 5, 6);    \
  _tile_dpbf16ps(3, 5, 7)
  PLAIT_ALWAYS_INLINE PLAIT_TARGET_AMX static void multiply_high(std::uint32_t const* a, std::uint32_t const* b,
                                                                 std::ptrdiff_t steps, float* sums) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (std::ptrdiff_t step = 0; step != steps; ++step, a += step_units, b += step_units) {
      PLAIT_DETAIL_LEFT(0);
      PLAIT_DETAIL_RIGHT(2);
      fetch(b, 0);
      PLAIT_DETAIL_PRODUCTS;
      PLAIT_DETAIL_RIGHT(1);
      fetch(b, 1);
      PLAIT_DETAIL_PRODUCTS;
      PLAIT_DETAIL_LEFT(1);
      fetch(b, 2);
      PLAIT_DETAIL_PRODUCTS;
      PLAIT_DETAIL_RIGHT(0);
      fetch(b, 3);
      PLAIT_DETAIL_PRODUCTS;
      PLAIT_DETAIL_LEFT(2);
      fetch(b, 4);
      PLAIT_DETAIL_PRODUCTS;
      PLAIT_DETAIL_LEFT(0);
      fetch(b, 5);
      PLAIT_DETAIL_PRODUCTS;
    }
    _tile_stored(0, sums, sums_row);
    _tile_stored(1, sums + tile_side, sums_row);
    _tile_stored(2, sums + tile_side * strip_side, sums_row);
    _tile_stored(3, sums + tile_side * strip_side + tile_side, sums_row);
  }
#undef PLAIT_DETAIL_LEFT
#undef PLAIT_DETAIL_RIGHT
#undef PLAIT_DETAIL_PRODUCTS

  // The same sums, in the same order, where 16 rows are all there is.
  PLAIT_ALWAYS_INLINE PLAIT_TARGET_AMX static void multiply_low(std::uint32_t const* a, std::uint32_t const* b,
                                                                std::ptrdiff_t steps, float* sums) {
    _tile_zero(0);
    _tile_zero(1);
    for (std::ptrdiff_t step = 0; step != steps; ++step, a += step_units, b += step_units) {
      _tile_loadd(4, a, row);
      _tile_loadd(2, b + 2 * part_units, row);
      _tile_loadd(3, b + 2 * part_units + tile_units, row);
      fetch(b, 0);
      fetch(b, 1);
      _tile_dpbf16ps(0, 4, 2);
      _tile_dpbf16ps(1, 4, 3);
      _tile_loadd(5, a + part_units, row);
      _tile_loadd(2, b + part_units, row);
      _tile_loadd(3, b + part_units + tile_units, row);
      fetch(b, 2);
      fetch(b, 3);
      _tile_dpbf16ps(0, 4, 2);
      _tile_dpbf16ps(1, 4, 3);
      _tile_dpbf16ps(0, 5, 2);
      _tile_dpbf16ps(1, 5, 3);
      _tile_loadd(6, a + 2 * part_units, row);
      _tile_loadd(2, b, row);
      _tile_loadd(3, b + tile_units, row);
      fetch(b, 4);
      fetch(b, 5);
      _tile_dpbf16ps(0, 5, 2);
      _tile_dpbf16ps(1, 5, 3);
      _tile_dpbf16ps(0, 6, 2);
      _tile_dpbf16ps(1, 6, 3);
      _tile_dpbf16ps(0, 4, 2);
      _tile_dpbf16ps(1, 4, 3);
    }
    _tile_stored(0, sums, sums_row);
    _tile_stored(1, sums + tile_side, sums_row);
  }
};
#endif

}  // namespace plait::detail
