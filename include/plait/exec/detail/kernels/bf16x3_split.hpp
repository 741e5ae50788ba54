// bf16x3 split: floats as sums of three bfloat16 components, in the order in which AMX tiles read them.
//
// The 24 bits of a float are split into three components of 8 bits. Of the nine component products of two numbers, the
// six largest give a product with about the error of rounding it to float; each is exact before it is added. A unit
// that multiplies bfloat16 sixteen times as fast as others do floats is then more than twice as fast, and sums have
// smaller errors, since it adds more before it rounds. After G. Henry, P. T. P. Tang and A. Heinecke, "Leveraging the
// bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations", ARITH 2019, pp. 69-76.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <plait/exec/detail/kernels/gemm_packing.hpp>
#include <plait/exec/detail/kernels/instruction_sets.hpp>

PLAIT_KERNELS_BEGIN

namespace plait::detail {

// A tile is 16 lines of 16 pairs of bfloat16; the first of a pair, of an even k, is in the lower half. Lines of a left
// operand are its rows, those of a right one are pairs of k. A strip is 32 rows of a left operand, or columns of a
// right one: for each 32 of k, each component has two tiles of 16 rows or columns. The strip_notes of these rows or
// columns follow.
inline constexpr std::ptrdiff_t tile_side = 16;
inline constexpr std::ptrdiff_t tile_depth = 32;  ///< elements of k
inline constexpr std::ptrdiff_t tile_units = tile_side * tile_side;
inline constexpr std::ptrdiff_t strip_side = 2 * tile_side;
inline constexpr std::ptrdiff_t part_units = 2 * tile_units;
inline constexpr std::ptrdiff_t step_units = 3 * part_units;

constexpr std::ptrdiff_t strip_steps(std::ptrdiff_t k) { return (k + tile_depth - 1) / tile_depth; }
constexpr std::ptrdiff_t strip_count(std::ptrdiff_t rows) { return (rows + strip_side - 1) / strip_side; }

struct alignas(64) strip_notes {
  float scales[strip_side];  ///< factors of the sums with each row or column
  std::uint32_t infinite;    ///< bit by row or column: its greatest magnitude is infinite, and it has no NaN
};
inline constexpr auto note_units = std::ptrdiff_t(sizeof(strip_notes) / sizeof(std::uint32_t));

/// Returns the size of a strip in units of 32 bits.
constexpr std::ptrdiff_t strip_units(std::ptrdiff_t k) { return strip_steps(k) * step_units + note_units; }
inline strip_notes const& notes_of(std::uint32_t const* strip, std::ptrdiff_t k) {
  return *reinterpret_cast<strip_notes const*>(strip + strip_steps(k) * step_units);
}

/// Returns the upper 16 bits of x, rounded to nearest.
PLAIT_ALWAYS_INLINE inline std::uint32_t upper_part(std::uint32_t x) { return (x + 0x8000u) & 0xffff0000u; }
/// Like upper_part, but truncates numbers that would become infinite, and those that are not finite.
PLAIT_ALWAYS_INLINE inline std::uint32_t upper_part_of_any(std::uint32_t x) {
  std::uint32_t const half = (x & 0x7fffffffu) < 0x7f7f8000u ? 0x8000u : 0u;
  return (x + half) & 0xffff0000u;
}

/// Components of a float, each in the upper half of 32 bits. Their sum is the number, if it is at least 2^-110. The
/// second and third of an infinite number, for which Finite must be false, are 0.
template <bool Finite>
struct bf16x3_split {
  std::uint32_t first, second, third;
  PLAIT_ALWAYS_INLINE explicit bf16x3_split(float x) {
    auto const bits = std::bit_cast<std::uint32_t>(x);
    if constexpr (Finite) {
      first = upper_part(bits);
      float const rest = x - std::bit_cast<float>(first);
      second = upper_part(std::bit_cast<std::uint32_t>(rest));
      third = std::bit_cast<std::uint32_t>(rest - std::bit_cast<float>(second));
    } else {
      first = upper_part_of_any(bits);
      float const rest = bits == first ? 0.0f : x - std::bit_cast<float>(first);
      second = upper_part_of_any(std::bit_cast<std::uint32_t>(rest));
      third = std::bit_cast<std::uint32_t>(rest - std::bit_cast<float>(second)) & 0xffff0000u;
    }
  }
};

/// Operand of a product: rows of the left one, columns of the right one.
enum class gemm_side : unsigned char { left, right };

/// Source of a strip of up to 32 rows or columns: they are `apart`, and consecutive k are `stride`; one of both is 1.
struct strip_source {
  float const* data;
  std::ptrdiff_t count;  ///< rows or columns that exist
  std::ptrdiff_t apart;
  std::ptrdiff_t stride;
  std::ptrdiff_t k;
  float factor = 1;  ///< multiplies all numbers
};

template <gemm_side Side>
struct pack_strip {
  strip_source const* from;
  std::uint32_t* to;

