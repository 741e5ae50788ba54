// GEMM of integers of 8 and 16 bits with sums of 32 bits, exact modulo 2^32.
//
// Tiles multiply pairs of consecutive k by vpmaddwd, whose sums of two products of 16-bit integers do not saturate,
// unlike vpmaddubsw of 8-bit ones. The left operand is widened before, the right one, if it has 8 bits, in the tile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>

#if PLAIT_X86_DISPATCH
#include <immintrin.h>
#endif

PLAIT_KERNELS_BEGIN

namespace plait::detail {

/// Arguments of a micro-kernel: c = start + a * b.
struct integer_tile {
  std::ptrdiff_t pairs;  ///< of k
  std::int16_t const* a;
  std::ptrdiff_t a_row;
  void const* b;  ///< panel: for each pair of k, both elements of each column
  std::int32_t* c;
  std::ptrdiff_t c_row;
  std::ptrdiff_t columns;     ///< columns of c that are written
  std::int32_t const* start;  ///< a summand for each row; nullptr: none
};

/// Returns the number of pairs of k, of which the last may be padded by a zero.
constexpr std::ptrdiff_t integer_pairs(std::ptrdiff_t k) { return (k + 1) / 2; }

/// Micro-kernels of an instruction set, by the number of rows.
struct integer_kernel {
  static constexpr int rows = 6;
  static constexpr int most_width = 32;
  using tile_function = void (*)(integer_tile const&);
  int width = 0;                                    ///< columns of a panel
  std::array<tile_function, rows + 1> narrow = {};  ///< panels of int8
  std::array<tile_function, rows + 1> wide = {};    ///< panels of int16
  template <class W>
  std::array<tile_function, rows + 1> const& tiles() const {
    if constexpr (sizeof(W) == 1)
      return narrow;
    else
      return wide;
  }
};

/// Stores sums of a tile, R rows of `width`, through a buffer if the panel is partial.
template <int R>
void store_integers(integer_tile const& t, std::int32_t const* sums, int width) {
  for (int i = 0; i != R; ++i)
    std::memcpy(t.c + i * t.c_row, sums + i * width, static_cast<std::size_t>(t.columns) * sizeof(std::int32_t));
}
inline std::int32_t integer_pair(std::int16_t const* a) {
  std::int32_t made;
  std::memcpy(&made, a, sizeof made);
  return made;
}

template <instruction_set Set>
struct integer_tiles {
  static constexpr int width = 16;
  template <class W, int R>
  static void multiply(integer_tile const& t) {
    std::uint32_t sum[R][width];
    for (int i = 0; i != R; ++i) std::fill_n(sum[i], width, t.start == nullptr ? 0 : std::uint32_t(t.start[i]));
    auto const* b = static_cast<W const*>(t.b);
    for (std::ptrdiff_t p = 0; p != t.pairs; ++p, b += 2 * width)
      for (int i = 0; i != R; ++i) {
        std::int16_t const* const a = t.a + i * t.a_row + 2 * p;
        for (int j = 0; j != width; ++j) sum[i][j] += static_cast<std::uint32_t>(a[0] * b[2 * j] + a[1] * b[2 * j + 1]);
      }
    for (int i = 0; i != R; ++i)
      for (std::ptrdiff_t j = 0; j != t.columns; ++j) t.c[i * t.c_row + j] = static_cast<std::int32_t>(sum[i][j]);
  }
};

#if PLAIT_X86_DISPATCH
// `Sums` numbers the vectors of c, two in each row. A macro, for the target attribute: see gemm_tiles.hpp.
#define PLAIT_DETAIL_INTEGER_TILES(SET, TARGET, VECTOR, BITS, HALF)                                                 \
  template <>                                                                                                       \
  struct integer_tiles<instruction_set::SET> {                                                                      \
    static constexpr int lanes = sizeof(VECTOR) / 4;                                                                \
    static constexpr int width = 2 * lanes;                                                                         \
    template <class W, int R>                                                                                       \
    TARGET static void multiply(integer_tile const& t) {                                                            \
      multiply<W, R>(t, std::make_index_sequence<std::size_t(2 * R)>());                                            \
    }                                                                                                               \
    template <class W>                                                                                              \
    TARGET static VECTOR load(W const* b) {                                                                         \
      if constexpr (sizeof(W) == 1)                                                                                 \
        return _mm##BITS##_cvtepi8_epi16(*reinterpret_cast<HALF const*>(b));                                        \
      else                                                                                                          \
        return _mm##BITS##_loadu_si##BITS(reinterpret_cast<VECTOR const*>(b));                                      \
    }                                                                                                               \
    template <class W, int R, std::size_t... Sums>                                                                  \
    TARGET static void multiply(integer_tile const& t, std::index_sequence<Sums...>) {                              \
      VECTOR sum[] = {_mm##BITS##_set1_epi32(t.start == nullptr ? 0 : t.start[Sums / 2])...};                       \
      auto const* b = static_cast<W const*>(t.b);                                                                   \
      std::int16_t const* a = t.a;                                                                                  \
      for (std::ptrdiff_t p = t.pairs; p != 0; --p, a += 2, b += 2 * width) {                                       \
        VECTOR const right[] = {load(b), load(b + width)};                                                          \
        ((sum[Sums] = _mm##BITS##_add_epi32(                                                                        \
              sum[Sums],                                                                                            \
              _mm##BITS##_madd_epi16(_mm##BITS##_set1_epi32(integer_pair(a + std::ptrdiff_t(Sums / 2) * t.a_row)),  \
                                     right[Sums % 2]))),                                                            \
         ...);                                                                                                      \
      }                                                                                                             \
      std::int32_t edge[std::size_t(R * width)];                                                                    \
      bool const whole = t.columns == width;                                                                        \
      (_mm##BITS##_storeu_si##BITS(                                                                                 \
           reinterpret_cast<VECTOR*>((whole ? t.c + std::ptrdiff_t(Sums / 2) * t.c_row : edge + Sums / 2 * width) + \
                                     Sums % 2 * lanes),                                                             \
           sum[Sums]),                                                                                              \
       ...);                                                                                                        \
      if (!whole) store_integers<R>(t, edge, width);                                                                \
    }                                                                                                               \
  };
