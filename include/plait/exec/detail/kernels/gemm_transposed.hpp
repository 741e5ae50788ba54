// GEMM tiles of few rows for transposed b, which is not packed but transposed in registers, so that sums run over k in
// the same order as over packed panels, and have the same bits.
//
// Vector lanes are columns of c. For each lane, 16 bytes along k are loaded, and the squares of 16 by 16 bytes are
// transposed within the vectors' quarters. Compiled once per instruction set, like gemm_tiles.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <plait/exec/detail/kernels/instruction_sets.hpp>

namespace plait::detail {

/// Arguments of a tile: c = a * b + beta * from, for the tile's rows and at most `columns` of its columns. `from` is
/// not read if beta is 0. Rows of a are contiguous, and so are columns of b.
template <class T>
struct transposed_tile {
  std::ptrdiff_t k;
  T const* a;
  std::ptrdiff_t a_row;
  T const* b;
  std::ptrdiff_t b_column;
  std::ptrdiff_t columns;
  T* c;
  std::ptrdiff_t c_row;
  T const* from;
  std::ptrdiff_t from_row;
  T beta;
};

/// Tiles of an instruction set, by rows. More rows are faster with packed panels, which are transposed once for all.
template <class T>
struct transposed_kernel {
  static constexpr int most_rows = 8;
  using function = void (*)(transposed_tile<T> const&);