  PLAIT_ALWAYS_INLINE void operator()() const {
    std::array<float, strip_side> scales;
    if (find_scales(scales.data()))
      pack_all<true>(scales.data());
    else
      pack_all<false>(scales.data());
  }

 private:
  // Computes the factor of each row or column: `factor` and, if its greatest magnitude is so small, or large, that
  // components, or products of them, might not be normal, a power of two. Returns true if all numbers are finite.
  PLAIT_ALWAYS_INLINE bool find_scales(float* scales) const {
    std::array<std::uint32_t, strip_side> greatest{};
    if (from->stride == 1) {
      for (std::ptrdiff_t i = 0; i < from->count; ++i) {
        std::array<std::uint32_t, tile_side> lanes{};
        float const* const row = from->data + i * from->apart;
        std::ptrdiff_t k = 0;
        for (; k + 4 * tile_side <= from->k; k += 4 * tile_side) raise<tile_side>(lanes.data(), row + k, tile_side);
        for (; k < from->k; ++k) raise<1>(lanes.data(), row + k, 0);
        greatest[std::size_t(i)] = *std::max_element(lanes.begin(), lanes.end());
      }
    } else {
      std::ptrdiff_t k = from->count == strip_side ? from->k - from->k % 4 : 0;
      for (std::ptrdiff_t l = 0; l < k; l += 4)
        raise<strip_side>(greatest.data(), from->data + l * from->stride, from->stride);
      for (; k < from->k; ++k)
        for (std::ptrdiff_t i = 0; i < from->count; ++i)
          raise<1>(greatest.data() + i, from->data + k * from->stride + i, 0);
    }
    auto* const notes = reinterpret_cast<strip_notes*>(to + strip_steps(from->k) * step_units);
    notes->infinite = 0;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    bool finite = true;
    for (std::size_t i = 0; i != strip_side; ++i) {
      float const size = std::abs(std::bit_cast<float>(greatest[i]) * from->factor);
      float const scale = scale_for(size);
      scales[i] = from->factor * scale;
      notes->scales[i] = 1 / scale;
      if (size == infinity) notes->infinite |= 1u << i;
      finite = finite && size < infinity;
    }
    return finite;
  }
  // Updates maxima with four lines of Count numbers, `apart` from each other.
  template <int Count>
  PLAIT_ALWAYS_INLINE static void raise(std::uint32_t* greatest, float const* x, std::ptrdiff_t apart) {
    float const* const y = x + apart;
    float const* const z = y + apart;
    float const* const w = z + apart;
    PLAIT_VECTOR_LOOP
    for (int i = 0; i < Count; ++i) {
      std::uint32_t const xy = greater(magnitude(x[i]), magnitude(y[i]));
      std::uint32_t const zw = greater(magnitude(z[i]), magnitude(w[i]));
      greatest[i] = greater(greatest[i], greater(xy, zw));
    }
  }
  // GCC does not vectorise std::max, which chooses between addresses.
  PLAIT_ALWAYS_INLINE static std::uint32_t greater(std::uint32_t x, std::uint32_t y) { return x < y ? y : x; }
  PLAIT_ALWAYS_INLINE static std::uint32_t magnitude(float x) { return std::bit_cast<std::uint32_t>(x) & 0x7fffffffu; }
  PLAIT_ALWAYS_INLINE float scale_for(float size) const {
    constexpr std::uint32_t bias = 127;
    std::uint32_t const exponent = std::bit_cast<std::uint32_t>(size) >> 23;
    if ((exponent >= bias - 40 && exponent <= bias + 40) || exponent == 255 || size == 0) return 1;
    // Large numbers are scaled down no further than necessary: small ones beside them would be lost.
    std::uint32_t const wanted = exponent > bias ? bias + 40 : bias;
    float const scale = std::bit_cast<float>(std::clamp(bias + wanted - exponent, 1u, 2 * bias - 1) << 23);
    return std::abs(from->factor * scale) <= std::numeric_limits<float>::max() ? scale : 1;
  }