typedef __m128i integer_half __attribute__((aligned(1)));
typedef __m256i integer_half_512 __attribute__((aligned(1)));
PLAIT_DETAIL_INTEGER_TILES(avx2, PLAIT_TARGET_AVX2, __m256i, 256, integer_half)
PLAIT_DETAIL_INTEGER_TILES(avx512, PLAIT_TARGET_AVX512, __m512i, 512, integer_half_512)
#undef PLAIT_DETAIL_INTEGER_TILES
#endif

template <instruction_set Set>
integer_kernel const& integer_kernel_of() {
  static constexpr integer_kernel made = []<int... R>(std::integer_sequence<int, R...>) {
    integer_kernel all;
    all.width = integer_tiles<Set>::width;
    ((all.narrow[R + 1] = integer_tiles<Set>::template multiply<std::int8_t, R + 1>), ...);
    ((all.wide[R + 1] = integer_tiles<Set>::template multiply<std::int16_t, R + 1>), ...);
    return all;
  }(std::make_integer_sequence<int, integer_kernel::rows>());
  return made;
}
/// Returns the micro-kernels of the widest instruction set of this processor.
inline integer_kernel const& integer_tiles_here() {
#if PLAIT_X86_DISPATCH
  if (available_instructions() == instruction_set::avx512) return integer_kernel_of<instruction_set::avx512>();
  if (available_instructions() == instruction_set::avx2) return integer_kernel_of<instruction_set::avx2>();
#endif
  return integer_kernel_of<instruction_set::portable>();
}

/// Computes tiles of `rows` rows, at most as many as there are, of one panel.
template <class W>
void multiply_panel(integer_kernel const& kernel, integer_tile t, std::ptrdiff_t rows) {
  even_parts const tiles = row_tiles(rows, integer_kernel::rows);
  integer_tile tile = t;
  for (std::ptrdiff_t i = 0; i != tiles.count; ++i) {
    std::ptrdiff_t const first = tiles.first(i);
    tile.a = t.a + first * t.a_row;
    tile.c = t.c + first * t.c_row;
    tile.start = t.start == nullptr ? nullptr : t.start + first;
    kernel.tiles<W>()[static_cast<std::size_t>(tiles.size(i))](tile);
  }
}

