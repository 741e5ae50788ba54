// GEMM micro-kernels: tiles of the result that stay in registers over all k.
//
// They use vector extensions and are compiled once per instruction set. A macro defines them because GCC splits vectors
// wider than the function's target before it inlines: each body must carry the target attribute itself, which no
// template parameter can provide.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include <plait/exec/detail/kernels/gemm_transposed.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>

namespace plait::detail {

/// Arguments of a micro-kernel: c = relu((a * b + beta * from) + more). `from` is not read if beta is 0. There is no
/// alpha: with one product to add, compilers have no choice which of two to fuse with the addition, and all tiles give
/// the same bits.
///
/// A call computes `count` tiles of as many rows, and leaves the pointers at the last. With small k, the code between
/// calls takes a tenth of the time: the processor looks some twenty k ahead, and a hundred instructions displace these.
template <class T>
struct gemm_tile {
  std::ptrdiff_t k;
  T const* a;              ///< k columns, each of as many rows as the tile has
  std::ptrdiff_t a_step;   ///< from one k to the next: the number of rows, if packed
  std::ptrdiff_t a_row;    ///< from one row to the next; 1 for more rows than the kernel's loose_rows
  T const* b;              ///< the first of the tile's panels; a panel is `width` columns
  std::ptrdiff_t b_row;    ///< from one k to the next; not of placed_tiles
  std::ptrdiff_t b_panel;  ///< from one panel to the next
  T* c;
  std::ptrdiff_t c_row;
  std::ptrdiff_t columns;  ///< columns of c that are written: the tile's last panel may be partial
  T const* from;           ///< c, or another matrix
  std::ptrdiff_t from_row;
  T beta;
  T const* more;  ///< nullptr: none
  std::ptrdiff_t more_row;
  bool relu;
  char const* ahead;          ///< address to prefetch into L2,
  std::ptrdiff_t ahead_step;  ///< in steps of this many bytes
  std::ptrdiff_t count;       ///< number of tiles; distances from one to the next:
  std::ptrdiff_t a_next, b_next, c_next, from_next, more_next;
  std::ptrdiff_t ahead_next;  ///< bytes
  // Fields of placed tiles alone:
  std::ptrdiff_t const* b_places;  ///< each k's elements of b, from `b`
  T const* bias;                   ///< a summand for each row; nullptr: none
};

/// Maximum of rows that are read in place, however many panels they are multiplied by.
inline constexpr int few_rows = 4;

/// Micro-kernels of an instruction set. Tile sizes follow the number of registers; a panel is two vectors wide, so that
/// each broadcast element of a is used twice.
template <class T>
struct gemm_kernel {
  static constexpr int most_rows = 14;
  using tile_function = void (*)(gemm_tile<T>&);

  int width = 0;  ///< columns of a panel, a power of two
  int rows = 0;   ///< rows of the tallest tile
  /// Maximum of rows that a tile reads in place: the addresses of more would take too many registers.
  int loose_rows = 0;
  /// Depth of k that is multiplied at once. A panel's block fills L1, or is streamed from L2: tiles need little of b at
  /// a time, and c is loaded and stored less often.
  static constexpr int block = 512;
  /// Tiles by number of panels, then of rows: for one panel up to as many as are best for this many rows.
  static constexpr int most_panels = 4;
  std::array<std::array<tile_function, most_rows + 1>, most_panels + 1> tiles = {};
  std::array<int, most_rows + 1> wide_panels = {};  ///< by rows: the best number of panels
  transposed_kernel<T> transposed = {};             ///< for few rows