  template <bool Finite>
  PLAIT_ALWAYS_INLINE void pack_all(float const* scales) const {
    std::ptrdiff_t const halves = Side == gemm_side::right || from->count > tile_side ? 2 : 1;
    for (std::ptrdiff_t k = 0; k < from->k; k += tile_depth)
      for (std::ptrdiff_t half = 0; half != halves; ++half)
        pack<Finite>(k, half * tile_side, scales + half * tile_side,
                     to + k / tile_depth * step_units + half * tile_units);
  }
  // Packs 16 rows or columns by 32 of k, from `first` on.
  template <bool Finite>
  PLAIT_ALWAYS_INLINE void pack(std::ptrdiff_t k, std::ptrdiff_t first, float const* scales,
                                std::uint32_t* tile) const {
    constexpr bool is_left = Side == gemm_side::left;
    constexpr std::ptrdiff_t length = is_left ? tile_depth : tile_side;  // of a line
    std::ptrdiff_t const count = std::clamp<std::ptrdiff_t>(from->count - first, 0, tile_side);
    std::ptrdiff_t const depth = std::min(tile_depth, from->k - k);
    float const* lines = from->data + first * from->apart + k * from->stride;
    std::ptrdiff_t line = is_left ? from->apart : from->stride;
    alignas(64) std::array<float, tile_side * tile_depth> copied;
    if ((!is_left && count != tile_side) || depth != tile_depth || (is_left ? from->stride : from->apart) != 1) {
      std::ptrdiff_t const wanted = is_left ? count : depth;  // lines
      if (wanted != 0 && count != 0)
        pack_panel(copied.data(), length, lines, is_left ? depth : count, is_left ? from->stride : from->apart, line,
                   wanted);
      std::fill(copied.begin() + (count == 0 ? 0 : wanted * length), copied.end(), 0.0f);
      lines = copied.data();
      line = length;
    }
    // Missing rows are not written: their sums are not read.
    for (std::ptrdiff_t i = 0; i != (is_left ? count : tile_side); ++i, tile += tile_side) {
      if constexpr (is_left)
        write_row<Finite>(lines + i * line, scales[i], tile);
      else
        write_pairs<Finite>(lines + 2 * i * line, lines + (2 * i + 1) * line, scales, tile);
    }
  }
  // Packs 32 of k of one row.
  template <bool Finite>
  PLAIT_ALWAYS_INLINE static void write_row(float const* x, float scale, std::uint32_t* tile) {
    auto* const first = reinterpret_cast<std::uint16_t*>(tile);
    auto* const second = reinterpret_cast<std::uint16_t*>(tile + part_units);
    auto* const third = reinterpret_cast<std::uint16_t*>(tile + 2 * part_units);
    PLAIT_VECTOR_LOOP
    for (int i = 0; i < tile_depth; ++i) {
      bf16x3_split<Finite> const parts(x[i] * scale);
      first[i] = std::uint16_t(parts.first >> 16);
      second[i] = std::uint16_t(parts.second >> 16);
      third[i] = std::uint16_t(parts.third >> 16);
    }
  }
  // Packs two k of 16 columns.
  template <bool Finite>
  PLAIT_ALWAYS_INLINE static void write_pairs(float const* even, float const* odd, float const* scales,
                                              std::uint32_t* tile) {
    PLAIT_VECTOR_LOOP
    for (int i = 0; i < tile_side; ++i) {
      bf16x3_split<Finite> const lower(even[i] * scales[i]);
      bf16x3_split<Finite> const upper(odd[i] * scales[i]);
      tile[i] = lower.first >> 16 | upper.first;
      tile[part_units + i] = lower.second >> 16 | upper.second;
      tile[2 * part_units + i] = lower.third >> 16 | upper.third;
    }
  }
};

/// Returns the number at row or column i and at k of a strip, times its scale.
template <gemm_side Side>
PLAIT_ALWAYS_INLINE inline float joined_parts(std::uint32_t const* strip, std::ptrdiff_t i, std::ptrdiff_t k) {
  std::ptrdiff_t const pair = k % tile_depth / 2;
  std::ptrdiff_t const lane = i % tile_side;
  std::uint32_t const* const at = strip + k / tile_depth * step_units + i / tile_side * tile_units +
                                  (Side == gemm_side::left ? lane * tile_side + pair : pair * tile_side + lane);
  auto const part = [&](std::ptrdiff_t p) {
    std::uint32_t const both = at[p * part_units];
    return std::bit_cast<float>(k % 2 == 0 ? both << 16 : both & 0xffff0000u);
  };
  return part(0) + (part(1) + part(2));
}

}  // namespace plait::detail

PLAIT_KERNELS_END