/// Widens rows of `k` elements less a zero point to int16, with an even pitch. The zero points are one for all rows or,
/// if `by_row`, one for each; nullptr: none.
template <class Q>
struct widened_row {
  Q const* x;
  Q const* zero;
  bool by_row;
  std::size_t k;
  std::int16_t* to;
  void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    int const less = zero == nullptr ? 0 : zero[by_row ? row : 0];
    Q const* const from = x + row * k;
    std::int16_t* const line = to + row * (k + k % 2);
    std::size_t const end = last < k ? last : k;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < end; ++i) line[i] = static_cast<std::int16_t>(from[i] - less);
    if (last > k) line[k] = 0;
  }
};
template <backend B, class Q>
void widen_rows(std::size_t rows, std::size_t k, Q const* x, Q const* zero, bool by_row, std::int16_t* to) {
  for_each_row_part<B>(rows, k + k % 2, 1, widened_row<Q>{x, zero, by_row, k, to});
}

/// Returns the bytes of a packed right operand.
inline std::size_t packed_integers(std::ptrdiff_t k, std::ptrdiff_t n) {
  int const width = integer_tiles_here().width;
  return static_cast<std::size_t>(parts_for(n, width) * width * integer_pairs(k) * 2);
}
/// Packs `columns` columns of k rows, n elements apart, as a panel. Not inlined: clang would warn about the loop there.
template <class Q>
PLAIT_NO_INLINE void pack_integer_panel(std::ptrdiff_t k, std::ptrdiff_t n, Q const* from, std::ptrdiff_t columns,
                                        std::ptrdiff_t width, std::int8_t* to) {
  constexpr int less = std::is_signed_v<Q> ? 0 : 128;
  for (std::ptrdiff_t i = 0; i < k; i += 2, from += 2 * n, to += 2 * width) {
    if (columns == width && i + 1 != k) {
      PLAIT_INDEPENDENT
      for (std::ptrdiff_t j = 0; j < width; ++j) {
        to[2 * j] = static_cast<std::int8_t>(from[j] - less);
        to[2 * j + 1] = static_cast<std::int8_t>(from[n + j] - less);
      }
      continue;
    }
    std::memset(to, 0, static_cast<std::size_t>(2 * width));
    for (std::ptrdiff_t j = 0; j != columns; ++j) to[2 * j] = static_cast<std::int8_t>(from[j] - less);
    for (std::ptrdiff_t j = 0; j != columns && i + 1 != k; ++j)
      to[2 * j + 1] = static_cast<std::int8_t>(from[n + j] - less);
  }
}
/// Packs b, of k rows of n elements, as int8: elements of uint8 less 128.
template <backend B, class Q>
void pack_integers(std::ptrdiff_t k, std::ptrdiff_t n, Q const* b, std::int8_t* to) {
  std::ptrdiff_t const width = integer_tiles_here().width;
  for_each_task<B>(parts_for(n, width), k * n >= parallel_work, [=](std::ptrdiff_t panel) {
    std::ptrdiff_t const first = panel * width;
    pack_integer_panel(k, n, b + first, std::min(width, n - first), width, to + first * integer_pairs(k) * 2);
  });
}

/// Computes c = a * b for m rows of a, widened, and packed b.
template <backend B>
void multiply_integers(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, std::int16_t const* a,
                       std::int8_t const* b, std::int32_t* c) {
  constexpr std::ptrdiff_t rows_of_task = 8 * integer_kernel::rows;
  constexpr std::ptrdiff_t panels_of_task = 4;
  if (m == 0 || n == 0) return;
  integer_kernel const& kernel = integer_tiles_here();
  std::ptrdiff_t const width = kernel.width;
  std::ptrdiff_t const pairs = integer_pairs(k);
  std::ptrdiff_t const panels = parts_for(n, width);
  std::ptrdiff_t const groups = parts_for(panels, panels_of_task);
  for_each_task<B>(parts_for(m, rows_of_task) * groups, is_shared<B>(m * n * k), [=, &kernel](std::ptrdiff_t task) {
    std::ptrdiff_t const row = task / groups * rows_of_task;
    std::ptrdiff_t const first = task % groups * panels_of_task;
    for (std::ptrdiff_t panel = first; panel < std::min(panels, first + panels_of_task); ++panel)
      multiply_panel<std::int8_t>(kernel,
                                  {pairs, a + row * 2 * pairs, 2 * pairs, b + panel * width * pairs * 2,
                                   c + row * n + panel * width, n, std::min(width, n - panel * width), nullptr},
                                  std::min(rows_of_task, m - row));
  });
}

}  // namespace plait::detail

PLAIT_KERNELS_END