  int width = 0;                                   ///< columns of a tile
  std::array<function, most_rows + 1> tiles = {};  ///< by rows
  function double_tile = nullptr;                  ///< one row, twice the columns: two dependence chains
};

/// Returns the source of element i of a shuffle within quarters of `side` elements, where the lanes of vectors a and b
/// are numbered consecutively. Steps 0 and 1 interleave the quarters' low and high halves, 2 and 3 join halves.
constexpr int transposing(int step, int lanes, int side, int i) {
  int const quarter = i / side * side;
  int const at = i % side;
  int const half = side / 2 * (step % 2);
  if (step < 2) return quarter + half + at / 2 + (at % 2) * lanes;
  return quarter + half + at % (side / 2) + (at < side / 2 ? 0 : lanes);
}

template <instruction_set, class>
struct transposed_tiles;

// Adds the products of `side` elements of k to the sums of a vector of columns.
#if defined(__CUDACC__)
// nvcc's host pass does not expand packs in calls of a builtin. The sums are the same.
#define PLAIT_DETAIL_TRANSPOSED_ADD(TARGET, BYTES)                                                               \
  template <bool Whole, std::size_t... Rows>                                                                     \
  PLAIT_ALWAYS_INLINE TARGET static void add(vec* sum, T const* a, std::ptrdiff_t a_row, T const* b,             \
                                             std::ptrdiff_t column, std::ptrdiff_t columns,                      \
                                             std::index_sequence<Rows...>) {                                     \
    for (int i = 0; i != side; ++i) {                                                                            \
      vec x;                                                                                                     \
      for (std::ptrdiff_t j = 0; j != lanes; ++j) x[j] = b[(Whole ? j : std::min(j, columns - 1)) * column + i]; \
      ((sum[Rows] += a[std::ptrdiff_t(Rows) * a_row + i] * x), ...);                                             \
    }                                                                                                            \
  }
#else
#define PLAIT_DETAIL_TRANSPOSED_ADD(TARGET, BYTES)                                                               \
  template <int Step, std::size_t... I>                                                                          \
  PLAIT_ALWAYS_INLINE TARGET static vec shuffle(vec a, vec b, std::index_sequence<I...>) {                       \
    return __builtin_shufflevector(a, b, transposing(Step, lanes, side, int(I))...);                             \
  }                                                                                                              \
  template <int Step>                                                                                            \
  PLAIT_ALWAYS_INLINE TARGET static vec shuffle(vec a, vec b) {                                                  \
    return shuffle<Step>(a, b, std::make_index_sequence<std::size_t(lanes)>());                                  \
  }                                                                                                              \
  template <class V, std::size_t... I>                                                                           \
  PLAIT_ALWAYS_INLINE TARGET static auto join(V low, V high, std::index_sequence<I...>) {                        \
    return __builtin_shufflevector(low, high, int(I)...);                                                        \
  }                                                                                                              \
  /* Loads row r of each quarter's square; missing columns repeat the last one. */                               \
  template <bool Whole>                                                                                          \
  PLAIT_ALWAYS_INLINE TARGET static vec load(T const* b, std::ptrdiff_t column, std::ptrdiff_t columns, int r) { \
    auto const part = [&](int q) {                                                                               \
      std::ptrdiff_t const j = q * side + r;                                                                     \
      return b + (Whole ? j : std::min(j, columns - 1)) * column;                                                \
    };                                                                                                           \
    auto const at = [](T const* from) { return *reinterpret_cast<loose_quarter const*>(from); };                 \
    constexpr std::make_index_sequence<std::size_t(2 * side)> half;                                              \
    if constexpr (BYTES == 16)                                                                                   \
      return at(part(0));                                                                                        \
    else if constexpr (BYTES == 32)                                                                              \
      return join<quarter>(at(part(0)), at(part(1)), half);                                                      \
    else                                                                                                         \
      return join(join<quarter>(at(part(0)), at(part(1)), half), join<quarter>(at(part(2)), at(part(3)), half),  \
                  std::make_index_sequence<std::size_t(lanes)>());                                               \
  }                                                                                                              \
  template <bool Whole, std::size_t... Rows>                                                                     \
  PLAIT_ALWAYS_INLINE TARGET static void add(vec* sum, T const* a, std::ptrdiff_t a_row, T const* b,             \
                                             std::ptrdiff_t column, std::ptrdiff_t columns,                      \
                                             std::index_sequence<Rows...>) {                                     \
    vec const r0 = load<Whole>(b, column, columns, 0);                                                           \
    vec const r1 = load<Whole>(b, column, columns, 1);                                                           \
    if constexpr (side == 2) {                                                                                   \
      vec const x0 = shuffle<0>(r0, r1), x1 = shuffle<1>(r0, r1);                                                \
      ((sum[Rows] += a[std::ptrdiff_t(Rows) * a_row] * x0), ...);                                                \
      ((sum[Rows] += a[std::ptrdiff_t(Rows) * a_row + 1] * x1), ...);                                            \
    } else {                                                                                                     \
      vec const r2 = load<Whole>(b, column, columns, 2);                                                         \
      vec const r3 = load<Whole>(b, column, columns, 3);                                                         \
      vec const low0 = shuffle<0>(r0, r1), high0 = shuffle<1>(r0, r1);                                           \
      vec const low1 = shuffle<0>(r2, r3), high1 = shuffle<1>(r2, r3);                                           \
      vec const x0 = shuffle<2>(low0, low1), x1 = shuffle<3>(low0, low1);                                        \
      vec const x2 = shuffle<2>(high0, high1), x3 = shuffle<3>(high0, high1);                                    \
      ((sum[Rows] += a[std::ptrdiff_t(Rows) * a_row] * x0), ...);                                                \
      ((sum[Rows] += a[std::ptrdiff_t(Rows) * a_row + 1] * x1), ...);                                            \
      ((sum[Rows] += a[std::ptrdiff_t(Rows) * a_row + 2] * x2), ...);                                            \
      ((sum[Rows] += a[std::ptrdiff_t(Rows) * a_row + 3] * x3), ...);                                            \
    }                                                                                                            \
  }
#endif

#define PLAIT_DETAIL_TRANSPOSED_TILES(SET, TARGET, BYTES)                                                          \
  template <class T>                                                                                               \
  struct transposed_tiles<instruction_set::SET, T> {                                                               \
    static constexpr int lanes = (BYTES) / int(sizeof(T));                                                         \
    static constexpr int side = 16 / int(sizeof(T));                                                               \
    typedef T vec __attribute__((vector_size(BYTES)));                                                             \
    typedef T loose __attribute__((vector_size(BYTES), aligned(alignof(T)), may_alias));                           \
    typedef T quarter __attribute__((vector_size(16)));                                                            \
    typedef T loose_quarter __attribute__((vector_size(16), aligned(alignof(T)), may_alias));                      \
                                                                                                                   \
    PLAIT_DETAIL_TRANSPOSED_ADD(TARGET, BYTES)                                                                     \
    /* Multiplies R rows by C vectors of columns. */                                                               \
    template <int R, int C, bool Whole>                                                                            \
    PLAIT_ALWAYS_INLINE TARGET static void multiply_columns(transposed_tile<T> const& t) {                         \
      constexpr std::make_index_sequence<std::size_t(R)> rows;                                                     \
      vec sum[C][R] = {};                                                                                          \
      T const* a = t.a;                                                                                            \
      T const* b = t.b;                                                                                            \
      std::ptrdiff_t k = t.k;                                                                                      \
      for (; k >= side; k -= side) {                                                                               \
        add<Whole>(sum[0], a, t.a_row, b, t.b_column, t.columns, rows);                                            \
        if constexpr (C == 2) add<Whole>(sum[1], a, t.a_row, b + lanes * t.b_column, t.b_column, t.columns, rows); \
        a += side;                                                                                                 \
        b += side;                                                                                                 \
      }                                                                                                            \
      for (; k != 0; --k, ++a, ++b)                                                                                \
        for (int v = 0; v != C; ++v) {                                                                             \
          vec x;                                                                                                   \
          for (std::ptrdiff_t j = 0; j != lanes; ++j)                                                              \
            x[j] = b[(v * lanes + (Whole ? j : std::min(j, t.columns - 1))) * t.b_column];                         \
          for (int i = 0; i != R; ++i) sum[v][i] += a[i * t.a_row] * x;                                            \
        }                                                                                                          \
      for (int i = 0; i != R; ++i)                                                                                 \
        for (int v = 0; v != C; ++v) {                                                                             \
          T* const c = t.c + i * t.c_row + v * lanes;                                                              \
          T const* const from = t.from + i * t.from_row + v * lanes;                                               \
          if constexpr (Whole) {                                                                                   \
            if (t.beta != T(0)) sum[v][i] += t.beta * *reinterpret_cast<loose const*>(from);                       \
            *reinterpret_cast<loose*>(c) = sum[v][i];                                                              \
          } else {                                                                                                 \
            vec kept{};                                                                                            \
            for (std::ptrdiff_t j = 0; t.beta != T(0) && j != t.columns; ++j) kept[j] = from[j];                   \
            if (t.beta != T(0)) sum[v][i] += t.beta * kept;                                                        \
            for (std::ptrdiff_t j = 0; j != t.columns; ++j) c[j] = sum[v][i][j];                                   \
          }                                                                                                        \
        }                                                                                                          \
    }                                                                                                              \
    template <int R, int C>                                                                                        \
    TARGET static void multiply(transposed_tile<T> const& t) {                                                     \
      if (C == 2 || t.columns == lanes)                                                                            \
        multiply_columns<R, C, true>(t);                                                                           \
      else                                                                                                         \
        multiply_columns<R, 1, false>(t);                                                                          \
    }                                                                                                              \
  };

PLAIT_DETAIL_TRANSPOSED_TILES(portable, , 16)
#if PLAIT_X86_DISPATCH
PLAIT_DETAIL_TRANSPOSED_TILES(avx2, PLAIT_TARGET_AVX2, 32)
PLAIT_DETAIL_TRANSPOSED_TILES(avx512, PLAIT_TARGET_AVX512, 64)
#endif
#undef PLAIT_DETAIL_TRANSPOSED_TILES
#undef PLAIT_DETAIL_TRANSPOSED_ADD

template <instruction_set Set, class T>
constexpr transposed_kernel<T> make_transposed_kernel() {
  using tiles = transposed_tiles<Set, T>;
  transposed_kernel<T> made;
  made.width = tiles::lanes;
  // nvcc's host pass does not expand a pack within a lambda.
  auto const add_tile = [&]<int R>(std::integral_constant<int, R>) {
    made.tiles[R] = [](transposed_tile<T> const& t) { tiles::template multiply<R, 1>(t); };
  };
  [&]<int... R>(std::integer_sequence<int, R...>) {
    (add_tile(std::integral_constant<int, R + 1>()), ...);
  }(std::make_integer_sequence<int, transposed_kernel<T>::most_rows>());
  made.double_tile = [](transposed_tile<T> const& t) { tiles::template multiply<1, 2>(t); };
  return made;
}

}  // namespace plait::detail