  /// Returns the number of panels of `columns`. A division takes five nanoseconds, a tenth of the smallest products.
  std::ptrdiff_t panels(std::ptrdiff_t columns) const {
    return (columns + width - 1) >> std::countr_zero(static_cast<unsigned>(width));
  }
};

template <instruction_set, class>
struct gemm_tiles;

/// Returns the vectors of a tile of this many rows, two per panel: enough accumulators to hide the latency of
/// additions, few enough for the registers, and a power of two.
constexpr int tile_vectors(int rows, int most_rows) {
  if (rows == 1) return 8;
  return rows <= (most_rows > 6 ? 6 : 3) ? 4 : 2;
}

// Step of the loop over k: adds a product to each accumulator, in tiles of two panels column by column, so that
// elements of a stay in registers. Arrays are indexed by constants only, so that they are in registers even if no loop
// is unrolled.
//
// Empty asm statements prevent two things in GCC. It would compute all addresses before each iteration, which takes
// more registers than there are for addresses, and moves between them in place of multiplications. And it would reload
// a vector of b for each row: except with three rows and 16 registers, of which none is left for the vector.
#define PLAIT_DETAIL_GEMM_STEP                                                                                      \
  if constexpr (Placed) b = t.b + *place++;                                                                         \
  if constexpr (V == 4) {                                                                                           \
    vec right;                                                                                                      \
    PLAIT_DETAIL_GEMM_COLUMN(0);                                                                                    \
    PLAIT_DETAIL_GEMM_COLUMN(1);                                                                                    \
    PLAIT_DETAIL_GEMM_COLUMN(2);                                                                                    \
    PLAIT_DETAIL_GEMM_COLUMN(3);                                                                                    \
  } else {                                                                                                          \
    ((sum[Sums] += a[std::ptrdiff_t(Sums / V) * a_row] *                                                            \
                   *reinterpret_cast<loose const*>(b + std::ptrdiff_t(Sums % V / 2) * panel + (Sums % 2) * lanes)), \
     ...);                                                                                                          \
  }                                                                                                                 \
  a += step;                                                                                                        \
  if constexpr (!Placed) b += row;                                                                                  \
  if constexpr (V > 2) asm("" : "+r"(a), "+r"(b))
#define PLAIT_DETAIL_GEMM_COLUMN(j)                                                             \
  right = *reinterpret_cast<loose const*>(b + std::ptrdiff_t(j / 2) * panel + (j % 2) * lanes); \
  if constexpr (R == 2 || registers > 16) PLAIT_DETAIL_READ_ONCE(right);                        \
  ((Sums % 4 == j ? static_cast<void>(sum[Sums] += a[std::ptrdiff_t(Sums / 4) * a_row] * right) \
                  : static_cast<void>(0)),                                                      \
   ...)
#if PLAIT_X86_DISPATCH
#define PLAIT_DETAIL_READ_ONCE(vector) asm("" : "+v"(vector))
#else
#define PLAIT_DETAIL_READ_ONCE(vector) static_cast<void>(0)
#endif

// `Sums` numbers the vectors of c row by row. The loop is unrolled to two k with 16 registers, four with 32.
#define PLAIT_DETAIL_GEMM_TILES(SET, TARGET, BYTES, REGISTERS, ROWS)                                               \
  template <class T>                                                                                               \
  struct gemm_tiles<instruction_set::SET, T> {                                                                     \
    static constexpr int lanes = (BYTES) / int(sizeof(T));                                                         \
    static constexpr int rows = ROWS;                                                                              \
    static constexpr int loose_rows = rows > 6 ? few_rows : rows;                                                  \
    static constexpr int registers = REGISTERS;                                                                    \
    static constexpr int turns = registers / 8;                                                                    \
    typedef T vec __attribute__((vector_size(BYTES)));                                                             \
    typedef T loose __attribute__((vector_size(BYTES), aligned(alignof(T)), may_alias));                           \
                                                                                                                   \
    template <int R, int V, bool Placed, std::size_t... Sums>                                                      \
    TARGET PLAIT_ALIGN_LOOPS static void multiply(gemm_tile<T>& t, std::index_sequence<Sums...>) {                 \
      for (std::ptrdiff_t left = t.count;;) {                                                                      \
        vec sum[] = {(static_cast<void>(Sums), vec{})...};                                                         \
        T const* a = t.a;                                                                                          \
        T const* b = t.b;                                                                                          \
        [[maybe_unused]] char const* ahead = t.ahead;                                                              \
        std::ptrdiff_t const step = Placed ? 1 : t.a_step;                                                         \
        std::ptrdiff_t const a_row = R <= loose_rows ? t.a_row : 1;                                                \
        [[maybe_unused]] std::ptrdiff_t const row = t.b_row;                                                       \
        [[maybe_unused]] std::ptrdiff_t const* place = t.b_places;                                                 \
        std::ptrdiff_t const panel = t.b_panel;                                                                    \
        std::ptrdiff_t k = t.k;                                                                                    \
        for (; k >= turns; k -= turns) {                                                                           \
          PLAIT_DETAIL_GEMM_STEP;                                                                                  \
          PLAIT_DETAIL_GEMM_STEP;                                                                                  \
          if constexpr (turns == 4) {                                                                              \
            PLAIT_DETAIL_GEMM_STEP;                                                                                \
            PLAIT_DETAIL_GEMM_STEP;                                                                                \
          }                                                                                                        \
          if constexpr (V == 2 && !Placed) {                                                                       \
            __builtin_prefetch(ahead, 0, 2);                                                                       \
            __builtin_prefetch(ahead + t.ahead_step, 0, 2);                                                        \
            if constexpr (turns == 4) {                                                                            \
              __builtin_prefetch(ahead + 2 * t.ahead_step, 0, 2);                                                  \
              __builtin_prefetch(ahead + 3 * t.ahead_step, 0, 2);                                                  \
            }                                                                                                      \
            ahead += turns * t.ahead_step;                                                                         \
          }                                                                                                        \
        }                                                                                                          \
        for (; k != 0; --k) {                                                                                      \
          PLAIT_DETAIL_GEMM_STEP;                                                                                  \
        }                                                                                                          \
        bool const whole = t.columns == V * lanes;                                                                 \
        T edge[std::size_t(R * V * lanes)];                                                                        \
        T* const c = whole ? t.c : edge;                                                                           \
        std::ptrdiff_t const c_row = whole ? t.c_row : V * lanes;                                                  \
        T const* const from = whole ? t.from : edge;                                                               \
        std::ptrdiff_t const from_row = whole ? t.from_row : V * lanes;                                            \
        if (!whole && t.beta != T(0)) {                                                                            \
          for (int i = 0; i < R; ++i)                                                                              \
            for (int j = 0; j < V * lanes; ++j)                                                                    \
              edge[i * V * lanes + j] = j < t.columns ? t.from[i * t.from_row + j] : T(0);                         \
        }                                                                                                          \
        if constexpr (Placed) {                                                                                    \
          if (t.bias != nullptr) ((sum[Sums] += t.bias[Sums / V]), ...);                                           \
        }                                                                                                          \
        if (t.beta != T(0)) {                                                                                      \
          ((sum[Sums] += t.beta * *reinterpret_cast<loose const*>(from + std::ptrdiff_t(Sums / V) * from_row +     \
                                                                  (Sums % V) * lanes)),                            \
           ...);                                                                                                   \
        }                                                                                                          \
        if (whole && t.more != nullptr) {                                                                          \
          ((sum[Sums] +=                                                                                           \
            *reinterpret_cast<loose const*>(t.more + std::ptrdiff_t(Sums / V) * t.more_row + (Sums % V) * lanes)), \
           ...);                                                                                                   \
        }                                                                                                          \
        if (whole && t.relu) {                                                                                     \
          ((sum[Sums] = sum[Sums] < vec{} ? vec{} : sum[Sums]), ...);                                              \
        }                                                                                                          \
        ((*reinterpret_cast<loose*>(c + std::ptrdiff_t(Sums / V) * c_row + (Sums % V) * lanes) = sum[Sums]), ...); \
        if (!whole) {                                                                                              \
          for (int i = 0; i < R; ++i)                                                                              \
            for (std::ptrdiff_t j = 0; j < t.columns; ++j) {                                                       \
              T x = edge[i * V * lanes + j];                                                                       \
              if (t.more != nullptr) x += t.more[i * t.more_row + j];                                              \
              t.c[i * t.c_row + j] = t.relu && x < T(0) ? T(0) : x;                                                \
            }                                                                                                      \
        }                                                                                                          \
        if (--left == 0) return;                                                                                   \
        t.a += t.a_next;                                                                                           \
        t.b += t.b_next;                                                                                           \
        t.c += t.c_next;                                                                                           \
        t.from += t.from_next;                                                                                     \
        if (t.more != nullptr) t.more += t.more_next;                                                              \
        t.ahead += t.ahead_next;                                                                                   \
      }                                                                                                            \
    }                                                                                                              \
  };

PLAIT_DETAIL_GEMM_TILES(portable, , 16, 16, 6)
#if PLAIT_X86_DISPATCH
PLAIT_DETAIL_GEMM_TILES(avx2, PLAIT_TARGET_AVX2, 32, 16, 6)
PLAIT_DETAIL_GEMM_TILES(avx512, PLAIT_TARGET_AVX512, 64, 32, 14)
#endif
#undef PLAIT_DETAIL_GEMM_TILES
#undef PLAIT_DETAIL_GEMM_STEP
#undef PLAIT_DETAIL_GEMM_COLUMN
#undef PLAIT_DETAIL_READ_ONCE

/// Micro-kernels by number of panels, then of rows.
template <class T>
using gemm_tile_table = decltype(gemm_kernel<T>::tiles);

template <instruction_set Set, class T, bool Placed, int R, int Panels>
void multiply_tile(gemm_tile<T>& t) {
  gemm_tiles<Set, T>::template multiply<R, 2 * Panels, Placed>(t,
                                                               std::make_index_sequence<std::size_t(2 * R * Panels)>());
}

template <instruction_set Set, class T, bool Placed, int Rows>
constexpr gemm_tile_table<T> make_tile_table() {
  gemm_tile_table<T> made = {};
  auto const add_tiles = [&]<int R, int... P>(std::integral_constant<int, R>, std::integer_sequence<int, P...>) {
    ((made[P + 1][R] = multiply_tile<Set, T, Placed, R, P + 1>), ...);
  };
  [&]<int... R>(std::integer_sequence<int, R...>) {
    (add_tiles(std::integral_constant<int, R + 1>(),
               std::make_integer_sequence<int, tile_vectors(R + 1, gemm_tiles<Set, T>::rows) / 2>()),
     ...);
  }(std::make_integer_sequence<int, Rows>());
  return made;
}

template <instruction_set Set, class T>
constexpr gemm_kernel<T> make_gemm_kernel() {
  using Tiles = gemm_tiles<Set, T>;
  gemm_kernel<T> made;
  made.width = 2 * Tiles::lanes;
  made.rows = Tiles::rows;
  made.loose_rows = Tiles::loose_rows;
  made.transposed = make_transposed_kernel<Set, T>();
  made.tiles = make_tile_table<Set, T, false, Tiles::rows>();
  for (int rows = 1; rows <= Tiles::rows; ++rows)
    made.wide_panels[std::size_t(rows)] = tile_vectors(rows, Tiles::rows) / 2;
  return made;
}

template <instruction_set Set, class T>
inline constexpr gemm_kernel<T> gemm_kernel_of = make_gemm_kernel<Set, T>();

/// Micro-kernels of up to loose_rows rows of a, whose rows of b are at listed offsets (an indirection buffer).
template <instruction_set Set, class T>
inline constexpr gemm_tile_table<T> placed_tiles_of = make_tile_table<Set, T, true, gemm_tiles<Set, T>::loose_rows>();

/// Returns an instruction set whose micro-kernels this program has.
constexpr instruction_set with_tiles(instruction_set set) {
  return PLAIT_X86_DISPATCH ? set : instruction_set::portable;
}

/// Returns the micro-kernels of an instruction set that the processor has.
template <class T>
gemm_kernel<T> const& tiles_for(instruction_set set = available_instructions()) {
  static constexpr std::array by = {&gemm_kernel_of<instruction_set::portable, T>,
                                    &gemm_kernel_of<with_tiles(instruction_set::avx2), T>,
                                    &gemm_kernel_of<with_tiles(instruction_set::avx512), T>};
  return *by[static_cast<std::size_t>(set)];
}
template <class T>
gemm_tile_table<T> const& placed_tiles_for(instruction_set set = available_instructions()) {
  static constexpr std::array by = {&placed_tiles_of<instruction_set::portable, T>,
                                    &placed_tiles_of<with_tiles(instruction_set::avx2), T>,
                                    &placed_tiles_of<with_tiles(instruction_set::avx512), T>};
  return *by[static_cast<std::size_t>(set)];
}

}  // namespace plait::detail
